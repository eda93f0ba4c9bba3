/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_BOTTOM_H
#define WALK_BOTTOM_H

#include "crash/memory.h"
#include "crash/module_map.h"

/**
 * Where the frames of a thread's stack end.
 *
 * A system puts something of its own at the bottom of a stack, above the first frame:
 * the kernel the program's arguments, environment and auxiliary vector, a C library the
 * block that describes the thread. Words there may well look like return addresses; none
 * is one.
 */
enum bottom_kind {
	BOTTOM_UNKNOWN,
	BOTTOM_ARGUMENTS,
	BOTTOM_THREAD,
};

struct stack_bottom {
	enum bottom_kind kind;
	uint64_t address;		/* no frame lies at or above it; counts unless unknown */
	uint64_t entry;			/* where the process began to run (AT_ENTRY); 0: unknown */
};

/**
 * Look for the bottom of the stack that `sp` points into.
 *
 * The auxiliary vector is known by its structure: pairs of a small type and a value, among
 * them the page size, the size of a program header, and an entry point in a module (Linux,
 * uapi/linux/auxvec.h; the words before it: System V ABI, process initialization). glibc's
 * thread block is known by its two pointers to itself on x86, and elsewhere by its
 * description of the stack that it stands on (nptl/descr.h: stackblock, stackblock_size).
 */
void
stack_bottom_find(struct stack_bottom *bottom, const struct arch *arch,
		  const struct memory_view *memory, const struct module_map *modules, uint64_t sp);

/** What stands there, in words: "the program's arguments". */
const char *
stack_bottom_words(const struct stack_bottom *bottom);

#endif
