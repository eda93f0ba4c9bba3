/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_EDITS_H
#define UI_VIEW_EDITS_H

#include "report/stack/versus.h"
#include "walk/edit_command.h"

/**
 * What-if edits of a session: every state is an overlay that never changes, so undoing returns to
 * the previous one.
 *
 * The shown walks are made with one of them; the other walk, for comparison, is the original while
 * edits are shown and the edited one while the original is.
 */
struct session;

struct edits {
	struct arena arena;		/* of all overlays, until the session ends */
	const struct overlay **history;	/* the first is NULL: no edits */
	size_t count, capacity;
	size_t at;			/* the current state */
	bool original;			/* the walks without edits are shown all the same */
	const struct overlay *saved;	/* the overlay that is saved in a file */
	const struct overlay *shown;	/* of the shown walks */
	const struct overlay *other_of;	/* of the other walks */
};

/** Begin without edits. False when out of memory. */
bool
edits_open(struct session *session);

/** The current edits; NULL: none. */
const struct overlay *
edits_overlay(const struct session *session);

/** Add edits to the overlay, to be undone together. Reports the result of the first. */
void
edits_add(struct session *session, const struct overlay_edit *edits, size_t count);

/**
 * Replace all edits by those of an earlier session. Returns their number, without those that this
 * crash cannot have.
 */
size_t
edits_restore(struct session *session, const struct overlay_edit *edits, size_t count);

/** Remove edits that their symbol files have by now; they can no longer be undone. */
void
edits_forget_made(struct session *session);

/** Drop the other walks before new ones are made. */
void
edits_forget_other(struct session *session);

#endif
