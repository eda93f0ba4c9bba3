/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_SHOWN_FRAME_H
#define REPORT_SHOWN_FRAME_H

#include "document/role.h"
#include "walk/location.h"

/**
 * The facts about a frame that text, JSON, pages and panes share: the place of its code, its calls,
 * how it was found, and why a stack ends.
 */
struct shown_frame {
	const struct walk *walk;
	const struct frame *frame;
	uint64_t pc;
	struct location location;
};

/**
 * Look up the code of `frame`, a frame of `walk` or the caller of one. Lists and long names live in
 * `arena`. `*named` (may be NULL) counts as in location_of_frame (walk/location.h).
 */
void
shown_frame(const struct walk *walk, const struct frame *frame, size_t *named,
	    struct arena *arena, struct shown_frame *shown);

/** Call `index` of a frame, 0 for the innermost one; the innermost one if there is no such call. */
const struct call *
shown_call(const struct shown_frame *shown, size_t index);

/** The function that the calls of a frame are inlined into: the frame's last call. */
const struct call *
shown_function(const struct shown_frame *shown);

/** The name of a call, with the distance of the pc where symbols have no line (location_name). */
struct text
shown_name(const struct shown_frame *shown, const struct call *call, bool always,
	   struct arena *arena);

/** The record of the frame's function; no input if it is unknown. */
struct place
shown_record(const struct shown_frame *shown);

/** "main.c:21", the printable name of a call's file and its line; unknown parts are left out. */
const char *
shown_source(const struct call *call, struct arena *arena);

/** How a frame was found or why the stack ends, and what contradicts it. */
struct shown_finding {
	const char *words;
	const char *doubt;	/* the contradiction; NULL: none */
	enum role role;		/* role of `words` */
};

/**
 * How frame `number` was found (walk/method/method.def) and which other source contradicts it
 * (analysis/contradicted.h). The texts live in `arena` or with the walk.
 */
struct shown_finding
shown_found(struct walk *walk, size_t number, struct arena *arena);

/** Why the stack of a complete walk ends. */
struct shown_finding
shown_end(struct walk *walk, struct arena *arena);

#endif
