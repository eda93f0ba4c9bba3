/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_DISASSEMBLY_H
#define REPORT_CODE_DISASSEMBLY_H

#include "analysis/analysis.h"
#include "document/facts.h"
#include "document/listing.h"
#include "report/code/source.h"
#include "inspect/surroundings.h"

/**
 * The code around an address, with source lines, inlined calls, unwind rules and targets.
 *
 * If symbols have the bounds of the function, the whole function is shown, else the code before and
 * after the address. If instructions differ in length, the code before the address is decoded from
 * many addresses. The boundaries that most decodings share are used. Bytes come from the dump, else
 * from the module's own file. A row shows where the two differ.
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

/** Disassemble. Borrows everything in `options`; its frame must exist. NULL when out of memory. */
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
 * The rows, which live as long as `disassembly`. If there are no instructions, a row shows why. The
 * row of disassembly_address() is current.
 */
struct listing
disassembly_listing(const struct disassembly *disassembly);

/** The row of the instruction at an address, or the nearest row. */
size_t
disassembly_row(const struct disassembly *disassembly, uint64_t address);

/** The address that the rows surround: the frame's instruction, or the address in the options. */
uint64_t
disassembly_address(const struct disassembly *disassembly);

/** The rows as an object. */
FACTS_DECLARE(disassembly, const struct disassembly *disassembly);

#endif
