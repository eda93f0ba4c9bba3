/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack_internal.h"

#include <stdlib.h>

#include "walk/location.h"

struct stack_calls {
	size_t thread_count;
	struct stack_counted threads[];
};

/*
 * Deep stacks are recursions: few addresses, again and again. A colliding address is
 * looked up again, which costs time but never more than one look-up a frame.
 */
#define MEMO_SIZE 1024u

struct memo {
	uint64_t address[MEMO_SIZE];
	uint16_t calls[MEMO_SIZE];	/* 0: empty */
};

static uint16_t
count_calls(const struct walk *walk, uint64_t address, struct memo *memo)
{
	size_t at = (address ^ address >> 10) % MEMO_SIZE;
	struct location location;
	struct arena arena;

	if (memo->calls[at] != 0 && memo->address[at] == address)
		return memo->calls[at];
	arena_init(&arena, 0);
	location_of(walk, address, &arena, NULL, &location);
	memo->calls[at] = location.call_count < STACK_CALLS_MAX ? (uint16_t)location.call_count
								: STACK_CALLS_MAX;
	memo->address[at] = address;
	arena_free(&arena);
	return memo->calls[at];
}

static bool
reserve(struct stack_counted *counted, size_t count)
{
	size_t capacity = counted->capacity == 0 ? 64 : counted->capacity;

	if (count <= counted->capacity)
		return true;
	while (capacity < count)
		capacity *= 2;
	uint16_t *frames = realloc(counted->frames, capacity * sizeof(*frames));
	if (frames == NULL)
		return false;
	counted->frames = frames;
	counted->capacity = capacity;
	return true;
}

static bool
count_new_frames(struct stack_counted *counted, const struct walk *walk)
{
	if (counted->count >= walk->count)
		return true;
	struct memo *memo = calloc(1, sizeof(*memo));
	if (memo == NULL || !reserve(counted, walk->count)) {
		free(memo);
		return false;
	}
	for (size_t i = counted->count; i < walk->count; i++) {
		counted->frames[i] = count_calls(walk, walk->frames[i].lookup, memo);
		counted->inlined += counted->frames[i] > 1;
	}
	counted->count = walk->count;
	free(memo);
	return true;
}

static struct stack_counted *
counted_of(struct stack_state *state, size_t thread)
{
	const size_t count = state->crash->thread_count;

	if (state->calls == NULL) {
		state->calls = calloc(1, sizeof(*state->calls) +
						 count * sizeof(state->calls->threads[0]));
		if (state->calls != NULL)
			state->calls->thread_count = count;
	}
	return state->calls != NULL && thread < count ? &state->calls->threads[thread] : NULL;
}

const struct stack_counted *
stack_calls_count(struct stack_state *state, size_t thread)
{
	const struct walk *walk = state->walks[thread];
	struct stack_counted *counted = counted_of(state, thread);

	if (counted == NULL)
		return NULL;
	if (counted->walk != walk || counted->count > walk->count)
		stack_state_forget(state, thread);
	counted->walk = walk;
	return count_new_frames(counted, walk) ? counted : NULL;
}

bool
stack_calls_shown(const struct stack_state *state, uint16_t frame)
{
	return state->expand_inlined != ((frame & STACK_TOGGLED) != 0);
}

void
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame)
{
	struct stack_counted *counted = counted_of(state, thread);

	if (counted != NULL && frame < counted->count)
		counted->frames[frame] ^= STACK_TOGGLED;
}

void
stack_state_expand_all(struct stack_state *state, bool expand)
{
	state->expand_inlined = expand;
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++) {
		struct stack_counted *counted = &state->calls->threads[i];

		for (size_t frame = 0; frame < counted->count; frame++)
			counted->frames[frame] &= STACK_CALLS_MAX;
	}
}

void
stack_state_forget(struct stack_state *state, size_t thread)
{
	struct stack_counted *counted = counted_of(state, thread);

	if (counted == NULL)
		return;
	free(counted->frames);
	*counted = (struct stack_counted){ 0 };
}

void
stack_state_free(struct stack_state *state)
{
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++)
		free(state->calls->threads[i].frames);
	free(state->calls);
	state->calls = NULL;
}
