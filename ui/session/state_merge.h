/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_STATE_MERGE_H
#define UI_SESSION_STATE_MERGE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Write the state of a dump where another explorer may have written its own: what is as it was in
 * `base`, the state that this one has read or written last, is taken from `theirs`, the file as it
 * is; everything else from `mine`. A thing is a mark, a note, a mapping of sources, the position,
 * or all edits together. False when out of memory.
 */
bool
state_merge(FILE *file, const char *base, const char *theirs, const char *mine);

#endif
