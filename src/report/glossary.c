/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/glossary.h"

#include <ctype.h>
#include <string.h>

#include "base/compiler.h"
#include "base/output.h"
#include "base/policy_rows.h"

/* The meaning of a sign in some views: rows of sign.def. */
static const struct sign {
	const char *views, *signs, *text;
} signs[] = {
#define S(views, signs, text) { views, signs, text },
#include "report/sign.def"
};

static const struct glossary_entry entries[] = {
#define T(term, also, text) { term, also, text },
#include "report/glossary.def"
};

const struct glossary_entry *
glossary_at(size_t index)
{
	return index < ARRAY_COUNT(entries) ? &entries[index] : NULL;
}

/* Changes a capital letter to lower case, and '-' or '_' to a blank. */
static char
plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	return c == '-' || c == '_' ? ' ' : c;
}

/* Yields an entry's term, then its other names. Start with NULL in `*at`; false at the end. */
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

const struct glossary_entry *
glossary_find(struct text name, bool begun)
{
	const struct glossary_entry *found = NULL;
	unsigned count = 0;
	struct text other;

	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		bool fits = false;

		for (const char *at = NULL; next_name(&entries[i], &at, &other);) {
			size_t same = 0;

			while (same < name.length && same < other.length &&
			       plain(other.start[same]) == plain(name.start[same]))
				same++;
			if (same < name.length || name.length == 0)
				continue;
			if (other.length == name.length)
				return &entries[i];
			fits = fits || begun;
		}
		found = fits ? &entries[i] : found;
		count += fits;
	}
	return count == 1 ? found : NULL;
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

/* Yields the next part of a list separated by '|'; false at the end. */
static bool
next_part(const char **at, struct text *part)
{
	*part = (struct text){ *at, strcspn(*at, "|") };
	*at += part->length + ((*at)[part->length] == '|');
	return part->length > 0;
}

/* Whether a word is a sign. In a sign, 8 matches any number, and .b matches '.' and any letter. */
static bool
is_sign(struct text sign, struct text word)
{
	size_t at = 0;

	for (size_t i = 0; i < sign.length; i++) {
		const size_t from = at;

		while (sign.start[i] == '8' && at < word.length &&
		       isxdigit((unsigned char)word.start[at]))
			at++;
		if (at > from)
			continue;
		if (at == word.length ||
		    (word.start[at] != sign.start[i] &&
		     !(i == 1 && sign.start[0] == '.' && sign.start[i] == 'b' &&
		       islower((unsigned char)word.start[at]))))
			return false;
		at++;
	}
	return at == word.length;
}

static bool
sign_has(const struct sign *sign, struct text word)
{
	const char *at = sign->signs;

	for (struct text one; next_part(&at, &one);)
		if (is_sign(one, word))
			return true;
	return false;
}

/* The meaning of a word as a sign of a view; NULL: it is not a sign there. */
static const char *
sign_in(const char *view, struct text word)
{
	for (size_t i = 0; i < ARRAY_COUNT(signs); i++) {
		const char *at = signs[i].views;
		bool there = *at == '\0';

		for (struct text one; next_part(&at, &one);)
			there = there || text_is(one, view);
		if (there && sign_has(&signs[i], word))
			return signs[i].text;
	}
	return NULL;
}

static bool
is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* A single punctuation character is a sign only in a column of signs, or after a word. */
static bool
may_be_sign(struct text row, struct text word)
{
	const size_t at = (size_t)(word.start - row.start);

	return word.length > 1 || is_letter(word.start[0]) || at < 2 ||
	       (word.start[-1] == ' ' ? word.start[-2] == ' '
				      : memchr("!?", word.start[0], 2) != NULL);
}

/* Finds a sign joined to the text that it marks: "*0012feac", "cfi!", "0x3008?". */
static bool
find_joined(struct text word, const char *view, struct glossary_hit *hit)
{
	const struct text first = { word.start, 1 }, last = { word.start + word.length - 1, 1 };
	const bool before = memchr("*=!", first.start[0], 3) != NULL && word.length > 1 &&
			    is_letter(word.start[1]);

	if (!before && (word.length < 2 || memchr("!?", last.start[0], 2) == NULL))
		return false;
	*hit = (struct glossary_hit){ before ? first : last, NULL,
				      sign_in(view, before ? first : last) };
	return hit->text != NULL;
}

/* A word without the brackets and commas around it. */
static struct text
bare(struct text word)
{
	while (word.length > 0 && memchr("([{'\",", word.start[0], 6) != NULL)
		word = (struct text){ word.start + 1, word.length - 1 };
	while (word.length > 0 && memchr(")]}'\",;:!?", word.start[word.length - 1], 10) != NULL)
		word.length--;
	return word;
}

/*
 * The entry of a word in a row. The word "memory" in a sentence does not mean the view of that
 * name, nor does "file" mean the record FILE.
 */
static const struct glossary_entry *
find_word(struct text word)
{
	static const char view[] = "The view of ";
	const struct glossary_entry *entry = glossary_find(word, false);

	if (entry == NULL || strncmp(entry->text, view, sizeof(view) - 1) == 0)
		return NULL;
	const bool keyword = strlen(entry->term) > 3 && isupper((unsigned char)entry->term[0]) &&
			     isupper((unsigned char)entry->term[1]);
	return keyword && word.length == strlen(entry->term) &&
			       islower((unsigned char)word.start[0])
		       ? NULL
		       : entry;
}

static bool
find_hit(struct text row, struct text word, const char *view, struct glossary_hit *hit)
{
	const char *text = may_be_sign(row, word) ? sign_in(view, word) : NULL;
	struct text name = bare(word);
	const struct glossary_entry *entry = find_word(word);

	if (text == NULL && entry == NULL)
		text = may_be_sign(row, name.length > 0 ? name : word) ? sign_in(view, name) : NULL;
	if (text != NULL) {
		*hit = (struct glossary_hit){ name.length > 0 ? name : word, NULL, text };
		return true;
	}
	entry = entry != NULL ? entry : find_word(name);
	/* A plural: try it without its 's'. */
	if (entry == NULL && name.length > 3 && name.start[name.length - 1] == 's')
		entry = find_word((struct text){ name.start, name.length - 1 });
	if (entry != NULL)
		*hit = (struct glossary_hit){ name.length > 0 ? name : word, entry->term,
					      entry->text };
	return entry != NULL;
}

/* Maximum number of words in a term. */
#define MOST_WORDS 4u

bool
glossary_next(struct text row, const char *view, size_t *at, struct glossary_hit *hit)
{
	while (*at < row.length) {
		const char *const start = row.start + *at;
		const size_t left = row.length - *at;
		size_t ends[MOST_WORDS], count = 0, end = 0;

		if (*start == ' ') {
			(*at)++;
			continue;
		}
		/* One blank separates the words of a term. */
		for (; count < MOST_WORDS && end < left && start[end] != ' '; end++) {
			while (end < left && start[end] != ' ')
				end++;
			ends[count++] = end;
		}
		for (size_t words = count; words > 0; words--) {
			const struct text word = { start, ends[words - 1] };

			if (!find_hit(row, word, view, hit) &&
			    (words > 1 || !find_joined(word, view, hit)))
				continue;
			*at = (size_t)(hit->word.start + hit->word.length - row.start);
			return true;
		}
		*at += ends[0];
	}
	return false;
}

/* Every meaning of a sign, view by view; NULL: it is not a sign. */
static const char *
explain_sign(struct text name, struct arena *arena)
{
	struct output_string text;
	bool any = false;

	output_string_init(&text, arena);
	for (size_t i = 0; i < ARRAY_COUNT(signs); i++) {
		const char *at = signs[i].views;

		if (!sign_has(&signs[i], name))
			continue;
		output_format(&text.output, "%s%s", any ? ". " : "",
			      *at == '\0' ? "In all views" : "In ");
		for (struct text one; next_part(&at, &one);) {
			output_text(&text.output, one);
			output_plain(&text.output, *at != '\0' ? ", " : "");
		}
		output_format(&text.output, ": %s", signs[i].text);
		any = true;
	}
	output_plain(&text.output, any ? "." : "");
	return any ? text.text : NULL;
}

const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena)
{
	const struct glossary_entry *found = glossary_find(name, false);
	const char *copy = found == NULL ? text_copy(arena, name) : NULL;
	enum policy_row row;

	if (found != NULL || copy == NULL)
		return found;
	const char *sign = explain_sign(name, arena);
	const bool policy = sign == NULL && policy_row_named(copy, &row);
	if (sign == NULL && !policy)
		return NULL;
	struct glossary_entry *entry = arena_alloc(arena, sizeof(*entry));
	if (entry == NULL)
		return NULL;
	*entry = (struct glossary_entry){ copy, "", sign };
	if (!policy)
		return entry;
	const struct policy_info *info = &policy_table[row];
	const uint32_t *column = info->column;
	*entry = (struct glossary_entry){ info->name, "a row of the policy", NULL };
	entry->text =
		arena_format(arena,
			     "It decides: %s. The value is %s for Breakpad, %s for rust-minidump "
			     "and %s for unspool. Why: %s.",
			     info->sentence, policy_say(row, column[POLICY_BREAKPAD]).text,
			     policy_say(row, column[POLICY_RUST_MINIDUMP]).text,
			     policy_say(row, column[POLICY_UNSPOOL]).text, info->why);
	return entry->text == NULL ? NULL : entry;
}

/* References ----------------------------------------------------------------------------------- */

static const struct {
	enum reference_kind kind;
	const char *names;
	struct reference to;
} references[] = {
#define R(kind, names, page, section) { REFERENCE_##kind, names, { page, section } },
#include "report/reference.def"
};

bool
reference_of(enum reference_kind kind, struct text name, struct reference *reference)
{
	for (size_t i = 0; i < ARRAY_COUNT(references); i++) {
		const char *at = references[i].names;
		/* A row without names is for all other codes. */
		bool found = *at == '\0';

		if (references[i].kind != kind)
			continue;
		for (struct text one; !found && next_part(&at, &one);) {
			const struct text begun = { name.start, one.length };

			found = kind == REFERENCE_WORD ? text_equal(one, name)
				: one.length <= name.length && text_equal(one, begun);
		}
		if (found) {
			*reference = references[i].to;
			return true;
		}
	}
	return false;
}
