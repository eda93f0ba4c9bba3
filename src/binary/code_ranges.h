/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_CODE_RANGES_H
#define BINARY_CODE_RANGES_H

#include "binary/binary.h"

/**
 * Where a file has code: its sections with instructions.
 *
 * What a linker drops stays in debug information, at address 0 or so (--gc-sections), and must
 * not be taken for what is there now.
 */
struct code_range {
	uint64_t low, high;		/* as linked; `high` is behind it */
};

struct code_ranges {
	struct code_range *items;	/* by address */
	size_t count;
};

/** List the code of a file; `items` lives in `arena`. None when out of memory. */
void
code_ranges_read(struct code_ranges *ranges, const struct binary *binary, struct arena *arena);

/** The code that holds an address, or NULL. */
const struct code_range *
code_ranges_at(const struct code_ranges *ranges, uint64_t address);

#endif
