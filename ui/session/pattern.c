/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/pattern.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

void
pattern_clear(struct pattern *pattern)
{
	if (pattern->compiled)
		regfree(&pattern->regex);
	*pattern = (struct pattern){ 0 };
}

void
pattern_set(struct pattern *pattern, const char *text, bool regex)
{
	pattern_clear(pattern);
	pattern->fold = true;
	if (!regex && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		const char *number = text + 2;

		size_t digits = strspn(number, "0123456789abcdefABCDEF");
		if (digits != 0 && number[digits] == '\0') {
			text = number;
			while (text[0] == '0' && text[1] != '\0')
				text++;
		}
	}
	pattern->length = strlen(text) < PATTERN_SIZE ? strlen(text) : PATTERN_SIZE - 1;
	memcpy(pattern->text, text, pattern->length);
	for (size_t i = 0; i < pattern->length; i++)
		pattern->fold = pattern->fold && lower(pattern->text[i]) == pattern->text[i];
	if (!regex || pattern->length == 0)
		return;
	const char *hard = text_regex_refusal(pattern->text);
	const int flags = REG_EXTENDED | (pattern->fold ? REG_ICASE : 0);
	const int code = hard == NULL ? regcomp(&pattern->regex, pattern->text, flags) : 0;
	pattern->compiled = hard == NULL && code == 0;
	if (hard != NULL)
		snprintf(pattern->wrong, sizeof(pattern->wrong), "%s", hard);
	else if (code != 0)
		regerror(code, &pattern->regex, pattern->wrong, sizeof(pattern->wrong));
}

static bool
match_regex(const struct pattern *pattern, struct text text, size_t from, size_t *at,
	    size_t *length)
{
	char row[PATTERN_ROW];
	const size_t size = text.length < sizeof(row) - 1 ? text.length : sizeof(row) - 1;
	regmatch_t match;

	memcpy(row, text.start, size);
	row[size] = '\0';
	/* Ignore an empty match; a longer one may follow. */
	for (; from < size; from++) {
		if (regexec(&pattern->regex, row + from, 1, &match, from > 0 ? REG_NOTBOL : 0) != 0)
			return false;
		*at = from + (size_t)match.rm_so;
		*length = (size_t)(match.rm_eo - match.rm_so);
		if (*length > 0)
			return true;
		from = *at;
	}
	return false;
}

/* Whether a pattern's text matches the beginning of `row`, which has enough bytes. */
static bool
stands_at(const struct pattern *pattern, const char *row)
{
	size_t i = 0;

	while (i < pattern->length &&
	       (pattern->fold ? lower(row[i]) : row[i]) == pattern->text[i])
		i++;
	return i == pattern->length;
}

/* The position of a byte between `from` and `end`, or `end`. */
static size_t
byte_behind(struct text text, size_t from, size_t end, char byte)
{
	const char *found = memchr(text.start + from, byte, end - from);

	return found != NULL ? (size_t)(found - text.start) : end;
}

bool
pattern_in(const struct pattern *pattern, struct text text, size_t from, size_t *at,
	   size_t *length)
{
	if (pattern->length == 0)
		return false;
	if (pattern->compiled)
		return match_regex(pattern, text, from, at, length);
	if (from > text.length || pattern->length > text.length - from)
		return false;
	/* A row may have a name of 60,000 bytes, so skip to possible beginnings of a match. */
	const size_t end = text.length - pattern->length + 1;
	const char first = pattern->text[0];
	const bool both = pattern->fold && first >= 'a' && first <= 'z';
	const char capital = (char)(first - ('a' - 'A'));
	size_t small = byte_behind(text, from, end, first);
	size_t large = both ? byte_behind(text, from, end, capital) : end;

	while (small < end || large < end) {
		const size_t start = small < large ? small : large;

		if (stands_at(pattern, text.start + start)) {
			*at = start;
			*length = pattern->length;
			return true;
		}
		if (start == small)
			small = byte_behind(text, start + 1, end, first);
		else
			large = byte_behind(text, start + 1, end, capital);
	}
	return false;
}
