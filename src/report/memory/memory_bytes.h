/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_MEMORY_BYTES_H
#define REPORT_MEMORY_MEMORY_BYTES_H

#include "document/listing.h"
#include "inspect/surroundings.h"

/**
 * All memory of a dump as it stands: sixteen bytes a row with their letters, the regions one behind
 * the other, each with a row that names it and what is missing before it.
 *
 * Where the dump lacks the address that is looked at, the bytes of the module's own file are
 * among the rows, and their region says so.
 */
struct memory_bytes_options {
	struct surroundings *around;
	uint64_t address;		/* that is looked at */
	/* Bytes of a value: 1, 2, 4 or 8, in the dump's byte order */
	unsigned unit;
};

/** The rows. They live in `arena`, and borrow `around`. */
struct listing
memory_bytes_listing(const struct memory_bytes_options *options, struct arena *arena);

/** The row that holds an address, or that of the hole that it lies in. */
size_t
memory_bytes_row(const struct listing *listing, uint64_t address);

#endif
