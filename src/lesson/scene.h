/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_SCENE_H
#define LESSON_SCENE_H

#include "inspect/surroundings.h"
#include "lesson/lesson.h"

/** The crash of a lesson, walked without edits, and the current card's place in it. */
struct lesson_scene {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;
	struct surroundings *around;
	struct policy policy;
	struct walk **walks;		/* one for each thread, made on first use */
	struct walk *walk;		/* walk of the card's thread */
	size_t thread;			/* its number in the walk's output */
	size_t frame;			/* the card's frame, whose registers expressions use */
};

/**
 * Begin at the first frame of thread `thread` (index in crash->threads). All but the walks is
 * borrowed. False when out of memory; lesson_scene_close is needed in any case.
 */
bool
lesson_scene_open(struct lesson_scene *scene, struct surroundings *around,
		  const struct policy *policy, size_t thread);

void
lesson_scene_close(struct lesson_scene *scene);

/**
 * Go to the place in the `at` of a card: "thread 2; frame 1", also with "goto". Without a place,
 * stay. False: the crash has no such thread or frame, or memory ran out.
 */
bool
lesson_scene_go(struct lesson_scene *scene, const struct lesson_card *card);

#endif
