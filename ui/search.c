/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/search.h"

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
search_set(struct search *search, const char *pattern)
{

	*search = (struct search){ .fold = true };
	if (pattern[0] == '0' && (pattern[1] == 'x' || pattern[1] == 'X')) {
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
}

static bool
matches_at(const struct search *search, const char *text)
{
	for (size_t i = 0; i < search->length; i++)
		if ((search->fold ? lower(text[i]) : text[i]) != search->pattern[i])
			return false;
	return true;
}

bool
search_in(const struct search *search, struct text text, size_t from, size_t *at, size_t *length)
{
	if (search->length == 0)
		return false;
	for (size_t i = from; i + search->length <= text.length; i++)
		if (matches_at(search, text.start + i)) {
			*at = i;
			*length = search->length;
			return true;
		}
	return false;
}
