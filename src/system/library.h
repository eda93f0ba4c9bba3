/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_LIBRARY_H
#define SYSTEM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Libraries that few runs need, loaded when one does: libcurl and what comes with it make a start
 * three times as long.
 */
struct library_function {
	const char *name;
	size_t offset;		/* of the pointer to it in the caller's table */
};

/**
 * Fill `table` from the first of `names` (up to NULL) that is there. It stays loaded; to ask again
 * costs little. False where there is none, or a function is missing in it.
 */
bool
library_load(const char *const *names, const struct library_function *functions, size_t count,
	     void *table);

#endif
