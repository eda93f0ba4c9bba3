/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The known disagreements of walkers, as data.
 *
 * A policy is one value for each row of policy.def. A column gives all of them;
 * a user can change single rows. Loaders never see a policy: it applies at
 * look-up and in the walk.
 */
enum policy_row {
#define P(id, name, breakpad, rust, unspool, sentence) POLICY_##id,
#include "base/policy.def"
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

#endif
