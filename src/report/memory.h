/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include "crash/memory.h"
#include "report/listing.h"
#include "report/step_view.h"

/** What to show of which memory. */
struct memory_options {
	const struct crash *crash;
	const struct memory_view *memory;
	const struct walk *walk;	/* whose frames own the words; NULL: nobody's */
	const struct step_view *step;	/* whose reads are marked; NULL: none */
	uint64_t address;		/* what must be among the words */
	unsigned base;			/* of the values: 16, 10, or 0 for their bytes as text */
};

/**
 * The words of the run of memory that holds an address, one a row: the value, the frame that
 * owns it, which registers point at it, what it can be read as. Readings that end with a
 * question mark are guesses from the value alone. Nothing is loaded for them. Where the dump
 * has no such memory the listing says so.
 */
struct listing
memory_listing(const struct memory_options *options, struct arena *arena);

/** The row of the word that holds an address, or the nearest one. */
size_t
memory_row(const struct listing *memory, uint64_t address);

/** The address of a row's word; 0 where the listing has none. */
uint64_t
memory_address(const struct listing *memory, size_t row);

#endif
