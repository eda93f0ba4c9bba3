/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include <stdbool.h>
#include <stddef.h>

/** The number of processors; at least 1, at most `most`. */
unsigned
crew_size(unsigned most);

/**
 * Call `work` for each item from 0, in order, in up to `members` threads. Returns when all are
 * done. The calling thread is member 0. If threads cannot be started, there are fewer members.
 */
void
crew_run(size_t members, size_t items, void (*work)(void *context, size_t member, size_t item),
	 void *context);

/** Maximum of `ahead` in crew_run_in_order(). */
#define CREW_MOST_AHEAD 64u

/**
 * Like crew_run(), but also call `finish` for each item after its work. Calls of `finish` are made
 * in the order of the items, one at a time, in any thread. An item begins only if it is less than
 * `ahead` items (at most CREW_MOST_AHEAD) after the first unfinished item. So item % ahead is a
 * free index for its result. False: no lock could be made.
 */
bool
crew_run_in_order(size_t members, size_t items, size_t ahead,
		  void (*work)(void *context, size_t item),
		  void (*finish)(void *context, size_t item), void *context);

#endif
