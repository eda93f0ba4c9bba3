/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_ELF_UNPACKED_H
#define BINARY_ELF_UNPACKED_H

#include "binary/binary.h"

/**
 * Sections of a file as an ELF file that libelf can read.
 *
 * libelf marks a section that it decompresses (SHF_COMPRESSED, .zdebug_*) in the bytes it was
 * given, which here are mapped read-only and shared; and it allocates the size that a header
 * claims. So compressed files are rebuilt with only the sections that a reader needs, decompressed.
 * A PE file's DWARF is turned into an ELF file in the same way.
 */
struct elf_unpacked {
	/* the file's own bytes if no section is compressed */
	char *data;
	size_t size;
	size_t mapped;			/* bytes owned by this object; 0: none */
	/** The first section omitted because of damage. */
	struct elf_damage {
		const struct binary *binary;	/* NULL: none */
		const char *section;
		uint64_t size;			/* expected size in bytes */
	} damage;
};

/**
 * Rebuild a file with the sections `names`, ended by NULL ("info" for .debug_info, .zdebug_info and
 * .debug_info.dwo), and those that extend past the file. A damaged or oversized section is omitted.
 * False if none is left of a PE file, or when out of memory.
 */
bool
elf_unpack(struct elf_unpacked *unpacked, const struct binary *binary, const char *const *names);

/** Largest decompressed size of a section of `size` bytes. */
uint64_t
elf_unpacked_limit(uint64_t size);

/** The uncompressed bytes of one section. */
struct elf_bytes {
	const uint8_t *data;		/* NULL: none */
	uint64_t size;
	uint64_t mapped;		/* bytes owned by this object; 0: the file's */
};

/**
 * Decompress one section of a file. False, with the expected size and without bytes, if it is
 * damaged or too large.
 */
bool
elf_section_bytes(struct elf_bytes *bytes, const struct binary *binary,
		  const struct binary_section *section);

/** Free the result of elf_section_bytes. Harmless if all is 0. */
void
elf_bytes_free(struct elf_bytes *bytes);

/** A section of a new file. */
struct elf_part {
	const char *name;
	const uint8_t *data;
	uint64_t size;
	uint64_t address;		/* as linked; 0: not loaded */
};

/**
 * Make a file with copies of these sections, in the byte order and for the machine of `like`. False
 * when out of memory.
 */
bool
elf_make(struct elf_unpacked *made, const struct binary *like, const struct elf_part *parts,
	 size_t count);

/** libelf's handle of a file in memory; NULL: none, and a lack of memory is recorded. */
struct Elf *
elf_open(const void *data, size_t size);

/** Free the result of elf_unpack or elf_make. Harmless if all is 0. */
void
elf_unpacked_free(struct elf_unpacked *unpacked);

#endif
