/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_HEAP_FIND_H
#define INSPECT_HEAP_FIND_H

#include "crash/heap.h"
#include "locate/binaries.h"

/**
 * Find the heap of glibc in a crash of a 64-bit processor or of x86. Files of `binaries` (may be
 * NULL) may give the version of glibc and the address of its variable main_arena. NULL: no heap was
 * found, or out of memory. The heap lives in `arena` and borrows `memory`.
 */
const struct heap *
heap_find(const struct crash *crash, const struct memory_view *memory, struct binaries *binaries,
	  struct arena *arena);

/** The first module with the file name of an allocator other than glibc's; NULL: none. */
const struct module *
heap_other_allocator(const struct crash *crash);

#endif
