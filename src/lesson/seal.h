/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_SEAL_H
#define LESSON_SEAL_H

#include "base/output.h"
#include "lesson/scene.h"

/**
 * Put digests into a lesson in the place of truths that can be read in it.
 *
 * `check set seal 1 4` becomes `check set sealed DIGEST`. The truth of a walk is what the answers
 * in the file `solution` beside the lesson come to.
 */

/** A truth that was sealed. */
struct seal_note {
	const char *task;
	const char *truth;		/* what its digest is of */
};

/**
 * Write the lesson's file with its truths sealed. `notes` (as many as it has cards) says which, in
 * `arena`; `*count` how many. Fails with a place where one cannot be sealed.
 */
enum error_code
seal_lesson(const struct lesson *lesson, struct lesson_scene *scene, const struct output *output,
	    struct arena *arena, struct seal_note *notes, size_t *count, struct error *error);

#endif
