/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_DRAWING_INTERNAL_H
#define REPORT_MEMORY_FRAME_DRAWING_INTERNAL_H

#include "inspect/reading.h"
#include "report/memory/frame_drawing.h"

/* What the rows of a drawing and its SVG have in common. */

enum drawing_row_kind {
	DRAWING_TITLE,	/* the frame */
	DRAWING_RULE,	/* the method and what it says of the end */
	DRAWING_GROWTH,
	DRAWING_EDGE,	/* of boxes */
	DRAWING_SLOT,
	DRAWING_END,	/* the CFA */
	DRAWING_LINK,	/* the return address, where no word holds it */
	DRAWING_KEPT,	/* registers that the rules leave alone */
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

/** Find what is drawn; NULL when out of memory. */
const struct drawing *
drawing_make(const struct frame_drawing_options *options, struct arena *arena);

/** What stands in a slot's box: the value, or in a word why there is none. */
void
drawing_add_value(const struct drawing *drawing, const struct frame_part *slot, struct row *row);

/** A slot's distance: "CFA - 40", or "rsp + 8" in a frame without CFA. */
const char *
drawing_distance(const struct drawing *drawing, const struct frame_part *slot, char *buffer,
		 size_t size);

/** Say in a row what a slot holds; 0 columns: uncut. */
void
drawing_describe(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
		 struct row *row);

/** Fill a row of a drawing that is no box. */
void
drawing_text(const struct drawing *drawing, enum drawing_row_kind kind, size_t columns,
	     struct row *row);

#endif
