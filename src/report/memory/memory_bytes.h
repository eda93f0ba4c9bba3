/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_MEMORY_BYTES_H
#define REPORT_MEMORY_MEMORY_BYTES_H

#include "document/listing.h"
#include "inspect/surroundings.h"
#include "document/facts.h"
#include "inspect/memory_search.h"

/**
 * All memory of a dump. A row shows 16 bytes and their letters. Each region begins with a row for
 * its name and the size of the gap before it. If the dump lacks the selected address, the bytes of
 * the module's own file are among the rows, in a marked region.
 */
struct memory_bytes_options {
	struct surroundings *around;
	uint64_t address;
	/* Bytes of a value: 1, 2, 4 or 8, in the dump's byte order */
	unsigned unit;
};

/** The rows. They live in `arena`, and borrow `around`. */
struct listing
memory_bytes_listing(const struct memory_bytes_options *options, struct arena *arena);

/** The row of an address, or of the gap that contains it. */
size_t
memory_bytes_row(const struct listing *listing, uint64_t address);

/** The hits of a search in memory, as rows and as JSON. */

/** The hits so far, a row each: address, owner of the memory, contents. */
struct listing
memory_find_listing(struct memory_find *find, struct arena *arena);

/** The hits as the members of an open object. */
FACTS_DECLARE(memory_find, struct memory_find *find);

#endif
