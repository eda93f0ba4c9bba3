/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_MEMORY_USED_H
#define CRASH_MEMORY_USED_H

#include "base/hash.h"
#include "crash/memory.h"

/**
 * The uses of every byte of a crash's memory, collected by a log. Takes a page of memory for each
 * used page.
 */
struct memory_used {
	struct memory_log log;
	struct arena *arena;
	struct hash pages;		/* freed by the owner */
	/* Numbers of the pages, sorted by memory_used_sort */
	uint64_t *numbers;
	size_t count, capacity;
	bool failed;			/* out of memory: uses are missing */
};

/** Consecutive bytes with the same use. */
struct memory_used_range {
	uint64_t address, size;
	enum memory_use use;
};

void
memory_used_init(struct memory_used *used, struct arena *arena);

/** Sort the collected pages; required before memory_used_next. */
void
memory_used_sort(struct memory_used *used);

/**
 * The first range of used bytes at or above `address` that begins before `end`; cut at both. False:
 * none.
 */
bool
memory_used_next(const struct memory_used *used, uint64_t address, uint64_t end,
		 struct memory_used_range *range);

#endif
