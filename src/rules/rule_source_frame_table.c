/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/error.h"
#include "rules/rule_table.h"

/* Rules and rows of frame tables in modules' own files. */

/*
 * Bytes of entries that are run for one table, and the additional cost of a row: it is found by
 * running its entry from the beginning. A compiler's longest functions have some thousand rows of
 * some ten bytes, and .pdata needs a look-up for every instruction.
 */
#define MOST_WORK (UINT64_C(1) << 28)
#define ROW_WORK 1024u

/* Describes why a rule cannot be written. */
static const char *
explain(struct arena *arena, const char *name, const char *cannot)
{
	const char *text = arena_format(arena, "cannot follow the expression for %s: %s", name,
					cannot);

	return text != NULL ? text : OUT_OF_MEMORY;
}

const struct rule_set *
rule_set_frame_table(struct arena *arena, const struct arch *arch,
		     const struct frame_table_row *rules)
{
	struct rule_part parts[ARCH_REGISTERS + 2];
	const char *problem = NULL, *note = NULL;
	size_t count = 0;

	const struct {
		const char *name;
		const struct frame_table_rule *rule;
	} needed[] = { { ".cfa", &rules->cfa }, { ".ra", &rules->return_address } };
	for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
		if (rules->outermost && needed[i].rule->expression == NULL)
			continue;
		if (needed[i].rule->expression == NULL)
			problem = explain(arena, needed[i].name, needed[i].rule->cannot);
		else
			parts[count++] = (struct rule_part){
				.name = text_of(needed[i].name),
				.expression = text_of(needed[i].rule->expression),
				.record = rules->place };
	}
	for (size_t i = 0; i < rules->count; i++) {
		const struct frame_table_rule *rule = &rules->rules[i];
		const char *name = arch->registers[rule->reg].name;

		if (rule->expression == NULL)
			note = explain(arena, name, rule->cannot);
		parts[count++] = (struct rule_part){
			.name = text_of(name),
			.expression =
				text_of(rule->expression != NULL ? rule->expression : ".undef"),
			.record = rules->place
		};
	}
	struct rule_set *set = rule_set_parts(arena, arch, parts, count);
	if (set == NULL)
		return NULL;
	set->record = rules->place;
	set->address = rules->first;
	set->size = rules->last - rules->first + 1;
	set->problem = problem;
	set->note = note;
	set->note_place = rules->place;
	return set;
}

/* Rows ----------------------------------------------------------------------------------------- */

static const char damaged[] = "cannot follow the instructions of the entry";

static bool
covers(const struct rule_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct frame_extent extent;

	frame_tables_extent(source->module->binaries, source->module->number, source->number,
			    address, &extent);
	if (!extent.entry)
		return false;
	*first = extent.first;
	*last = extent.last;
	return true;
}

static bool
same_text(const char *one, const char *other)
{
	return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Whether a row equals the previous one. */
static bool
is_same(const struct frame_table_row *one, const struct frame_table_row *other)
{
	if (one->outermost != other->outermost || one->signal != other->signal ||
	    one->note != other->note || one->count != other->count ||
	    !same_text(one->cfa.expression, other->cfa.expression) ||
	    !same_text(one->return_address.expression, other->return_address.expression))
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (one->rules[i].reg != other->rules[i].reg ||
		    !same_text(one->rules[i].expression, other->rules[i].expression))
			return false;
	return true;
}

static void
add_row(struct rule_tables *tables, uint64_t address, const struct frame_table_row *row,
	const char *message)
{
	const struct rule_set *set = rule_set_frame_table(tables->arena, tables->arch, row);

	tables->failed = tables->failed || set == NULL;
	if (set == NULL)
		return;
	struct rule_row *added = rule_tables_row(tables, address, row->place, set);
	if (added == NULL)
		return;
	if (row->outermost)
		rule_tables_outermost(tables, added);
	else if (added->message == NULL)
		added->message = row->signal ? "a signal frame: the caller was interrupted"
				 : row->note != NULL ? row->note : message;
}

static struct frame_table_question
question_of(const struct rule_source *source, uint64_t address)
{
	return (struct frame_table_question){ .module = source->module->number, .relative = address,
					      .exact = true, .table = source->number };
}

/* The state while an entry is read. */
struct table_filling {
	const struct rule_source *source;
	struct rule_tables *tables;
	struct arena scratch;
	uint64_t work;
};

/* Rows of the entry around `at`, up to `last`, that differ from the previous row. */
static void
add_entry(struct table_filling *filling, uint64_t at, uint64_t last)
{
	const struct rule_source *source = filling->source;
	struct binaries *binaries = source->module->binaries;
	struct rule_tables *tables = filling->tables;
	struct rule_table *table = &tables->tables[tables->count - 1];
	const struct frame_table_row *above = NULL;
	const char *problem;

	while (rule_tables_more(tables)) {
		const struct frame_table_question question = question_of(source, at);

		arena_reset(&filling->scratch);
		const struct frame_table_row *row =
			frame_tables_find(binaries, &question, &filling->scratch, &problem);
		if (row == NULL) {
			rule_tables_defect(tables, at, (struct place){ 0 },
					   problem != NULL ? problem : damaged);
			return;
		}
		filling->work += row->place.length + ROW_WORK;
		table->full = table->full || filling->work > MOST_WORK;
		if (above == NULL || !is_same(row, above)) {
			above = frame_tables_find(binaries, &question, tables->arena, &problem);
			if (above != NULL)
				add_row(tables, at, above, NULL);
		}
		const uint64_t next = frame_tables_next(binaries, &question, row);
		if (next <= at || next > last)
			return;
		at = next;
	}
}

/* A note on all rows: where they hold, or that their offsets are in a debug file. */
static const char *
note_of(const struct rule_source *source, struct arena *arena)
{
	if (source->number == FRAME_TABLE_EXIDX)
		return "true at calls; prologues and epilogues have no rows";
	const struct binary *binary =
		frame_tables_file(source->module->binaries, source->module->number, source->number);
	char name[128];

	if (!binary->debug_only)
		return NULL;
	text_printable(name, sizeof(name), text_of(binary->file.input.name));
	return arena_format(arena, "of %s", name);
}

static void
fill(const struct rule_source *source, struct rule_tables *tables)
{
	struct binaries *binaries = source->module->binaries;
	struct rule_table *table = &tables->tables[tables->count - 1];
	struct table_filling filling = { .source = source, .tables = tables };
	const struct frame_table_row *row;
	uint64_t at = tables->first;
	const char *problem;

	table->note = note_of(source, tables->arena);
	arena_init(&filling.scratch, 0);
	while (rule_tables_more(tables)) {
		const struct frame_table_question question = question_of(source, at);
		struct frame_extent extent;

		frame_tables_extent(binaries, source->module->number, source->number, at, &extent);
		/* Between two entries some tables have a rule for functions without an entry. */
		row = extent.entry ? NULL
				   : frame_tables_find(binaries, &question, tables->arena,
						       &problem);
		if (extent.entry)
			add_entry(&filling, at,
				  extent.last < tables->last ? extent.last : tables->last);
		else if (row != NULL)
			add_row(tables, at, row, "no entry: a leaf function, which does not move "
						 "the stack");
		else
			rule_tables_nothing(tables, at);
		if (extent.last >= tables->last)
			break;
		at = extent.last + 1;
	}
	arena_free(&filling.scratch);
}

const struct rule_source_kind rule_source_frame_table = { covers, fill, .partial = false };
