/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_H
#define REPORT_VALUE_LOCALS_H

#include "base/hash.h"
#include "document/facts.h"
#include "document/listing.h"
#include "inspect/variable/variable_step.h"
#include "report/value/value_text.h"

/**
 * Arguments and local variables of a frame: a heading for each of its calls, the inlined ones
 * first, and a row for each variable with its value and where that comes from.
 */
struct locals;

/** What is opened: numbers of rows, which tell a part of a variable of a frame. */
struct locals_state {
	struct hash open;
	bool steps;			/* instead: how each variable's value is computed */
};

void
locals_state_free(struct locals_state *state);

/** Open a row that is closed, or close it. */
void
locals_toggle(struct locals_state *state, uint64_t row);

/**
 * What is in scope in a frame, with the static variables of its unit if `globals`; NULL when out of
 * memory. It lives in `arena`. `state` says what is opened (NULL: nothing), and is only read when
 * the listing is made.
 */
struct locals *
locals_of(struct walk *walk, const struct memory_view *memory, size_t frame, bool globals,
	  const struct locals_state *state, struct arena *arena);

/**
 * Whether there is anything to list: variables, or arguments that are known without debug
 * information.
 */
bool
locals_any(const struct locals *locals);

/** The rows, in `arena`; each leads to the memory that it shows, or to its register. */
struct listing
locals_listing(const struct locals *locals, struct arena *arena);

/** The number of a row that can be opened; 0: there is nothing in it. */
uint64_t
locals_row(const struct listing *listing, size_t row);

/** The variable of a row, or of which it is a part; false: it is of none. */
bool
locals_variable(const struct listing *listing, size_t row, struct variable_place *place);

/**
 * What values of a document may cost: thousands of frames may share thousands of variables. Frames
 * behind it are left out.
 */
struct locals_budget {
	uint64_t left;			/* bytes, LOCALS_VARIABLE for each variable and its text */
	bool exceeded;			/* something was left out */
};

#define LOCALS_VARIABLE 256u

/** The budget of a document about a crash. */
struct locals_budget
locals_budget(const struct crash *crash);

/** Let what is written of a frame's variables take from a budget, which outlives it. */
void
locals_limit(struct locals *locals, struct locals_budget *budget);

/** Take bytes from it; false where it is used up. */
bool
locals_spend(struct locals_budget *budget, uint64_t bytes);

/** A thread whose frames are written. */
struct locals_thread {
	struct locals_budget *budget;	/* of the document */
	struct walk *walk;
	const struct memory_view *memory;
	bool crashed;
	long only_frame;		/* -1: all */
	bool globals;			/* also the static variables of the frames' units */
	bool steps;			/* in text: how each value is computed */
};

/** The threads of a document. */
struct locals_document {
	size_t count;
	/* Begin with a thread: false where it is left out. `close` ends with it. */
	bool (*open)(void *context, size_t index, struct locals_thread *thread);
	void (*close)(void *context, struct locals_thread *thread);
	void *context;
};

FACTS_DECLARE(locals, const struct locals_document *document);

#endif
