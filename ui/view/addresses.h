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
 * State of the views of addresses: disassembly, identification, search in memory.
 *
 * The members are made when first shown. The disassembly follows the selected frame until a request
 * names another address.
 */
struct addresses {
	struct surroundings around;
	struct disassembly *disassembly;	/* the one shown last; NULL: none */
	bool elsewhere;	/* the disassembly starts at `code`, not in the frame */
	uint64_t code;
	struct memory_find *find;		/* the last search; NULL: none */
	struct identification *identify;	/* the last expression identified; NULL: none */
};

/** Forget what was made from modules' files, because they were opened anew. */
void
addresses_forget(struct session *session);

/** Continue the search for a moment. True if it is not finished. */
bool
addresses_work(struct session *session);

/** Whether a search is under way. */
bool
addresses_is_searching(const struct session *session);

/** End the search. False if none is under way. */
bool
addresses_stop(struct session *session);

/** Show the code of an address. */
void
addresses_show_code(struct session *session, uint64_t address);

/** The address that the text means (expression.h). False, with a message, if it means none. */
bool
addresses_parse(struct session *session, const char *text, uint64_t *address);

#endif
