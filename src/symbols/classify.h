/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_CLASSIFY_H
#define SYMBOLS_CLASSIFY_H

#include <stddef.h>
#include <stdint.h>

/**
 * Finds the lines of a symbol file that the index needs.
 *
 * Nine of ten lines are line records and inlined calls, which are read on request for their
 * function. Vector compares recognise them by their first bytes, so that the pass over the file
 * only stops at the other lines.
 */

/* Bytes that one word of a mask stands for. */
#define CLASSIFY_WORD ((size_t)64)
/* Readable bytes that must follow the last word; their values do not matter. */
#define CLASSIFY_BEHIND ((size_t)64)

/* Bytes that change how a file is read, as far as they were seen. */
enum classify_odd {
	CLASSIFY_RETURN = 1,	/* a carriage return */
	CLASSIFY_NUL = 2,
	CLASSIFY_FF = 4,
};

/** The counts of a run of bytes. */
struct classified {
	uint64_t lines;		/* newlines */
	unsigned odd;		/* enum classify_odd */
};

/**
 * For `words` times CLASSIFY_WORD bytes: bit i of newlines[w] is set where byte i of word w is a
 * newline; the same bit of events[w] where the line after it begins neither with a digit
 * as line records have it (0 to 9, a to f) nor with "INLINE ".
 */
typedef struct classified
classify_function(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events);

/** One implementation. All give the same answer. */
struct classifier {
	const char *name;	/* the instructions: "avx2", "plain" */
	classify_function *run;
};

/** The implementations for this machine, fastest first; the last one is plain C. */
const struct classifier *
classifiers(size_t *count);

#endif
