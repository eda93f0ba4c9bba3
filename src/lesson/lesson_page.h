/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_PAGE_H
#define LESSON_LESSON_PAGE_H

#include "base/output.h"
#include "lesson/scene.h"

/**
 * A lesson as one page of HTML that needs no other file, for slides and paper: its cards, questions
 * and hints. Frames are drawn in folded parts, since a drawing has the answers.
 */
void
lesson_page(const struct output *output, const struct lesson *lesson, struct lesson_scene *scene);

#endif
