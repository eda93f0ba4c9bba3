/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_LANDING_PADS_H
#define FRAME_TABLE_LANDING_PADS_H

#include "base/arena.h"
#include "binary/binary.h"

/**
 * The landing pads of a function's calls. A landing pad is code that catches exceptions or cleans
 * up. The function's entry in .eh_frame points to data with the pads, in the format of C++ that
 * other languages use, too (LSB 5.0, 10.6; the Itanium C++ ABI's Exception Handling Tables). In
 * damaged data the pads after the damage are lost.
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
		uint64_t bytes;		/* bytes of arguments pushed for calls in this range */
	} *arguments;
	size_t argument_count, argument_capacity;
};

/** Read the pads of the entry at `offset` of a file's .eh_frame. Always free them. */
void
landing_pads_read(struct landing_pads *pads, const struct binary *binary, uint64_t offset);

void
landing_pads_free(struct landing_pads *pads);

/**
 * Find the pad of the call around `address`; both addresses are as linked. Sets `*dropped` to the
 * bytes of arguments that the pad drops. False if the call has no pad.
 */
bool
landing_pads_find(const struct landing_pads *pads, uint64_t address, uint64_t *pad,
		  uint64_t *dropped);

#endif
