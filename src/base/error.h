/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/compiler.h"
#include "base/place.h"

/**
 * Failures with their place in the input. A function that can fail returns an `enum error_code` and
 * takes the caller's `struct error` as its last argument. A `struct error` needs no allocation, so
 * it can report "out of memory".
 *
 * Text is lower case, without a full stop, and begins with the problem; `hint` says what was done
 * instead or what would help.
 */
enum error_code {
	ERROR_NONE = 0,
	ERROR_IO,		/* refused by the operating system */
	ERROR_MEMORY,		/* out of memory, or over a limit */
	ERROR_FORMAT,		/* the bytes violate the format */
	ERROR_NOT_FOUND,	/* the answer is "no"; the caller decides whether to report it */
	ERROR_CANCELLED,	/* stopped by the user */
};

struct error {
	enum error_code code;
	struct place place;
	char text[256];
	char hint[160];
};

/** Fill `error` and return `code`, so that a caller can return it. `error` may be NULL. */
enum error_code
error_set(struct error *error, enum error_code code, struct place place, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** error_set() for an error without a place. */
#define error_plain(error, code, ...) error_set((error), (code), (struct place){ 0 }, __VA_ARGS__)

/** The text of every failed allocation. */
#define OUT_OF_MEMORY "out of memory"

/** The text for a file that exceeds LIMIT_PLAIN_FILE. */
#define TOO_LARGE "too large: more than 16 GiB"

/** Report "out of memory", which has no place in an input. Returns ERROR_MEMORY. */
enum error_code
error_memory(struct error *error);

/** Add a remedy to an error that is set. */
void
error_hint(struct error *error, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

#endif
