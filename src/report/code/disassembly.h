/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_DISASSEMBLY_H
#define REPORT_CODE_DISASSEMBLY_H

#include "analysis/analysis.h"
#include "document/facts.h"
#include "document/listing.h"
#include "report/code/source.h"
#include "inspect/surroundings.h"

/**
 * The instructions around an address, with their lines, calls, rules and targets.
 *
 * A whole function if symbols have its bounds; else the code before and after the address. Where
 * instructions differ in length, those before a known one are found by decoding from many addresses
 * and taking the boundaries that most of them agree on. Bytes come from the dump, else from the
 * module's own file; if both have them and they differ, a row says so.
 */
struct disassembly_options {
	struct surroundings *around;
	const struct walk *walk;		/* walk whose frame is marked; NULL: none */
	size_t frame;
	bool of_frame;				/* start at `frame`'s instruction, not `address` */
	uint64_t address;			/* on arm an odd address means Thumb state */
	const struct source_options *source;	/* NULL: no source text is shown */
};

struct disassembly;

/**
 * Disassemble; borrows everything in `options`, whose frame must exist. NULL when out of memory.
 */
struct disassembly *
disassembly_create(const struct disassembly_options *options);

/** Accepts NULL. */
void
disassembly_free(struct disassembly *disassembly);

/** Whether disassembly_create() with these options would give the same rows. False on NULL. */
bool
disassembly_serves(const struct disassembly *disassembly,
		   const struct disassembly_options *options);

/**
 * The rows, which live as long as `disassembly`; without instructions they say why. The row of
 * disassembly_address() is current.
 */
struct listing
disassembly_listing(const struct disassembly *disassembly);

/** The row of the instruction at an address, or the nearest one. */
size_t
disassembly_row(const struct disassembly *disassembly, uint64_t address);

/** The address that the rows surround: the frame's instruction, or the address in the options. */
uint64_t
disassembly_address(const struct disassembly *disassembly);

/** The rows as an object. */
FACTS_DECLARE(disassembly, const struct disassembly *disassembly);

#endif
