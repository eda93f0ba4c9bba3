/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The known disagreements of walkers, as data.
 *
 * A policy is one value for each row of policy.def. Each column of policy.def is a complete policy,
 * and a user can change single rows. Loaders ignore policies and keep every record; look-ups and
 * walks apply the policy. A policy also has the methods that may be tried (`methods`), so repeating
 * a step with a recorder tries the same methods. Include policy_rows.h only to name a row.
 */
enum policy_column {
	POLICY_BREAKPAD,
	POLICY_RUST_MINIDUMP,
	POLICY_UNSPOOL,
	POLICY_COLUMNS
};

#define POLICY_ROWS 96		/* at least the number of rows in policy.def */
#define POLICY_METHODS 16	/* limit on methods in a chosen order */

struct policy {
	uint32_t value[POLICY_ROWS];
	/* The methods that may be tried, in order, by number (walk/method/method.def). */
	uint8_t methods[POLICY_METHODS];
	uint8_t method_count;		/* 0: all methods of the architecture, in its order */
};

struct policy
policy_column(enum policy_column column);

/** The names of the columns for `--compat`. */
extern const char *const policy_column_names[POLICY_COLUMNS];

/** Find the column with a name of `--compat` ("breakpad"); false: unknown name. */
bool
policy_column_named(const char *name, enum policy_column *column);

#endif
