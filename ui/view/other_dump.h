/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_OTHER_DUMP_H
#define UI_VIEW_OTHER_DUMP_H

#include <stdint.h>

#include "analysis/analysis.h"
#include "report/stack/versus.h"
#include "ui/session/loader.h"

/**
 * The other dump of --against, with a walk of the thread that corresponds to the selected one. The
 * walk is made between two keys once the view is shown, and does not wait for symbols.
 */
struct session;

struct other_dump {
	struct binaries *binaries;	/* files of its modules, as last opened */
	struct loader *loader;		/* of its symbols; NULL: no other dump */
	bool wanted;			/* its view was shown */
	bool chosen;			/* the user has chosen the thread */
	size_t thread;			/* index in the other dump */
	size_t thread_of;		/* index of the selected thread that corresponds to it */
	bool found;			/* `thread` is valid */
	struct walk *walk;		/* walk of `thread`; NULL: none yet */
	struct arena arena;		/* holds `made` */
	struct analysis *analyses[VERSUS_SIDES];
	const struct versus *made;	/* compares `made_of` at `made_frames` frames; or NULL */
	const struct walk *made_of[VERSUS_SIDES];
	size_t made_frames[VERSUS_SIDES];
};

/** Start to load the symbols of the other dump. False when out of memory. */
bool
other_dump_open(struct session *session, void (*wake)(void *context), void *context);

void
other_dump_close(struct session *session);

/** Walk the other dump again with the symbols loaded since the last walk. */
void
other_dump_walk_again(struct session *session);

/** Drop the comparison, because a walk of the session is about to be freed. */
void
other_dump_forget(struct session *session);

/** Continue the walk until `end`, in milliseconds. True if it is not finished. */
bool
other_dump_work(struct session *session, int64_t end);

/** Whether the walk is incomplete. */
bool
other_dump_is_working(const struct session *session);

#endif
