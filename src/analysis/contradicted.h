/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CONTRADICTED_H
#define ANALYSIS_CONTRADICTED_H

#include "walk/walk.h"

/** Frames of a walk that are compared with other sources: a recursion repeats few addresses. */
#define CONTRADICTED_FRAMES 256u

/**
 * What another source at hand says against the way in which frame `number` was found: the rules of
 * another table for the same address, or the call before the return address. A sentence in `arena`
 * that may hold bytes of inputs; NULL: nothing contradicts. Guesses are not compared: they are
 * marked as such. `*place` (may be NULL) is set to the record that was followed, or to the call. The
 * modules' own files are opened if need be.
 */
const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place);

#endif
