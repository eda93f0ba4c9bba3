/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_MEMORY_USED_H
#define CRASH_MEMORY_USED_H

#include "base/hash.h"
#include "crash/memory.h"

/**
 * What every byte of a crash's memory was used for, gathered by a log. It takes a page of
 * its own for each page that was used at all.
 */
struct memory_used {
	struct memory_log log;
	struct arena *arena;
	struct hash pages;
	/* Of the pages, in order once memory_used_sort was called */
	uint64_t *numbers;
	size_t count, capacity;
	bool failed;			/* out of memory: uses are missing */
};

/** Uses equal in kind of bytes one after the other. */
struct memory_used_range {
	uint64_t address, size;
	enum memory_use use;
};

void
memory_used_init(struct memory_used *used, struct arena *arena);

void
memory_used_free(struct memory_used *used);

/** Bring what was gathered in order; then ranges can be asked for. */
void
memory_used_sort(struct memory_used *used);

/**
 * The first range of used bytes at or above `address` that ends before `end`; cut at both. False
 * where there is none.
 */
bool
memory_used_next(const struct memory_used *used, uint64_t address, uint64_t end,
		 struct memory_used_range *range);

#endif
