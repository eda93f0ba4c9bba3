/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAMES_H
#define SFRAME_SFRAMES_H

#include "crash/memory.h"
#include "locate/binaries.h"
#include "sframe/sframe.h"

/**
 * SFrame sections in ELF files and in the memory of full dumps.
 *
 * A section is recognised by its type (SHT_GNU_SFRAME), by its name (older binutils), or, without a
 * section table, by the program header PT_GNU_SFRAME. The size in the header may exceed the mapped
 * section (ld 2.40 stores the size before merging). Then a table's own lengths are used.
 */
#define SFRAME_SECTION_TYPE 0x6ffffff4u
#define SFRAME_SEGMENT_TYPE 0x6474e554u

/** Find the section of an ELF file. False, with a sentence in `*why_not`, if none is readable. */
bool
sframe_in_binary(const struct binary *binary, struct sframe_bytes *found, const char **why_not);

/**
 * Find the section of a module whose image is in the dump's memory, by the ELF and program headers
 * at its base. False if there is none.
 */
bool
sframe_in_memory(const struct memory_view *memory, const struct module *module,
		 struct sframe_bytes *found);

/**
 * Open the section of a file; `bias` is added to linked addresses (0: the file by itself). The
 * executable segments decide the base of start addresses.
 */
enum error_code
sframe_open_binary(struct sframe *sframe, const struct binary *binary,
		   const struct sframe_bytes *bytes, uint64_t bias, struct error *error);

/*
 * Sections of a crash's modules. A section is opened on first use, from the dump's memory or else
 * from the module's file. Any thread may call these functions; results stay valid.
 */

/**
 * Give a module a section before its first use. Takes over the contents of `*sframe` and empties
 * it.
 */
void
sframes_set(const struct binaries *binaries, size_t module, struct sframe *sframe);

/** The section of a loaded module, or NULL. */
const struct sframe *
sframes_load(const struct binaries *binaries, size_t module);

/** The section of a loaded module if it is already open, else NULL. */
const struct sframe *
sframes_peek(const struct binaries *binaries, size_t module);

/** Place of a module's section ("section .sframe"); NULL: none, or not searched yet. */
const char *
sframes_found(const struct binaries *binaries, size_t module);

/** Messages about opened sections; NULL: none. */
const struct message_list *
sframes_messages(const struct binaries *binaries);

#endif
