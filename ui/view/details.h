/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_DETAILS_H
#define UI_VIEW_DETAILS_H

#include "ui/session/session.h"

/**
 * The view of the dump itself: its directory, and each of its streams.
 */
enum details_id {
#define D(id, streams, nothing) DETAILS_##id,
#include "ui/view/details.def"
#undef D
	DETAILS_COUNT
};

/** Show the header and the directory. */
void
details_show_directory(struct session *session);

/** Show the first stream of those that hold what is asked for, or say why there is none. */
void
details_show(struct session *session, enum details_id id);

/** Show the stream of a name, its type or a number behind '#', as `unspool streams` has them. */
void
details_show_named(struct session *session, const char *name);

/**
 * Open what the selected row stands for: a stream of the directory, or a record of a stream that
 * is folded or open. `only_heads` leaves rows alone that have somewhere to lead. False where the
 * row stands for nothing.
 */
bool
details_open(struct session *session, bool only_heads);

/** The listing that is shown. */
struct listing
details_listing(struct session *session, struct arena *arena);

/** What stands at the right of the title. */
void
details_title(const struct session *session, struct row *row);

#endif
