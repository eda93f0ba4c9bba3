/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_SHORTAGE_H
#define SYSTEM_SHORTAGE_H

#include <stdbool.h>

/**
 * Resources of the operating system that this process could not get: memory, file descriptors, a
 * readable disk, or bytes of a file that was truncated while it was mapped.
 *
 * The program continues without a file that it cannot open, or without data for which there is no
 * memory: names fall back to weaker sources, a walk to weaker methods. A missing file is a property
 * of the input, a shortage is not: on a system with more resources the command would print
 * something else. So the first shortage is recorded, and the command ends with another status.
 *
 * A shortage is a state of the process, like its descriptors, so there is one record of it. All
 * functions may be called from any thread.
 */

/**
 * Note a failure if `reason` (an errno) is a shortage. `what` is the path of the missing resource,
 * or NULL for memory alone. errno is kept. Returns whether `reason` is a shortage.
 */
bool
shortage_note(int reason, const char *what);

/** Note a shortage of `what` with its reason `text`, for a call that sets no errno. */
void
shortage_note_text(const char *what, const char *text);

/** The first shortage, "'PATH': REASON", with the path unescaped; or NULL. */
const char *
shortage_first(void);

#endif
