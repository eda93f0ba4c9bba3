/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_LANDING_PADS_H
#define FRAME_TABLE_LANDING_PADS_H

#include "base/arena.h"
#include "binary/binary.h"

/**
 * The landing pads of a function's calls, which catch exceptions or clean up. They are read from
 * the language-specific data that the function's entry in .eh_frame points to, in the format of C++
 * and of other languages with the same tables (LSB 5.0, 10.6; the Itanium C++ ABI's Exception
 * Handling Tables). In damaged data the pads after the damage are lost.
 */
struct landing_pads {
	struct arena arena;
	uint64_t first, last;		/* first and last address of the entry's code, as linked */
	struct landing_site {
		uint64_t first, last;	/* first and last address of calls, as linked */
		uint64_t pad;
	} *sites;			/* call sites with a pad, in the table's order */
	size_t count, capacity;
	struct landing_arguments {
		uint64_t first, last;
		uint64_t bytes;		/* bytes pushed for a call there, and dropped at the pad */
	} *arguments;			/* few functions have any */
	size_t argument_count, argument_capacity;
};

/** Read the pads of the entry at `offset` of a file's .eh_frame. Always free them. */
void
landing_pads_read(struct landing_pads *pads, const struct binary *binary, uint64_t offset);

void
landing_pads_free(struct landing_pads *pads);

/**
 * The pad of the call that contains `address`, as linked; `*dropped`: bytes of the call's
 * arguments. False if the call has no pad.
 */
bool
landing_pads_find(const struct landing_pads *pads, uint64_t address, uint64_t *pad,
		  uint64_t *dropped);

#endif
