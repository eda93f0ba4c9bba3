/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_LANDING_PADS_H
#define FRAME_TABLE_LANDING_PADS_H

#include "base/arena.h"
#include "binary/binary.h"

/**
 * Where exceptions of a function's calls are caught or cleaned up after: its language specific
 * data, which its entry in .eh_frame points to, as the personality of C++ and of every language
 * with the same tables reads it (LSB 5.0, 10.6; the Itanium C++ ABI's Exception Handling Tables).
 * Damaged data have no pads from the damage on.
 */
struct landing_pads {
	struct arena arena;
	uint64_t first, last;		/* of the entry's code, as linked */
	struct landing_site {
		uint64_t first, last;	/* calls within them, as linked */
		uint64_t pad;
	} *sites;			/* those that have a pad, in the table's order */
	size_t count, capacity;
	struct landing_arguments {
		uint64_t first, last;
		uint64_t bytes;		/* pushed for a call there, and dropped at the pad */
	} *arguments;			/* few functions have any */
	size_t argument_count, argument_capacity;
};

/** Read the pads of the entry at `offset` of a file's .eh_frame. Free them in any case. */
void
landing_pads_read(struct landing_pads *pads, const struct binary *binary, uint64_t offset);

void
landing_pads_free(struct landing_pads *pads);

/**
 * The pad of the call that `address`, as linked, is within; `*dropped`: bytes of its arguments.
 * False where it has none.
 */
bool
landing_pads_find(const struct landing_pads *pads, uint64_t address, uint64_t *pad,
		  uint64_t *dropped);

#endif
