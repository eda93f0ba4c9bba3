/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_STATE_LINES_H
#define UI_SESSION_STATE_LINES_H

#include <stdio.h>

#include "walk/overlay.h"

/** The lines of a saved state (state.c): edits as lines of words, and the merge of two states. */

/** Write the words of an edit, without blanks in them. */
void
kept_edit_write(FILE *file, const struct overlay_edit *edit);

/**
 * Read an edit; texts live in `arena`. False if the words are not an edit of a crash with so many
 * threads.
 */
bool
kept_edit_read(struct arena *arena, const char *words, size_t threads, struct overlay_edit *edit);

/**
 * Merge the state of a dump with that of another explorer. Things that `mine` has as in `base`, the
 * state last read or written, come from `theirs`, the present file; the rest comes from `mine`. A
 * thing is a mark, a note, a source map, the position, or all edits together. If `base` or `theirs`
 * is NULL, `mine` is written as it is.
 */
void
state_merge(FILE *file, const char *base, const char *theirs, const char *mine);

#endif
