/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_DRAWING_H
#define REPORT_MEMORY_FRAME_DRAWING_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/frame_layout.h"

/**
 * A frame drawn as it lies on the stack: a box for each word, with its distance from the CFA and
 * the register that it holds, lowest address first as in the memory view.
 */
struct frame_drawing_options {
	const struct step_view *step;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
};

/** The drawing as rows. */
struct listing
frame_drawing_listing(const struct frame_drawing_options *options, struct arena *arena);

/** The drawing as an SVG document without references; `inside`: as an element of an HTML page. */
void
frame_drawing_svg(const struct frame_drawing_options *options, bool inside,
		  const struct output *output);

/** The facts of the drawing as an object. */
FACTS_DECLARE(frame_layout, const struct frame_layout *layout);

/** The target of a frame's end: the rule of its CFA, else the source of the stack pointer. */
struct target
frame_end_target(const struct frame_saves *saves, const struct walk *walk);

/**
 * Say where a frame ends: "CFA of frame 0: the rsp of frame 1". If its rules define no CFA, say
 * which method set, assumed or guessed the `end`, the caller's stack pointer.
 */
void
frame_end_add(const struct frame_saves *saves, const struct arch *arch, uint64_t end,
	      struct row *row);

#endif
