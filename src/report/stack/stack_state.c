/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack_internal.h"

#include <stdlib.h>

#include "report/stack/walk_text.h"

struct stack_calls {
	size_t thread_count;
	bool grouped;			/* the groups are those of the walks as they are */
	struct stack_counted threads[];
};

struct stack_counted *
stack_calls_of(struct stack_state *state, size_t thread)
{
	const size_t count = state->crash->thread_count;

	if (state->calls == NULL) {
		state->calls = calloc(1, sizeof(*state->calls) +
						 count * sizeof(state->calls->threads[0]));
		if (state->calls == NULL)
			return NULL;
		state->calls->thread_count = count;
		for (size_t i = 0; i < count; i++)
			state->calls->threads[i].leader = i;
	}
	return thread < count ? &state->calls->threads[thread] : NULL;
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

/* Look at all frames of a thread's walk; NULL when out of memory. */
static const struct stack_counted *
count_calls(struct stack_state *state, size_t thread)
{
	const struct walk *walk = state->walks[thread];
	struct stack_counted *counted = stack_calls_of(state, thread);

	if (counted == NULL)
		return NULL;
	if (counted->walk != walk || counted->fold.count > walk->count)
		stack_state_forget(state, thread);
	if (counted->walk == walk && counted->fold.count == walk->count)
		return counted;
	size_t before = counted->fold.count;
	counted->walk = walk;
	state->calls->grouped = false;
	if (!reserve(counted, walk->count) || !fold_update(&counted->fold, walk)) {
		stack_state_forget(state, thread);
		return NULL;
	}
	for (size_t i = before; i < counted->fold.count; i++) {
		uint16_t calls = counted->fold.calls[i];

		counted->frames[i] = calls < STACK_CALLS_MAX ? calls : STACK_CALLS_MAX;
		counted->inlined += calls > 1;
	}
	return counted;
}

/* Threads in the order in which they are listed, so that the first one leads. */
static void
group(struct stack_state *state, struct arena *arena)
{
	struct walk_text_thread *listed;
	size_t count = walk_text_threads(state->crash, arena, &listed);
	struct fold_thread *threads = arena_array(arena, count, sizeof(*threads));

	for (size_t i = 0; i < state->crash->thread_count; i++) {
		struct stack_counted *counted = stack_calls_of(state, i);

		counted->leader = i;
		counted->members = 1;
	}
	if (listed == NULL || threads == NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct stack_counted *counted = stack_calls_of(state, listed[i].index);

		threads[i] = (struct fold_thread){ counted->walk, counted->fold.hash, i };
	}
	fold_threads(threads, count, arena);
	for (size_t i = 0; i < count; i++) {
		struct stack_counted *counted = stack_calls_of(state, listed[i].index);

		counted->leader = listed[threads[i].leader].index;
		if (counted->leader != listed[i].index)
			stack_calls_of(state, counted->leader)->members++;
	}
}

void
stack_calls_group(struct stack_state *state)
{
	struct arena arena;

	for (size_t i = 0; i < state->crash->thread_count; i++)
		if (state->walks[i] != NULL)
			count_calls(state, i);
	if (state->calls == NULL || state->calls->grouped)
		return;
	arena_init(&arena, 0);
	group(state, &arena);
	arena_free(&arena);
	state->calls->grouped = true;
}

bool
stack_calls_shown(const struct stack_state *state, uint16_t frame)
{
	return state->expand_inlined != ((frame & STACK_TOGGLED) != 0);
}

bool
stack_run_is_open(const struct stack_state *state, const struct stack_counted *counted,
		  const struct fold_run *run)
{
	return state->expand_runs != ((counted->frames[run->first] & STACK_RUN_TOGGLED) != 0);
}

bool
stack_group_is_open(const struct stack_state *state, const struct stack_counted *leader)
{
	return state->expand_groups != leader->group_toggled;
}

bool
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame)
{
	struct stack_counted *counted = stack_calls_of(state, thread);

	if (counted == NULL || frame >= counted->fold.count ||
	    (counted->frames[frame] & STACK_CALLS_MAX) < 2)
		return false;
	counted->frames[frame] ^= STACK_TOGGLED;
	return true;
}

static const struct fold_run *
run_of(struct stack_state *state, size_t thread, size_t frame)
{
	const struct stack_counted *counted = stack_calls_of(state, thread);

	return counted != NULL ? fold_run_of(&counted->fold, frame) : NULL;
}

size_t
stack_state_run_first(struct stack_state *state, size_t thread, size_t frame)
{
	const struct fold_run *run = run_of(state, thread, frame);

	return run != NULL ? run->first : frame;
}

bool
stack_state_toggle_run(struct stack_state *state, size_t thread, size_t frame)
{
	struct stack_counted *counted = stack_calls_of(state, thread);
	const struct fold_run *run = run_of(state, thread, frame);

	if (run != NULL)
		counted->frames[run->first] ^= STACK_RUN_TOGGLED;
	return run != NULL;
}

bool
stack_state_in_folded_run(struct stack_state *state, size_t thread, size_t frame)
{
	const struct fold_run *run = run_of(state, thread, frame);

	return run != NULL && !stack_run_is_open(state, stack_calls_of(state, thread), run);
}

void
stack_state_toggle_group(struct stack_state *state, size_t thread)
{
	struct stack_counted *counted = stack_calls_of(state, thread);

	if (counted != NULL)
		counted->group_toggled = !counted->group_toggled;
}

bool
stack_state_is_hidden(struct stack_state *state, size_t thread)
{
	const struct stack_counted *counted = stack_calls_of(state, thread);

	return counted != NULL && counted->leader != thread && state->thread != thread &&
	       !stack_group_is_open(state, stack_calls_of(state, counted->leader));
}

size_t
stack_state_different(struct stack_state *state, size_t *walked)
{
	size_t different = 0;

	*walked = 0;
	stack_calls_group(state);
	for (size_t i = 0; i < state->crash->thread_count; i++) {
		const struct stack_counted *counted = stack_calls_of(state, i);

		if (state->walks[i] == NULL)
			continue;
		(*walked)++;
		different += counted == NULL || counted->leader == i;
	}
	return different;
}

/* Forget what single frames and groups were told. */
static void
forget_toggles(struct stack_state *state, uint16_t toggle)
{
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++) {
		struct stack_counted *counted = &state->calls->threads[i];

		for (size_t frame = 0; frame < counted->fold.count; frame++)
			counted->frames[frame] &= (uint16_t)~toggle;
	}
}

void
stack_state_expand_all(struct stack_state *state, bool expand)
{
	state->expand_inlined = expand;
	forget_toggles(state, STACK_TOGGLED);
}

void
stack_state_fold_all(struct stack_state *state, bool fold)
{
	state->expand_inlined = state->expand_runs = state->expand_groups = !fold;
	forget_toggles(state, STACK_TOGGLED | STACK_RUN_TOGGLED);
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++)
		state->calls->threads[i].group_toggled = false;
}

void
stack_state_forget(struct stack_state *state, size_t thread)
{
	struct stack_counted *counted = stack_calls_of(state, thread);

	if (counted == NULL)
		return;
	fold_free(&counted->fold);
	free(counted->frames);
	*counted = (struct stack_counted){ .leader = thread,
					   .group_toggled = counted->group_toggled };
	state->calls->grouped = false;
}

void
stack_state_free(struct stack_state *state)
{
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++) {
		fold_free(&state->calls->threads[i].fold);
		free(state->calls->threads[i].frames);
	}
	free(state->calls);
	state->calls = NULL;
}
