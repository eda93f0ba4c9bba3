/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include <stdbool.h>
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

/** Largest number of items between the first unfinished one and the last that is begun. */
#define CREW_MOST_AHEAD 64u

/**
 * Like crew_run(), and call `finish` for each item after its work, one at a time and in the order
 * of the items, in any of the threads. An item is begun only if it is less than `ahead` (at most
 * CREW_MOST_AHEAD) after the first unfinished one, so item % ahead is a free index for its result.
 * False: no lock could be made.
 */
bool
crew_run_in_order(size_t members, size_t items, size_t ahead,
		  void (*work)(void *context, size_t item),
		  void (*finish)(void *context, size_t item), void *context);

#endif
