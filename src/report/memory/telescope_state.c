/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "report/memory/telescope_internal.h"

/* Where rows are: parts, and which of their folds are open. */

void
telescope_state_init(struct telescope_state *state)
{
	*state = (struct telescope_state){ 0 };
	arena_init(&state->arena, 0);
	arena_init(&state->pointers.arena, 0);
	arena_init(&state->open_arena, 0);
}

void
telescope_state_free(struct telescope_state *state)
{
	arena_free(&state->arena);
	arena_free(&state->pointers.arena);
	arena_free(&state->open_arena);
	*state = (struct telescope_state){ 0 };
}

void
telescope_state_forget(struct telescope_state *state)
{
	state->walk = NULL;
	state->pointers.walk = NULL;
	state->saves.walk = NULL;
}

void
telescope_open_all(struct telescope_state *state, bool open)
{
	state->all = open;
	state->open_count = 0;
}

const struct telescope_part *
telescope_part_of(const struct telescope_state *state, uint64_t address)
{
	size_t low = sorted_upto(SORTED(state->parts, state->part_count, address), address);

	/* Parts without words of their own share the address of the words behind them. */
	return low > 0 ? &state->parts[low - 1] : NULL;
}

bool
telescope_toggle(struct telescope_state *state, uint64_t address)
{
	const struct telescope_part *part = telescope_part_of(state, address);
	size_t at = 0;

	if (part == NULL || part->kind != TELESCOPE_FOLD)
		return false;
	while (at < state->open_count && state->open[at] != part->address)
		at++;
	if (at < state->open_count) {
		state->open[at] = state->open[--state->open_count];
		return true;
	}
	uint64_t *open =
		ARENA_PUSH(&state->open_arena, state->open, state->open_count, state->open_capacity);
	if (open != NULL)
		*open = part->address;
	return open != NULL;
}

bool
telescope_holds(const struct memory_view *memory, const struct walk *walk, uint64_t address)
{
	const struct memory_run *run = memory_run_of(memory, address);

	if (run == NULL || walk == NULL || walk->count == 0)
		return false;
	if (walk->memory.stack != NULL && walk->memory.stack->base == run->base)
		return true;
	/* The stacks of signals: a change of stack is rare, so frames are asked one by one. */
	for (size_t i = 0; i < walk->count; i++)
		if (registers_known(&walk->frames[i].registers, walk->arch->sp) &&
			checked_contains(run->base, run->size,
				walk->frames[i].registers.value[walk->arch->sp]))
			return true;
	return false;
}

static bool
is_toggled(const struct telescope *telescope, size_t index)
{
	for (size_t i = 0; i < telescope->toggled_count; i++)
		if (telescope->toggled[i] == index)
			return true;
	return false;
}

size_t
telescope_row_of_part(const struct telescope *telescope, const struct telescope_part *part)
{
	const struct telescope_state *state = telescope->options.state;
	const size_t index = (size_t)(part - state->parts);
	size_t row = state->all ? part->open_row : part->row, low = 0;

	/* Those toggled before it add their words, or take them away. */
	for (; low < telescope->toggled_count && telescope->toggled[low] < index; low++) {
		const size_t words = (size_t)state->parts[telescope->toggled[low]].count;

		row = state->all ? row - words : row + words;
	}
	return row;
}

bool
telescope_is_open(const struct telescope *telescope, const struct telescope_part *part)
{
	const struct telescope_state *state = telescope->options.state;

	return part->kind == TELESCOPE_FOLD &&
		state->all != is_toggled(telescope, (size_t)(part - state->parts));
}

struct telescope_place
telescope_place(const struct telescope *telescope, size_t row)
{
	const struct telescope_state *state = telescope->options.state;
	size_t low = 0, high = state->part_count;
	struct telescope_place place = { 0 };

	if (telescope->run != NULL)
		return (struct telescope_place){ .part = &telescope->words, .index = row,
			.word = true, .address = telescope->words.address + row * telescope->size };
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (telescope_row_of_part(telescope, &state->parts[middle]) <= row)
			low = middle;
		else
			high = middle;
	}
	place.part = &state->parts[low];
	place.index = row - telescope_row_of_part(telescope, place.part);
	place.open = telescope_is_open(telescope, place.part);
	place.word = place.part->kind == TELESCOPE_WORDS;
	if (place.open && place.index > 0) {
		place.index--;
		place.word = true;
	}
	place.address = place.part->address + (place.word ? place.index * telescope->size : 0);
	return place;
}

SORTED_VALUES(compare_indexes, size_t)

/* Take one fold into the list, if it is not there yet. */
static void
toggle_part(struct telescope *telescope, size_t *list, uint64_t address)
{
	const struct telescope_state *state = telescope->options.state;
	const struct telescope_part *part = telescope_part_of(state, address);

	if (part == NULL || part->kind != TELESCOPE_FOLD ||
		is_toggled(telescope, (size_t)(part - state->parts)))
		return;
	list[telescope->toggled_count++] = (size_t)(part - state->parts);
}

void
telescope_collect_toggled(struct telescope *telescope, struct arena *arena)
{
	const struct telescope_state *state = telescope->options.state;
	const struct memory_marks *marks = &telescope->marks;
	const size_t most = state->open_count + marks->read_count;
	size_t *list = arena_array(arena, most, sizeof(*list));

	telescope->toggled = list;
	for (size_t i = 0; list != NULL && i < state->open_count; i++)
		toggle_part(telescope, list, state->open[i]);
	for (size_t i = 0; list != NULL && !state->all && i < marks->read_count; i++)
		toggle_part(telescope, list, marks->reads[i].address);
	if (telescope->toggled_count > 0)
		qsort(list, telescope->toggled_count, sizeof(*list), compare_indexes);
}
