/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_VIEW_H
#define UI_SESSION_SESSION_VIEW_H

#include <regex.h>

#include "document/listing.h"

/**
 * Text search in rows.
 *
 * A pattern without capitals ignores the case of ASCII letters. A number written with 0x also
 * matches without it, and without leading zeros.
 *
 * With `regex` a pattern is a POSIX extended regular expression. If the expression could
 * be slow (text_regex_refusal) or is invalid, it is searched as plain text, and `wrong` says why.
 * Only the first PATTERN_ROW bytes of a row are searched.
 */
#define PATTERN_SIZE 256
#define PATTERN_ROW 4096

struct pattern {
	char text[PATTERN_SIZE];	/* "" matches nothing */
	size_t length;
	bool fold;			/* lower case matches upper case too */
	bool compiled;			/* `regex` is valid and used */
	regex_t regex;
	char wrong[128];		/* reason why `regex` is not used; "": none */
};

/** Set the text to search, cut to PATTERN_SIZE. */
void
pattern_set(struct pattern *pattern, const char *text, bool regex);

/** Clear the text and free the expression. Harmless on an empty pattern. */
void
pattern_clear(struct pattern *pattern);

/** Find the first match in `text` from byte `from` on; `length` is never 0. False if none. */
bool
pattern_in(const struct pattern *pattern, struct text text, size_t from, size_t *at,
	   size_t *length);

/**
 * A view of the session: its rows, the filter and the selection.
 *
 * A filter or search may check a million rows, so both work in slices; rows found so far are shown.
 */
struct session;
struct session_view;

/* Milliseconds that a key may wait for a search or a filter. */
#define ROW_MATCHES_SLICE 15

/** Rows that match a pattern, among those checked so far. */
struct row_matches {
	struct pattern pattern;
	struct arena arena;		/* holds `rows` */
	size_t *rows;
	size_t count, room;
	size_t looked_at;		/* number of rows checked */
	uint64_t key;			/* changes with the rows; 0: unknown */
	uint64_t begun;			/* number of times that all rows were looked at anew */
};

struct session_view {
	struct arena arena;		/* holds the listing */
	struct listing listing;
	bool fresh;			/* the listing is up to date */
	uint64_t made;			/* number of listings made so far */
	size_t row;			/* the place's row in the listing; SIZE_MAX: none */
	size_t selected, left;
	size_t columns;			/* width of the view; 0: not yet known */
	size_t top;
	bool center;			/* scroll the selection to the middle */
	bool lead;			/* scroll the row before the selection to the top */
	bool keep;			/* the next listing selects the row of `kept` */
	struct target kept;
	char filter[128];
	/* user names to replace in searched rows, as in shown ones */
	struct user_names *names;
	struct row_matches shown;	/* rows of the listing that match the filter */
};

/** Number of rows that match the filter of a view. */
size_t
session_rows(const struct session_view *view);

/**
 * Scroll a window of `height` rows as little as possible to keep the selection visible, with a row
 * on either side. A selection that should be in the middle moves there only from the outer
 * quarters.
 */
void
session_keep_visible(struct session_view *view, size_t height);

/** The row of the listing that is shown at `index`. */
size_t
session_listing_row(const struct session_view *view, size_t index);

/** The index of a row of the listing among the shown rows, or of the last shown row before it. */
size_t
session_shown_row(const struct session_view *view, size_t row);

/** The selected row of the listing. False if no row is shown. */
bool
session_selected(const struct session_view *view, size_t *row);

/** The target of the selected row; TARGET_NONE if no row is shown. */
struct target
session_selected_target(const struct session_view *view);

/** Write the row shown at `index` into `row`, at most `columns` wide (0: no limit). */
void
session_fill_row(const struct session_view *view, size_t index, size_t columns, struct row *row);

/** Set the filter of a view, whose listing must then be made anew. */
void
session_set_filter(struct session_view *view, const char *text, bool regex);

/** Filter a new listing for some milliseconds; `stamp` is from views_stamp. There is a filter. */
void
session_filter_rows(struct session_view *view, uint64_t stamp);

/** Whether a filter has rows left to check. */
bool
session_is_filtering(const struct session_view *view);

/** Filter further rows for some milliseconds. */
void
session_filter_more(struct session_view *view);

/** Whether the row shown at `index` matches; `row` is scratch space. */
bool
session_row_matches(const struct session_view *view, const struct pattern *pattern, size_t index,
		    struct row *row);

/**
 * Check further rows of a view for some milliseconds. Earlier matches stay unless `key` changed or
 * is 0.
 */
void
row_matches_more(struct row_matches *matches, const struct session_view *view, uint64_t key);

/** The number of matches up to a row. */
size_t
row_matches_until(const struct row_matches *matches, size_t row);

void
row_matches_free(struct row_matches *matches);

void
session_free_view(struct session_view *view);

#endif
