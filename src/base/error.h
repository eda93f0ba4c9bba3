/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/compiler.h"
#include "base/place.h"

/**
 * Failures with their place in the input.
 *
 * A function that can fail returns an `enum error_code` and takes the caller's
 * `struct error` as its last argument. Nothing in it is allocated, so it can
 * report that memory ran out. Text is lower case, without a full stop, and says
 * what is wrong first; `hint` says what was done instead or what would help.
 */
enum error_code {
	ERROR_NONE = 0,
	ERROR_IO,		/* the operating system refused */
	ERROR_MEMORY,		/* an allocation or a limit of ours */
	ERROR_FORMAT,		/* the bytes are not what the format says */
	ERROR_NOT_FOUND,	/* a clean "no", not a failure to show by itself */
	ERROR_CANCELLED,	/* the user stopped it */
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

/** What every allocation that failed says. */
#define OUT_OF_MEMORY "out of memory"

/** Say that memory ran out, of which no place in an input is the cause. Returns ERROR_MEMORY. */
enum error_code
error_memory(struct error *error);

/** Add what helps to an error that is set. */
void
error_hint(struct error *error, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

#endif
