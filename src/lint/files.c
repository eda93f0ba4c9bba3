/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "lint/lint.h"
#include "system/crew.h"

/* Many symbol files: read by all processors, reported in their order. */

enum {
	AHEAD = 64,		/* files read ahead of the first unreported one */
	MOST_READERS = 16,
};

struct lint_file_crew {
	const struct gathered_files *paths;
	const struct lint_options *options;
	void (*tell)(void *context, size_t index, const struct lint *lint);
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, told;		/* file to read next, file to report next */
	struct {
		struct lint lint;
		bool ready;
	} files[AHEAD];
};

/* Reads the next file. The lock is held before and after, but not during it. */
static void
read_next(struct lint_file_crew *crew)
{
	const size_t mine = crew->next++;
	struct lint *lint = &crew->files[mine % AHEAD].lint;
	struct error error;

	pthread_mutex_unlock(&crew->lock);
	/* An unreadable file is a finding. */
	if (lint_file(lint, crew->paths->list[mine], crew->options, &error) != ERROR_NONE)
		lint_unreadable(lint, error.text);
	pthread_mutex_lock(&crew->lock);
	crew->files[mine % AHEAD].ready = true;
	pthread_cond_broadcast(&crew->changed);
}

/* Reports all files, each read by the first thread itself if no other has begun. */
static void
tell_files(struct lint_file_crew *crew)
{
	for (; crew->told < crew->paths->count; crew->told++) {
		struct lint *lint = &crew->files[crew->told % AHEAD].lint;
		bool *ready = &crew->files[crew->told % AHEAD].ready;

		if (crew->next == crew->told)
			read_next(crew);
		while (!*ready)
			pthread_cond_wait(&crew->changed, &crew->lock);
		pthread_mutex_unlock(&crew->lock);
		crew->tell(crew->context, crew->told, lint);
		lint_free(lint);
		pthread_mutex_lock(&crew->lock);
		*ready = false;
		pthread_cond_broadcast(&crew->changed);
	}
}

/* The first thread reports files, the others read them. */
static void
work(void *context, size_t member)
{
	struct lint_file_crew *crew = context;

	pthread_mutex_lock(&crew->lock);
	if (member == 0)
		tell_files(crew);
	while (crew->next < crew->paths->count)
		if (crew->next < crew->told + AHEAD)
			read_next(crew);
		else
			pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

bool
lint_files(const struct gathered_files *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context)
{
	struct lint_file_crew *crew = calloc(1, sizeof(*crew));

	if (crew == NULL)
		return false;
	crew->paths = paths;
	crew->options = options;
	crew->tell = tell;
	crew->context = context;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	/* A single file is split among threads by its reader, if large. */
	crew_run(paths->count > 1 ? 1 + crew_size(MOST_READERS) : 1, work, crew);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return true;
}
