/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_DISASSEMBLY_H
#define REPORT_CODE_DISASSEMBLY_H

#include "analysis/analysis.h"
#include "document/facts.h"
#include "document/listing.h"
#include "report/code/source.h"
#include "inspect/surroundings.h"

/**
 * The instructions around an address, with what is known of each.
 *
 * A whole function where symbols say where it begins and ends; else what is before and behind
 * the address. Where instructions differ in length those before a known one are found by
 * decoding from many bytes and taking the boundaries that most of them agree on. Bytes are the
 * dump's, else those of the module's own file; where both have them and they differ, a row says so.
 */
struct disassembly_options {
	struct surroundings *around;
	const struct walk *walk;		/* whose frame is marked; NULL: none */
	size_t frame;
	bool of_frame;				/* around the frame's instruction, else `address` */
	uint64_t address;			/* on arm an odd one is in Thumb state */
	const struct source_options *source;	/* NULL: lines have no text */
};

struct disassembly;

/**
 * Take the code apart; everything is borrowed, and a frame must be there. NULL when out of memory.
 */
struct disassembly *
disassembly_create(const struct disassembly_options *options);

/** Harmless on NULL. */
void
disassembly_free(struct disassembly *disassembly);

/** Whether the same options would make the same rows. False on NULL. */
bool
disassembly_serves(const struct disassembly *disassembly,
		   const struct disassembly_options *options);

/** The rows, which live as long as `disassembly`; where there are none they say why. */
struct listing
disassembly_listing(const struct disassembly *disassembly);

/** The row of the instruction that holds an address, or the nearest one. */
size_t
disassembly_row(const struct disassembly *disassembly, uint64_t address);

/** The address that the rows are around: that of the frame's instruction, or of the options. */
uint64_t
disassembly_address(const struct disassembly *disassembly);

/** The rows as an object. */
FACTS_DECLARE(disassembly, const struct disassembly *disassembly);

#endif
