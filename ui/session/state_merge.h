/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_STATE_MERGE_H
#define UI_SESSION_STATE_MERGE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Merge the state of a dump with that of another explorer. Things that `mine` has as in `base`, the
 * state last read or written, come from `theirs`, the present file; the rest comes from `mine`. A
 * thing is a mark, a note, a source map, the position, or all edits together. False when out of
 * memory.
 */
bool
state_merge(FILE *file, const char *base, const char *theirs, const char *mine);

#endif
