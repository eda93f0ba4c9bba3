/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_FUNCTION_STARTS_H
#define DEBUG_INFO_FUNCTION_STARTS_H

#include "binary/binary.h"
#include "crash/arch.h"

/**
 * Start addresses of functions, relative to the module's base: a symbol file and its binary share
 * them, even if their identifiers differ.
 */
struct function_starts {
	struct arena *arena;
	uint64_t *list;		/* ascending without duplicates, after function_starts_sort */
	size_t count, capacity;
	bool memory_ended;	/* out of memory: some functions are missing */
};

/** Minimum number of functions for a comparison. */
#define FUNCTION_STARTS_FEWEST 4u

void
function_starts_add(struct function_starts *starts, uint64_t address);

void
function_starts_sort(struct function_starts *starts);

bool
function_starts_has(const struct function_starts *starts, uint64_t address);

/** Add the functions of .eh_frame_hdr (LSB), which stripped files also have, and sort. */
void
function_starts_of_table(struct function_starts *starts, const struct binary *binary);

/** Add the functions of a file's symbol tables, and sort. */
void
function_starts_of_symbols(struct function_starts *starts, const struct binary *binary,
			   const struct arch *arch);

struct starts_compared {
	size_t compared;	/* number of functions in the shorter list */
	size_t same;		/* number of functions that the longer list has, too */
	bool fits;		/* `same` is at least half of `compared` */
	/* constant distance from a function in `own` to the same function in `file`; 0: none */
	uint64_t behind;
};

/** Compare the functions of a symbol file with those of a binary; both lists are sorted. */
struct starts_compared
function_starts_compare(const struct function_starts *own, const struct function_starts *file);

/** Size of the buffer of function_starts_distance. */
#define FUNCTION_STARTS_TEXT 64

/** Writes "all records lie 0x10 bytes after their code" to `buffer` and returns it. */
const char *
function_starts_distance(uint64_t behind, char buffer[static FUNCTION_STARTS_TEXT]);

#endif
