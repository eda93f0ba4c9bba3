/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAMES_H
#define SFRAME_SFRAMES_H

#include "crash/memory.h"
#include "locate/binaries.h"
#include "sframe/sframe.h"

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
 * The section of a module whose image is in a view of the dump's memory: through the ELF header and
 * the program headers at the module's base. False where there is none.
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

/* Those of a crash's modules, opened when they are needed. A section in the dump's memory comes
 * first, since it is what the process had; else that of the module's own file. Any thread may
 * ask; what was handed out stays. None on NULL. */

/**
 * Give a module a section, before anything asks for it. Takes over what `*sframe` holds, and
 * empties it.
 */
void
sframes_set(const struct binaries *binaries, size_t module, struct sframe *sframe);

/** The section of a loaded module, or NULL where there is none. */
const struct sframe *
sframes_load(const struct binaries *binaries, size_t module);

/** The section of a loaded module if it was opened already, else NULL. */
const struct sframe *
sframes_peek(const struct binaries *binaries, size_t module);

/** Where the section of a module was found ("section .sframe"); NULL: none, or not asked yet. */
const char *
sframes_found(const struct binaries *binaries, size_t module);

/** What was wrong while opening sections; NULL: nothing. */
const struct message_list *
sframes_messages(const struct binaries *binaries);

#endif
