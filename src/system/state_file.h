/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_STATE_FILE_H
#define SYSTEM_STATE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Files that the explorer keeps in the user's directory from session to session. Several explorers
 * may change them at once: each locks the directory, reads a file, and writes it anew.
 */

/**
 * Lock `directory`. Makes the directory if it is missing. Waits for half a second at most, then
 * goes on without the lock. Returns a descriptor whose close(2) ends the lock, or -1 if the
 * directory cannot be written.
 */
int
state_file_lock(const char *directory);

/**
 * Replace the file `path` as a whole by the output of `write`. Only the user can read the file.
 * Makes missing directories. False: the old file is unchanged.
 */
bool
state_file_write(const char *path, void (*write)(void *context, FILE *file), void *context);

#endif
