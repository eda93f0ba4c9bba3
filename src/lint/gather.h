/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LINT_GATHER_H
#define LINT_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/** Paths of files, in an arena. */
struct gathered_files {
	const char **list;
	size_t count, capacity;
	bool directories;		/* some files were found in directories */
};

/** Whether a file found in a directory is to be included. */
typedef bool gather_wanted(const char *path, const char *name);

/** Symbol files: *.sym, also compressed. */
gather_wanted gather_symbol_files;

/** Programs and libraries, by their first bytes. */
gather_wanted gather_modules;

/**
 * Find the given files, and the wanted files below given directories, sorted by name; links to
 * directories are not followed. Texts are in `arena`. False when out of memory or at
 * LIMIT_LINT_FILES.
 */
bool
gather_files(struct arena *arena, const char *const *given, size_t count, gather_wanted *wanted,
	     struct gathered_files *files);

#endif
