/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_H
#define REPORT_VALUE_LOCALS_H

#include "base/hash.h"
#include "document/facts.h"
#include "document/listing.h"
#include "inspect/variable/variable_step.h"
#include "report/value/value_text.h"

/**
 * Arguments and local variables of a frame: a heading for each of its calls (inlined calls first),
 * and a row for each variable with its value and the value's place.
 */
struct locals;

enum { LOCALS_EXPRESSIONS = 16 };

/** The open rows. A row's number identifies a part of a variable of a frame. */
struct locals_state {
	struct hash open;
	bool steps;			/* show how each value is computed, not its parts */
	/* Expressions to evaluate in each frame, above its variables; freed with the state */
	char *expressions[LOCALS_EXPRESSIONS];
	size_t expression_count;
};

void
locals_state_free(struct locals_state *state);

/** Open a closed row, or close an open row. */
void
locals_toggle(struct locals_state *state, uint64_t row);

/**
 * The variables in scope in a frame; if `globals`, also the static variables of its unit. NULL when
 * out of memory. Lives in `arena`. `state` has the open rows (NULL: none); it is read only when the
 * listing is made.
 */
struct locals *
locals_of(struct walk *walk, const struct memory_view *memory, size_t frame, bool globals,
	  const struct locals_state *state, struct arena *arena);

/**
 * Whether the listing has rows: variables, or arguments that are known without debug information.
 */
bool
locals_any(const struct locals *locals);

/** Why no variables of the frame are known; NULL: they are known. */
const char *
locals_why_none(const struct locals *locals);

/** The rows, in `arena`; each leads to its memory or register. */
struct listing
locals_listing(const struct locals *locals, struct arena *arena);

/** The number of a row that can be opened; 0: the row has no parts. */
uint64_t
locals_row(const struct listing *listing, size_t row);

/** The variable that a row shows, entirely or in part; false: none. */
bool
locals_variable(const struct listing *listing, size_t row, struct variable_place *place);

/**
 * A limit for the values of a document: thousands of frames may share thousands of variables.
 * Frames over the limit are left out.
 */
struct locals_budget {
	uint64_t left;			/* bytes left; a variable costs LOCALS_VARIABLE + text */
	bool exceeded;			/* a frame was left out */
};

#define LOCALS_VARIABLE 256u

/** The budget of a document about a crash. */
struct locals_budget
locals_budget(const struct crash *crash);

/** Charge the text written about a frame's variables to a budget, which outlives `locals`. */
void
locals_limit(struct locals *locals, struct locals_budget *budget);

/** Charge bytes; false if the budget is used up. */
bool
locals_spend(struct locals_budget *budget, uint64_t bytes);

/** A thread whose frames are written. */
struct locals_thread {
	struct locals_budget *budget;
	struct walk *walk;
	const struct memory_view *memory;
	bool crashed;
	long only_frame;		/* number of the only frame; -1: all */
	bool globals;			/* include static variables of the frames' units */
	bool steps;			/* in text: show how each value is computed */
};

/** The threads of a document. */
struct locals_document {
	size_t count;
	/* Begins a thread; false: leave the thread out. `close` ends a thread. */
	bool (*open)(void *context, size_t index, struct locals_thread *thread);
	void (*close)(void *context, struct locals_thread *thread);
	void *context;
};

FACTS_DECLARE(locals, const struct locals_document *document);

#endif
