/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_SCENE_H
#define LESSON_SCENE_H

#include "inspect/surroundings.h"
#include "lesson/lesson.h"

/**
 * The crash of a lesson, walked without any edit, and where in it a card stands.
 */
struct lesson_scene {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;
	struct surroundings *around;
	struct policy policy;
	struct walk **walks;		/* a thread each, made when they are needed */
	struct walk *walk;		/* of the card's thread */
	size_t thread;			/* its number, as walks print it */
	size_t frame;			/* of the card: expressions use its registers */
};

/**
 * Begin at the first frame of thread `thread` (index in crash->threads). All is borrowed but the
 * walks. False when out of memory; lesson_scene_close is due in any case.
 */
bool
lesson_scene_open(struct lesson_scene *scene, struct surroundings *around,
		  const struct policy *policy, size_t thread);

void
lesson_scene_close(struct lesson_scene *scene);

/**
 * Go where the `at` of a card goes: "thread 2; frame 1", also with "goto". Stays where nothing is
 * said. False: the crash has no such thread or frame, or memory ran out.
 */
bool
lesson_scene_go(struct lesson_scene *scene, const struct lesson_card *card);

#endif
