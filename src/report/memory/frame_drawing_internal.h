/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_DRAWING_INTERNAL_H
#define REPORT_MEMORY_FRAME_DRAWING_INTERNAL_H

#include "inspect/reading.h"
#include "report/memory/frame_drawing.h"

/* The common parts of a drawing's rows and its SVG. */

enum drawing_row_kind {
	DRAWING_TITLE,	/* the number and function of the frame */
	DRAWING_RULE,	/* the method, and the end that it found */
	DRAWING_GROWTH,
	DRAWING_EDGE,	/* an edge between boxes */
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

/** Add the value in a slot's box, or a word for why it is missing. */
void
drawing_add_value(const struct drawing *drawing, const struct frame_part *slot, struct row *row);

/** The distance of a slot: "CFA - 40", or "rsp + 8" in a frame without CFA. */
const char *
drawing_distance(const struct drawing *drawing, const struct frame_part *slot, char *buffer,
		 size_t size);

/** Describe the contents of a slot; 0 columns: uncut. */
void
drawing_describe(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
		 struct row *row);

/** Fill a row of a drawing that is not a box. */
void
drawing_text(const struct drawing *drawing, enum drawing_row_kind kind, size_t columns,
	     struct row *row);

#endif
