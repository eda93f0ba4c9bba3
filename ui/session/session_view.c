/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/session_view.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/sorted.h"

#define MOST_MATCHES ((size_t)1 << 22)	/* limit on stored rows */

/* Patterns ------------------------------------------------------------------------------------ */

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
		pattern->fold = pattern->fold && text_lower(pattern->text[i]) == pattern->text[i];
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
matches_at(const struct pattern *pattern, const char *row)
{
	size_t i = 0;

	while (i < pattern->length &&
	       (pattern->fold ? text_lower(row[i]) : row[i]) == pattern->text[i])
		i++;
	return i == pattern->length;
}

/* The position of a byte between `from` and `end`, or `end`. */
static size_t
byte_after(struct text text, size_t from, size_t end, char byte)
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
	size_t small = byte_after(text, from, end, first);
	size_t large = both ? byte_after(text, from, end, capital) : end;

	while (small < end || large < end) {
		const size_t start = small < large ? small : large;

		if (matches_at(pattern, text.start + start)) {
			*at = start;
			*length = pattern->length;
			return true;
		}
		if (start == small)
			small = byte_after(text, start + 1, end, first);
		else
			large = byte_after(text, start + 1, end, capital);
	}
	return false;
}

/* Rows ----------------------------------------------------------------------------------------- */

size_t
session_rows(const struct session_view *view)
{
	return view->filter[0] != '\0' ? view->shown.count : view->listing.count;
}

void
session_keep_visible(struct session_view *view, size_t height)
{
	const size_t margin = height > 4 ? 1 : 0;
	size_t rows = session_rows(view);

	if (view->center && (view->selected < view->top + height / 4 ||
			     view->selected + height / 4 >= view->top + height))
		view->top = view->selected > height / 2 ? view->selected - height / 2 : 0;
	if (view->lead && view->selected > 0)
		view->top = view->selected - 1;
	view->center = view->lead = false;
	if (view->selected < view->top + margin)
		view->top = view->selected > margin ? view->selected - margin : 0;
	if (height > 0 && view->selected + margin >= view->top + height)
		view->top = view->selected + margin - height + 1;
	if (rows <= height)
		view->top = 0;
	else if (view->top > rows - height)
		view->top = rows - height;
}

size_t
session_listing_row(const struct session_view *view, size_t index)
{
	return view->filter[0] != '\0' ? view->shown.rows[index] : index;
}

size_t
session_shown_row(const struct session_view *view, size_t row)
{
	if (view->filter[0] == '\0')
		return row;
	const size_t until = row_matches_until(&view->shown, row);
	return until > 0 ? until - 1 : 0;
}

bool
session_selected(const struct session_view *view, size_t *row)
{
	if (session_rows(view) == 0)
		return false;
	*row = session_listing_row(view, view->selected);
	return true;
}

struct target
session_selected_target(const struct session_view *view)
{
	size_t row;

	return session_selected(view, &row) ? listing_target(&view->listing, row)
					    : (struct target){ .kind = TARGET_NONE };
}

void
session_fill_row(const struct session_view *view, size_t index, size_t columns, struct row *row)
{
	row_clear(row);
	listing_fill(&view->listing, session_listing_row(view, index), columns, row);
}

static bool
text_matches(const struct pattern *pattern, const struct row *row)
{
	size_t at, length;

	return pattern_in(pattern, text_of(row_text(row)), 0, &at, &length);
}

bool
session_row_matches(const struct session_view *view, const struct pattern *pattern, size_t index,
		    struct row *row)
{
	row->names = view->names;
	session_fill_row(view, index, 0, row);
	return text_matches(pattern, row);
}

/* Check rows of the listing for a slice; with `shown`, only rows that the view shows. */
static void
look_at_rows(struct row_matches *matches, const struct session_view *view, bool shown)
{
	const size_t count = shown ? session_rows(view) : view->listing.count;
	const int64_t end = clock_milliseconds() + ROW_MATCHES_SLICE;
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	row.names = view->names;
	if (matches->looked_at >= count)
		return;
	do {
		const size_t at = matches->looked_at++;

		row_clear(&row);
		listing_fill(&view->listing, shown ? session_listing_row(view, at) : at, 0, &row);
		if (!text_matches(&matches->pattern, &row))
			continue;
		if (matches->count != MOST_MATCHES)
			ARENA_ADD(&matches->arena, matches->rows, matches->count, matches->room,
				  &at);
		else
			matches->looked_at = count;
	/* A row may have a name of a megabyte, so the clock is checked after each row. */
	} while (matches->looked_at < count && clock_milliseconds() < end);
	arena_free(&arena);
}

static void
begin(struct row_matches *matches, uint64_t key)
{
	if (key != 0 && key == matches->key)
		return;
	matches->key = key;
	matches->begun++;
	arena_reset(&matches->arena);
	matches->rows = NULL;
	matches->count = matches->room = matches->looked_at = 0;
}

void
row_matches_more(struct row_matches *matches, const struct session_view *view, uint64_t key)
{
	begin(matches, key);
	look_at_rows(matches, view, true);
}

size_t
row_matches_until(const struct row_matches *matches, size_t row)
{
	size_t at;

	BISECT(at, matches->count, matches->rows[at] <= row);
	return at;
}

void
row_matches_free(struct row_matches *matches)
{
	pattern_clear(&matches->pattern);
	arena_free(&matches->arena);
	*matches = (struct row_matches){ 0 };
}

bool
session_is_filtering(const struct session_view *view)
{
	return view->filter[0] != '\0' && view->fresh &&
	       view->shown.looked_at < view->listing.count;
}

void
session_filter_more(struct session_view *view)
{
	look_at_rows(&view->shown, view, false);
}

void
session_filter_rows(struct session_view *view, uint64_t stamp)
{
	begin(&view->shown, stamp);
	session_filter_more(view);
}

void
session_set_filter(struct session_view *view, const char *text, bool regex)
{
	snprintf(view->filter, sizeof(view->filter), "%s", text);
	pattern_set(&view->shown.pattern, view->filter, regex);
	view->shown.key = 0;
	view->fresh = false;
}

void
session_free_view(struct session_view *view)
{
	arena_free(&view->arena);
	row_matches_free(&view->shown);
}
