/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_MEMORY_SEARCH_H
#define INSPECT_MEMORY_SEARCH_H

#include "inspect/expression.h"

/**
 * Finds a value, a text or bytes in the memory of a dump.
 *
 *	"text"		its bytes as UTF-8
 *	u"text"		the text as UTF-16, in the dump's byte order
 *	de ad be ef	bytes, two digits each
 *	7ffe1000, $rsp	a word with this value (expression.h), in the dump's byte order
 *	text		any other text without $: like "text", with a note
 *
 * Words are found at multiples of their size, or at all addresses if `everywhere` is set. A large
 * dump is searched in slices, so that the user can stop between them.
 */
#define MEMORY_FIND_BYTES 1024u
#define MEMORY_FIND_HITS (1u << 20)

struct memory_find {
	struct arena arena;
	struct surroundings *around;
	const char *typed;
	const char *wrong;		/* error in the pattern; NULL: none */
	/* A note that a text without quotes is searched; or NULL */
	const char *note;
	uint8_t bytes[MEMORY_FIND_BYTES];
	size_t size;
	unsigned step;			/* distance between possible addresses of hits */
	/* Bounds of the search; every byte of a hit is within them */
	uint64_t from, last;
	size_t run;			/* current position */
	uint64_t address;
	uint64_t looked, total;		/* bytes searched so far, and bytes to search */
	bool done, stopped;
	uint64_t *hits;			/* addresses, ascending */
	size_t count, capacity;
};

/**
 * Prepare a search for `pattern` from address `from` on. Registers have their values in `frame`,
 * which may be NULL. The caller may lower `last`. NULL when out of memory.
 */
struct memory_find *
memory_find_create(struct surroundings *around, const struct frame *frame, struct text pattern,
		   bool everywhere, uint64_t from);

/** Accepts NULL. */
void
memory_find_free(struct memory_find *find);

/** Search the next `bytes` bytes. Returns whether there is more to search. */
bool
memory_find_work(struct memory_find *find, uint64_t bytes);

#endif
