/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_WRITE_H
#define SFRAME_SFRAME_WRITE_H

#include "sframe/sframe.h"

/**
 * SFrame sections, written: the inverse of the reader, of all versions, ABIs and kinds of rows.
 *
 * Functions stand in the order in which they are added, their rows likewise; each row has the
 * smallest words that hold its offsets. The flag of sorted functions is left out where they are
 * not. What a version has no bytes for is refused with a sentence, never written otherwise.
 */
struct sframe_writer {
	struct sframe_table form;	/* what the header says, and where the section will be */
	struct arena arena;
	struct sframe_function *functions;
	size_t count, capacity;
	uint8_t *rows;			/* the bytes of all rows */
	size_t row_bytes, row_capacity;
	size_t row_count;
	bool failed;			/* out of memory */
};

/** The ABI of an architecture and byte order; false where the format has none. */
bool
sframe_abi_of(const struct arch *arch, bool big_endian, enum sframe_abi *abi);

/**
 * What a section of a version says of itself, to be at `address`: with the fixed offset of its ABI,
 * sorted, and in version 3 with start addresses that count from their fields. NULL, or why there is
 * no such section.
 */
const char *
sframe_form(struct sframe_table *form, unsigned version, enum sframe_abi abi, uint64_t address);

/** Begin a section of a form. */
void
sframe_writer_init(struct sframe_writer *writer, const struct sframe_table *form);

void
sframe_writer_free(struct sframe_writer *writer);

/**
 * Why a section of a form cannot say a row; NULL: it can. `flexible` (version 3) is the type of the
 * row's function.
 */
const char *
sframe_row_refused(const struct sframe_table *form, bool flexible, const struct sframe_row *row);

/**
 * Add a function: of `function` its address, size, kind and marks count. NULL, or why the section
 * cannot say that function; then it has not changed.
 */
const char *
sframe_writer_add(struct sframe_writer *writer, const struct sframe_function *function,
		  const struct sframe_row *rows, size_t count);

/**
 * The finished section: `*size` bytes that live as long as the writer. NULL with a sentence in
 * `*why` where it grew too large, or out of memory.
 */
const uint8_t *
sframe_writer_finish(struct sframe_writer *writer, size_t *size, const char **why);

#endif
