/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_ELF_UNPACKED_H
#define BINARY_ELF_UNPACKED_H

#include "binary/binary.h"

/**
 * Sections of a file as an ELF file that libelf can read.
 *
 * Where libelf unpacks sections (SHF_COMPRESSED, .zdebug_*) it marks them in the very bytes that it
 * was given, which are mapped for reading and belong to all readers of the file; and it allocates
 * what a header claims. So packed files are laid out anew here: with the sections that one reader
 * needs, unpacked, and no others. What PE files have of DWARF becomes an ELF file in this way,
 * too.
 */
struct elf_unpacked {
	/* Of the file itself where none of its sections is packed */
	char *data;
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
 * The sections of `names` ("info" for .debug_info, .zdebug_info and .debug_info.dwo), which ends
 * with NULL, and those that point out of the file. A section that is damaged or too large is left
 * out. False where none is left of a PE file, or out of memory.
 */
bool
elf_unpack(struct elf_unpacked *unpacked, const struct binary *binary, const char *const *names);

/** The most bytes that a compressed section of `size` bytes may become. */
uint64_t
elf_unpacked_limit(uint64_t size);

/** The bytes of one section, unpacked. */
struct elf_bytes {
	const uint8_t *data;		/* NULL: there are none */
	uint64_t size;
	uint64_t mapped;		/* bytes that are this one's own; 0: those of the file */
};

/**
 * Unpack one section of a file; false, with the size that it should have and without bytes, where
 * it is damaged or too large.
 */
bool
elf_section_bytes(struct elf_bytes *bytes, const struct binary *binary,
		  const struct binary_section *section);

/** Release what elf_section_bytes made. Harmless where all is 0. */
void
elf_bytes_free(struct elf_bytes *bytes);

/** A section of a file that is made. */
struct elf_part {
	const char *name;
	const uint8_t *data;
	uint64_t size;
	uint64_t address;		/* as linked; 0: it is not loaded */
};

/**
 * A file of the byte order and machine of `like` with copies of these sections. False out of
 * memory.
 */
bool
elf_make(struct elf_unpacked *made, const struct binary *like, const struct elf_part *parts,
	 size_t count);

/** libelf's handle of a file in memory; NULL: it has none, and what the system lacked is noted. */
struct Elf *
elf_open(const void *data, size_t size);

/** Release what elf_unpack or elf_make made. Harmless where all is 0. */
void
elf_unpacked_free(struct elf_unpacked *unpacked);

#endif
