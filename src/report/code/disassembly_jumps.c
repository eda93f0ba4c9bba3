/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "report/code/disassembly_internal.h"

#include "base/sorted.h"

/*
 * Arrows of jumps: each has a lane of its own beside the rows that it spans, the shortest the
 * innermost one. A jump that finds no lane, or spans too much, has its target's distance alone.
 */

SORTED_BY_TWO(compare_jumps, struct disassembly_jump, rows, from)

static bool
is_free(const struct disassembly *out, const struct disassembly_jump *jump, unsigned lane)
{
	const size_t first = jump->from < jump->to ? jump->from : jump->to;

	for (size_t row = first; row <= first + jump->rows; row++) {
		const struct disassembly_row *at = &out->rows[row];

		if ((at->passing | at->above | at->below) & 1u << lane)
			return false;
	}
	return true;
}

static void
draw(struct disassembly *out, const struct disassembly_jump *jump, unsigned lane)
{
	const size_t first = jump->from < jump->to ? jump->from : jump->to;
	const size_t last = first + jump->rows;

	for (size_t row = first + 1; row < last; row++)
		out->rows[row].passing |= (uint8_t)(1u << lane);
	out->rows[first].above |= (uint8_t)(1u << lane);
	out->rows[last].below |= (uint8_t)(1u << lane);
	out->rows[jump->to].entered = true;
	if (lane + 1 > out->lanes)
		out->lanes = lane + 1;
}

/* The jumps to other rows that are short enough to be drawn. */
static struct disassembly_jump *
collect(const struct disassembly *out, struct arena *arena, size_t *count)
{
	struct disassembly_jump *jumps = NULL;
	size_t capacity = 0;
	struct instruction instruction;

	*count = 0;
	for (size_t row = 0; row < out->count; row++) {
		if (out->rows[row].kind != DISASSEMBLY_INSTRUCTION ||
		    !disassembly_decode(out, out->rows[row].address, &instruction) ||
		    (instruction.kinds & INSTRUCTION_JUMP) == 0 || !instruction.has_target)
			continue;
		const size_t to = disassembly_row(out, instruction.target);
		const size_t rows = to > row ? to - row : row - to;
		if (out->rows[to].address != instruction.target || rows == 0 ||
		    rows > DISASSEMBLY_ARROW_ROWS)
			continue;
		struct disassembly_jump *grown =
			arena_grow(arena, jumps, *count, &capacity, sizeof(*jumps));
		if (grown == NULL)
			break;
		jumps = grown;
		jumps[(*count)++] = (struct disassembly_jump){ row, to, rows };
	}
	return jumps;
}

void
disassembly_draw_jumps(struct disassembly *out)
{
	struct arena arena;
	size_t count;

	arena_init(&arena, 0);
	struct disassembly_jump *jumps = collect(out, &arena, &count);
	if (count > 0)
		qsort(jumps, count, sizeof(*jumps), compare_jumps);
	for (size_t i = 0; i < count; i++)
		for (unsigned lane = 0; lane < DISASSEMBLY_LANES; lane++)
			if (is_free(out, &jumps[i], lane)) {
				draw(out, &jumps[i], lane);
				break;
			}
	arena_free(&arena);
}
