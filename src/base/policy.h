/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The known disagreements of walkers, as data.
 *
 * A policy is one value for each row of policy.def. A column gives all of them; a user can change
 * single rows. Loaders never see a policy: they keep every record, and policy applies at look-up
 * and in the walk. The methods that may be tried are part of the policy (`methods`), so a step
 * that is repeated with a recorder tries the same ones.
 */
enum policy_row {
#define P(id, name, breakpad, rust, unspool, sentence) POLICY_##id,
#define N P
#include "base/policy.def"
#undef N
#undef P
	POLICY_COUNT
};

enum policy_column {
	POLICY_BREAKPAD,
	POLICY_RUST_MINIDUMP,
	POLICY_UNSPOOL,
	POLICY_COLUMNS
};

#define POLICY_METHODS 16	/* most methods of a chosen order */

struct policy {
	uint32_t value[POLICY_COUNT];
	/* The methods that may be tried, in order, by number (walk/method/method.def). */
	uint8_t methods[POLICY_METHODS];
	uint8_t method_count;		/* 0: all that the architecture has, in its order */
};

/** One row, for tables of documentation and views. */
struct policy_info {
	const char *name;
	bool number;			/* any value, not only those of the columns */
	uint32_t column[POLICY_COLUMNS];
	const char *sentence;
	const char *why;		/* the reason for unspool's value, from policy_why.def */
};

extern const struct policy_info policy_table[POLICY_COUNT];

/** The policy of a column. */
struct policy
policy_column(enum policy_column column);

/** What `--compat` calls a column. */
extern const char *const policy_column_names[POLICY_COLUMNS];

/** The column that `--compat` calls `name` ("breakpad", "rust-minidump", "unspool"); or false. */
bool
policy_column_named(const char *name, enum policy_column *column);

/** The row called `name`; false if none. */
bool
policy_row_named(const char *name, enum policy_row *row);

/**
 * The row and the value of "NAME=VALUE" or "NAME VALUE"; "yes" and "no" are 1 and 0. NULL, or
 * what is wrong with the text, which is the %s of the sentence.
 */
const char *
policy_parse(const char *text, enum policy_row *row, uint32_t *value);

/** A value of a row for people: "yes" or "no" where the row decides just that, else its number. */
struct policy_words {
	char text[12];
};

/** The words for a value. */
struct policy_words
policy_say(enum policy_row row, uint64_t value);

#endif
