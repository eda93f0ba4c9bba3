/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CONTRADICTED_H
#define ANALYSIS_CONTRADICTED_H

#include "walk/walk.h"

/** Frames of a walk compared with other sources: a recursion repeats few addresses. */
#define CONTRADICTED_FRAMES 256u

/**
 * How another available source contradicts the source of frame `number`: the rules of another table
 * for the same address, the code of the function, or the call before the return address. A sentence
 * in `arena` that may hold bytes of inputs; NULL: no contradiction. Guesses are not compared.
 * `*place` (may be NULL) is set to the record that was used, or to the call. The modules' own files
 * are opened if needed.
 */
const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place);

/** The contradiction by the code alone; NULL: it agrees, or is not conclusive. */
const char *
frame_contradicted_by_code(struct walk *walk, size_t number, struct arena *arena);

/**
 * The contradiction of the rules at a complete walk's last frame, which may be the reason why the
 * stack ends there. NULL if nothing contradicts them, or the function has no caller.
 */
const char *
stack_end_contradicted(struct walk *walk, struct arena *arena, struct place *place);

#endif
