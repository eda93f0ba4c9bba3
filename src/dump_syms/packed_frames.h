/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_PACKED_FRAMES_H
#define DUMP_SYMS_PACKED_FRAMES_H

#include "dump_syms/dump_syms_internal.h"
#include "unwind_check/packed.h"

/**
 * STACK CFI records of entries of .eh_frame and .debug_frame that have a packed form, which nearly
 * all have. Their instructions are run once for all rows, and a row costs what changes in it.
 */
struct packed_frames {
	struct dump_syms_parts *parts;
	struct rule_module module;
	struct unwind_source source;
	struct packed_side side;
	/* Claims in force in the record that is written */
	struct claim written[CLAIM_COLUMNS];
	bool is_open;
};

/**
 * Open a table of the module, where it may be read so. To be closed, and not to be moved before.
 */
void
packed_frames_open(struct packed_frames *frames, struct dump_syms_parts *parts, unsigned table);

void
packed_frames_close(struct packed_frames *frames);

/**
 * Append the records of the entry whose code is from `first` to `last`, relative to the module, to
 * the parts' frames. False, with nothing appended, where there is no such entry or a row of it has
 * no packed form or no record. Entries are asked for in ascending order.
 */
bool
packed_frames_write(struct packed_frames *frames, uint64_t first, uint64_t last);

#endif
