/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_FIND_H
#define SFRAME_SFRAME_FIND_H

#include "binary/binary.h"
#include "sframe/sframe.h"
#include "crash/memory.h"

/**
 * Where SFrame sections are: in ELF files, and in the memory of full dumps.
 *
 * A section is known by its type (SHT_GNU_SFRAME), by its name (older binutils), or, without a
 * section table, by the program header PT_GNU_SFRAME. The header may be longer than the section
 * that it maps (ld 2.40 takes the size before merging); a table's own lengths count then.
 */
#define SFRAME_SECTION_TYPE 0x6ffffff4u
#define SFRAME_SEGMENT_TYPE 0x6474e554u

/** A section before it is opened. */
struct sframe_bytes {
	const struct input *input;
	const uint8_t *data;
	uint64_t size;
	uint64_t offset;	/* of the first byte in the input */
	uint64_t address;	/* as linked; in memory: of the process */
	const char *how;	/* "section .sframe", "PT_GNU_SFRAME", "raw section" */
};

/** The section of an ELF file. False with a sentence in `*why_not` where there is none to read. */
bool
sframe_in_binary(const struct binary *binary, struct sframe_bytes *found, const char **why_not);

/**
 * The section of a module whose image is in the dump's memory: through the ELF header and the
 * program headers at the module's base. False where they or the section are not there.
 */
bool
sframe_in_memory(const struct memory_view *memory, const struct module *module,
		 struct sframe_bytes *found);

/**
 * Open the section of a file; `bias` is what the process adds to linked addresses (0 for the
 * file by itself). The executable segments tell how start addresses are meant.
 */
enum error_code
sframe_open_binary(struct sframe *sframe, const struct binary *binary,
		   const struct sframe_bytes *bytes, uint64_t bias, struct error *error);

#endif
