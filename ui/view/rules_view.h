/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_RULES_VIEW_H
#define UI_VIEW_RULES_VIEW_H

#include "report/step/rule_listing.h"
#include "ui/session/session.h"

/**
 * The view of unwind rules: the table of the function that the selected frame stands in. Left and
 * right select a cell of the row; the columns that have no room follow.
 */
struct listing
rules_view_listing(struct session *session, struct arena *arena, size_t *row);

/** Function, the source that is obeyed, how many records. */
void
rules_view_title(struct session *session, struct row *row);

/** Select the cell to the right (`direction` 1) or to the left (-1). */
void
rules_view_move(struct session *session, int direction);

/** The next form of cells: short, postfix, the line of the record. */
void
rules_view_form(struct session *session);

#endif
