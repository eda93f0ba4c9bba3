/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DUMP_IMAGE_H
#define DUMP_DUMP_IMAGE_H

#include "crash/crash.h"

/**
 * A dump to write: the bytes of a file in pieces, so that the memory of a process is not copied.
 */
struct dump_piece {
	const uint8_t *bytes;
	size_t size;
};

struct dump_image {
	struct dump_piece *pieces;	/* in the file's order */
	size_t count;
	size_t threads, modules;	/* in the file */
	/* Threads with 0 for registers that the crash lacks */
	size_t without_registers;
	uint64_t memory;		/* bytes of the process */
	uint64_t made_up;		/* bytes of memory that the crash does not have */
	bool has_links;			/* the dynamic linker's list is in it */
};

/** Write the image to a new file. */
enum error_code
dump_image_save(const struct dump_image *image, const char *path, struct error *error);

#endif
