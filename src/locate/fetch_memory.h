/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_MEMORY_H
#define LOCATE_FETCH_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "locate/fetch.h"

/** What servers answered for as long as a run lasts; several fetchers and their threads share it. */

/** Bytes of what is said about an answer. */
#define FETCH_REASON_SIZE 256u

/**
 * How often a server failed, running: zero at first. It lives as long as the memory. NULL where
 * memory ends.
 */
atomic_uint *
fetch_memory_failures(struct fetch_memory *memory, const char *url);

/** Note that a URL was not answered with a file. */
void
fetch_memory_add(struct fetch_memory *memory, const char *url, enum fetch_answer answer,
		 const char *why);

/** Forget what a server answered, and how often it failed: somebody wants it asked again. */
void
fetch_memory_forget(struct fetch_memory *memory, const char *url);

/** What was noted of a URL; `why` has FETCH_REASON_SIZE bytes. False: nothing. */
bool
fetch_memory_find(struct fetch_memory *memory, const char *url, enum fetch_answer *answer,
		  char *why);

#endif
