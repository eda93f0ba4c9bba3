/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/source.h"

#include <string.h>

#include "base/sorted.h"
#include "frame_table/frame_tables.h"

/*
 * Sources that are read through the tables of rules of their functions: STACK WIN records, .pdata
 * and .ARM.exidx, whose rows result from code and programs.
 */

/* Bytes of code per table. */
#define WINDOW UINT64_C(0x4000)
/* Most bytes of kept rows; those of the largest programs take a tenth of it. */
#define MOST_KEPT (UINT64_C(256) << 20)
/* Bytes of an entry that is not cut at the end of a window. */
#define MOST_BYTES UINT64_C(0x100000)

/* A row as it is kept, with the columns that the architecture has. */
struct kept_row {
	uint64_t last;
	const char *problem;
	uint64_t record, begins;
	bool presumed;
	struct kept_claim {
		struct claim claim;
		uint64_t record;
	} columns[];
};

/*
 * All rows, kept after the first reading: making them runs code instruction by instruction, and a
 * check of a module reads them several times.
 */
struct kept_rows {
	struct arena arena;
	struct kept_index {
		uint64_t first;
		const struct kept_row *row;
	} *list;
	size_t count, capacity;
	bool whole;
};

struct table_state {
	struct kept_rows *kept;		/* its own, or those of a source that outlives it */
	struct kept_rows own;
	bool keeping;			/* all rows so far were kept */
	const char *problem;		/* the last one that was kept */
	size_t next_kept;
	struct rule_source source;
	uint64_t from, end;		/* begin of the next window; end of the module's code */
	uint64_t address;		/* where the wanted rows begin */
	struct arena arena;		/* of the current tables */
	struct rule_tables tables;
	size_t next;			/* row */
};

uint64_t
unwind_code_end(const struct rule_module *module)
{
	const struct binary *binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	uint64_t end = 0;

	for (size_t i = 0; binary != NULL && i < binary->segment_count; i++)
		if (binary->segments[i].executable)
			end = binary->segments[i].address + binary->segments[i].size;
	return end;
}

/* The address after the module's last instruction by its file, else the limit of records. */
static uint64_t
end_of(const struct rule_module *module)
{
	const struct binary *binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	const struct symbols_policy policy = symbols_policy_of(module->policy);
	uint64_t end = unwind_code_end(module), change = 0;

	while (binary == NULL && module->symfile != NULL &&
	       (symfile_stack_win_change(module->symfile, &policy, 4, change, &change) ||
		symfile_stack_win_change(module->symfile, &policy, 0, change, &change)))
		end = change;
	return end;
}

static bool
open_source(struct unwind_source *source)
{
	struct rule_source sources[RULE_SOURCES];
	const size_t count = rule_sources(source->module, sources);
	struct table_state *state;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(sources[i].name, source->kind->name) != 0 ||
		    (source->kind->symbols &&
		     symfile_count(source->module->symfile, SYMBOL_STACK_WIN) == 0))
			continue;
		source->state = state = arena_alloc(&source->arena, sizeof(*state));
		if (state == NULL)
			return false;
		state->kept = &state->own;
		state->source = sources[i];
		state->end = end_of(source->module);
		return state->end > 0;
	}
	return false;
}

static bool
share(struct unwind_source *source, const struct unwind_source *of)
{
	const struct table_state *other = of->state;
	struct table_state *state;

	if (!open_source(source))
		return false;
	state = source->state;
	if (other->kept->whole)
		state->kept = other->kept;
	return true;
}

static void
close_source(struct unwind_source *source)
{
	struct table_state *state = source->state;

	arena_free(&state->own.arena);
	arena_free(&state->arena);
}

/* Keeping rows --------------------------------------------------------------------------------- */

static void
keep_row(struct unwind_source *source)
{
	struct table_state *state = source->state;
	const struct unwind_row *row = &source->row;
	const unsigned columns = claim_columns(source->module->arch);
	struct kept_row *kept = arena_alloc(
		&state->own.arena, sizeof(*kept) + columns * sizeof(*kept->columns));
	struct kept_index *added = ARENA_PUSH(&state->own.arena, state->own.list,
					      state->own.count, state->own.capacity);

	state->keeping = kept != NULL && added != NULL && state->own.arena.used < MOST_KEPT;
	if (!state->keeping)
		return;
	kept->last = row->last;
	/* A window's texts are freed with it. */
	if (row->problem != NULL && state->problem != NULL &&
	    strcmp(row->problem, state->problem) == 0)
		kept->problem = state->problem;
	else if (row->problem != NULL)
		kept->problem = state->problem = arena_copy(&state->own.arena, row->problem,
							    strlen(row->problem));
	kept->record = row->record;
	kept->begins = row->begins;
	kept->presumed = row->presumed;
	for (unsigned i = 0; i < columns; i++)
		kept->columns[i] = (struct kept_claim){ row->claims[i], row->records[i] };
	*added = (struct kept_index){ row->first, kept };
}

static bool
next_kept(struct unwind_source *source)
{
	struct table_state *state = source->state;
	const struct kept_rows *rows = state->kept;
	struct unwind_row *row = &source->row;

	if (state->next_kept == rows->count)
		return false;
	const struct kept_index *at = &rows->list[state->next_kept++];
	*row = (struct unwind_row){ .first = at->first, .last = at->row->last,
				    .changed = UINT64_MAX, .problem = at->row->problem,
				    .record = at->row->record, .entry = at->row->record,
				    .begins = at->row->begins, .presumed = at->row->presumed };
	for (unsigned i = 0; i < claim_columns(source->module->arch); i++) {
		row->claims[i] = at->row->columns[i].claim;
		row->records[i] = at->row->columns[i].record;
	}
	return true;
}

static void
seek_kept(struct table_state *state, uint64_t address)
{
	const struct kept_rows *rows = state->kept;
	size_t at = sorted_upto(SORTED(rows->list, rows->count, first), address);

	at -= at > 0 && rows->list[at - 1].row->last >= address;
	state->next_kept = at;
}

/* Reading them --------------------------------------------------------------------------------- */

/*
 * The window of an entry that crosses an address: rows of an entry need all of its code, so an
 * entry is in the window in which it begins. False: no entry crosses the address from below.
 */
static bool
crosses(const struct table_state *state, uint64_t address, uint64_t *first, uint64_t *last)
{
	return state->source.kind->covers(&state->source, address, first, last) &&
	       *first < address && *last - *first < MOST_BYTES;
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct table_state *state = source->state;

	uint64_t first, last;

	if (state->kept->whole) {
		seek_kept(state, address);
		return;
	}
	arena_free(&state->own.arena);
	state->own = (struct kept_rows){ .whole = false };
	state->problem = NULL;
	/* Records of a symbol file may be edited between readings. */
	state->keeping = address == 0 && !source->kind->symbols;
	state->address = address;
	state->next = 0;
	/* Windows do not depend on the wanted address, nor do the rows at their ends. */
	if (state->tables.count > 0 && address >= state->tables.first &&
	    address <= state->tables.last)
		return;
	state->from = address / WINDOW * WINDOW;
	if (crosses(state, state->from, &first, &last))
		state->from = address <= last ? first : last + 1;
	state->tables.count = 0;
}

static bool
lay_out(struct unwind_source *source)
{
	struct table_state *state = source->state;

	if (state->from >= state->end)
		return false;
	uint64_t last = state->from / WINDOW * WINDOW + WINDOW - 1, entry, entry_last;
	last = last < state->end ? last : state->end - 1;
	if (crosses(state, last + 1, &entry, &entry_last))
		last = entry_last;
	arena_reset(&state->arena);
	rule_tables_init(&state->tables, &state->arena, source->module->arch, state->from, last);
	state->tables.windows = source->windows;
	rule_tables_add(&state->tables, &state->source);
	rule_tables_finish(&state->tables);
	state->from = last + 1;
	state->next = 0;
	return true;
}

void
unwind_row_take(struct unwind_source *source, const struct rule_tables *tables,
		const struct rule_row *from)
{
	const struct arch *arch = source->module->arch;
	struct unwind_row *row = &source->row;

	unwind_row_clear(source);
	row->first = from->address;
	row->last = from->last;
	row->record = row->entry = from->record.offset;
	row->problem = from->broken ? from->message : NULL;
	for (unsigned i = 0; i < claim_columns(arch); i++)
		row->records[i] = from->record.offset;
	for (size_t i = 0; from->cells != NULL && i < tables->column_count; i++) {
		const struct rule_column *column = &tables->columns[i];
		const struct rule_cell *cell = &from->cells[i];
		const unsigned at = column->kind == RULE_COLUMN_CFA ? CLAIM_CFA
				    : column->kind == RULE_COLUMN_RETURN_ADDRESS
					    ? CLAIM_RETURN_ADDRESS
					    : CLAIM_REGISTER + (unsigned)column->reg;

		if (column->kind == RULE_COLUMN_OTHER || cell->kind == RULE_CELL_KEPT ||
		    cell->kind == RULE_CELL_LOST)
			continue;
		row->claims[at] = rule_cell_claim(tables, from, i);
		row->records[at] = cell->record.offset;
	}
}

static void
take_row(struct unwind_source *source, const struct rule_row *from)
{
	const struct table_state *state = source->state;
	struct frame_extent extent;

	unwind_row_take(source, &state->tables, from);
	if (source->kind->symbols || (state->source.number & RULE_SOURCE_PDB) != 0)
		return;
	frame_tables_extent(source->module->binaries, source->module->number, source->kind->number,
			    from->address, &extent);
	source->row.begins = extent.first;
	source->row.presumed = !extent.entry;
}

static bool
next(struct unwind_source *source)
{
	struct table_state *state = source->state;

	if (state->kept->whole)
		return next_kept(source);
	for (;;) {
		const struct rule_table *table =
			state->tables.count > 0 ? &state->tables.tables[0] : NULL;

		while (table != NULL && state->next < table->count) {
			const struct rule_row *row = &table->rows[state->next++];

			if (row->kind != RULE_ROW_RULES || row->cells == NULL ||
			    row->last < state->address)
				continue;
			take_row(source, row);
			if (state->keeping)
				keep_row(source);
			return true;
		}
		if (!lay_out(source)) {
			state->own.whole = state->keeping;
			state->next_kept = state->own.count;
			return false;
		}
	}
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct table_state *state = source->state;
	const struct rule_module *module = source->module;

	if (source->kind->symbols)
		return symfile_place(module->symfile, record, 0);
	const struct binary *debug = binaries_load(module->binaries, module->number, LOCATE_DEBUG);
	if ((state->source.number & RULE_SOURCE_PDB) != 0)
		return (struct place){ .input = debug != NULL ? &debug->file.input : NULL,
				       .offset = record };
	return (struct place){
		.input = &frame_tables_file(module->binaries, module->number,
					    state->source.number)->file.input,
		.offset = record };
}

const struct unwind_reader unwind_reader_table = {
	open_source, seek, next, place, close_source, .share = share,
};
