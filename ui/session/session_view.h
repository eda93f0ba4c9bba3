/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_VIEW_H
#define UI_SESSION_SESSION_VIEW_H

#include "document/listing.h"
#include "ui/session/pattern.h"

/**
 * One view as the session has it: its rows, which of them are shown and which is selected.
 *
 * A filter or a search must look at all of perhaps a million rows, so both do it in slices, with
 * the rows that are found already on the screen.
 */
struct session;
struct session_view;

/** Rows that match a pattern, as far as they have been looked at. */
struct row_matches {
	struct pattern pattern;
	size_t *rows;			/* in order */
	size_t count, room;
	size_t looked_at;		/* rows that have been looked at */
	uint64_t key;			/* other rows have another one; 0: not known */
};

struct session_view {
	struct arena arena;		/* of the listing */
	struct listing listing;
	bool fresh;			/* the listing shows the present place */
	uint64_t made;			/* how often the listing was made */
	size_t row;			/* of the listing, for the place; SIZE_MAX: none */
	size_t selected, left;
	size_t columns;			/* it is shown in; 0: not yet */
	size_t top;
	bool center;			/* the selection belongs into the middle, or near it */
	bool keep;			/* the next listing selects the row of `kept` */
	struct target kept;
	char filter[128];
	/* Replaced where rows are searched, as they are where rows are shown */
	struct user_names *names;
	struct row_matches shown;	/* rows of the listing that pass the filter */
};

/** How many rows a view shows: those that pass its filter. */
size_t
session_rows(const struct session_view *view);

/** The row of the listing that stands at `index` among those shown. */
size_t
session_listing_row(const struct session_view *view, size_t index);

/** Where a row of the listing stands among those shown: itself or the closest before it. */
size_t
session_shown_row(const struct session_view *view, size_t row);

/** The row of the listing that is selected; false where no row is shown. */
bool
session_selected(const struct session_view *view, size_t *row);

/** Where the selected row leads; TARGET_NONE where no row is shown. */
struct target
session_selected_target(const struct session_view *view);

/** Write row `index` of those shown in `columns` (0: whole) into `row`, which is cleared before. */
void
session_fill_row(const struct session_view *view, size_t index, size_t columns, struct row *row);

/** Set the filter of a view, which must be made anew then. */
void
session_set_filter(struct session_view *view, const char *text, bool regex);

/**
 * Find the rows of a view that has just been made, as far as a moment allows; `stamp` is that of
 * views_stamp.
 */
void
session_filter_rows(struct session_view *view, uint64_t stamp);

/** Whether a filter has rows to look at still. */
bool
session_is_filtering(const struct session_view *view);

/** Look at the next of them, for a moment. */
void
session_filter_more(struct session_view *view);

/** Whether row `index` of those shown matches; `row` is for the work. */
bool
session_row_matches(const struct session_view *view, const struct pattern *pattern, size_t index,
		    struct row *row);

/**
 * Look at more of the rows that a view shows, for a moment; what was found before stays unless
 * `key` is another one than before, or 0.
 */
void
row_matches_more(struct row_matches *matches, const struct session_view *view, uint64_t key);

/** How many matches stand at and before a row. */
size_t
row_matches_until(const struct row_matches *matches, size_t row);

void
row_matches_free(struct row_matches *matches);

/** Free what a view took. */
void
session_free_view(struct session_view *view);

#endif
