/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/error.h"
#include "frame_table/frame_tables.h"
#include "rules/show_rows.h"

/* Rules and rows of frame tables in modules' own files. */

static const char *
explain(struct arena *arena, const char *name, const char *cannot)
{
	const char *text = arena_format(arena, "cannot follow the expression for %s: %s", name,
					cannot);

	return text != NULL ? text : OUT_OF_MEMORY;
}

/* Make a part of a rule set from a column's rule; false if postfix cannot express it. */
static bool
set_part(struct arena *arena, const struct arch *arch, const struct unwind_row *row,
	 unsigned column, struct rule_part *part, const char **cannot)
{
	const char *name = claim_rule_name(arch, column);
	const char *text = unwind_row_expression(row, arch, column, arena, cannot);

	*part = (struct rule_part){ .name = text_of(name),
				    .expression = text_of(text != NULL ? text : ".undef"),
				    .record = row->place };
	if (text == NULL)
		*cannot = explain(arena, name, *cannot);
	return text != NULL;
}

const struct rule_set *
rule_set_row(struct arena *arena, const struct arch *arch, const struct unwind_row *row)
{
	struct rule_part parts[CLAIM_COLUMNS];
	const char *problem = NULL, *note = NULL, *cannot;
	size_t count = 0;

	for (unsigned column = 0; column < claim_columns(arch); column++) {
		const enum claim_kind kind = row->claims[column].kind;

		if (column >= CLAIM_REGISTER && kind != CLAIM_RULE && kind != CLAIM_EXPRESSION)
			continue;
		if (set_part(arena, arch, row, column, &parts[count], &cannot)) {
			count++;
		} else if (column >= CLAIM_REGISTER) {
			count++;
			note = cannot;
		} else if (!unwind_row_outermost(row)) {
			problem = cannot;
		}
	}
	struct rule_set *set = rule_set_parts(arena, arch, parts, count);
	if (set == NULL)
		return NULL;
	set->record = row->place;
	set->address = row->first;
	set->size = row->last - row->first + 1;
	set->problem = problem;
	set->note = note;
	set->note_place = row->place;
	return set;
}

/* Rows ----------------------------------------------------------------------------------------- */

bool
frame_table_exists(const struct unwind_source *source)
{
	return frame_tables_file(source->module->binaries, source->module->number,
				 source->kind->number) != NULL;
}

bool
frame_table_covers(const struct unwind_source *source, uint64_t address, uint64_t *first,
		   uint64_t *last)
{
	struct frame_extent extent;

	frame_tables_extent(source->module->binaries, source->module->number, source->kind->number,
			    address, &extent);
	if (!extent.entry)
		return false;
	*first = extent.first;
	*last = extent.last;
	return true;
}

static bool
is_rule(const struct claim *claim)
{
	return claim->kind == CLAIM_RULE || claim->kind == CLAIM_EXPRESSION;
}

/* Whether two rows of one entry are shown as one row, because they have equal rules. */
static bool
is_same(const struct unwind_row *one, const struct unwind_row *other)
{
	if (one->entry != other->entry || one->begins != other->begins ||
	    one->note != other->note || one->problem != other->problem)
		return false;
	for (unsigned i = 0; i < CLAIM_COLUMNS; i++) {
		const struct claim *a = &one->claims[i], *b = &other->claims[i];

		if (!claim_equal(a, b) && (i < CLAIM_REGISTER || is_rule(a) || is_rule(b)))
			return false;
	}
	return true;
}

/* Copy a row's text to the memory of the tables: the next row overwrites the original. */
static const char *
kept(struct rule_tables *tables, const char *text)
{
	const char *copy = arena_string(tables->arena, text);

	return copy != NULL ? copy : OUT_OF_MEMORY;
}

static void
add_row(struct rule_tables *tables, const struct unwind_row *row)
{
	if (row->problem != NULL) {
		rule_tables_defect(tables, row->first, row->place, kept(tables, row->problem));
		return;
	}
	const struct rule_set *set = rule_set_row(tables->arena, tables->arch, row);
	tables->failed = tables->failed || set == NULL;
	if (set == NULL)
		return;
	struct rule_row *added = rule_tables_row(tables, row->first, row->place, set);
	if (added == NULL)
		return;
	if (unwind_row_outermost(row))
		rule_tables_outermost(tables, added);
	else if (added->message == NULL)
		added->message = row->signal ? "a signal frame: the caller was interrupted"
				 : row->note != NULL ? kept(tables, row->note)
				 : row->presumed ? "no entry: a leaf function, which does not move "
						   "the stack" : NULL;
}

/* A note on all rows: they are correct at calls only, or they are from a debug file. */
static const char *
note_of(const struct unwind_source *source, struct arena *arena)
{
	if (source->kind->at_calls)
		return "correct at calls; prologues and epilogues have no rows";
	const struct binary *binary = frame_tables_file(
		source->module->binaries, source->module->number, source->kind->number);
	char name[128];

	if (!binary->debug_only)
		return NULL;
	text_printable(name, sizeof(name), text_of(binary->file.input.name));
	return arena_format(arena, "of %s", name);
}

static void
add_rows(struct unwind_source *source, struct rule_tables *tables)
{
	const struct unwind_row *row = &source->row;
	struct unwind_row above = { .last = 0 };
	uint64_t at = tables->first;

	for (bool there = unwind_source_from(source, at);
	     there && rule_tables_more(tables) && row->first <= tables->last;
	     there = source->kind->reader->next(source)) {
		if (row->first > at)
			rule_tables_nothing(tables, at);
		if (above.last == 0 || row->first != above.last + 1 || !is_same(row, &above))
			add_row(tables, row);
		if (row->last >= tables->last)
			return;
		above = *row;
		at = row->last + 1;
	}
	rule_tables_nothing(tables, at);
}

void
frame_table_show(const struct unwind_source *source, struct rule_tables *tables)
{
	struct unwind_source shown = { .kind = source->kind, .module = source->module,
				       .shown = true };

	tables->tables[tables->count - 1].note = note_of(source, tables->arena);
	if (source->kind->reader->open(&shown))
		add_rows(&shown, tables);
	else
		rule_tables_nothing(tables, tables->first);
	unwind_sources_close(&shown, 1);
}
