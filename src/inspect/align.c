/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/align.h"

/* Maximum size of the table of moves in bytes. It has a byte for each pair of unaligned frames. */
#define MOST_CELLS (4u << 20)

static void
add_pair(struct alignment *alignment, const struct align_side *sides, size_t first, size_t second)
{
	char sign = first == ALIGN_NONE ? '>' : '<';

	if (first != ALIGN_NONE && second != ALIGN_NONE) {
		sign = sides[0].frames[first].said == sides[1].frames[second].said ? '=' : '~';
		alignment->paired++;
	}
	if (sign != '=') {
		alignment->different++;
		alignment->last = alignment->count;
	}
	alignment->pairs[alignment->count++] = (struct align_pair){ sign, { first, second } };
}

static bool
is_same(const struct align_side *sides, size_t first, size_t second)
{
	return sides[0].frames[first].key == sides[1].frames[second].key;
}

/* The parts to align: frames `from` up to `to[i]` (exclusive) of side i. */
struct align_span {
	size_t from, to[2];
};

enum { MOVE_BOTH, MOVE_FIRST, MOVE_SECOND };

/* Each cell's move along the longest common subsequence. NULL: too large, or out of memory. */
static unsigned char *
find_moves(const struct align_side *sides, const struct align_span *span, struct arena *arena)
{
	const size_t rows = span->to[0] - span->from, columns = span->to[1] - span->from;

	if (rows == 0 || columns == 0 || rows > MOST_CELLS / columns)
		return NULL;
	unsigned char *moves = arena_array(arena, rows, columns);
	uint16_t *longest = arena_array(arena, 2 * (columns + 1), sizeof(*longest));
	if (moves == NULL || longest == NULL)
		return NULL;
	for (size_t row = rows; row-- > 0;) {
		/* Cells after the last column or row are 0: nothing is common there. */
		uint16_t *here = longest + row % 2 * (columns + 1);
		const uint16_t *below = longest + (row + 1) % 2 * (columns + 1);

		for (size_t column = columns; column-- > 0;) {
			const bool both = is_same(sides, span->from + row, span->from + column);
			const bool first = below[column] >= here[column + 1];

			here[column] = both    ? (uint16_t)(below[column + 1] + 1)
				       : first ? below[column]
					       : here[column + 1];
			moves[row * columns + column] = both	? MOVE_BOTH
							: first ? MOVE_FIRST
								: MOVE_SECOND;
		}
	}
	return moves;
}

/* The next move if keys ascend on both sides. */
static unsigned
ascending_move(const struct align_side *sides, size_t first, size_t second)
{
	const uint64_t keys[] = { sides[0].frames[first].key, sides[1].frames[second].key };

	return keys[0] == keys[1] ? MOVE_BOTH : keys[0] < keys[1] ? MOVE_FIRST : MOVE_SECOND;
}

bool
align(struct alignment *alignment, const struct align_side sides[2], bool ascending,
      struct arena *arena)
{
	struct align_span span = { 0, { sides[0].count, sides[1].count } };

	*alignment = (struct alignment){ .last = ALIGN_NONE };
	alignment->pairs = arena_array(arena, sides[0].count + sides[1].count + 1,
				       sizeof(*alignment->pairs));
	if (alignment->pairs == NULL)
		return false;
	while (span.to[0] > 0 && span.to[1] > 0 && is_same(sides, span.to[0] - 1, span.to[1] - 1)) {
		span.to[0]--;
		span.to[1]--;
	}
	for (; span.from < span.to[0] && span.from < span.to[1] &&
	       is_same(sides, span.from, span.from); span.from++)
		add_pair(alignment, sides, span.from, span.from);
	const unsigned char *moves = ascending ? NULL : find_moves(sides, &span, arena);
	const size_t columns = span.to[1] - span.from;
	size_t first = span.from, second = span.from;
	while (first < span.to[0] || second < span.to[1]) {
		const bool both = first < span.to[0] && second < span.to[1];
		unsigned move = first < span.to[0] ? MOVE_FIRST : MOVE_SECOND;

		if (both && ascending)
			move = ascending_move(sides, first, second);
		else if (both && moves != NULL)
			move = moves[(first - span.from) * columns + (second - span.from)];
		add_pair(alignment, sides, move == MOVE_SECOND ? ALIGN_NONE : first,
			 move == MOVE_FIRST ? ALIGN_NONE : second);
		first += move != MOVE_SECOND;
		second += move != MOVE_FIRST;
	}
	while (first < sides[0].count)
		add_pair(alignment, sides, first++, second++);
	return true;
}
