/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_DIRECTORY_H
#define SYSTEM_DIRECTORY_H

#include <stdbool.h>

#include "base/arena.h"

/** Directories for a user's files, and missing parent directories of a new file. */
enum directory_kind {
	DIRECTORY_CACHE,
	DIRECTORY_CONFIG,
	DIRECTORY_STATE,
};

/**
 * The path of `name` in the user's directory of a kind, for example `$XDG_STATE_HOME/name` or
 * `~/.local/state/name` (XDG Base Directory Specification). The path is in `arena`. NULL if the
 * environment names no directory, if the user's home does not exist, or when out of memory.
 */
const char *
directory_of_user(struct arena *arena, enum directory_kind kind, const char *name);

/** Whether `path` is a directory, or a link to one. */
bool
directory_exists(const char *path);

/**
 * Make the missing directories above the last '/' of `path`. Their rights are `mode` less the
 * umask. In the sandbox, the broker makes them. False, with errno for door_strerror, on failure.
 */
bool
directory_make_above(const char *path, unsigned mode);

#endif
