/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "lint/lint.h"
#include "system/crew.h"

/* Many symbol files: read by all processors, reported in their order. */

enum {
	AHEAD = 64,		/* files read ahead of the first unreported one */
	MOST_THREADS = 16,
};

struct lint_file_crew {
	const struct gathered_files *paths;
	const struct lint_options *options;
	void (*tell)(void *context, size_t index, const struct lint *lint);
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t told;			/* file to report next */
	struct {
		struct lint lint;
		bool ready;
	} files[AHEAD];
};

/* Reads a file, then reports all that are next. */
static void
read_file(void *context, size_t member, size_t item)
{
	struct lint_file_crew *crew = context;
	struct lint *lint = &crew->files[item % AHEAD].lint;
	struct error error;

	(void)member;
	pthread_mutex_lock(&crew->lock);
	while (item >= crew->told + AHEAD)
		pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	/* An unreadable file is a finding. */
	if (lint_file(lint, crew->paths->list[item], crew->options, &error) != ERROR_NONE)
		lint_unreadable(lint, error.text);
	pthread_mutex_lock(&crew->lock);
	crew->files[item % AHEAD].ready = true;
	for (; crew->files[crew->told % AHEAD].ready; crew->told++) {
		lint = &crew->files[crew->told % AHEAD].lint;
		crew->tell(crew->context, crew->told, lint);
		lint_free(lint);
		crew->files[crew->told % AHEAD].ready = false;
	}
	pthread_cond_broadcast(&crew->changed);
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
	crew_run(crew_size(MOST_THREADS), paths->count, read_file, crew);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return true;
}
