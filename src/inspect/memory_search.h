/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_MEMORY_SEARCH_H
#define INSPECT_MEMORY_SEARCH_H

#include "inspect/expression.h"

/**
 * Where a value, a text or bytes stand in the memory of a dump.
 *
 *	"text"		its bytes as UTF-8
 *	u"text"		the same as UTF-16, in the dump's byte order
 *	de ad be ef	bytes, two digits each
 *	7ffe1000, $rsp	a word with this value (expression.h), in the dump's byte order
 *	text		what is none of these and has no $: its bytes, with a note
 *
 * Words are looked for where words stand: at multiples of their size; `everywhere` looks between
 * them, too. A large dump is searched in slices, so that its user can go on or stop it.
 */
#define MEMORY_FIND_BYTES 1024u
#define MEMORY_FIND_HITS (1u << 20)

struct memory_find {
	struct arena arena;
	struct surroundings *around;
	const char *typed;
	const char *wrong;		/* with the pattern; NULL: nothing */
	/* That it is searched as text though it has no quotes, or NULL */
	const char *note;
	uint8_t bytes[MEMORY_FIND_BYTES];
	size_t size;
	unsigned step;			/* addresses of hits are multiples of it */
	uint64_t from;
	size_t run;			/* where the search is */
	uint64_t address;
	uint64_t looked, total;		/* bytes */
	bool done, stopped;
	uint64_t *hits;			/* addresses, ascending */
	size_t count, capacity;
};

/**
 * Begin a search for `pattern` from address `from` on; `frame` (may be NULL) gives registers their
 * values. Nothing has been looked at yet. NULL when out of memory.
 */
struct memory_find *
memory_find_create(struct surroundings *around, const struct frame *frame, struct text pattern,
		   bool everywhere, uint64_t from);

/** Harmless on NULL. */
void
memory_find_free(struct memory_find *find);

/** Look at `bytes` more. Returns whether there is more to do. */
bool
memory_find_work(struct memory_find *find, uint64_t bytes);

/** Go no further. */
void
memory_find_stop(struct memory_find *find);

#endif
