/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_MAKE_H
#define LESSON_LESSON_MAKE_H

#include "report/step/export_case.h"

/**
 * Begin a lesson of one's own: one step of a crash as a case (export_case.h), and for it a file
 * `lesson` with tasks whose truth the engine has, and their `solution`. It can be done as it is,
 * and is meant to be changed.
 */
enum error_code
lesson_make(struct walk *walk, size_t frame, const char *directory, struct case_export *result,
	    struct error *error);

#endif
