/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/versus.h"

#include <inttypes.h>
#include <string.h>

#include "walk/location.h"

/* Frames of both sides between what both have in common: each needs a byte for each other one. */
#define MOST_CELLS (4u << 20)

/* What a frame is called; texts are those of symbol files and of the dump. */
struct called {
	struct text module, name;
	struct text file;
	uint32_t line;
	uint64_t offset;		/* in its function, else in its module */
};

struct side {
	struct called *frames;
	size_t count;
};

/* Without a function two frames are the same where they are at the same place of their module. */
static bool
same_function(const struct called *one, const struct called *other)
{
	return text_equal(one->module, other->module) && text_equal(one->name, other->name) &&
	       (one->name.length > 0 || one->offset == other->offset);
}

static bool
same_line(const struct called *one, const struct called *other)
{
	if (one->file.length == 0 && other->file.length == 0)
		return one->offset == other->offset;
	return one->line == other->line &&
	       text_equal(text_base_name(one->file), text_base_name(other->file));
}

/* Names from the dump live as long as it does, those of lists in the arena of the look-up. */
static struct called
call_frame(const struct walk *walk, const struct frame *frame, struct arena *arena)
{
	struct called called = { .offset = frame->lookup };
	struct location location;

	location_of(walk, frame->lookup, arena, NULL, &location);
	const struct call *call = &location.calls[location.call_count - 1];
	called.name = call->name;
	called.file = call->file;
	called.line = call->line;
	if (location.module != NULL) {
		called.module = text_base_name(text_of(location.module->code_file));
		called.offset -= location.module->base;
		if (location.symbol.found)
			called.offset -= location.symbol.function.address;
	}
	return called;
}

static bool
make_side(struct side *side, const struct walk *walk, struct arena *arena)
{
	const size_t count = walk == NULL ? 0 : walk->count;

	side->count = count < VERSUS_MOST_FRAMES ? count : VERSUS_MOST_FRAMES;
	side->frames = arena_array(arena, side->count + 1, sizeof(*side->frames));
	if (side->frames == NULL)
		return false;
	for (size_t i = 0; i < side->count; i++)
		side->frames[i] = call_frame(walk, &walk->frames[i], arena);
	return true;
}

/* What has to be aligned of both sides: [from, to) of each. */
struct versus_span {
	size_t from, to[VERSUS_SIDES];
};

static void
add_pair(struct versus *versus, const struct side *sides, size_t first, size_t second)
{
	struct versus_pair *pair = &versus->pairs[versus->count++];
	char sign = first == VERSUS_NONE ? '>' : '<';

	if (first != VERSUS_NONE && second != VERSUS_NONE) {
		sign = same_line(&sides[0].frames[first], &sides[1].frames[second]) ? '=' : '~';
		versus->same++;
	}
	*pair = (struct versus_pair){ sign, { first, second } };
}

enum { MOVE_BOTH, MOVE_FIRST, MOVE_SECOND };

/* Which way the longest common subsequence goes from each cell; NULL: too many, or no memory. */
static unsigned char *
find_moves(const struct side *sides, const struct versus_span *span, struct arena *arena)
{
	const size_t rows = span->to[0] - span->from, columns = span->to[1] - span->from;

	if (rows == 0 || columns == 0 || rows > MOST_CELLS / columns)
		return NULL;
	unsigned char *moves = arena_array(arena, rows, columns);
	uint16_t *longest = arena_array(arena, 2 * (columns + 1), sizeof(*longest));
	if (moves == NULL || longest == NULL)
		return NULL;
	for (size_t row = rows; row-- > 0;) {
		uint16_t *here = longest + row % 2 * (columns + 1);
		const uint16_t *below = longest + (row + 1) % 2 * (columns + 1);

		here[columns] = 0;
		for (size_t column = columns; column-- > 0;) {
			const bool both = same_function(&sides[0].frames[span->from + row],
							&sides[1].frames[span->from + column]);
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

/* Pair what lies between the common ends. */
static void
pair_middle(struct versus *versus, const struct side *sides, const struct versus_span *span,
	    struct arena *arena)
{
	const unsigned char *moves = find_moves(sides, span, arena);
	const size_t columns = span->to[1] - span->from;
	size_t first = span->from, second = span->from;

	while (first < span->to[0] || second < span->to[1]) {
		unsigned move = first < span->to[0] ? MOVE_FIRST : MOVE_SECOND;

		if (moves != NULL && first < span->to[0] && second < span->to[1])
			move = moves[(first - span->from) * columns + (second - span->from)];
		add_pair(versus, sides, move == MOVE_SECOND ? VERSUS_NONE : first,
			 move == MOVE_FIRST ? VERSUS_NONE : second);
		first += move != MOVE_SECOND;
		second += move != MOVE_FIRST;
	}
}

/* The outermost frames first: there both dumps came the same way. */
static struct versus_span
find_middle(const struct side *sides)
{
	struct versus_span span = { 0, { sides[0].count, sides[1].count } };

	while (span.to[0] > 0 && span.to[1] > 0 &&
	       same_function(&sides[0].frames[span.to[0] - 1], &sides[1].frames[span.to[1] - 1])) {
		span.to[0]--;
		span.to[1]--;
	}
	while (span.from < span.to[0] && span.from < span.to[1] &&
	       same_function(&sides[0].frames[span.from], &sides[1].frames[span.from]))
		span.from++;
	return span;
}

static size_t
find_parting(const struct versus *versus)
{
	for (size_t i = versus->count; i-- > 0;)
		if (versus->pairs[i].sign != '=')
			return i;
	return VERSUS_NONE;
}

const struct versus *
versus_compare(const struct versus_side *first, const struct versus_side *second,
	       struct arena *arena)
{
	struct versus *versus = arena_alloc(arena, sizeof(*versus));
	struct side sides[VERSUS_SIDES];

	if (versus == NULL || !make_side(&sides[0], first->walk, arena) ||
	    !make_side(&sides[1], second->walk, arena))
		return NULL;
	*versus = (struct versus){ .sides = { *first, *second } };
	versus->pairs = arena_array(arena, sides[0].count + sides[1].count + 1,
				    sizeof(*versus->pairs));
	if (versus->pairs == NULL)
		return NULL;
	const struct versus_span span = find_middle(sides);
	for (size_t i = 0; i < span.from; i++)
		add_pair(versus, sides, i, i);
	pair_middle(versus, sides, &span, arena);
	for (size_t i = 0; span.to[0] + i < sides[0].count; i++)
		add_pair(versus, sides, span.to[0] + i, span.to[1] + i);
	versus->parting = find_parting(versus);
	for (size_t i = 0; i < VERSUS_SIDES; i++)
		versus->cut = versus->cut || (versus->sides[i].walk != NULL &&
					      versus->sides[i].walk->count > sides[i].count);
	return versus;
}

/* The only thread with a name; false where none or several have it. */
static bool
find_named(const struct crash *crash, const char *name, size_t *found)
{
	size_t count = 0;

	for (size_t i = 0; name != NULL && i < crash->thread_count; i++) {
		if (crash->threads[i].name == NULL || strcmp(crash->threads[i].name, name) != 0)
			continue;
		*found = i;
		count++;
	}
	return count == 1;
}

bool
versus_thread(const struct crash *crash, size_t thread, const struct crash *other, size_t *found)
{
	const struct thread *wanted = &crash->threads[thread];
	size_t same;

	if (crash->requesting_thread >= 0 && (size_t)crash->requesting_thread == thread &&
	    other->requesting_thread >= 0) {
		*found = (size_t)other->requesting_thread;
		return true;
	}
	if (find_named(crash, wanted->name, &same) && find_named(other, wanted->name, found))
		return true;
	for (*found = 0; *found < other->thread_count; ++*found)
		if (other->threads[*found].id == wanted->id)
			return true;
	return false;
}
