/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_LAYOUT_H
#define INSPECT_FRAME_LAYOUT_H

#include "inspect/frame_saves.h"

/**
 * What a frame consists of on the stack, from its stack pointer up to its end: words that hold the
 * return address or a register of the caller, and words of which the rules say nothing.
 *
 * The end is the caller's stack pointer, if that lies in the same memory and not below: the frame
 * of a signal handler returns to another stack. Slots are in the order of their addresses; they
 * include what the rules read below or above the frame.
 */
struct frame_part {
	uint64_t address;
	uint64_t size;			/* bytes: a word, or a run of words that hold no register */
	const struct frame_save *save;	/* NULL: the rules do not say what it holds */
	bool returns;			/* the save is the return address */
	bool outside;			/* of the frame: below its stack pointer or above its end */
};

struct frame_layout {
	const struct step_view *step;
	struct frame_saves saves;
	uint64_t begin, end;		/* equal if the frame has no words */
	bool ends;			/* false: the end is only that of the words read */
	bool settled;			/* the step has come to the end where its cursor stands */
	/* The rule of the CFA, else what set the end; or TRACE_NONE */
	uint32_t event;
	/* The register that has the return address; or ARCH_NO_REGISTER */
	int link;
	struct frame_part *slots;
	size_t count;
};

/** Runs up to this many words have a slot for each. */
#define FRAME_LAYOUT_LISTED 8u

/**
 * Make the layout of the frame of a step, which is borrowed, as far as its cursor: what is not read
 * yet is a word like others. Slots live in `arena`.
 */
void
frame_layout_make(struct frame_layout *layout, const struct step_view *step, struct arena *arena);

#endif
