/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_ADDRESSES_H
#define UI_VIEW_ADDRESSES_H

#include "report/code/disassembly.h"
#include "report/memory/memory_bytes.h"
#include "report/memory/memory_find.h"
#include "inspect/surroundings.h"
#include "report/memory/identify.h"

struct session;

/**
 * Addresses away from the frames: the code at one, what one is, where something stands in memory.
 *
 * What is kept here is made when it is first shown; the code is that of the selected frame until a
 * request names another address.
 */
struct addresses {
	struct surroundings around;
	struct disassembly *disassembly;	/* shown last; NULL: none */
	bool elsewhere;				/* the code is that of `code`, not of the frame */
	uint64_t code;
	struct memory_find *find;		/* made last; NULL: none */
	struct identification *identify;	/* asked for last; NULL: nothing yet */
};

/** Forget what was made with the modules' own files: they have been opened anew. */
void
addresses_forget(struct session *session);

/** Search on for a moment; whether there is more to do. */
bool
addresses_work(struct session *session);

/** Whether a search is under way. */
bool
addresses_is_searching(const struct session *session);

/** End the search. False where there is none. */
bool
addresses_stop(struct session *session);

/** Show the code of an address. */
void
addresses_show_code(struct session *session, uint64_t address);

/** The address that a user means (expression.h). False where it is none, which is said. */
bool
addresses_parse(struct session *session, const char *text, uint64_t *address);

#endif
