/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/frame_saves.h"

#include "base/sorted.h"

SORTED_POINTERS(compare_saves, struct frame_save, SORTED_UP(address) SORTED_UP(reg))

struct layouter {
	struct frame_layout *layout;
	struct arena *arena;
	size_t capacity;
	unsigned word;
};

static void
add_slot(struct layouter *layouter, uint64_t address, uint64_t size, const struct frame_save *save)
{
	struct frame_layout *layout = layouter->layout;
	const struct walk *walk = layout->step->walk;

	ARENA_ADD(layouter->arena, layout->slots, layout->count, layouter->capacity,
		  &(struct frame_part){
			  .address = address,
			  .size = size,
			  .save = save,
			  /* No call returns to a pc that the kernel saved for a signal. */
			  .returns = save != NULL && save->reg == walk->arch->pc &&
				     !layout->step->caller.interrupted,
			  .outside = address < layout->begin || address >= layout->end,
		  });
}

/* Adds words without rules from `from` up to `to`: one by one, or as one run. */
static void
add_words(struct layouter *layouter, uint64_t from, uint64_t to)
{
	const bool listed = to - from <= FRAME_LAYOUT_LISTED * layouter->word;

	for (uint64_t size; from < to; from += size) {
		size = listed && to - from > layouter->word ? layouter->word : to - from;
		add_slot(layouter, from, size, NULL);
	}
}

/* Adds a gap between slots, if there is one, split at the frame's beginning and end. */
static void
add_gap(struct layouter *layouter, uint64_t from, uint64_t to)
{
	const uint64_t edges[] = { layouter->layout->begin, layouter->layout->end };

	for (size_t i = 0; i < ARRAY_COUNT(edges); i++)
		if (from < edges[i] && edges[i] < to) {
			add_words(layouter, from, edges[i]);
			from = edges[i];
		}
	add_words(layouter, from, to);
}

static void
add_slots(struct layouter *layouter)
{
	struct frame_layout *layout = layouter->layout;
	const struct frame_save *saves[ARCH_REGISTERS];
	const size_t count = layout->saves.count;
	uint64_t at = layout->begin;

	for (size_t i = 0; i < count; i++)
		saves[i] = &layout->saves.saves[i];
	SORT(saves, count, compare_saves);
	if (count > 0 && saves[0]->address < at)
		at = saves[0]->address;
	for (size_t i = 0; i < count; i++) {
		add_gap(layouter, at, saves[i]->address);
		add_slot(layouter, saves[i]->address, layouter->word, saves[i]);
		if (saves[i]->address + layouter->word > at)
			at = saves[i]->address + layouter->word;
	}
	add_gap(layouter, at, layout->end);
}

/* The callee's register that became the caller's pc unchanged. */
static int
link_register(const struct step_view *step)
{
	const uint32_t set = step_view_register(step, step->walk->arch->pc);
	uint32_t from = set != TRACE_NONE ? step->trace.events[set].from : TRACE_NONE;

	/* The rule is only the name of a register. */
	if (from < step->trace.count && step->trace.events[from].kind == EVENT_TOKEN &&
	    step->trace.events[from].detail == OPERATION_NAME &&
	    step->trace.events[from].stack != NULL)
		from = step->trace.events[from].stack->from;
	return from < step->trace.count && step->trace.events[from].kind == EVENT_INPUT
		       ? step->trace.events[from].reg
		       : ARCH_NO_REGISTER;
}

/* Sets the end: the caller's stack pointer if it is on this stack, else after the words read. */
static void
find_end(struct frame_layout *layout, unsigned word)
{
	const struct walk *walk = layout->step->walk;
	const struct registers *caller = &layout->step->caller.registers;
	const struct memory_run *run = memory_run_of(&walk->memory, layout->begin);
	const uint64_t end = caller->value[walk->arch->sp];

	layout->ends = registers_known(caller, walk->arch->sp) && end >= layout->begin &&
		(run == NULL || end - run->base <= run->size);
	if (layout->ends)
		layout->end = end;
	for (size_t i = 0; !layout->ends && i < layout->saves.count; i++) {
		const uint64_t behind = layout->saves.saves[i].address + word;

		if (behind > layout->end && run != NULL && behind - run->base <= run->size)
			layout->end = behind;
	}
}

void
frame_layout_make(struct frame_layout *layout, const struct step_view *step, struct arena *arena)
{
	const int sp = step->walk->arch->sp;
	const unsigned word = step->walk->arch->word_size == 4 ? 4 : 8;
	const struct registers *callee = &step->walk->frames[step->frame].registers;

	*layout = (struct frame_layout){ .step = step, .event = TRACE_NONE,
					 .link = ARCH_NO_REGISTER };
	frame_saves_of_step(&layout->saves, step);
	if (!registers_known(callee, sp))
		return;
	layout->begin = layout->end = callee->value[sp];
	if (!layout->saves.taken)
		return;
	layout->settled = step_view_is_over(step) || step_view_register(step, sp) != TRACE_NONE;
	layout->event = layout->saves.has_cfa ? layout->saves.cfa_event
					      : step_view_register(step, sp);
	layout->link = link_register(step);
	find_end(layout, word);
	add_slots(&(struct layouter){ .layout = layout, .arena = arena, .word = word });
}
