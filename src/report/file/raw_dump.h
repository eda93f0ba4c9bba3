/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_DUMP_H
#define REPORT_FILE_RAW_DUMP_H

#include "document/listing.h"
#include "locate/binaries.h"

/**
 * The bytes of an input that a place is in: the dump's or those of a module's own file, and what
 * they belong to.
 */
struct raw_file {
	const struct input *input;
	const uint8_t *data;
	uint64_t size;
	const struct crash *crash;
	struct binaries *binaries;	/* NULL: none */
	const struct binary *binary;	/* whose bytes they are; NULL: the dump's */
};

/** The bytes of a dump; `binaries` (may be NULL) has the sections in its memory. */
struct raw_file
raw_file_of_dump(const struct crash *crash, struct binaries *binaries);

/** The opened file of a module that `input` is; false where it is none. Opens nothing. */
bool
raw_file_of_binary(struct raw_file *file, const struct crash *crash, struct binaries *binaries,
		   const struct input *input);

/**
 * Say what `length` bytes at `offset` belong to: a structure of the dump, a section of a file, a
 * field of an SFrame section; "" where nothing is known. Returns `buffer`.
 */
const char *
raw_file_describe(const struct raw_file *file, uint64_t offset, uint64_t length, char *buffer,
		  size_t size);

/**
 * The bytes of a dump or a module's file, 16 a row, with carets below those of `marked` (a place
 * in it; without an input nothing is marked). The head says what structure they belong to. A row
 * of a dump leads to the memory that its bytes are of, where they are of any.
 */
struct listing
raw_dump_listing(const struct raw_file *file, struct place marked, struct arena *arena);

/** The row that shows the byte at `offset`, or the last one. */
size_t
raw_dump_row(const struct listing *dump, uint64_t offset);

#endif
