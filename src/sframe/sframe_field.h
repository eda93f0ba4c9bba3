/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_FIELD_H
#define SFRAME_SFRAME_FIELD_H

#include "sframe/sframe.h"

/** The meaning of an SFrame section's bytes, field by field, in words. */
enum sframe_column {
	SFRAME_COLUMN_CFA,
	SFRAME_COLUMN_FP,
	SFRAME_COLUMN_RA,
};

/**
 * A row's cell as `readelf --sframe` writes it: "sp+8", "c-16", "(fp-8)", "r17"; "u": unsaved, "f":
 * fixed by the header, "U": a padding word. The text is constant, or in `buffer`.
 */
const char *
sframe_cell(const struct sframe_table *table, const struct sframe_rule *rule,
	    enum sframe_column column, char *buffer, size_t size);

/** The name of a register: "sp" or "fp" (usable in all rows), "c" (the CFA), "r17" (others). */
const char *
sframe_register_name(const struct sframe_table *table, int number, char buffer[8]);

/** The start address of a row; with PCMASK its offset in the repeated block. */
uint64_t
sframe_row_address(const struct sframe_function *function, const struct sframe_row *row);

/** Size of the buffer of sframe_row_text(). */
#define SFRAME_ROW_TEXT 192u

/** A row as `readelf --sframe` writes it: start address, CFA, FP and RA. Returns `buffer`. */
const char *
sframe_row_text(const struct sframe_function *function, const struct sframe_row *row,
		char buffer[SFRAME_ROW_TEXT]);

/** Bytes of a section with one meaning. */
struct sframe_field {
	struct place place;
	char meaning[96];		/* "size: 109 bytes" */
};

/** Largest number of fields of a header, a descriptor or a row. */
#define SFRAME_FIELDS (SFRAME_WORDS + 2u)

/** The fields of a table's header, including the auxiliary header; returns their number. */
size_t
sframe_header_fields(const struct sframe_table *table, struct sframe_field fields[SFRAME_FIELDS]);

/** The fields of a descriptor (version 3: and of its attributes); returns their number. */
size_t
sframe_function_fields(const struct sframe_function *function,
		       struct sframe_field fields[SFRAME_FIELDS]);

/** The fields of a row: address, info byte, data words; returns their number. */
size_t
sframe_row_fields(const struct sframe_function *function, const struct sframe_row *row,
		  struct sframe_field fields[SFRAME_FIELDS]);

/** The stored bytes at a place of a table in hex, as many as fit: "40 01". Returns `buffer`. */
const char *
sframe_hex(const struct sframe_table *table, struct place place, char *buffer, size_t size);

/**
 * Describe the part of the section that contains `length` bytes at `offset` of the input: "SFrame
 * row 1 of function 2, CFA: sp+320". The field is left out if the bytes are in several fields.
 * False if the bytes are outside the section. Visits every function.
 */
bool
sframe_describe(const struct sframe *sframe, uint64_t offset, uint64_t length, char *buffer,
		size_t size);

#endif
