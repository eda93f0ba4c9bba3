/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_SEAL_H
#define LESSON_SEAL_H

#include "base/output.h"
#include "lesson/scene.h"

/**
 * Replace readable truths in a lesson by digests.
 *
 * `check set seal 1 4` becomes `check set sealed DIGEST`. The truth of a walk is the result of the
 * answer in the lesson's file `solution`.
 */

/** A sealed truth. */
struct seal_note {
	const char *task;
	const char *truth;		/* the text of the digest */
};

/**
 * Write the lesson's file with its truths sealed. Stores those in `notes` (room for one per card,
 * texts in `arena`) and their number in `*count`. Fails with a place if one cannot be sealed.
 */
enum error_code
seal_lesson(const struct lesson *lesson, struct lesson_scene *scene, const struct output *output,
	    struct arena *arena, struct seal_note *notes, size_t *count, struct error *error);

#endif
