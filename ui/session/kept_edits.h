/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_KEPT_EDITS_H
#define UI_SESSION_KEPT_EDITS_H

#include <stdio.h>

#include "walk/overlay.h"

/** Edits in the file that is kept for a dump: a line each, of words without blanks. */

/** Write the words of an edit. */
void
kept_edit_write(FILE *file, const struct overlay_edit *edit);

/**
 * Read an edit; texts live in `arena`. False if the words are not an edit of a crash with so many
 * threads.
 */
bool
kept_edit_read(struct arena *arena, const char *words, size_t threads, struct overlay_edit *edit);

#endif
