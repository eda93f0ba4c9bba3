/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_DWARF_SOURCE_H
#define UNWIND_CHECK_DWARF_SOURCE_H

#include "binary/elf_unpacked.h"
#include "frame_table/cfi_rows.h"
#include "unwind_check/source.h"

/** What both readers of .eh_frame and .debug_frame work with. */
struct dwarf_state {
	const struct binary *binary;
	struct elf_unpacked unpacked;	/* where the section is compressed */
	struct binary *own;		/* made of that */
	bool compressed;		/* its entries have no places in the file */
	bool shared;			/* section and table belong to another source */
	uint64_t offset;		/* of the section in the file */
	struct cfi_table table;
	struct cfi_cursor cursor;
	int16_t numbers[ARCH_REGISTERS];	/* registers by their DWARF numbers; -1: none */
	uint64_t column;		/* DWARF number of the return address of the row at work */
	/* A row whose CFA depends on the address, as in a PLT, is several. */
	bool split;
	uint64_t rest, last;		/* what is left of it */
	struct cfi_row source_row;
};

/**
 * Make the claims of the source's row those of rules in force at `pc`, of a CIE with that return
 * address column; whether they depend on `pc`.
 */
bool
dwarf_source_take(struct unwind_source *source, const struct cfi_rule *rules, uint64_t column,
		  uint64_t pc);

#endif
