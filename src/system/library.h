/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_LIBRARY_H
#define SYSTEM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Libraries that few runs need, loaded on demand: libcurl and its dependencies triple the start-up
 * time. A static program (LIBRARIES_LINKED) contains all but libcurl.
 */
struct library_function {
	const char *name;		/* NULL: the end of the list */
	size_t offset;		/* offset of its pointer in the caller's table */
};

/**
 * Fill `table` from the first library of `names` (up to NULL) that exists. It stays loaded; later
 * calls are cheap. False: no library exists, or it lacks a function.
 */
bool
library_load(const char *const *names, const struct library_function *functions, void *table);

#endif
