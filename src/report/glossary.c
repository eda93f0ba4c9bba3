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

/* The names of an entry: its term, then the others. `*at` is NULL at first; false behind the last. */
static bool
next_name(const struct glossary_entry *entry, const char **at, struct text *name)
{
	const char *start = *at == NULL ? entry->term : *at;

	if (*at != NULL && *start == '\0')
		return false;
	*name = *at == NULL ? text_of(start) : (struct text){ start, strcspn(start, "|") };
	*at = *at == NULL ? entry->also : start + name->length;
	*at += **at == '|';
	return true;
}

/* Whether a name begins as another one, in letters that people take for the same. */
static bool
begins_so(struct text whole, struct text name)
{
	size_t i = 0;

	while (i < name.length && i < whole.length && plain(whole.start[i]) == plain(name.start[i]))
		i++;
	return name.length > 0 && i == name.length;
}

/* The entry with a name; else, where `begun`, the only one with a name that begins so. */
static const struct glossary_entry *
find(struct text name, bool begun)
{
	const struct glossary_entry *found = NULL;
	unsigned count = 0;
	struct text other;

	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		bool fits = false;

		for (const char *at = NULL; next_name(&entries[i], &at, &other);) {
			const bool begins = begins_so(other, name);

			if (begins && other.length == name.length)
				return &entries[i];
			fits = fits || (begins && begun);
		}
		found = fits ? &entries[i] : found;
		count += fits;
	}
	return count == 1 ? found : NULL;
}

const struct glossary_entry *
glossary_find(struct text name)
{
	return find(name, false);
}

struct text
glossary_near(struct text name)
{
	char typed[32], letters[sizeof(typed)];
	struct text_near near;
	struct text found = { "", 0 }, other;

	if (name.length > sizeof(typed))
		return found;
	for (size_t i = 0; i < name.length; i++)
		typed[i] = plain(name.start[i]);
	near = text_near((struct text){ typed, name.length });
	for (size_t entry = 0; entry < ARRAY_COUNT(entries); entry++)
		for (const char *at = NULL; next_name(&entries[entry], &at, &other);) {
			for (size_t i = 0; i < other.length && i < sizeof(letters); i++)
				letters[i] = plain(other.start[i]);
			if (other.length <= sizeof(letters) &&
			    text_near_offer(&near, (struct text){ letters, other.length }))
				found = other;
		}
	return found;
}

const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena)
{
	const struct glossary_entry *found = glossary_find(name);
	const char *copy = found == NULL ? arena_copy(arena, name.start, name.length) : NULL;
	enum policy_row row;

	if (found != NULL || copy == NULL)
		return found;
	if (!policy_row_named(copy, &row))
		return find(name, true);
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
