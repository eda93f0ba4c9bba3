/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_LOADER_H
#define UI_LOADER_H

#include "walk/walk.h"

/**
 * A walk that is made in the background, because the symbols it touches may take long to read.
 *
 * The thread hands over a finished walk, which nobody changes meanwhile; so nothing is
 * locked. While it runs, nobody else may load symbols or read their messages.
 */
struct loader;

/** Who wants a walk, and how much of it. */
struct loader_job {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* NULL: none */
	const struct policy *policy;
	size_t thread;
	size_t frames;			/* so many at first; the rest when it is asked for */
	void (*finished)(void *context);	/* called by the thread at its end; may be NULL */
	void *context;
};

/** Start a walk. NULL where there is no memory or no thread to be had. */
struct loader *
loader_start(const struct loader_job *job);

/** Wait until it is done, at most `milliseconds`; says whether it is. */
bool
loader_wait(struct loader *loader, unsigned milliseconds);

/** Take the walk of a loader that is done, and free the loader. NULL where memory ended. */
struct walk *
loader_take(struct loader *loader);

/** Milliseconds since it was started. */
unsigned
loader_age(const struct loader *loader);

#endif
