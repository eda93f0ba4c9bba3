/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_MEMORY_H
#define REPORT_MEMORY_MEMORY_H

#include "binary/binary.h"
#include "crash/memory.h"
#include "document/listing.h"
#include "report/step/step_view.h"

/** A frame whose stack or frame pointer is an address. */
struct memory_pointer {
	uint64_t address;
	size_t frame;
};

/**
 * The pointers of all frames of a walk into one run of memory, kept from one listing to the next:
 * a deep stack has many. Begin with all members 0 and the arena made; `walk` is set to NULL when
 * the walk goes.
 */
struct memory_pointers {
	struct arena arena;
	const struct walk *walk;
	size_t frames;
	uint64_t base, size;
	struct memory_pointer *sp, *fp;
	size_t sp_count, fp_count;
};

/** What to show of which memory. */
struct memory_options {
	const struct crash *crash;
	const struct memory_view *memory;
	struct binaries *binaries;	/* whose bytes stand in for absent ones; NULL: nobody's */
	const struct walk *walk;	/* whose frames own the words; NULL: nobody's */
	const struct step_view *step;	/* whose reads are marked; NULL: none */
	struct memory_pointers *kept;	/* NULL: nothing is kept */
	uint64_t address;		/* what must be among the words */
	unsigned base;			/* of the values: 16, 10, or 0 for their bytes as text */
};

/**
 * The words of the run of memory that holds an address, one a row: the value, the frame that
 * owns it, which registers point at it, what it can be read as. Readings that end with a
 * question mark are guesses from the value alone. Nothing is loaded for them. Where the dump
 * has no such memory, what a module's file has there is shown and said to be the file's; where
 * there is none either the listing says so.
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
