/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/loader.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct loader {
	struct loader_job job;
	struct walk *walk;
	struct timespec started;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool done;
};

static void *
work(void *argument)
{
	struct loader *loader = argument;
	const struct loader_job *job = &loader->job;

	loader->walk = walk_create(job->crash, job->symbols, job->binaries, job->thread,
				   job->policy);
	if (loader->walk != NULL)
		walk_run(loader->walk, job->frames);
	pthread_mutex_lock(&loader->mutex);
	loader->done = true;
	pthread_cond_signal(&loader->changed);
	/* Whoever takes the loader waits for this thread, so it is still there. */
	if (job->finished != NULL)
		job->finished(job->context);
	pthread_mutex_unlock(&loader->mutex);
	return NULL;
}

struct loader *
loader_start(const struct loader_job *job)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	pthread_condattr_t attributes;

	if (loader == NULL)
		return NULL;
	loader->job = *job;
	clock_gettime(CLOCK_MONOTONIC, &loader->started);
	pthread_mutex_init(&loader->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&loader->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (pthread_create(&loader->thread, NULL, work, loader) == 0)
		return loader;
	pthread_cond_destroy(&loader->changed);
	pthread_mutex_destroy(&loader->mutex);
	free(loader);
	return NULL;
}

bool
loader_wait(struct loader *loader, unsigned milliseconds)
{
	struct timespec until;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&loader->mutex);
	while (!loader->done && result == 0)
		result = pthread_cond_timedwait(&loader->changed, &loader->mutex, &until);
	bool done = loader->done;
	pthread_mutex_unlock(&loader->mutex);
	return done;
}

struct walk *
loader_take(struct loader *loader)
{
	struct walk *walk;

	pthread_join(loader->thread, NULL);
	walk = loader->walk;
	pthread_cond_destroy(&loader->changed);
	pthread_mutex_destroy(&loader->mutex);
	free(loader);
	return walk;
}

unsigned
loader_age(const struct loader *loader)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - loader->started.tv_sec) * 1000 +
			  (now.tv_nsec - loader->started.tv_nsec) / 1000000);
}
