/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_DUMP_H
#define REPORT_FILE_RAW_DUMP_H

#include "document/listing.h"
#include "locate/binaries.h"

/**
 * The bytes of an input (the dump or a module's own file) around a place, and the structures that
 * contain them.
 */
struct raw_file {
	const struct input *input;
	const uint8_t *data;
	uint64_t size;
	const struct crash *crash;
	struct binaries *binaries;	/* NULL: none */
	const struct binary *binary;	/* file with the bytes; NULL: the dump */
};

/** The bytes of a dump; `binaries` (may be NULL) names SFrame sections in its memory. */
struct raw_file
raw_file_of_dump(const struct crash *crash, struct binaries *binaries);

/** Find the module whose open file is `input`. False: no module has it. Opens nothing. */
bool
raw_file_of_binary(struct raw_file *file, const struct crash *crash, struct binaries *binaries,
		   const struct input *input);

/**
 * Describe the structure that contains `length` bytes at `offset`: a structure of the dump, a
 * section of a file, or a field of an SFrame section; "" if it is unknown. Returns `buffer`.
 */
const char *
raw_file_describe(const struct raw_file *file, uint64_t offset, uint64_t length, char *buffer,
		  size_t size);

/**
 * The bytes of a dump or a module's file, 16 in a row, with carets under the bytes of `marked`. If
 * `marked` has no input, nothing is marked. The title names the structure that contains the marked
 * bytes. A row of a dump leads to the memory that its bytes hold, if any.
 */
struct listing
raw_dump_listing(const struct raw_file *file, struct place marked, struct arena *arena);

/** The row that shows the byte at `offset`, or the last row. */
size_t
raw_dump_row(const struct listing *dump, uint64_t offset);

#endif
