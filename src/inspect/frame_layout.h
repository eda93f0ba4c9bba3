/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_LAYOUT_H
#define INSPECT_FRAME_LAYOUT_H

#include "inspect/frame_saves.h"

/**
 * The parts of a frame on the stack, from its stack pointer up to its end: words with the return
 * address or a register of the caller, and words that no rule mentions.
 *
 * The end is the caller's stack pointer, if it is in the same memory and not below: the frame of a
 * signal handler returns to another stack. Slots are in order of address; they include words that
 * the rules read below or above the frame.
 */
struct frame_part {
	uint64_t address;
	uint64_t size;			/* in bytes: a word, or a run of words without registers */
	const struct frame_save *save;	/* NULL: no rule says what it holds */
	bool returns;			/* the save is the return address */
	bool outside;			/* below the frame's stack pointer or above its end */
};

struct frame_layout {
	const struct step_view *step;
	struct frame_saves saves;
	uint64_t begin, end;		/* equal if the frame has no words */
	bool ends;			/* false: `end` is only that of the words read */
	bool settled;			/* the step has reached the end at its cursor */
	/* The rule of the CFA, else the event that set the end; or TRACE_NONE */
	uint32_t event;
	/* The register with the return address; or ARCH_NO_REGISTER */
	int link;
	struct frame_part *slots;
	size_t count;
};

/** Longer runs of words have one slot. */
#define FRAME_LAYOUT_LISTED 8u

/**
 * Make the layout of the frame of a step, which is borrowed, at its cursor: words that are read
 * later are plain words. Slots live in `arena`.
 */
void
frame_layout_make(struct frame_layout *layout, const struct step_view *step, struct arena *arena);

#endif
