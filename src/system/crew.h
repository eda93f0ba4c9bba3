/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include <stddef.h>

/** The number of processors; at least 1, at most `most`. */
unsigned
crew_size(unsigned most);

/**
 * Call `work` for each of `items`, in their order, by up to `members` threads, and return when all
 * are done. The calling thread is member 0. If threads cannot be started, there are fewer members.
 */
void
crew_run(size_t members, size_t items, void (*work)(void *context, size_t member, size_t item),
	 void *context);

#endif
