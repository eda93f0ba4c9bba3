/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_SHORTAGE_H
#define SYSTEM_SHORTAGE_H

#include <stdbool.h>

/**
 * What the operating system lacked when this process asked for it: memory, file descriptors, a
 * disk that can be read, or bytes of a file that was truncated while it was mapped.
 *
 * Everything goes on without a file that cannot be opened, and without what there is no memory for:
 * names fall back to weaker sources, a walk to weaker methods. An absent file is a fact about the
 * input, a shortage is not: the same command would say something else on a system that has more. So
 * the first shortage is remembered, and a command that met one does not end as if it had met none.
 *
 * A shortage is a state of the process, like its descriptors, so there is one record of it. All
 * functions may be called from any thread.
 */

/**
 * Note a failure if `reason`, a value of errno, is a shortage; `what` is what could not be had: a
 * path, or NULL for memory alone. errno is kept. Returns whether it is one.
 */
bool
shortage_note(int reason, const char *what);

/** Note a shortage of `what` with its reason `text`, for a call that sets no errno. */
void
shortage_note_text(const char *what, const char *text);

/** The first shortage, "'PATH': REASON", as raw as the path; NULL if there was none. */
const char *
shortage_first(void);

#endif
