/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_LIBRARY_H
#define SYSTEM_LIBRARY_H

#include <config.h>

#include <stdbool.h>
#include <stddef.h>

/**
 * Libraries that few runs need, loaded on demand: libcurl and its dependencies triple the start-up
 * time, capstone has 77,000 relocations, and only the explorer needs curses and readline. A static
 * program (LIBRARIES_LINKED) contains all but libcurl.
 */
struct library_function {
	const char *name;		/* NULL: the end of the list */
	size_t offset;		/* offset of the pointer in the caller's table */
};

/** The names of a library's file, for a version of its interface. */
#define LIBRARY_FILES(name, version) \
	name ".so." LIBRARY_DIGITS(version), name "." LIBRARY_DIGITS(version) ".dylib"
#define LIBRARY_DIGITS(version) LIBRARY_DIGITS_OF(version)
#define LIBRARY_DIGITS_OF(version) #version

/**
 * A list SYMBOLS(S) has S(NAME) for each function and variable of a library that is used. Then
 * `static struct { SYMBOLS(LIBRARY_POINTER) } lib;` is the table of their addresses, and
 * LIBRARY_FILL(SYMBOLS, "libNAME", VERSION) fills it, with the result of library_load.
 */
#define LIBRARY_POINTER(name) __typeof__(name) *name;
#ifdef LIBRARIES_LINKED
#define LIBRARY_LINKED(name) .name = &name,
#define LIBRARY_FILL(SYMBOLS, file, version) \
	(lib = (__typeof__(lib)){ SYMBOLS(LIBRARY_LINKED) }, true)
#else
#define LIBRARY_ROW(name) { #name, offsetof(__typeof__(lib), name) },
#define LIBRARY_FILL(SYMBOLS, file, version)                                             \
	library_load((const char *const[]){ LIBRARY_FILES(file, version), NULL },        \
		     (const struct library_function[]){ SYMBOLS(LIBRARY_ROW){ NULL, 0 } }, &lib)
#endif

/**
 * Fill `table` from the first library of `names` (up to NULL) that exists. It stays loaded; later
 * calls are cheap. False: no library exists, or it lacks a function.
 */
bool
library_load(const char *const *names, const struct library_function *functions, void *table);

#endif
