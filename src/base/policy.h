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
 * that is repeated with a recorder tries the same ones. Only code that names a row
 * includes policy_rows.h.
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

/** The column that `--compat` calls `name` ("breakpad"); false: there is no such column. */
bool
policy_column_named(const char *name, enum policy_column *column);

#endif
