/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_OTHER_DUMP_H
#define UI_VIEW_OTHER_DUMP_H

#include <stdint.h>

#include "analysis/analysis.h"
#include "report/stack/versus.h"
#include "ui/session/loader.h"

/**
 * The other dump of --against: its walk of the thread that goes with the selected one. It is made
 * between two keys once its view is shown, and waits for no symbols.
 */
struct session;

struct other_dump {
	struct binaries *binaries;	/* of the other dump's modules, as they were opened last */
	struct loader *loader;		/* of its symbols; NULL: there is no other dump */
	bool wanted;			/* its view was shown */
	bool chosen;			/* the user has said which thread */
	size_t thread;			/* of the other dump */
	size_t thread_of;		/* the selected thread that it goes with */
	bool found;			/* there is such a thread */
	struct walk *walk;		/* of the other dump; NULL: not yet */
	struct arena arena;		/* of `made` */
	struct analysis *analyses[VERSUS_SIDES];
	const struct versus *made;	/* of these walks while they had so many frames; or NULL */
	const struct walk *made_of[VERSUS_SIDES];
	size_t made_frames[VERSUS_SIDES];
};

/** False when out of memory. */
bool
other_dump_open(struct session *session, void (*wake)(void *context), void *context);

void
other_dump_close(struct session *session);

/** Walk the other dump again, with symbols that it did not have. */
void
other_dump_walk_again(struct session *session);

/** What was made of a walk of the session, which is about to go, is of no use any more. */
void
other_dump_forget(struct session *session);

/** Go on until `end`, in milliseconds; returns whether to come back at once. */
bool
other_dump_work(struct session *session, int64_t end);

/** Whether the walk will still change. */
bool
other_dump_is_working(const struct session *session);

#endif
