/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_IMPORT_STUBS_H
#define DEBUG_INFO_IMPORT_STUBS_H

#include "debug_info/debug_info.h"

/**
 * The targets of linkers' stubs in a file (struct stub). A stub jumps to the address in a slot. The
 * file's relocations or import tables name the function for each slot; Mach-O files also name the
 * function for each stub. The tables are read when the first stub is found.
 */
struct import_slot {
	uint64_t address;		/* as linked */
	const char *name;		/* "abort@plt", "abort (stub)"; NULL: `resolver` chooses */
	uint64_t resolver;		/* address of code that returns the target, as linked */
	uint32_t stub_size;		/* Mach-O: bytes of the stub there; 0: a slot */
	uint64_t offset;		/* offset of the relocation or import entry in the file */
};

struct import_stubs {
	struct arena arena;
	bool read;
	struct import_slot *items;	/* sorted by address */
	size_t count, capacity;
};

/**
 * The slot of the stub at a linked address. In ELF and Mach-O files only sections of stubs are
 * searched, in PE files all code. NULL: no stub, or no function is known for its slot.
 */
struct import_slot *
import_stub_find(struct import_stubs *stubs, const struct binary *binary, uint64_t address,
		 struct debug_answer *answer);

/** The slot at exactly this address, as linked; NULL: none. */
struct import_slot *
import_slot_at(struct import_stubs *stubs, const struct binary *binary, uint64_t address);

#endif
