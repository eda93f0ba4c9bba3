/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/search.h"

#include <stdio.h>
#include <string.h>

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

void
search_clear(struct search *search)
{
	if (search->compiled)
		regfree(&search->regex);
	*search = (struct search){ 0 };
}

/* What makes matching take long: why it is not done, or NULL. */
static const char *
too_hard(const char *pattern)
{
	const char *brace = strchr(pattern, '{');

	if (brace != NULL && strchr(brace + 1, '{') != NULL)
		return "more than one repetition in braces";
	for (const char *c = pattern; (c = strchr(c, '\\')) != NULL && c[1] != '\0'; c += 2)
		if (c[1] >= '1' && c[1] <= '9')
			return "a reference back";
	return NULL;
}

static void
compile(struct search *search)
{
	const char *hard = too_hard(search->pattern);
	const int flags = REG_EXTENDED | (search->fold ? REG_ICASE : 0);

	if (hard != NULL) {
		snprintf(search->wrong, sizeof(search->wrong), "%s", hard);
		return;
	}
	const int code = regcomp(&search->regex, search->pattern, flags);
	search->compiled = code == 0;
	if (code != 0)
		regerror(code, &search->regex, search->wrong, sizeof(search->wrong));
}

void
search_set(struct search *search, const char *pattern, bool regex)
{
	search_clear(search);
	search->fold = true;
	if (!regex && pattern[0] == '0' && (pattern[1] == 'x' || pattern[1] == 'X')) {
		const char *number = pattern + 2;

		size_t digits = strspn(number, "0123456789abcdefABCDEF");
		if (digits != 0 && number[digits] == '\0') {
			pattern = number;
			while (pattern[0] == '0' && pattern[1] != '\0')
				pattern++;
		}
	}
	search->length = strlen(pattern) < SEARCH_SIZE ? strlen(pattern) : SEARCH_SIZE - 1;
	memcpy(search->pattern, pattern, search->length);
	for (size_t i = 0; i < search->length; i++)
		search->fold = search->fold && !is_upper(search->pattern[i]);
	if (regex && search->length > 0)
		compile(search);
}

static bool
matches_at(const struct search *search, const char *text)
{
	for (size_t i = 0; i < search->length; i++)
		if ((search->fold ? lower(text[i]) : text[i]) != search->pattern[i])
			return false;
	return true;
}

static bool
match_regex(const struct search *search, struct text text, size_t from, size_t *at,
	    size_t *length)
{
	char row[SEARCH_ROW];
	const size_t size = text.length < sizeof(row) - 1 ? text.length : sizeof(row) - 1;
	regmatch_t match;

	memcpy(row, text.start, size);
	row[size] = '\0';
	/* A match of nothing is none; a longer one may come behind it. */
	for (; from < size; from++) {
		if (regexec(&search->regex, row + from, 1, &match, from > 0 ? REG_NOTBOL : 0) != 0)
			return false;
		*at = from + (size_t)match.rm_so;
		*length = (size_t)(match.rm_eo - match.rm_so);
		if (*length > 0)
			return true;
		from = *at;
	}
	return false;
}

bool
search_in(const struct search *search, struct text text, size_t from, size_t *at, size_t *length)
{
	if (search->length == 0)
		return false;
	if (search->compiled)
		return match_regex(search, text, from, at, length);
	for (size_t i = from; i + search->length <= text.length; i++)
		if (matches_at(search, text.start + i)) {
			*at = i;
			*length = search->length;
			return true;
		}
	return false;
}
