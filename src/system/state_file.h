/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_STATE_FILE_H
#define SYSTEM_STATE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Files that the explorer keeps in the user's directory from one session to the next, and that
 * several explorers may change at once: each locks the directory, reads a file, and writes it anew.
 */

/**
 * Lock `directory`, which is made if it is missing. Waits for half a second at most, then goes on
 * without the lock. Returns a descriptor whose close(2) ends the lock, or -1 if the directory
 * cannot be written.
 */
int
state_file_lock(const char *directory);

/**
 * Replace the file `path` as a whole by what `write` writes; readable for the user alone. Missing
 * directories are made. False: the old file is unchanged.
 */
bool
state_file_write(const char *path, void (*write)(void *context, FILE *file), void *context);

#endif
