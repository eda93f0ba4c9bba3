/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_CHECK_WALK_H
#define LESSON_CHECK_WALK_H

#include "lesson/check_answer.h"
#include "walk/overlay.h"

/**
 * Walks with the edits of an answer, which are written as the explorer's commands.
 */

/**
 * Make a walk with the edits of an answer's commands, `*walk` (walk_free), with its edits in
 * `arena`. On failure the sentence is in `error`.
 */
enum error_code
check_walk_edited(const struct lesson_scene *scene, struct text answer, struct arena *arena,
		  struct walk **walk, const struct overlay **overlay, struct error *error);

/**
 * All frames of the walk with the edits of an answer as text that does not depend on load
 * addresses: modules, offsets of code and stack, and the calls by their names in symbol files.
 * Lives in try->arena; NULL with the error set.
 */
const char *
check_walk_answer(const struct check_try *try, struct error *error);

/** The commands of an overlay, as an answer: "frame 1; set-register rbp 7ffe10". In `arena`. */
const char *
check_walk_commands(const struct overlay *overlay, const struct walk *walk, struct arena *arena);

#endif
