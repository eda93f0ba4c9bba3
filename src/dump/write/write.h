/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_WRITE_H
#define DUMP_WRITE_H

#include "crash/memory.h"

/** Writers of dumps: the minidump of a crash, the core of a minidump, the core of a process. */

/** A dump to write, as pieces of a file. Memory of the process is not copied into the image. */
struct dump_piece {
	const uint8_t *bytes;
	size_t size;
};

struct dump_image {
	struct dump_piece *pieces;	/* in the order of the file */
	size_t count;
	size_t threads, modules;	/* number of each in the file */
	/* Number of threads whose registers the crash lacks */
	size_t without_registers;
	uint64_t memory;		/* bytes of process memory */
	uint64_t made_up;		/* bytes of memory that the crash does not have */
	bool has_links;			/* the core contains the dynamic linker's list */
};

/** Write the image to a new file. */
enum error_code
dump_image_save(const struct dump_image *image, const char *path, struct error *error);

/**
 * Writes a crash from any kind of file as a minidump: all of a core, or the chosen parts of a dump.
 *
 * Structures of a minidump are copied byte by byte, except for file offsets. Structures of cores
 * and microdumps are made from the model. A crash that a program composes and marks as a microdump
 * is copied in the same way. A copy always has the system, the threads with their registers, the
 * exceptions, the modules with their identities and the chosen memory. Its memory map has names of
 * files only for modules.
 */
enum copy_part {
#define PART(id, name, words) COPY_##id,
#include "dump/write/copy_part.def"
	COPY_PARTS
};

#define COPY_PART(id) (1u << COPY_##id)
#define COPY_EVERYTHING ((1u << COPY_PARTS) - 1)

extern const struct copy_part_words {
	const char *name, *words;
} copy_part_words[COPY_PARTS];

struct minidump_choice {
	unsigned parts;			/* bits of enum copy_part */
	/* sorted by base, without overlap; each lies in one region of the crash */
	const struct memory_run *runs;
	size_t run_count;
	/* The replacement for a path or for the name of a mapping; NULL: unchanged. */
	const char *(*path)(void *context, const char *path);
	const char *(*mapping)(void *context, const struct mapping *mapping);
	void *context;
};

/**
 * Make the copy. The image points to memory of `arena`, the crash and the choice. Memory from a
 * Memory64List stays in such a list; if the file would exceed 4 GiB, this list has all memory.
 * Breakpad does not read this list. ERROR_FORMAT if minidumps have no layout for the processor, or
 * if the crash is a crash report; ERROR_MEMORY.
 */
enum error_code
minidump_copy(const struct crash *crash, const struct minidump_choice *choice, struct arena *arena,
	      struct dump_image *image, struct error *error);

/** Sets a core context's layout and flags to those of a minidump with these registers. */
void
minidump_context(struct crash_context *context);

/** minidump_copy of a core with all its memory. ERROR_FORMAT if the crash is not a core. */
enum error_code
minidump_write_core(const struct crash *crash, struct arena *arena, struct dump_image *image,
		    struct error *error);

/**
 * Make the ELF core of a minidump of a Linux process, for debuggers that read no minidumps. The
 * image points to memory of `arena` and of the crash. ERROR_FORMAT if the dump is not a Linux
 * minidump, or if cores have no layout for its processor; ERROR_MEMORY.
 *
 * Registers, signal, auxiliary vector, command line, mappings and memory are those of the dump. A
 * core has no list of modules. A debugger follows the dynamic linker's list in memory instead, but
 * most minidumps store this list elsewhere. If the dump lacks the memory of the list, the list and
 * a header with the build ID of each module are made up. `made_up` counts their bytes. The
 * program's dynamic section comes from the dump.
 */
enum error_code
core_write(const struct crash *crash, struct arena *arena, struct dump_image *image,
	   struct error *error);

/**
 * Write the ELF core of a process of this machine (Linux, 64 bits) whose threads the caller has
 * stopped with ptrace. It has the registers, the signal, the auxiliary vector, the mapped files and
 * all readable memory. The format is the kernel's (Linux, fs/binfmt_elf.c), except that mapped
 * files are written completely.
 *
 * `threads` has the thread IDs, with the crashed thread first. `signal` is the signal that stopped
 * that thread. An existing file is not replaced.
 */
enum error_code
process_core_save(const char *path, int process, const int *threads, size_t count, int signal,
		  struct error *error);

#endif
