/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_WRITE_H
#define SFRAME_SFRAME_WRITE_H

#include "sframe/sframe.h"

/**
 * Writer of SFrame sections, the inverse of the reader, for all versions, ABIs and kinds of rows.
 *
 * Functions and rows keep the order in which they are added. Each row gets the smallest words that
 * hold its offsets. The flag for sorted functions is set only if the functions are sorted. Content
 * that a version cannot express is refused with a sentence.
 */
struct sframe_writer {
	struct sframe_table form;	/* header of the section, and its address */
	struct arena arena;
	struct sframe_function *functions;
	size_t count, capacity;
	uint8_t *rows;
	size_t row_bytes, row_capacity;
	size_t row_count;
	bool failed;			/* out of memory */
};

/** The ABI of an architecture and byte order. False if the format has none. */
bool
sframe_abi_of(const struct arch *arch, bool big_endian, enum sframe_abi *abi);

/**
 * Make the header of a section at `address`: with the ABI's fixed offset, the flag of sorted
 * functions and, in version 3, start addresses relative to their fields. Returns NULL, or why the
 * version has no such section.
 */
const char *
sframe_form(struct sframe_table *form, unsigned version, enum sframe_abi abi, uint64_t address);

/** Begin a section with this header. */
void
sframe_writer_init(struct sframe_writer *writer, const struct sframe_table *form);

void
sframe_writer_free(struct sframe_writer *writer);

/**
 * Why a section cannot express a row; NULL: it can. `flexible` (version 3) is the type of the row's
 * function.
 */
const char *
sframe_row_refused(const struct sframe_table *form, bool flexible, const struct sframe_row *row);

/**
 * Add a function; its address, size, kind and flags are used. Returns NULL, or why the section
 * cannot express it; then the section is unchanged.
 */
const char *
sframe_writer_add(struct sframe_writer *writer, const struct sframe_function *function,
		  const struct sframe_row *rows, size_t count);

/**
 * The finished section: `*size` bytes, valid as long as the writer. NULL, with a sentence in
 * `*why`, if it is too large or memory is exhausted.
 */
const uint8_t *
sframe_writer_finish(struct sframe_writer *writer, size_t *size, const char **why);

#endif
