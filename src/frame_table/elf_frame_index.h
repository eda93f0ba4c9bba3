/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_ELF_FRAME_INDEX_H
#define FRAME_TABLE_ELF_FRAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/**
 * Where the entries of an `.eh_frame` or `.debug_frame` stand and what code they are for: linkers
 * make such a table for the first alone, and not always (LSB 5.0, chapter 10.6; DWARF 5, 6.4.1).
 */
struct elf_frame_entry {
	uint64_t first, last;		/* addresses of the code, as linked */
	uint64_t offset;		/* of the entry in its section */
	uint32_t length;		/* of the whole entry */
};

struct elf_frame_index {
	struct arena arena;
	struct elf_frame_entry *entries;	/* by their first address */
	size_t count;
};

/** The bytes of a section with what its entries' addresses are written with. */
struct elf_frame_section {
	const unsigned char *ident;	/* e_ident of the file */
	void *data;
	uint64_t size;
	uint64_t address;		/* as linked */
	unsigned word_size;
	bool big_endian;
	bool eh;			/* the format of `.eh_frame` */
};

/** Go through a section. Entries that are damaged or for no code are left out. */
void
elf_frame_index_build(struct elf_frame_index *index, const struct elf_frame_section *section);

void
elf_frame_index_free(struct elf_frame_index *index);

#endif
