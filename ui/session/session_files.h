/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_FILES_H
#define UI_SESSION_SESSION_FILES_H

#include "ui/session/session.h"

/**
 * Files opened while the explorer runs, for added places (session_places.c) and for changed files
 * (session_reload.c).
 */

/** Open the modules' files anew in all places, for views and walks. False when out of memory. */
bool
session_open_binaries(struct session *session);

/** Walk all walked threads again and mark changed frames. */
void
session_walk_outdated(struct session *session);

/**
 * Describe the result of the last added place; "": no place, or already reported. False if a server
 * has not answered for all modules.
 */
bool
session_say_added(const struct session *session, char *buffer, size_t size);

#endif
