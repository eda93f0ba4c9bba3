/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_FUNCTION_STARTS_H
#define DEBUG_INFO_FUNCTION_STARTS_H

#include "binary/binary.h"
#include "crash/arch.h"

/**
 * Where functions begin, counted from the module's base: what a symbol file and the file that it
 * should be of have in common, whatever their identifiers say.
 */
struct function_starts {
	struct arena *arena;	/* of the list */
	uint64_t *list;		/* ascending and each once, after function_starts_sort */
	size_t count, capacity;
	bool memory_ended;	/* some are missing */
};

/** So few functions in common prove nothing. */
#define FUNCTION_STARTS_FEWEST 4u

void
function_starts_add(struct function_starts *starts, uint64_t address);

void
function_starts_sort(struct function_starts *starts);

bool
function_starts_has(const struct function_starts *starts, uint64_t address);

/**
 * Add those of .eh_frame_hdr (LSB, Exception Frames), which stripped files have as well, and
 * sort.
 */
void
function_starts_of_table(struct function_starts *starts, const struct binary *binary);

/** Add those of a file's symbol tables, and sort. */
void
function_starts_of_symbols(struct function_starts *starts, const struct binary *binary,
			   const struct arch *arch);

/** What two lists have in common. */
struct starts_compared {
	size_t compared;	/* functions of the shorter list */
	size_t same;		/* of those that the other one has as well */
	bool fits;		/* at least half of them */
	/* By how much all of `file` lie behind `own`; 0: by nothing constant */
	uint64_t behind;
};

/** Compare the functions of a symbol file with those of a binary; sorted lists. */
struct starts_compared
function_starts_compare(const struct function_starts *own, const struct function_starts *file);

/** Bytes that function_starts_distance fills at most. */
#define FUNCTION_STARTS_TEXT 64

/** "all records lie 0x10 bytes behind their code", in `buffer`, which is returned. */
const char *
function_starts_distance(uint64_t behind, char buffer[static FUNCTION_STARTS_TEXT]);

#endif
