/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "analysis/stack_trust.h"
#include "report/report.h"
#include "report/stack/walk_text.h"

/* Threads in text ------------------------------------------------------------------------------ */

size_t
walk_text_threads(const struct crash *crash, struct arena *arena,
		  struct walk_text_thread **threads)
{
	struct walk_text_thread *list = arena_array(arena, crash->thread_count, sizeof(*list));
	size_t count = 0, number = 0;

	*threads = list;
	if (list == NULL)
		return 0;
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].wrote_dump)
			continue;
		struct walk_text_thread thread = {
			.index = i,
			.number = number,
			.requesting = crash->requesting_thread == (int)i,
		};
		size_t at = count++;
		number++;
		if (thread.requesting) {
			memmove(list + 1, list, at * sizeof(*list));
			at = 0;
		}
		list[at] = thread;
	}
	return count;
}

SORTED_VALUES(compare_numbers, size_t)

/* Lists the numbers of each group's threads for the first thread of the group, its leader. */
static void
name_groups(struct walk_text_thread *threads, const struct fold_thread *walks, size_t count,
	    struct arena *arena)
{
	enum { SIZE = 1000 };
	size_t *ends = arena_array(arena, count + 1, sizeof(*ends));
	size_t *numbers = arena_array(arena, count, sizeof(*numbers));

	if (ends == NULL || numbers == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		ends[walks[i].leader + 1]++;
	for (size_t i = 0; i < count; i++)
		ends[i + 1] += ends[i];
	/* The loop moves ends[leader] from the beginning of the leader's group to its end. */
	for (size_t i = 0; i < count; i++)
		numbers[ends[walks[i].leader]++] = threads[i].number;
	for (size_t i = 0, first = 0; i < count; first = ends[i++]) {
		size_t members = ends[i] - first;
		char *text = members > 1 ? arena_alloc(arena, SIZE) : NULL;

		if (text == NULL)
			continue;
		SORT(numbers + first, members, compare_numbers);
		threads[i].same = report_numbers(numbers + first, members, text, SIZE);
		threads[i].same_count = members;
	}
}

size_t
walk_text_threads_fold(const struct crash *crash, struct walk_text_thread *threads,
		       struct walk *const *walks, size_t count, struct arena *arena)
{
	struct fold_thread *same = arena_array(arena, count + 1, sizeof(*same));
	struct fold *folds = arena_array(arena, count + 1, sizeof(*folds));
	size_t kept = 0;

	if (same == NULL || folds == NULL)
		return count;
	for (size_t i = 0; i < count; i++) {
		struct walk *walk = walks[threads[i].index];
		const struct thread_state state =
			thread_state_of(crash, threads[i].index, walk);

		if (walk != NULL)
			fold_update(&folds[i], walk);
		same[i] = (struct fold_thread){ walk, &folds[i], thread_state_rank(&state), i };
	}
	fold_threads(same, count, arena);
	name_groups(threads, same, count, arena);
	for (size_t i = 0; i < count; i++) {
		fold_free(&folds[i]);
		if (same[i].leader == i)
			threads[kept++] = threads[i];
	}
	return kept;
}

/* The state of a listing ----------------------------------------------------------------------- */

/*
 * CALLS_TOGGLED: the frame's calls are not as stack_state.expand_inlined says. RUN_TOGGLED: the run
 * that begins with the frame is not as stack_state.expand_runs says.
 */
#define CALLS_TOGGLED 1u
#define RUN_TOGGLED 2u

struct stack_calls {
	size_t thread_count;
	bool grouped;			/* the groups are up to date with the walks */
	struct stack_counted threads[];
};

static struct stack_counted *
calls_of(struct stack_state *state, size_t thread)
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

/* Groups threads in their listed order, so that a group's first thread leads it. */
static void
group(struct stack_state *state, struct arena *arena)
{
	struct walk_text_thread *listed;
	size_t count = walk_text_threads(state->crash, arena, &listed);
	struct fold_thread *threads = arena_array(arena, count, sizeof(*threads));

	for (size_t i = 0; i < state->crash->thread_count; i++) {
		struct stack_counted *counted = calls_of(state, i);

		counted->leader = i;
		counted->members = 1;
	}
	if (listed == NULL || threads == NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct stack_counted *counted = calls_of(state, listed[i].index);

		/* Stacks with hidden frames are not grouped, because they may differ. */
		threads[i] = (struct fold_thread){ walk_hides(counted->walk) ? NULL : counted->walk,
						   &counted->fold,
						   thread_state_rank(&counted->state), i };
	}
	fold_threads(threads, count, arena);
	for (size_t i = 0; i < count; i++) {
		struct stack_counted *counted = calls_of(state, listed[i].index);

		counted->leader = listed[threads[i].leader].index;
		if (counted->leader != listed[i].index)
			calls_of(state, counted->leader)->members++;
	}
}

/* Compares the frames to be shown with other sources. */
static void
compare_frames(struct stack_counted *counted, struct walk *walk)
{
	struct arena arena = { 0 };

	for (; counted->compared < counted->fold.count; counted->compared++) {
		if (frame_contradicted(walk, counted->compared, &arena, NULL) != NULL)
			counted->fold.frames[counted->compared].marks |= STACK_CONTRADICTED;
		arena_reset(&arena);
	}
	if (walk->complete && !counted->end_compared) {
		counted->end_contradicted = stack_end_contradicted(walk, &arena, NULL) != NULL;
		counted->end_compared = true;
	}
	arena_free(&arena);
}

void
stack_state_count(struct stack_state *state, size_t thread)
{
	struct walk *walk = state->walks[thread];
	struct stack_counted *counted = walk != NULL ? calls_of(state, thread) : NULL;

	if (counted == NULL)
		return;
	if (counted->walk != walk || counted->fold.count > walk->count)
		stack_state_forget(state, thread);
	if (counted->walk == walk && counted->fold.count == walk->count &&
	    (!state->open[thread] || (counted->compared == walk->count &&
				      counted->end_compared == walk->complete)))
		return;
	size_t at = counted->fold.count;
	counted->walk = walk;
	state->calls->grouped = false;
	if (!fold_update(&counted->fold, walk))
		stack_state_forget(state, thread);
	if (!counted->judged)
		counted->state = thread_state_of(state->crash, thread, walk);
	counted->judged = walk->complete || walk->count > THREAD_STATE_FRAMES;
	for (; at < counted->fold.count; at++)
		counted->inlined += counted->fold.frames[at].calls > 1;
	if (state->open[thread])
		compare_frames(counted, walk);
}

void
stack_state_count_all(struct stack_state *state)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < state->crash->thread_count; i++)
		stack_state_count(state, i);
	if (state->calls == NULL || state->calls->grouped)
		return;
	group(state, &arena);
	arena_free(&arena);
	state->calls->grouped = true;
	state->walked = state->different = 0;
	for (size_t i = 0; i < state->crash->thread_count; i++) {
		state->walked += state->walks[i] != NULL;
		state->different += state->walks[i] != NULL && calls_of(state, i)->leader == i;
	}
}

static bool
run_is_open(const struct stack_state *state, const struct stack_counted *counted,
		  const struct fold_run *run)
{
	return state->expand_runs != ((counted->fold.frames[run->first].marks & RUN_TOGGLED) != 0);
}

static bool
group_is_open(const struct stack_state *state, const struct stack_counted *leader)
{
	return state->expand_groups != leader->group_toggled;
}

bool
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame)
{
	struct stack_counted *counted = calls_of(state, thread);

	if (counted == NULL || frame >= counted->fold.count ||
	    counted->fold.frames[frame].calls < 2)
		return false;
	counted->fold.frames[frame].marks ^= CALLS_TOGGLED;
	return true;
}

static const struct fold_run *
run_of(struct stack_state *state, size_t thread, size_t frame)
{
	const struct stack_counted *counted = calls_of(state, thread);

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
	struct stack_counted *counted = calls_of(state, thread);
	const struct fold_run *run = run_of(state, thread, frame);

	if (run != NULL)
		counted->fold.frames[run->first].marks ^= RUN_TOGGLED;
	return run != NULL;
}

bool
stack_state_in_folded_run(struct stack_state *state, size_t thread, size_t frame)
{
	const struct fold_run *run = run_of(state, thread, frame);

	return run != NULL && !run_is_open(state, calls_of(state, thread), run);
}

void
stack_state_toggle_group(struct stack_state *state, size_t thread)
{
	struct stack_counted *counted = calls_of(state, thread);

	if (counted != NULL)
		counted->group_toggled = !counted->group_toggled;
}

static void
forget_toggles(struct stack_state *state, uint16_t toggle)
{
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++) {
		struct stack_counted *counted = &state->calls->threads[i];

		for (size_t frame = 0; frame < counted->fold.count; frame++)
			counted->fold.frames[frame].marks &= (uint16_t)~toggle;
	}
}

void
stack_state_expand_all(struct stack_state *state, bool expand)
{
	state->expand_inlined = expand;
	forget_toggles(state, CALLS_TOGGLED);
}

void
stack_state_fold_all(struct stack_state *state, bool fold)
{
	state->expand_inlined = state->expand_runs = state->expand_groups = !fold;
	forget_toggles(state, CALLS_TOGGLED | RUN_TOGGLED);
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++)
		state->calls->threads[i].group_toggled = false;
}

void
stack_state_forget(struct stack_state *state, size_t thread)
{
	struct stack_counted *counted = calls_of(state, thread);

	if (counted == NULL)
		return;
	fold_free(&counted->fold);
	*counted = (struct stack_counted){ .leader = thread,
					   .group_toggled = counted->group_toggled };
	state->calls->grouped = false;
}

void
stack_state_free(struct stack_state *state)
{
	for (size_t i = 0; state->calls != NULL && i < state->calls->thread_count; i++)
		fold_free(&state->calls->threads[i].fold);
	free(state->calls);
	state->calls = NULL;
}

/* Rows ----------------------------------------------------------------------------------------- */

size_t
stack_section_rows(const struct stack_section *section)
{
	bool group = section->other_count > 0 && (section->open || section->group_open);
	size_t own = group ? 2 : 1;

	return section->open ? own + section->frame_rows + 1 : own;
}

static void
add_item(struct stack_section *section, struct stack_item *items, enum stack_item_kind kind,
	 size_t frame, size_t frames, size_t rows)
{
	items[section->item_count++] = (struct stack_item){
		(uint32_t)section->frame_rows, (uint32_t)frame, (uint32_t)frames, kind
	};
	section->frame_rows += rows;
}

static void
add_frames(const struct stack_state *state, struct stack_section *section,
	   struct stack_item *items, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct fold_frame *frame = &section->counted->fold.frames[i];
		const bool shown =
			state->expand_inlined != ((frame->marks & CALLS_TOGGLED) != 0);

		add_item(section, items, STACK_ITEM_FRAME, i, 1, shown ? frame->calls : 1);
	}
}

/* Adds a folded part of a run; a single frame is not folded. */
static void
add_folded(const struct stack_state *state, struct stack_section *section,
	   struct stack_item *items, size_t first, size_t end)
{
	if (end - first > 1)
		add_item(section, items, STACK_ITEM_RUN, first, end - first, 1);
	else
		add_frames(state, section, items, first, end);
}

/* Adds the items of a run: open, folded, or folded except for the selected frame. */
static void
add_run(const struct stack_state *state, struct stack_section *section, struct stack_item *items,
	const struct fold_run *run)
{
	const size_t first = run->first, end = first + fold_run_frames(run);
	const bool selected = state->thread == section->thread && state->frame > first &&
			      state->frame < end;

	if (run_is_open(state, section->counted, run)) {
		add_item(section, items, STACK_ITEM_HEAD, first, end - first, 1);
		add_frames(state, section, items, first, end);
	} else if (selected) {
		add_folded(state, section, items, first, state->frame);
		add_frames(state, section, items, state->frame, state->frame + 1);
		add_folded(state, section, items, state->frame + 1, end);
	} else {
		add_folded(state, section, items, first, end);
	}
}

static void
index_frames(const struct stack_state *state, struct stack_section *section, struct arena *arena)
{
	const struct fold *fold = &section->counted->fold;
	size_t at = 0;

	section->frame_rows = section->frames;
	if (section->counted->inlined == 0 && fold->run_count == 0)
		return;
	/* A folded run has three items at most. */
	size_t most = section->frames + 1;
	for (size_t i = 0; i < fold->run_count; i++)
		most += run_is_open(state, section->counted, &fold->runs[i])
				? 1 : 3 - fold_run_frames(&fold->runs[i]);
	struct stack_item *items = arena_array(arena, most, sizeof(*items));
	if (items == NULL)
		return;
	section->frame_rows = 0;
	for (size_t i = 0; i < fold->run_count; i++) {
		add_frames(state, section, items, at, fold->runs[i].first);
		add_run(state, section, items, &fold->runs[i]);
		at = fold->runs[i].first + fold_run_frames(&fold->runs[i]);
	}
	add_frames(state, section, items, at, section->frames);
	items[section->item_count].row = (uint32_t)section->frame_rows;
	section->items = items;
}

struct stack_item
stack_section_item(const struct stack_section *section, size_t at, bool by_row, size_t *rows)
{
	const struct stack_item *items = section->items;
	size_t number;

	*rows = 1;
	if (items == NULL)
		return (struct stack_item){ (uint32_t)at, (uint32_t)at, 1, STACK_ITEM_FRAME };
	/*
	 * A heading and its first frame have the same number: take the frame, which is the later
	 * item.
	 */
	BISECT_LAST(number, section->item_count,
		    (by_row ? items[number].row : items[number].frame) <= at);
	*rows = items[number + 1].row - items[number].row;
	return items[number];
}

/*
 * Counts the other threads of a section's group. While the group is folded, the selected thread has
 * a section of its own and is not counted. The numbers of the threads are set later.
 */
static void
begin_group(const struct stack_state *state, struct stack_section *section,
	    const struct stack_counted *leader, const struct stack_counted *selected,
	    struct arena *arena)
{
	if (leader->members < 2 || leader->leader != section->thread)
		return;
	section->group_open = group_is_open(state, leader);
	section->other_count = leader->members - 1;
	if (!section->group_open && selected->leader == section->thread &&
	    state->thread != section->thread)
		section->other_count--;
	section->others = arena_array(arena, leader->members, sizeof(*section->others));
	if (section->others == NULL)
		section->other_count = 0;
}

static void
add_section(struct stack_state *state, struct stack *stack, size_t thread, size_t number,
	    const struct stack_counted *selected, struct arena *arena)
{
	const struct stack_counted *counted = calls_of(state, thread);
	struct stack_section *section = &stack->sections[stack->section_count];
	size_t first = 0;

	if (stack->section_count > 0)
		first = section[-1].first + stack_section_rows(&section[-1]);
	stack->section_of[thread] = stack->section_count++;
	*section = (struct stack_section){
		.thread = thread,
		.number = number,
		.first = first,
		.open = state->open[thread],
		.counted = counted,
	};
	begin_group(state, section, counted, selected, arena);
	if (!section->open || state->walks[thread] == NULL || counted->walk == NULL)
		return;
	section->walk = state->walks[thread];
	section->frames = section->walk->count;
	index_frames(state, section, arena);
}

struct ranked_thread {
	uint64_t rank;
	size_t at;
	struct walk_text_thread thread;
};

SORTED_BY_ALL(compare_ranks, struct ranked_thread, SORTED_UP(rank) SORTED_UP(at))

/* Threads with the same state keep their order. */
static void
sort_by_state(struct stack_state *state, struct walk_text_thread *threads, size_t count,
	      struct arena *arena)
{
	struct ranked_thread *ranked = arena_array(arena, count, sizeof(*ranked));

	for (size_t i = 0; ranked != NULL && i < count; i++) {
		const struct stack_counted *counted = calls_of(state, threads[i].index);
		const struct thread_state unwalked =
			thread_state_of(state->crash, threads[i].index, NULL);

		ranked[i] = (struct ranked_thread){
			thread_state_rank(counted->walk != NULL ? &counted->state : &unwalked), i,
			threads[i]
		};
	}
	if (ranked != NULL)
		SORT(ranked, count, compare_ranks);
	for (size_t i = 0; ranked != NULL && i < count; i++)
		threads[i] = ranked[i].thread;
}

/* Lists Breakpad's threads in its order or by state, then the threads that it omits. */
bool
stack_index(struct stack_state *state, struct stack *stack, struct arena *arena)
{
	const struct crash *crash = state->crash;
	struct walk_text_thread *threads;
	size_t count = walk_text_threads(crash, arena, &threads);
	size_t next = count;

	stack_state_count_all(state);
	stack->sections = arena_array(arena, crash->thread_count, sizeof(*stack->sections));
	stack->section_of = arena_array(arena, crash->thread_count, sizeof(*stack->section_of));
	if (stack->sections == NULL || stack->section_of == NULL || threads == NULL)
		return false;
	for (size_t i = 0; i < crash->thread_count; i++)
		stack->section_of[i] = SIZE_MAX;
	const struct stack_counted *selected = calls_of(state, state->thread);
	if (state->order == STACK_BY_STATE && selected != NULL)
		sort_by_state(state, threads, count, arena);
	for (size_t i = 0; i < count; i++) {
		const struct stack_counted *counted = calls_of(state, threads[i].index);

		if (counted == NULL || selected == NULL)
			return false;
		bool shown = counted->leader == threads[i].index;
		/* A thread in another thread's group belongs to the section of that group. */
		if (!shown) {
			struct stack_section *leader =
				&stack->sections[stack->section_of[counted->leader]];

			shown = leader->group_open || state->thread == threads[i].index;
			stack->section_of[threads[i].index] = stack->section_of[counted->leader];
			if ((leader->group_open || !shown) &&
			    leader->others_known < leader->other_count)
				leader->others[leader->others_known++] = threads[i].number;
		}
		if (shown)
			add_section(state, stack, threads[i].index, threads[i].number,
				    selected, arena);
	}
	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].wrote_dump)
			add_section(state, stack, i, next++, selected, arena);
	return true;
}
