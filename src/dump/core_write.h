/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_CORE_WRITE_H
#define DUMP_CORE_WRITE_H

#include "crash/crash.h"

/**
 * Writing an ELF core from the minidump of a Linux process, for debuggers that read no
 * minidumps.
 *
 * Registers, signal, auxiliary vector, command line, mappings and memory are those of the
 * dump. A core has no list of modules: a debugger follows the dynamic linker's list in memory,
 * which most minidumps store elsewhere. Where the dump has no memory at the places, the list
 * and a header with the build ID of each module are made up, and `made_up` counts their bytes;
 * the program's dynamic section is the dump's.
 */

/** Bytes of the file, in its order. */
struct core_piece {
	const uint8_t *bytes;
	size_t size;
};

struct core_image {
	struct core_piece *pieces;
	size_t count;
	size_t threads, modules;	/* that the core tells */
	size_t without_registers;	/* threads whose registers are not in the dump, and 0 in the core */
	uint64_t memory;		/* bytes of the process */
	uint64_t made_up;		/* bytes of memory that are not the dump's */
	bool has_links;			/* the dynamic linker's list is in it */
};

/**
 * Make the core of a crash; what the image points to is in `arena` and in the crash. ERROR_FORMAT
 * where the dump is no minidump of Linux, or cores have no layout for its processor; ERROR_MEMORY.
 */
enum error_code
core_write(const struct crash *crash, struct arena *arena, struct core_image *image,
	   struct error *error);

/** Write the image to a file that is not there yet. */
enum error_code
core_save(const struct core_image *image, const char *path, struct error *error);

#endif
