/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_MINIDUMP_WRITE_H
#define DUMP_MINIDUMP_WRITE_H

#include "crash/crash.h"

/**
 * Writing a small minidump of one thread with its registers, some memory, some modules.
 *
 * It has only the data for walking a stack: the given registers of a context, and a module's place
 * and identity, under its file's name without a path.
 */
struct minidump_memory {
	uint64_t base;
	const uint8_t *bytes;
	size_t size;
};

struct minidump_plan {
	const struct crash *crash;		/* gives system, byte order and modules */
	const struct crash_context *like;	/* gives the layout and flags of the context */
	const struct registers *registers;
	uint32_t thread_id;
	struct minidump_memory stack;
	const struct minidump_memory *memory;	/* without the stack, by base */
	size_t memory_count;
	const size_t *modules;			/* indexes in crash->modules */
	size_t module_count;
	const struct crash_exception *exception;	/* NULL: none */
};

/**
 * The bytes of the dump, in `arena`. ERROR_FORMAT if the context has no layout that can be written,
 * ERROR_MEMORY.
 */
enum error_code
minidump_write(const struct minidump_plan *plan, struct arena *arena, uint8_t **bytes,
	       size_t *size, struct error *error);

#endif
