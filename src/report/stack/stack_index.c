/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack_internal.h"

#include "report/stack/walk_text.h"

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
	const struct stack_counted *counted = section->counted;

	for (size_t i = first; i < end; i++)
		add_item(section, items, STACK_ITEM_FRAME, i, 1,
			 stack_calls_shown(state, counted->frames[i])
				 ? counted->frames[i] & STACK_CALLS_MAX
				 : 1);
}

/* A part of a folded run; a single frame is nothing to fold. */
static void
add_part(const struct stack_state *state, struct stack_section *section,
	 struct stack_item *items, size_t first, size_t end)
{
	if (end - first > 1)
		add_item(section, items, STACK_ITEM_RUN, first, end - first, 1);
	else
		add_frames(state, section, items, first, end);
}

/* A run: open, folded, or folded but for the selected frame. */
static void
add_run(const struct stack_state *state, struct stack_section *section, struct stack_item *items,
	const struct fold_run *run)
{
	const size_t first = run->first, end = first + fold_run_frames(run);
	const bool selected = state->thread == section->thread && state->frame > first &&
			      state->frame < end;

	if (stack_run_is_open(state, section->counted, run)) {
		add_item(section, items, STACK_ITEM_HEAD, first, end - first, 1);
		add_frames(state, section, items, first, end);
	} else if (selected) {
		add_part(state, section, items, first, state->frame);
		add_frames(state, section, items, state->frame, state->frame + 1);
		if (state->frame + 1 < end)
			add_part(state, section, items, state->frame + 1, end);
	} else {
		add_item(section, items, STACK_ITEM_RUN, first, end - first, 1);
	}
}

/* How many items a section may need: folded runs take three at most. */
static size_t
most_items(const struct stack_state *state, const struct stack_section *section)
{
	const struct fold *fold = &section->counted->fold;
	size_t count = section->frames + 1;

	for (size_t i = 0; i < fold->run_count; i++)
		count = stack_run_is_open(state, section->counted, &fold->runs[i])
				? count + 1
				: count + 3 - fold_run_frames(&fold->runs[i]);
	return count;
}

static void
index_frames(const struct stack_state *state, struct stack_section *section, struct arena *arena)
{
	const struct fold *fold = &section->counted->fold;
	size_t at = 0;

	section->frame_rows = section->frames;
	if (section->counted->inlined == 0 && fold->run_count == 0)
		return;
	struct stack_item *items = arena_array(arena, most_items(state, section), sizeof(*items));
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

static struct stack_item
plain_item(size_t frame, size_t *rows)
{
	*rows = 1;
	return (struct stack_item){ (uint32_t)frame, (uint32_t)frame, 1, STACK_ITEM_FRAME };
}

struct stack_item
stack_section_item_at(const struct stack_section *section, size_t row, size_t *rows)
{
	size_t low = 0, high = section->item_count;

	if (section->items == NULL)
		return plain_item(row, rows);
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (section->items[middle].row <= row)
			low = middle;
		else
			high = middle;
	}
	*rows = section->items[low + 1].row - section->items[low].row;
	return section->items[low];
}

struct stack_item
stack_section_item(const struct stack_section *section, size_t frame, size_t *rows)
{
	size_t low = 0, high = section->item_count;

	if (section->items == NULL)
		return plain_item(frame, rows);
	/* Of a head and its first frame, which have the same number, the frame is the last. */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (section->items[middle].frame <= frame)
			low = middle;
		else
			high = middle;
	}
	*rows = section->items[low + 1].row - section->items[low].row;
	return section->items[low];
}

/*
 * What a section says of the threads with its frames: all others where they are shown, else those
 * that are not. Its rows must be known before its numbers are.
 */
static void
begin_group(const struct stack_state *state, struct stack_section *section,
	    const struct stack_counted *leader, const struct stack_counted *selected,
	    struct arena *arena)
{
	if (leader->members < 2 || leader->leader != section->thread)
		return;
	section->group_open = stack_group_is_open(state, leader);
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
	    const struct stack_counted *counted, const struct stack_counted *selected,
	    struct arena *arena)
{
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
		.requesting = state->crash->requesting_thread >= 0 &&
			      (size_t)state->crash->requesting_thread == thread,
	};
	begin_group(state, section, counted, selected, arena);
	if (!section->open || state->walks[thread] == NULL || counted->walk == NULL)
		return;
	section->counted = counted;
	section->walk = state->walks[thread];
	section->frames = section->walk->count;
	index_frames(state, section, arena);
}

/* A thread that another one leads is counted with that one. Says whether it has rows of its own. */
static bool
join_group(const struct stack_state *state, struct stack *stack,
	   const struct walk_text_thread *thread, const struct stack_counted *counted)
{
	if (counted->leader == thread->index)
		return true;
	struct stack_section *leader = &stack->sections[stack->section_of[counted->leader]];
	bool shown = leader->group_open || state->thread == thread->index;

	if ((leader->group_open || !shown) && leader->others_known < leader->other_count)
		leader->others[leader->others_known++] = thread->number;
	return shown;
}

/* Breakpad's threads in its order, then those that it leaves out. */
static bool
add_sections(struct stack_state *state, struct stack *stack, struct arena *arena)
{
	const struct crash *crash = state->crash;
	struct walk_text_thread *threads;
	size_t count = walk_text_threads(crash, arena, &threads);
	size_t next = count;

	stack->sections = arena_array(arena, crash->thread_count, sizeof(*stack->sections));
	stack->section_of = arena_array(arena, crash->thread_count, sizeof(*stack->section_of));
	if (stack->sections == NULL || stack->section_of == NULL || threads == NULL)
		return false;
	for (size_t i = 0; i < crash->thread_count; i++)
		stack->section_of[i] = SIZE_MAX;
	const struct stack_counted *selected = stack_calls_of(state, state->thread);
	for (size_t i = 0; i < count; i++) {
		const struct stack_counted *counted = stack_calls_of(state, threads[i].index);

		if (counted == NULL || selected == NULL)
			return false;
		if (join_group(state, stack, &threads[i], counted))
			add_section(state, stack, threads[i].index, threads[i].number,
				    counted, selected, arena);
	}
	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].wrote_dump)
			add_section(state, stack, i, next++, stack_calls_of(state, i), selected,
				    arena);
	return true;
}

bool
stack_index(struct stack_state *state, struct stack *stack, struct arena *arena)
{
	stack_calls_group(state);
	return add_sections(state, stack, arena);
}
