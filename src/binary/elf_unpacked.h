/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_ELF_UNPACKED_H
#define BINARY_ELF_UNPACKED_H

#include "binary/binary.h"

/**
 * An ELF file as libelf can read it.
 *
 * Where libelf unpacks sections (SHF_COMPRESSED, .zdebug_*) it marks them in the very bytes that it
 * was given, which are mapped for reading and belong to all readers of the file; and it allocates what
 * a header claims. So packed files are laid out anew here: with the sections that one reader needs,
 * unpacked, and no others.
 */
struct elf_unpacked {
	char *data;			/* of the file itself where none of its sections is packed */
	size_t size;
	size_t mapped;			/* bytes that are this one's own; 0: none */
	/** The first section that was left out because it is damaged. */
	struct elf_damage {
		const struct binary *binary;	/* NULL: none was */
		const char *section;
		uint64_t size;			/* bytes that it should have */
	} damage;
};

/**
 * The sections of `names` ("info" for .debug_info, .zdebug_info and .debug_info.dwo), which ends with
 * NULL, and those that point out of the file. A section that is damaged or too large is left out.
 * False where the file's headers cannot be read, or out of memory.
 */
bool
elf_unpack(struct elf_unpacked *unpacked, const struct binary *binary, const char *const *names);

/** Release what elf_unpack made. Harmless where all is 0. */
void
elf_unpacked_free(struct elf_unpacked *unpacked);

#endif
