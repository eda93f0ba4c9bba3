/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include <stddef.h>

/** The number of processors; at least 1, at most `most`. */
unsigned
crew_size(unsigned most);

/**
 * Call `work` in `count` threads, and return when all have ended. The calling thread is member 0.
 * If a thread cannot be started, there are fewer members, so they take their work from a queue.
 */
void
crew_run(size_t count, void (*work)(void *context, size_t member), void *context);

#endif
