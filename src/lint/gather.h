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
	bool directories;		/* some were found in directories */
};

/** Whether a file below a directory is one of those that are looked for. */
typedef bool gather_wanted(const char *path, const char *name);

/** Symbol files: *.sym, also compressed. */
gather_wanted gather_symbol_files;

/** Programs and libraries, by their first bytes. */
gather_wanted gather_modules;

/**
 * The files of some paths, and of directories those below them that are looked for, in the order of
 * their names; links to directories are not followed. Texts go to `arena`. False when out of
 * memory or at LIMIT_LINT_FILES.
 */
bool
gather_files(struct arena *arena, const char *const *given, size_t count, gather_wanted *wanted,
	     struct gathered_files *files);

#endif
