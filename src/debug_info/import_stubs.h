/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_IMPORT_STUBS_H
#define DEBUG_INFO_IMPORT_STUBS_H

#include "debug_info/debug_info.h"

/**
 * The targets of linkers' stubs in a file (struct stub): its relocations or import tables give the
 * function whose address the loader stores in a slot; Mach-O files also give the function of each
 * stub. The tables are read when the first stub is found.
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
 * The slot of the stub at an address, as linked: in a section of stubs of an ELF or Mach-O file, or
 * anywhere in the code of a PE file. NULL: no stub, or its slot is not a function's.
 */
struct import_slot *
import_stub_find(struct import_stubs *stubs, const struct binary *binary, uint64_t address,
		 struct debug_answer *answer);

/** The slot at exactly this address, as linked; NULL: none. */
struct import_slot *
import_slot_at(struct import_stubs *stubs, const struct binary *binary, uint64_t address);

#endif
