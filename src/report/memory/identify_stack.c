/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "inspect/frame_saves.h"
#include "inspect/memory_marks.h"
#include "report/report.h"
#include "report/memory/identify_internal.h"

/* Frames whose registers are compared with the value: of the 100,000 of a deep stack not all. */
#define MOST_FRAMES 1024u

static struct target
frame_target(const struct walk *walk, size_t frame)
{
	struct target target = report_no_target();

	target.kind = TARGET_FRAME;
	target.thread = walk->thread;
	target.frame = frame;
	return target;
}

/* Other registers of the selected frame that hold the value. */
static void
add_registers(struct identify_search *search)
{
	const struct arch *arch = search->walk->arch;
	const struct registers *registers;

	if (search->frame >= search->walk->count)
		return;
	registers = &search->walk->frames[search->frame].registers;
	for (int reg = 0; reg < arch->register_count; reg++) {
		if (reg == arch->pc || reg == arch->sp || !registers_known(registers, reg) ||
		    registers->value[reg] != search->value || search->value == 0)
			continue;
		struct identify_fact *fact = identify_add(search->out, "register",
			"%s of frame %zu", arch->registers[reg].label, search->frame);
		if (fact != NULL && search->frame > 0) {
			fact->target.kind = TARGET_REGISTER;
			fact->target.frame = search->frame;
			fact->target.reg = reg;
		}
	}
}

/* What the frame's step read at this address, and whether its CFA is here. */
static void
add_saves(struct identify_search *search, size_t frame)
{
	struct frame_saves_cache cache = { 0 };
	const struct arch *arch = search->walk->arch;

	cache.walk = search->walk;
	const struct frame_saves *saves = frame_saves_of(&cache, search->walk, frame);
	if (saves == NULL)
		return;
	if (saves->has_cfa && saves->cfa == search->value)
		identify_add(search->out, "cfa", "the canonical frame address of frame %zu", frame);
	for (size_t i = 0; i < saves->count; i++) {
		const struct frame_save *save = &saves->saves[i];

		if (save->address != search->value)
			continue;
		struct identify_fact *fact =
			save->reg == arch->pc
				? identify_add(search->out, "saved",
					     "the return address from frame %zu to frame "
					     "%zu", frame,
					     frame + 1)
				: identify_add(search->out, "saved", "%s of frame %zu, saved by "
								     "frame %zu",
					     arch->registers[save->reg].label, frame + 1, frame);
		if (fact != NULL) {
			fact->place = save->rule;
			fact->target = frame_target(search->walk, frame);
		}
	}
}

static void
add_owner(struct identify_search *search)
{
	const struct memory_run *run = memory_run_of(&search->around->memory, search->value);
	const struct walk *walk = search->walk;
	struct memory_marks marks;

	if (run == NULL)
		return;
	memory_marks_find(&marks, run, walk, NULL, NULL, &search->out->arena);
	const size_t owner = memory_marks_owner(&marks, search->value);
	if (owner == SIZE_MAX) {
		if (memory_marks_below(&marks, search->value))
			identify_add(search->out, "below",
				   "below the stack pointer: not in use");
		return;
	}
	const uint64_t sp = walk->frames[owner].registers.value[walk->arch->sp];
	struct identify_fact *fact =
		identify_add(search->out, "in frame", "%zu, at %s + 0x%" PRIx64, owner,
			walk->arch->registers[walk->arch->sp].label, search->value - sp);
	if (fact != NULL)
		fact->target = frame_target(walk, owner);
	/* A frame's return address may be read by the step from the frame before it. */
	if (owner > 0)
		add_saves(search, owner - 1);
	add_saves(search, owner);
}

static void
add_thread(struct identify_search *search)
{
	const struct crash *crash = search->crash;

	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct thread *thread = &crash->threads[i];
		const bool described = checked_contains(thread->stack_start, thread->stack_size,
							search->value);
		const bool stored = thread->stack != NULL &&
				    checked_contains(thread->stack->base, thread->stack->size,
						     search->value);

		if (!described && !stored)
			continue;
		struct identify_fact *fact = identify_add_text(search->out, "stack of",
			arena_format(&search->out->arena, "thread %zu (id 0x%" PRIx32 ")%s", i,
				thread->id, thread->name != NULL ? " " : ""),
			text_of(thread->name != NULL ? thread->name : ""), "");
		if (fact != NULL) {
			fact->place = thread->place;
			fact->target.kind = TARGET_THREAD;
			fact->target.thread = i;
		}
	}
}

void
identify_stack(struct identify_search *search)
{
	add_thread(search);
	if (search->walk == NULL)
		return;
	/* Frames that stand at this code, or whose stack begins at this address. */
	const struct walk *walk = search->walk;
	const struct arch *arch = walk->arch;

	for (size_t i = 0; i < walk->count && i < MOST_FRAMES; i++) {
		const struct frame *frame = &walk->frames[i];
		struct identify_fact *fact = NULL;

		if (registers_known(&frame->registers, arch->pc) &&
		    frame->registers.value[arch->pc] == search->value)
			fact = identify_add(search->out, "frame", "%s of frame %zu: %s",
					  arch->registers[arch->pc].label, i,
					  frame->interrupted ? "it stopped here"
							     : "it continues here when its callee "
							       "returns");
		else if (registers_known(&frame->registers, arch->sp) &&
			 frame->registers.value[arch->sp] == search->value)
			fact = identify_add(search->out, "frame", "%s of frame %zu",
					  arch->registers[arch->sp].label, i);
		if (fact != NULL)
			fact->target = frame_target(walk, i);
	}
	add_registers(search);
	add_owner(search);
}
