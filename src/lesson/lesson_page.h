/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_PAGE_H
#define LESSON_LESSON_PAGE_H

#include "base/output.h"
#include "lesson/scene.h"

/**
 * A lesson as one self-contained page of HTML, for slides and paper: its cards, questions and
 * hints. Drawings of frames are folded, because they show the answers.
 */
void
lesson_page(const struct output *output, const struct lesson *lesson, struct lesson_scene *scene);

#endif
