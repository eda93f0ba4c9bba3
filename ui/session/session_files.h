/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_FILES_H
#define UI_SESSION_SESSION_FILES_H

#include "ui/session/session.h"

/**
 * Files that are opened while the explorer runs: what places that are added (session_places.c)
 * and files that change (session_reload.c) have in common.
 */

/**
 * Open the modules' own files anew, as they are now, in all places; views and walks use them from
 * now on. False when out of memory.
 */
bool
session_open_binaries(struct session *session);

/** Walk all threads again that are walked, with signs at what changes. */
void
session_walk_outdated(struct session *session);

/**
 * Write what came of the place that was added last; "" where none was added, or it has been said.
 * False: the servers have not answered for all modules.
 */
bool
session_say_added(const struct session *session, char *buffer, size_t size);

#endif
