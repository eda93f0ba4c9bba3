/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "rules/rule_table.h"

/* The rows of frame tables in modules' own files. */

/*
 * Bytes of entries that are run for one table: a row is found by running its entry from the
 * beginning. A compiler's longest functions have some thousand rows of some ten bytes.
 */
#define MOST_WORK (UINT64_C(1) << 28)

static const char damaged[] = "the entry's instructions can't be followed";

static bool
covers(const struct rule_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct frame_extent extent;

	frame_tables_extent(source->frames, source->module, source->frame_table, address, &extent);
	if (!extent.entry)
		return false;
	*first = extent.first;
	*last = extent.last;
	return true;
}

/* What can't be said at an address. */
static void
add_defect(struct rule_tables *tables, uint64_t address, const char *problem)
{
	struct rule_row *nothing = rule_tables_nothing(tables, address, problem);

	if (nothing != NULL)
		nothing->broken = true;
}

static void
add_row(struct rule_tables *tables, uint64_t address, const struct frame_table_row *row)
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
	if (row->outermost)
		added->message = "nobody called this function: the return address is undefined";
	else if (row->signal && added->message == NULL)
		added->message = "a signal frame: the caller was interrupted";
}

/* Rows of the entry around `at`, up to `last`. */
static void
add_entry(const struct rule_source *source, struct rule_tables *tables, uint64_t at, uint64_t last,
	  uint64_t *work)
{
	struct rule_table *table = &tables->tables[tables->count - 1];

	while (!tables->failed && !table->full) {
		const struct frame_table_question question = {
			.module = source->module, .relative = at, .exact = true };
		const char *problem;
		const struct frame_table_row *row = frame_tables_row(
			source->frames, source->frame_table, &question, tables->arena, &problem);

		if (row == NULL) {
			add_defect(tables, at, problem != NULL ? problem : damaged);
			return;
		}
		add_row(tables, at, row);
		*work += row->place.length;
		table->full = table->full || *work > MOST_WORK;
		if (row->last < at || row->last >= last)
			return;
		at = row->last + 1;
	}
}

/* Where offsets are those of a debug file. */
static const char *
note_of(const struct rule_source *source, struct arena *arena)
{
	const struct binary *binary =
		frame_tables_file(source->frames, source->module, source->frame_table);
	char name[128];

	if (!binary->debug_only)
		return NULL;
	text_printable(name, sizeof(name), text_of(binary->file.input.name));
	return arena_format(arena, "of %s", name);
}

static void
fill(const struct rule_source *source, struct rule_tables *tables)
{
	struct rule_table *table = &tables->tables[tables->count - 1];
	uint64_t at = tables->first, work = 0;

	table->note = note_of(source, tables->arena);

	while (!tables->failed && !table->full) {
		struct frame_extent extent;

		frame_tables_extent(source->frames, source->module, source->frame_table, at,
				    &extent);
		if (extent.entry)
			add_entry(source, tables, at,
				  extent.last < tables->last ? extent.last : tables->last, &work);
		else
			rule_tables_nothing(tables, at, NULL);
		if (extent.last >= tables->last)
			break;
		at = extent.last + 1;
	}
}

struct rule_source
rule_source_frame_table(struct frame_tables *frames, size_t module, unsigned number)
{
	return (struct rule_source){ .name = frame_tables_name(number), .covers = covers,
				     .fill = fill, .frames = frames, .module = module,
				     .frame_table = number };
}
