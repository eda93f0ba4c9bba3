/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_H
#define REPORT_PROSE_PROSE_H

#include "document/page.h"
#include "report/step/step_view.h"

/**
 * A step explained in sentences: its beginning, attempts that were refused, each rule with its
 * arithmetic, the registers (saved, kept, lost or guessed), and the checks. All facts come from the
 * events of the trace. The sentences are in prose.def.
 */
enum prose_kind {
	PROSE_TITLE,
	PROSE_PARAGRAPH,
	PROSE_ITEM,
	PROSE_FIGURE,		/* a line of arithmetic or of a table */
};

struct prose_item {
	enum prose_kind kind;
	bool detail;		/* one token or one register: shown on stepped pages only */
	/* Last event of the trace that has happened when this item is shown */
	uint32_t event;
	const char *text;	/* printable; prose_next() finds terms of the glossary in it */
};

/** The explanations already in a document. Begin with all members 0. */
struct prose_told {
	const char *explanations[128];
	size_t count;
};

struct prose {
	const struct step_view *view;
	struct arena *arena;
	struct prose_item *items;
	size_t count, capacity;
	struct prose_told *told;	/* set while the prose is made */
	uint32_t figure_event;		/* event of the figure; set while the prose is made */
};

/**
 * Explain a step of a complete walk; lives in `arena`. Explanations in `told` (NULL: none) are not
 * repeated. NULL when out of memory.
 */
const struct prose *
prose_of(const struct step_view *view, struct prose_told *told, struct arena *arena);

/** A piece of a text. `term` is the glossary entry of the piece, or empty. */
struct prose_piece {
	struct text text, term;
};

/** Get the piece of an item's text at byte `*at`, and advance `*at`. False: the end of the text. */
bool
prose_next(const char *text, size_t *at, struct prose_piece *piece);

/** An item's text without the marks of terms, in `arena`; "" when out of memory. */
const char *
prose_plain(const char *text, struct arena *arena);

/** A range of steps of a complete walk. Repeated frames are only counted. */
struct prose_range {
	struct walk *walk;
	size_t first, last;		/* frames where the steps begin */
};

/** Write the steps as text of 78 columns, then a list of the glossary terms marked `_word_`. */
void
prose_write(const struct prose_range *range, const struct output *output);

void
prose_page(const struct prose_range *range, enum page_form form, const struct output *output);

#endif
