/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_H
#define REPORT_VALUE_LOCALS_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/frame_variables.h"
#include "report/value/value_text.h"

/**
 * Arguments and local variables of a frame: a heading for each of its calls, the inlined ones first,
 * and a row for each variable with its value and where that comes from.
 */
struct locals;

/**
 * What is in scope in a frame, with the static variables of its unit if `globals`; NULL when out of
 * memory. It lives in `arena`.
 */
const struct locals *
locals_of(struct walk *walk, const struct memory_view *memory, size_t frame, bool globals,
	  struct arena *arena);

/** Whether there is anything to list. */
bool
locals_any(const struct locals *locals);

/** The rows; each leads to the memory that it shows, or to its register. */
struct listing
locals_listing(const struct locals *locals);

/** A thread whose frames are written. */
struct locals_thread {
	struct walk *walk;
	const struct memory_view *memory;
	bool crashed;
	long only_frame;		/* -1: all */
	bool globals;			/* also the static variables of the frames' units */
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
