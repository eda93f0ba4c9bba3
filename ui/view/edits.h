/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_EDITS_H
#define UI_VIEW_EDITS_H

#include "report/stack/versus.h"
#include "walk/edit_command.h"

/**
 * What-if edits of a session: every state is an overlay that never changes, so undoing is going
 * back to the one before.
 *
 * The walks that are shown are made with one of them; the other walk is what they are compared
 * with, the original while edits are shown and the edited one while the original is.
 */
struct session;

struct edits {
	struct arena arena;		/* of all overlays, until the session is over */
	const struct overlay **history;	/* the first is NULL: no edits */
	size_t count, capacity;
	size_t at;			/* the state that is meant */
	bool original;			/* the walks without edits are shown nevertheless */
	const struct overlay *saved;	/* a file has them */
	const struct overlay *shown;	/* of the walks that are shown */
	const struct overlay *other_of;	/* of the other walks */
	struct walk **other;		/* one a thread; NULL: not walked */
};

/** Begin without edits. False when out of memory. */
bool
edits_open(struct session *session);

void
edits_close(struct session *session);

/** The edits that there are; NULL: none. */
const struct overlay *
edits_overlay(const struct session *session);

/** Lay edits over the walks, which are undone together. Says what came of the first. */
void
edits_add(struct session *session, const struct overlay_edit *edits, size_t count);

/**
 * Lay the edits of an earlier session over the walks, in place of all there are. How many, without
 * those that this crash cannot have.
 */
size_t
edits_restore(struct session *session, const struct overlay_edit *edits, size_t count);

/**
 * Take edits of records out that their symbol files have by now; they cannot be undone any more.
 */
void
edits_forget_made(struct session *session);

/** Forget other walks that missed symbols which may be there now. */
void
edits_forget_outdated(struct session *session);

/** Forget the other walks, for new ones are about to be made. */
void
edits_forget_other(struct session *session);

/** Both walks of the selected thread, the original one left; begins one that is not there. */
void
edits_sides(struct session *session, struct versus_side sides[VERSUS_SIDES]);

/** The other walk, where it is begun and incomplete; or NULL. */
struct walk *
edits_growing(const struct session *session);

#endif
