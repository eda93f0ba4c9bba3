/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_ELF_UNPACKED_H
#define BINARY_ELF_UNPACKED_H

#include "binary/binary.h"

/**
 * Compressed sections (SHF_COMPRESSED of the gABI, .zdebug_* of GNU) of ELF and PE files.
 */

/** The first section that is omitted because of damage. */
struct elf_damage {
	const struct binary *binary;	/* NULL: none */
	const char *section;
	uint64_t size;			/* expected size in bytes */
};

/** Largest decompressed size of a section of `size` bytes. */
uint64_t
elf_unpacked_limit(uint64_t size);

/** Largest decompressed size of all sections of a file, which may share bytes. */
uint64_t
elf_unpacked_most(const struct binary *binary);

/** The uncompressed bytes of one section. */
struct elf_bytes {
	const uint8_t *data;		/* NULL: none */
	uint64_t size;
	uint64_t mapped;		/* bytes that this object owns; 0: the file owns `data` */
};

/**
 * Decompress one section of a file. If the section is damaged or too large, returns false and sets
 * only the expected size.
 */
bool
elf_section_bytes(struct elf_bytes *bytes, const struct binary *binary,
		  const struct binary_section *section);

/** Free the result of elf_section_bytes. Harmless if all members are 0. */
void
elf_bytes_free(struct elf_bytes *bytes);

#endif
