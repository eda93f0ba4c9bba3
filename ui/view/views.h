/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_VIEWS_H
#define UI_VIEW_VIEWS_H

#include "ui/session/session.h"

/**
 * The views: one table, a row each, from the session's place to a listing.
 */

/**
 * Make the listing of a view in `arena`. `*row` is set to the row that stands for the
 * session's place, and left alone where the view keeps the row its user chose.
 */
struct listing
views_make(struct session *session, enum layout_view view, struct arena *arena, size_t *row);

/** Whether a view shows the surroundings of its row, so that the row belongs in the middle. */
bool
views_is_centered(enum layout_view view);

/**
 * A number that changes whenever the text of rows may have changed since the last listing of the
 * view; 0 where that is not known.
 */
uint64_t
views_stamp(struct session *session, enum layout_view view, const struct listing *listing);

/**
 * The user has selected a row of the listing: move the place where the view means one. Says
 * whether the row is the place now.
 */
bool
views_selected(struct session *session, enum layout_view view, size_t row);

/** What stands at the right of the title of a view whose listing is made. */
void
views_title(struct session *session, enum layout_view view, struct row *row);

/** The view's rows will be shown in so many columns: those that are wrapped are made anew. */
void
views_fit(struct session *session, enum layout_view view, size_t columns);

/**
 * Open or fold the fields of the selected line of a symbol file. False where the raw view shows
 * bytes.
 */
bool
views_fold_raw(struct session *session);

/**
 * The record that the selected row of the focused view comes from, where it stands in a symbol
 * file, and that file; NULL where it does not.
 */
const struct symfile *
views_symbol_place(struct session *session, struct place *place);

/** The path and line of the source of the selected call; false where there is none. */
bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line);

/** Why the selected thread has no frame to show. */
const char *
views_why_nothing(const struct session *session);
#endif
