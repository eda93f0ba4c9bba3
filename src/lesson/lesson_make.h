/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_MAKE_H
#define LESSON_LESSON_MAKE_H

#include "report/step/export_case.h"

/**
 * Create a lesson: one step of a crash as a case (export_case.h), with a file `lesson` of tasks
 * whose truth the engine computes, and their `solution`. It works as it is and is meant to be
 * edited.
 */
enum error_code
lesson_make(struct walk *walk, size_t frame, const char *directory, struct case_export *result,
	    struct error *error);

#endif
