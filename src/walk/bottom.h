/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_BOTTOM_H
#define WALK_BOTTOM_H

#include "crash/memory.h"
#include "crash/module_map.h"

/**
 * The end of a thread's frames on its stack.
 *
 * The system keeps data at the bottom of a stack, above the outermost frame. The kernel puts the
 * program's arguments, environment and auxiliary vector there; a C library puts the block there
 * that describes the thread. Words in these data may look like return addresses by chance.
 */
enum bottom_kind {
	BOTTOM_UNKNOWN,
	BOTTOM_ARGUMENTS,
	BOTTOM_THREAD,
};

struct stack_bottom {
	enum bottom_kind kind;
	uint64_t address;		/* no frame is at or above it; valid if `kind` is known */
	uint64_t entry;			/* where the process began to run (AT_ENTRY); 0: unknown */
};

/**
 * Find the bottom of the stack that `sp` points into.
 *
 * The auxiliary vector is recognised by its pairs of a small type and a value. They include the
 * page size, the size of a program header, and an entry point in a module (Linux,
 * uapi/linux/auxvec.h). The words before it follow the System V ABI, process initialization.
 * glibc's thread block is recognised on x86 by its two pointers to itself, and elsewhere by its
 * description of the stack that contains it (nptl/descr.h: stackblock, stackblock_size).
 */
void
stack_bottom_find(struct stack_bottom *bottom, const struct arch *arch,
		  const struct memory_view *memory, const struct module_map *modules, uint64_t sp);

/** The kind of the bottom in words: "the program's arguments". */
const char *
stack_bottom_words(const struct stack_bottom *bottom);

#endif
