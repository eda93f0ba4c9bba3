/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy.h"

#include <string.h>

const struct policy_info policy_table[POLICY_COUNT] = {
#define P(id, title, breakpad, rust, unspool, words) \
	[POLICY_##id].name = title, [POLICY_##id].sentence = words, \
	[POLICY_##id].column = { breakpad, rust, unspool },
#include "base/policy.def"
#undef P
#define W(id, reason) [POLICY_##id].why = reason,
#include "base/policy_why.def"
#undef W
};

const char *const policy_column_names[POLICY_COLUMNS] = {
	[POLICY_BREAKPAD] = "breakpad",
	[POLICY_RUST_MINIDUMP] = "rust-minidump",
	[POLICY_UNSPOOL] = "unspool",
};

struct policy
policy_column(enum policy_column column)
{
	struct policy policy = { .method_count = 0 };

	for (size_t row = 0; row < POLICY_COUNT; row++)
		policy.value[row] = policy_table[row].column[column];
	return policy;
}

bool
policy_column_named(const char *name, enum policy_column *column)
{
	for (size_t i = 0; i < POLICY_COLUMNS; i++) {
		if (strcmp(policy_column_names[i], name) == 0) {
			*column = (enum policy_column)i;
			return true;
		}
	}
	return false;
}

bool
policy_row_named(const char *name, enum policy_row *row)
{
	for (size_t i = 0; i < POLICY_COUNT; i++) {
		if (strcmp(policy_table[i].name, name) == 0) {
			*row = (enum policy_row)i;
			return true;
		}
	}
	return false;
}
