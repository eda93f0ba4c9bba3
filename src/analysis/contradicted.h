/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CONTRADICTED_H
#define ANALYSIS_CONTRADICTED_H

#include "walk/walk.h"

/** Frames of a walk that are compared with other sources: a recursion repeats few addresses. */
#define CONTRADICTED_FRAMES 256u

/**
 * What another source at hand says against the way in which frame `number` was found: the rules of
 * another table for the same address, the code of the function, or the call before the return
 * address. A sentence in `arena` that may hold bytes of inputs; NULL: nothing contradicts. Guesses
 * are not compared: they are marked as such. `*place` (may be NULL) is set to the record that was
 * followed, or to the call. The modules' own files are opened if need be.
 */
const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place);

/** What the code alone says against it; NULL: it agrees, or does not tell. */
const char *
frame_contradicted_by_code(struct walk *walk, size_t number, struct arena *arena);

/**
 * What contradicts the rules at a complete walk's last frame, which has no caller: that the
 * stack ends there may be their fault. NULL where nothing contradicts them, or the function has no
 * caller.
 */
const char *
stack_end_contradicted(struct walk *walk, struct arena *arena, struct place *place);

#endif
