/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_SEH_CHAIN_H
#define INSPECT_SEH_CHAIN_H

#include "inspect/surroundings.h"

/**
 * The chain of exception handlers of a thread of 32-bit Windows.
 *
 * Functions with handlers put a registration on the stack: the next one's address, then the
 * handler's. The thread's block (fs:[0]) has the address of the first; the last has no next
 * (ffffffff). The system calls the handlers in this order, so the chain must go up the stack.
 */
#define SEH_LAST UINT32_C(0xffffffff)

/** The data after a registration, which depend on its handler. */
enum seh_kind {
	SEH_OTHER,
	SEH_SCOPES,		/* _except_handler3: a table of scopes and the current one */
	SEH_SCOPES_COOKIE,	/* _except_handler4: the cookie hides the table's address */
};

/** One __try: its filter, or NULL for a __finally; and its handler. */
struct seh_scope {
	uint32_t enclosing;
	uint64_t filter, handler;
};

#define SEH_MOST_SCOPES 16u

struct seh_record {
	uint64_t address, next, handler;
	struct place place;
	enum seh_kind kind;
	uint32_t level;			/* scope in force; -1 or -2: none */
	struct seh_scope scopes[SEH_MOST_SCOPES];	/* from the one in force outwards */
	size_t scope_count;
	/* The defect of the handler, which suggests an overwritten chain. NULL: none. */
	const char *doubt;
	bool unsafe;			/* missing in the module's list of safe handlers */
};

/** How a chain ends. */
enum seh_end {
	SEH_WHOLE,		/* complete, up to the last registration */
	SEH_NONE,		/* the thread has no handlers */
	SEH_UNREAD,		/* the next one is not in the dump */
	SEH_ASTRAY,		/* the next one is not higher, unaligned or outside the stack */
	SEH_TOO_LONG,
};

struct seh_chain {
	struct seh_record *records;
	size_t count;
	enum seh_end end;
	uint64_t end_at;		/* address that is not a registration */
	/* The first one is from fs:[0]; else it was searched on the stack */
	bool from_block;
};

/**
 * Follow the chain of a thread of 32-bit Windows, in `arena`; false for other systems, or if the
 * beginning of a chain is unknown.
 */
bool
seh_chain_read(struct seh_chain *chain, struct surroundings *around, size_t thread,
	       struct arena *arena);

#endif
