/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/glossary.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/policy.h"

static const struct glossary_entry entries[] = {
#define T(term, also, text) { term, also, text },
#include "report/glossary.def"
};

const struct glossary_entry *
glossary_at(size_t index)
{
	return index < ARRAY_COUNT(entries) ? &entries[index] : NULL;
}

const char *
glossary_term(size_t index)
{
	return index < ARRAY_COUNT(entries) ? entries[index].term : NULL;
}

/* Letters that people take for the same. */
static char
plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	return c == '-' || c == '_' ? ' ' : c;
}

enum fit { FIT_NONE, FIT_BEGINS, FIT_WHOLE };

static enum fit
fit_name(struct text whole, struct text name)
{
	if (name.length == 0 || name.length > whole.length)
		return FIT_NONE;
	for (size_t i = 0; i < name.length; i++)
		if (plain(whole.start[i]) != plain(name.start[i]))
			return FIT_NONE;
	return name.length == whole.length ? FIT_WHOLE : FIT_BEGINS;
}

const struct glossary_entry *
glossary_find(struct text name)
{
	const struct glossary_entry *found = NULL;
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		enum fit fit = fit_name(text_of(entries[i].term), name);

		/* The best of its names counts. */
		for (const char *also = entries[i].also; *also != '\0';) {
			const size_t length = strcspn(also, "|");
			const enum fit other = fit_name((struct text){ also, length }, name);

			fit = other > fit ? other : fit;
			also += length + (also[length] == '|');
		}
		if (fit == FIT_WHOLE)
			return &entries[i];
		if (fit == FIT_NONE)
			continue;
		found = &entries[i];
		count++;
	}
	return count == 1 ? found : NULL;
}

const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena)
{
	const struct glossary_entry *found = glossary_find(name);
	const char *copy = found == NULL ? arena_copy(arena, name.start, name.length) : NULL;
	enum policy_row row;

	if (found != NULL || copy == NULL || !policy_row_named(copy, &row))
		return found;
	const struct policy_info *info = &policy_table[row];
	const uint32_t *column = info->column;
	struct glossary_entry *entry = arena_alloc(arena, sizeof(*entry));
	if (entry == NULL)
		return NULL;
	*entry = (struct glossary_entry){ info->name, "a row of the policy", NULL };
	entry->text = arena_format(arena, "It decides: %s. The value is %s for Breakpad, %s for rust-minidump "
				   "and %s for unspool. Why: %s.", info->sentence,
				   policy_say(row, column[POLICY_BREAKPAD]).text,
				   policy_say(row, column[POLICY_RUST_MINIDUMP]).text,
				   policy_say(row, column[POLICY_UNSPOOL]).text, info->why);
	return entry->text == NULL ? NULL : entry;
}
