/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/loader.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/compiler.h"
#include "debug_info/binary_survey.h"

/* Largest number of files read at once; several threads read a large one. */
#define LOADER_THREADS 4u

/* Jobs for a module; a job's number is module * JOBS + kind. The last job is a source. */
enum { SYMBOLS, FILES, JOBS };

#define SOURCE_SIZE 4096u

struct loader {
	struct symbols *symbols;
	struct binaries *binaries;	/* NULL: none */
	size_t count;			/* number of possible jobs */
	void (*finished)(void *context);
	void *context;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t *queue;			/* jobs in the order of the requests, a ring of `count` */
	size_t asked, taken;		/* number of jobs queued and of jobs begun so far */
	bool *known;			/* for each job: it is or was in the queue */
	const struct module *module;	/* module of the last job's source */
	char source[SOURCE_SIZE];
	bool stopped;
	unsigned active;		/* running threads; each ends when no job is left */
};

struct loader *
loader_create(struct symbols *symbols, struct binaries *binaries, size_t count,
	      void (*finished)(void *context), void *context)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	pthread_condattr_t attributes;

	if (loader == NULL)
		return NULL;
	*loader = (struct loader){ .symbols = symbols, .binaries = binaries,
				   .count = count * JOBS + 1, .finished = finished,
				   .context = context };
	loader->queue = calloc(loader->count, sizeof(*loader->queue));
	loader->known = calloc(loader->count, sizeof(*loader->known));
	pthread_mutex_init(&loader->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&loader->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (loader->queue != NULL && loader->known != NULL)
		return loader;
	loader_free(loader);
	return NULL;
}

/* Call with the lock, which is released while a file is read. */
static void
read_next(struct loader *loader)
{
	const size_t job = loader->queue[loader->taken++ % loader->count], module = job / JOBS;
	struct binaries *binaries = loader->binaries;
	const bool is_source = job + 1 == loader->count;

	pthread_mutex_unlock(&loader->mutex);
	if (is_source)
		symbols_find_source(loader->symbols, loader->module, text_of(loader->source), true);
	else
		symbols_load(loader->symbols, module);
	/*
	 * A module's files are surveyed after its symbols, unless reading the symbols was stopped.
	 */
	if (!is_source && job % JOBS == FILES && symbols_settled(loader->symbols, module))
		binaries_survey(binaries, module);
	pthread_mutex_lock(&loader->mutex);
	if (is_source)
		loader->known[job] = false;
	/* loader_free is called only when no thread is active, so the loader still exists. */
	loader->finished(loader->context);
}

static void *
loader_work(void *argument)
{
	struct loader *loader = argument;

	pthread_mutex_lock(&loader->mutex);
	while (!loader->stopped && loader->taken < loader->asked)
		read_next(loader);
	loader->active--;
	pthread_cond_broadcast(&loader->changed);
	pthread_mutex_unlock(&loader->mutex);
	return NULL;
}

void
loader_use_binaries(struct loader *loader, struct binaries *binaries)
{
	pthread_mutex_lock(&loader->mutex);
	loader->binaries = binaries;
	pthread_mutex_unlock(&loader->mutex);
}

/*
 * Start a thread that handles no signals except its own faults; threads that it starts inherit
 * this. The explorer's handlers may leave by siglongjmp (prompt_interrupt), and code that blocks
 * signals (signals_restore_with) relies on no other thread handling them.
 */
static bool
start_thread(struct loader *loader)
{
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t blocked, before;

	sigfillset(&blocked);
	for (size_t i = 0; i < ARRAY_COUNT(faults); i++)
		sigdelset(&blocked, faults[i]);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	const bool started = pthread_create(&thread, &attributes, loader_work, loader) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

/* Queue a new job; call with the lock. */
static void
add_job(struct loader *loader, size_t job)
{
	loader->known[job] = true;
	loader->queue[loader->asked++ % loader->count] = job;
	if (loader->active < LOADER_THREADS && start_thread(loader))
		loader->active++;
	/* If no thread could be started, the caller reads. */
	while (loader->active == 0 && loader->taken < loader->asked)
		read_next(loader);
}

void
loader_ask(struct loader *loader, size_t module, bool files)
{
	const size_t job = module * JOBS + (files ? FILES : SYMBOLS);

	pthread_mutex_lock(&loader->mutex);
	if (job + 1 < loader->count && !loader->known[job] && !loader->stopped)
		add_job(loader, job);
	pthread_mutex_unlock(&loader->mutex);
}

bool
loader_ask_source(struct loader *loader, const struct module *module, struct text path)
{
	pthread_mutex_lock(&loader->mutex);
	const bool asked = path.length < sizeof(loader->source) && !loader->stopped &&
			   !loader->known[loader->count - 1];
	if (asked) {
		loader->module = module;
		snprintf(loader->source, sizeof(loader->source), "%.*s", (int)path.length,
			 path.start);
		add_job(loader, loader->count - 1);
	}
	pthread_mutex_unlock(&loader->mutex);
	return asked;
}

static bool
is_idle(const struct loader *loader)
{
	return loader->active == 0 && (loader->stopped || loader->taken == loader->asked);
}

bool
loader_wait(struct loader *loader, unsigned milliseconds)
{
	struct timespec until;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)milliseconds * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&loader->mutex);
	while (!is_idle(loader) && result == 0)
		result = pthread_cond_timedwait(&loader->changed, &loader->mutex, &until);
	const bool idle = is_idle(loader);
	pthread_mutex_unlock(&loader->mutex);
	return idle;
}

bool
loader_is_busy(struct loader *loader)
{
	return !loader_wait(loader, 0);
}

void
loader_stop(struct loader *loader)
{
	symbols_stop(loader->symbols, true);
	pthread_mutex_lock(&loader->mutex);
	loader->stopped = true;
	pthread_mutex_unlock(&loader->mutex);
}

void
loader_resume(struct loader *loader)
{
	pthread_mutex_lock(&loader->mutex);
	for (size_t i = 0; i < loader->count; i++)
		loader->known[i] = false;
	/* The queue has been emptied, so it has room for a stopped job that is requested again. */
	loader->asked = loader->taken = 0;
	loader->stopped = false;
	pthread_mutex_unlock(&loader->mutex);
	symbols_stop(loader->symbols, false);
}

void
loader_free(struct loader *loader)
{
	if (loader == NULL)
		return;
	pthread_cond_destroy(&loader->changed);
	pthread_mutex_destroy(&loader->mutex);
	free(loader->queue);
	free(loader->known);
	free(loader);
}
