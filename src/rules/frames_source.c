/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_tables.h"
#include "rules/show_rows.h"
#include "rules/unwind_source.h"

/* .pdata, .ARM.exidx and __unwind_info, whose rows result from unwind codes and machine code. */

struct frames_state {
	struct frame_cursor cursor;
	uint64_t end;			/* the end of the module's code */
};

static bool
open_source(struct unwind_source *source)
{
	const struct rule_module *module = source->module;
	struct frames_state *state = arena_alloc(&source->arena, sizeof(*state));

	source->state = state;
	if (state == NULL)
		return false;
	frame_cursor_begin(&state->cursor, module->binaries, module->number, source->kind->number);
	state->end = unwind_code_end(module);
	return state->end > 0;
}

static void
close_source(struct unwind_source *source)
{
	struct frames_state *state = source->state;

	arena_free(&state->cursor.arena);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct frames_state *state = source->state;

	frame_cursor_seek(&state->cursor, address);
}

static bool
next(struct unwind_source *source)
{
	struct frames_state *state = source->state;
	struct claim silence[CLAIM_COLUMNS];
	struct unwind_row *row = &source->row;

	do {
		if (!frame_cursor_next(&state->cursor) || state->cursor.row.first >= state->end)
			return false;
	} while (state->cursor.row.problem != NULL && !source->shown);
	unwind_row_clear(source);
	memcpy(silence, row->claims, sizeof(silence));
	*row = state->cursor.row;
	if (row->last >= state->end)
		row->last = state->end - 1;
	row->changed = UINT64_MAX;
	for (unsigned i = 0; i < claim_columns(source->module->arch); i++) {
		row->records[i] = row->record;
		if (row->claims[i].kind == CLAIM_SILENT)
			row->claims[i] = silence[i];
	}
	return true;
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct rule_module *module = source->module;

	return (struct place){
		.input = &frame_tables_file(module->binaries, module->number,
					    source->kind->number)->file.input,
		.offset = record };
}

const struct unwind_reader unwind_reader_frames = {
	frame_table_exists, open_source, seek, next, place, close_source, frame_table_covers,
	frame_table_show,
};
