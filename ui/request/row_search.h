/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_ROW_SEARCH_H
#define UI_REQUEST_ROW_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/session/session_view.h"

/**
 * A search through the rows of the focused view, and the count of all its matches.
 *
 * A view may have millions of rows, so both look at them for a moment at a time, and keys are
 * obeyed between. Any key ends a search that is under way; the count begins anew where rows,
 * view or text are others.
 */
struct explorer;

struct row_search {
	struct row_matches found;	/* its pattern stays until the next search */
	bool active;			/* the next match is being looked for */
	bool typed;		/* while its text is typed: nothing is said, no match goes back */
	int direction;
	size_t at, left;		/* the row to look at, and how many there are yet */
	size_t from;			/* the row where it began */
	uint64_t number;		/* of the text that is looked for */
};

/** Look for `text` from now on. */
void
row_search_set(struct explorer *explorer, const char *text);

/** End the search that is under way. False where none is. */
bool
row_search_stop(struct explorer *explorer);

/**
 * How many matches there are at and before the selected row, and in all; `whole` where every row
 * has been looked at. False where there is no text to look for.
 */
bool
row_search_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole);

#endif
