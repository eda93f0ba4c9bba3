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
 * The path of `name` among the user's files of a kind, in `arena`: `$XDG_STATE_HOME/name`, or
 * `~/.local/state/name` (XDG Base Directory Specification). NULL if the environment names no
 * directory, if the user's home does not exist, or when out of memory.
 */
const char *
directory_of_user(struct arena *arena, enum directory_kind kind, const char *name);

/** Whether `path` is a directory, or a link to one. */
bool
directory_exists(const char *path);

/**
 * Make the missing directories above the last '/' of `path`, with the rights `mode` less those of
 * the umask; in the sandbox through the broker. False, with errno for door_strerror, if one of them
 * cannot be made.
 */
bool
directory_make_above(const char *path, unsigned mode);

#endif
