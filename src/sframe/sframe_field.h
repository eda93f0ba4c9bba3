/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_FIELD_H
#define SFRAME_SFRAME_FIELD_H

#include "sframe/sframe.h"

/**
 * What the bytes of an SFrame section mean, field by field, in words.
 */
enum sframe_column {
	SFRAME_COLUMN_CFA,
	SFRAME_COLUMN_FP,
	SFRAME_COLUMN_RA,
};

/**
 * A row's cell as `readelf --sframe` writes it: "sp+8", "c-16", "(fp-8)", "r17"; "u" unsaved,
 * "f" fixed by the header, "U" by a padding word. In `buffer` or constant.
 */
const char *
sframe_cell(const struct sframe_table *table, const struct sframe_rule *rule,
	    enum sframe_column column, char *buffer, size_t size);

/** "sp" and "fp" for the two registers that all rows may use, "c" for the CFA, else "r17". */
const char *
sframe_register_name(const struct sframe_table *table, int number, char buffer[8]);

/** The address that a row begins at; with PCMASK its distance in the block that repeats. */
uint64_t
sframe_row_address(const struct sframe_function *function, const struct sframe_row *row);

/** Bytes of a section with one meaning. */
struct sframe_field {
	struct place place;
	char meaning[96];		/* "size: 109 bytes" */
};

/** Most fields of a header, a descriptor or a row. */
#define SFRAME_FIELDS (SFRAME_WORDS + 2u)

/** The fields of a table's header; returns how many. The auxiliary header is one of them. */
size_t
sframe_header_fields(const struct sframe_table *table, struct sframe_field fields[SFRAME_FIELDS]);

/** The fields of a descriptor, in version 3 those before the rows too; returns how many. */
size_t
sframe_function_fields(const struct sframe_function *function,
		       struct sframe_field fields[SFRAME_FIELDS]);

/** The fields of a row: its address, its info byte, each data word; returns how many. */
size_t
sframe_row_fields(const struct sframe_function *function, const struct sframe_row *row,
		  struct sframe_field fields[SFRAME_FIELDS]);

/** The stored bytes at a place of a table in hex, as many as fit: "40 01". Returns `buffer`. */
const char *
sframe_hex(const struct sframe_table *table, struct place place, char *buffer, size_t size);

/**
 * Say what `length` bytes at `offset` of the section's input belong to: "SFrame row 1 of function
 * 2, CFA: sp+320", of more than a field "SFrame row 1 of function 2". False where they are not in
 * the section. Costs a look at every function.
 */
bool
sframe_describe(const struct sframe *sframe, uint64_t offset, uint64_t length, char *buffer,
		size_t size);

#endif
