/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_DETAILS_H
#define UI_VIEW_DETAILS_H

#include "ui/session/session.h"

/**
 * The view of the dump itself: its directory, and each of its streams.
 */
enum details_id {
#define D(id, command, help, streams, nothing) DETAILS_##id,
#include "ui/view/details.def"
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

#endif
