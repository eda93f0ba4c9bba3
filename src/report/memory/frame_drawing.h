/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_DRAWING_H
#define REPORT_MEMORY_FRAME_DRAWING_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/frame_saves.h"
#include "inspect/reading.h"

/**
 * A frame drawn as it lies on the stack: a box for each word, with its distance from the CFA and
 * the register that it holds. The lowest address comes first, as in the memory view.
 */
struct frame_drawing_options {
	const struct step_view *step;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
};

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
 * Say where a frame ends: "CFA of frame 0: the rsp of frame 1". If its rules define no CFA, name
 * the method that set, assumed or guessed the caller's stack pointer `end`.
 */
void
frame_end_add(const struct frame_saves *saves, const struct arch *arch, uint64_t end,
	      struct row *row);

/** The parts that the rows, the SVG and the pages of a drawing share. */
enum drawing_row_kind {
	DRAWING_TITLE,	/* the number and function of the frame */
	DRAWING_RULE,	/* the method, and the end that it found */
	DRAWING_GROWTH,
	DRAWING_EDGE,
	DRAWING_SLOT,
	DRAWING_END,	/* the end: the CFA */
	DRAWING_LINK,	/* the return address if it is in no word */
	DRAWING_KEPT,	/* registers that no rule changes */
	DRAWING_LEGEND,
};

struct drawing_row {
	enum drawing_row_kind kind;
	const struct frame_part *slot;
};

struct drawing {
	struct frame_drawing_options options;
	struct frame_layout layout;
	struct reading_source source;
	struct drawing_row *rows;
	size_t count, capacity;
	unsigned word;
	int digits;
};

/** Collect the parts of the drawing; NULL when out of memory. */
const struct drawing *
drawing_make(const struct frame_drawing_options *options, struct arena *arena);

/** Add the value in a slot's box, or the reason for its absence. */
void
drawing_add_value(const struct drawing *drawing, const struct frame_part *slot, struct row *row);

/** The distance of a slot: "CFA - 40", or "rsp + 8" if the frame has no CFA. */
struct short_text
drawing_distance(const struct drawing *drawing, const struct frame_part *slot);

/** Describe the contents of a slot; 0 columns: uncut. */
void
drawing_describe(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
		 struct row *row);

/** Fill a row of a drawing that is not a box. */
void
drawing_text(const struct drawing *drawing, enum drawing_row_kind kind, size_t columns,
	     struct row *row);

#endif
