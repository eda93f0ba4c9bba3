/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/stack/walk_text.h"

static bool
select_thread(struct lesson_scene *scene, size_t thread)
{
	if (scene->walks == NULL || thread >= scene->crash->thread_count)
		return false;
	if (scene->walks[thread] == NULL)
		scene->walks[thread] = walk_create(scene->crash, scene->symbols, scene->binaries,
						   thread, &scene->policy);
	scene->walk = scene->walks[thread] != NULL ? scene->walks[thread] : scene->walk;
	scene->frame = 0;
	return scene->walks[thread] != NULL;
}

/* Select a thread by its index, or by its number in the walk's output. */
static bool
go_to_thread(struct lesson_scene *scene, size_t wanted, bool by_index)
{
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	bool found = false;

	const size_t count = walk_text_threads(scene->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		found = (by_index ? threads[i].index : threads[i].number) == wanted &&
			select_thread(scene, threads[i].index);
		scene->thread = found ? threads[i].number : scene->thread;
	}
	arena_free(&arena);
	return found;
}

bool
lesson_scene_open(struct lesson_scene *scene, struct surroundings *around,
		  const struct policy *policy, size_t thread)
{
	*scene = (struct lesson_scene){
		.crash = around->crash, .symbols = around->symbols, .around = around,
		.binaries = around->binaries, .policy = *policy,
		.walks = calloc(around->crash->thread_count + 1, sizeof(struct walk *)),
	};
	return go_to_thread(scene, thread, true);
}

void
lesson_scene_close(struct lesson_scene *scene)
{
	for (size_t i = 0; scene->walks != NULL && i < scene->crash->thread_count; i++)
		walk_free(scene->walks[i]);
	free(scene->walks);
	*scene = (struct lesson_scene){ 0 };
}


bool
lesson_scene_go(struct lesson_scene *scene, const struct lesson_card *card)
{
	const char *at = card->at.text;
	bool there = true;

	while (*at != '\0') {
		unsigned number;

		at += strspn(at, " \t;");
		if (strncmp(at, "goto ", 5) == 0)
			at += 5;
		if (sscanf(at, "thread %6u", &number) == 1)
			there &= go_to_thread(scene, number, false);
		if (sscanf(at, "frame %6u", &number) == 1) {
			walk_run(scene->walk, (size_t)number + 1);
			there &= number < scene->walk->count;
			scene->frame = number;
		}
		at += strcspn(at, ";");
	}
	return there;
}
