/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_IMPORT_STUBS_H
#define DEBUG_INFO_IMPORT_STUBS_H

#include "debug_info/debug_info.h"

/**
 * What the stubs of linkers in a file (struct stub) lead to: its relocations or its import tables
 * tell whose address the loader puts into a slot. They are read when a stub is first found.
 */
struct import_slot {
	uint64_t address;		/* as linked */
	const char *name;		/* "abort@plt"; NULL: what `resolver` chooses */
	uint64_t resolver;		/* code that returns the address, as linked */
	uint64_t offset;		/* of the relocation or of the import's entry in the file */
};

struct import_stubs {
	struct arena arena;
	bool read;
	struct import_slot *items;	/* by address */
	size_t count, capacity;
};

/**
 * The slot of the stub around an address, as linked: in a section of ELF that is made of stubs, or
 * anywhere in the code of a PE file. NULL where there is none, or its slot is no function's.
 */
struct import_slot *
import_stub_find(struct import_stubs *stubs, const struct binary *binary, uint64_t address,
		 struct debug_answer *answer);

#endif
