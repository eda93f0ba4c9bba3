/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_HUNT_H
#define UI_VIEW_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/session/search.h"

/**
 * A search through the rows of the focused view, and the count of all its matches.
 *
 * A view may have millions of rows, so both look at them for a moment at a time, while keys are
 * obeyed. Any key ends a search that is under way; the count begins anew where rows, view or text
 * are others.
 */
struct explorer;

struct hunt {
	struct search search;	/* what is looked for; it stays until the next */
	bool active;		/* the next match is being looked for */
	bool typed;		/* while its text is typed: nothing is said, no match goes back */
	int direction;
	size_t at, left;	/* the row to look at, and how many there are yet */
	size_t from;		/* the row where it began */
	/* The matches of `counted`, in order, as far as `looked_at`. */
	size_t *matches;
	size_t match_count, match_room, looked_at;
	uint64_t counted;	/* tells rows, view and text from others; 0: nothing */
	uint64_t number;	/* of the text that is looked for */
};

/** Look for `text` from now on. */
void
hunt_set(struct explorer *explorer, const char *text);

/** Select the first row with the text from row `from` on and round; 1 is down, -1 up. */
void
hunt_begin(struct explorer *explorer, size_t from, int direction, bool typed);

/** Search and count for a moment. Returns whether there is more to do. */
bool
hunt_work(struct explorer *explorer);

/** End the search that is under way. False where none is. */
bool
hunt_stop(struct explorer *explorer);

/**
 * How many matches there are at and before the selected row, and in all; `whole` where every row
 * has been looked at. False where nothing is looked for.
 */
bool
hunt_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole);

void
hunt_free(struct hunt *hunt);

#endif
