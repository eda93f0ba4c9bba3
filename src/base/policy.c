/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static_assert(POLICY_COUNT <= POLICY_ROWS, "a policy has room for every row");

const struct policy_info policy_table[POLICY_COUNT] = {
#define P(id, title, breakpad, rust, unspool, words, reason) \
	[POLICY_##id].name = title, [POLICY_##id].sentence = words, [POLICY_##id].why = reason, \
	[POLICY_##id].column = { breakpad, rust, unspool },
#define N(id, ...) [POLICY_##id].number = true, P(id, __VA_ARGS__)
#include "base/policy.def"
#undef N
#undef P
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

/* Whether yes and no are the only values in the columns. */
static bool
is_binary(const struct policy_info *info)
{
	bool binary = !info->number;

	for (size_t i = 0; i < POLICY_COLUMNS; i++)
		binary = binary && info->column[i] <= 1;
	return binary;
}

const char *
policy_parse(const char *text, enum policy_row *row, uint32_t *value)
{
	const size_t length = strcspn(text, " =");
	const char *given = text + length + strspn(text + length, " =");
	char name[64];

	if (length >= sizeof(name) || *given == '\0')
		return "'%s' is not NAME=VALUE";
	memcpy(name, text, length);
	name[length] = '\0';
	if (!policy_row_named(name, row))
		return "unknown policy in '%s'; 'unspool policy' lists them";
	const struct policy_info *info = &policy_table[*row];
	const bool binary = is_binary(info), yes = binary && strcmp(given, "yes") == 0;
	uint64_t number = yes;
	const bool good = yes || (binary && strcmp(given, "no") == 0) ||
			  (text_number(text_of(given), 10, &number) && number <= INT32_MAX);

	*value = good ? (uint32_t)number : 0;
	if (info->number)
		return good ? NULL : "the value in '%s' is not a number up to 2147483647";
	for (size_t i = 0; good && i < POLICY_COLUMNS; i++)
		if (info->column[i] == *value)
			return NULL;
	if (binary)
		return "the value in '%s' is neither yes (1) nor no (0)";
	return "no walker has the value in '%s'; 'unspool policy' lists the values";
}

struct policy_words
policy_say(enum policy_row row, uint64_t value)
{
	struct policy_words words;

	if (is_binary(&policy_table[row]))
		snprintf(words.text, sizeof(words.text), "%s", value != 0 ? "yes" : "no");
	else
		snprintf(words.text, sizeof(words.text), "%" PRIu64, value);
	return words;
}
