/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_MINIDUMP_COPY_H
#define DUMP_MINIDUMP_COPY_H

#include "crash/memory.h"
#include "dump/write/dump_image.h"

/**
 * The minidump of a whole crash from any kind of file: all of a core, or the chosen parts of a
 * dump.
 *
 * Structures of a minidump are copied byte by byte except offsets in the file; those of cores and
 * microdumps are made from the model, as are those of a crash that a program composes and marks as
 * a microdump. A copy always has the system, the threads with their
 * registers, the exceptions, modules with their identities, the map of memory without names of
 * files other than modules, and the chosen memory.
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
	/* By base, without overlap; each lies in one region of the crash. */
	const struct memory_run *runs;
	size_t run_count;
	/* The path in the copy for a path, and for the name of a mapping; NULL: unchanged. */
	const char *(*path)(void *context, const char *path);
	const char *(*mapping)(void *context, const struct mapping *mapping);
	void *context;
};

/**
 * Make the copy; the image points to memory of `arena`, the crash and the choice. Memory that ends
 * above 4 GiB of the file, and that of a Memory64List, is in a Memory64List, which Breakpad does
 * not read. ERROR_FORMAT if minidumps have no layout for the processor; ERROR_MEMORY.
 */
enum error_code
minidump_copy(const struct crash *crash, const struct minidump_choice *choice, struct arena *arena,
	      struct dump_image *image, struct error *error);

/** Gives a context of a core the layout and the flags that its registers have in a minidump. */
void
minidump_context(struct crash_context *context);

/** minidump_copy of a core with all its memory. ERROR_FORMAT if the crash is not a core. */
enum error_code
minidump_write_core(const struct crash *crash, struct arena *arena, struct dump_image *image,
		    struct error *error);

#endif
