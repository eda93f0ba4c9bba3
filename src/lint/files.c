/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "lint/lint.h"

/* Many symbol files: read by all processors, reported in their order. */

enum {
	AHEAD = 64,		/* files read ahead of the first unreported one */
	MOST_THREADS = 16,
};

struct lint_file_crew {
	const struct gathered_files *paths;
	const struct lint_options *options;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, told;		/* file to read next, file to report next */
	struct {
		struct lint lint;
		bool ready;
	} files[AHEAD];
};

/* Reads the next file, if any and if not too far ahead; false: none. */
static bool
work_on_one(struct lint_file_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->next < crew->paths->count && crew->next >= crew->told + AHEAD)
		pthread_cond_wait(&crew->changed, &crew->lock);
	const size_t mine = crew->next;
	const bool more = mine < crew->paths->count;
	crew->next += more;
	pthread_mutex_unlock(&crew->lock);
	if (!more)
		return false;
	struct lint *lint = &crew->files[mine % AHEAD].lint;
	struct error error;
	/* An unreadable file is a finding. */
	if (lint_file(lint, crew->paths->list[mine], crew->options, &error) != ERROR_NONE)
		lint_unreadable(lint, error.text);
	pthread_mutex_lock(&crew->lock);
	crew->files[mine % AHEAD].ready = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return true;
}

static void *
files_work(void *context)
{
	while (work_on_one(context))
		;
	return NULL;
}

bool
lint_files(const struct gathered_files *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct lint_file_crew *crew = calloc(1, sizeof(*crew));
	pthread_t threads[MOST_THREADS];
	size_t started = 0;

	if (crew == NULL)
		return false;
	crew->paths = paths;
	crew->options = options;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	/* A single file is split among threads by its reader, if large. */
	while (paths->count > 1 && started < MOST_THREADS && (long)started < processors &&
	       pthread_create(&threads[started], NULL, files_work, crew) == 0)
		started++;
	for (size_t i = 0; i < paths->count; i++) {
		if (started == 0)
			work_on_one(crew);
		pthread_mutex_lock(&crew->lock);
		while (!crew->files[i % AHEAD].ready)
			pthread_cond_wait(&crew->changed, &crew->lock);
		pthread_mutex_unlock(&crew->lock);
		tell(context, i, &crew->files[i % AHEAD].lint);
		lint_free(&crew->files[i % AHEAD].lint);
		pthread_mutex_lock(&crew->lock);
		crew->files[i % AHEAD].ready = false;
		crew->told++;
		pthread_cond_broadcast(&crew->changed);
		pthread_mutex_unlock(&crew->lock);
	}
	while (started > 0)
		pthread_join(threads[--started], NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return true;
}
