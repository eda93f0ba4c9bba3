/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "document/listing.h"
#include "walk/location.h"

/**
 * Words and targets that several listings share. row.h defines a line, and listing.h defines a
 * view. Each view has its own file (stack, modules, messages, memory, raw_dump, raw_symbols,
 * source, step_view).
 */

/** The role that shows a trust: the last column of walk/trust.def. */
enum role
report_trust_role(enum trust trust);

/** The target of a row for bytes of an input; none if `place` has no input. */
struct target
report_place_target(struct place place);

/**
 * Add the name of a frame's function (location_name), cut in its middle to end at column `end` (0:
 * not cut). The distance at its end is kept. Adds nothing if the row already reaches `end`.
 */
void
report_add_frame_name(struct row *row, const struct walk *walk, size_t frame, bool always,
		      size_t end);

/** Add the range `first` to `last`, each as `digits` hexadecimal digits. */
void
report_add_range(struct row *row, enum role role, int digits, uint64_t first, uint64_t last);

/**
 * A sentence that names the walked context of a WoW64 thread and says how to walk the other
 * context. NULL if the thread has only one context.
 */
const char *
report_context_note(const struct walk *walk);

/** The bytes below a stack pointer that leaf functions may use (the red zone); 0: none. */
unsigned
report_red_zone(const struct crash *crash, const struct arch *arch);

/** Hexadecimal digits of an address of `arch`. */
int
report_digits(const struct arch *arch);

/** A count with commas between its thousands. */
struct short_text
report_count(uint64_t count);

/** Columns of a value of `size` bytes in a base: 16, 10, or 0 for its bytes as text. */
int
report_value_width(unsigned base, unsigned size);

/** Add a value in a base as in report_value_width; text is in the byte order of the dump. */
void
report_add_base(struct row *row, enum role role, unsigned base, unsigned size, bool big_endian,
		uint64_t value);

/** Add three blanks and the place; nothing if it has no input. */
void
report_add_place(struct row *row, struct place place);

/**
 * Write ascending numbers as "3, 5-60" into `buffer`, with "..." for numbers that do not fit.
 * Returns `buffer`.
 */
const char *
report_numbers(const size_t *numbers, size_t count, char *buffer, size_t size);

/* Frames --------------------------------------------------------------------------------------- */

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
 * Look up the code of `frame`: a frame of `walk`, or a caller of such a frame. Lists and long names
 * live in `arena`. `*named` (may be NULL) is the counter for location_of_frame (walk/location.h).
 */
void
shown_frame(const struct walk *walk, const struct frame *frame, size_t *named,
	    struct arena *arena, struct shown_frame *shown);

/** Call `index` of a frame (0: the innermost); the innermost call if there is no such call. */
const struct call *
shown_call(const struct shown_frame *shown, size_t index);

/** The function that the calls of a frame are inlined into: the frame's last call. */
const struct call *
shown_function(const struct shown_frame *shown);

/** The name of a call, with the pc's distance if symbols have no line (location_name). */
struct text
shown_name(const struct shown_frame *shown, const struct call *call, bool always,
	   struct arena *arena);

/** The record of the frame's function; a place without input if it is unknown. */
struct place
shown_record(const struct shown_frame *shown);

/** The printable file name and line of a call: "main.c:21". Unknown parts are left out. */
const char *
shown_source(const struct call *call, struct arena *arena);

/** How a frame was found or why the stack ends, and what contradicts it. */
struct shown_finding {
	const char *words;
	const char *doubt;	/* the contradiction; NULL: none */
	enum role role;		/* role of `words` */
};

/**
 * How frame `number` was found (walk/method/method.def), and any source that contradicts the frame
 * (analysis/stack_trust.h). The texts live in `arena` or with the walk.
 */
struct shown_finding
shown_found(struct walk *walk, size_t number, struct arena *arena);

/** Why the stack of a complete walk ends. */
struct shown_finding
shown_end(struct walk *walk, struct arena *arena);

#endif
