/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_POLICY_ROWS_H
#define BASE_POLICY_ROWS_H

#include "base/policy.h"

/** The rows of policy.def, as indexes into the values of a policy. */
enum policy_row {
#define P(id, ...) POLICY_##id,
#define N P
#include "base/policy.def"
#undef N
#undef P
	POLICY_COUNT
};

/** One row, for tables in documents and views. */
struct policy_info {
	const char *name;
	bool number;			/* any number is valid, not only those in the columns */
	uint32_t column[POLICY_COLUMNS];
	const char *sentence;
	const char *why;		/* the reason for unspool's value */
};

extern const struct policy_info policy_table[POLICY_COUNT];

/** The row named `name`; false: unknown. */
bool
policy_row_named(const char *name, enum policy_row *row);

/**
 * Parse the row and value of "NAME=VALUE" or "NAME VALUE"; "yes" and "no" are 1 and 0. Returns
 * NULL, or an error: a format with %s for the text.
 */
const char *
policy_parse(const char *text, enum policy_row *row, uint32_t *value);

/** A value of a row in words: "yes" or "no" if the row has no other values, else a number. */
struct policy_words {
	char text[12];
};

/** The words for a value. */
struct policy_words
policy_say(enum policy_row row, uint64_t value);

#endif
