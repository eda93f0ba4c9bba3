/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_STATE_H
#define UI_SESSION_STATE_H

#include "ui/session/session.h"

/**
 * What is kept of a dump for the next time: marks, notes, where its user stood, where its sources
 * were. A file for each dump in a directory `dumps`, named by its size and first bytes.
 *
 * A file that is damaged is left out as a whole. Of all files the STATE_FILES newest stay.
 */
enum { STATE_FILES = 200 };

enum state_result {
	STATE_NONE,		/* nothing is kept of this dump */
	STATE_READ,
	STATE_DAMAGED,		/* it is no use; the next write replaces it */
};

/** Read what is kept below `directory` into the session. */
enum state_result
state_read(struct session *session, const char *directory);

/** Keep it. Where that can't be, nothing happens. */
void
state_write(struct session *session, const char *directory);

#endif
