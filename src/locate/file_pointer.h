/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FILE_POINTER_H
#define LOCATE_FILE_POINTER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A file.ptr of a symbol store of Windows, in place of a file: `PATH:` and where the file is, or
 * `MSG:` and why it is missing (Debugging Tools for Windows, symstore). It may come from a server,
 * so its path is used only if that was allowed.
 */

/** Bytes of a path with its terminator. */
#define FILE_POINTER_SIZE 4096u

/** Whether a path is a Windows path, with a drive or backslashes. */
bool
file_pointer_is_foreign(const char *path);

/**
 * Read the file.ptr at `path`. True: it leads to `target`, an absolute path of this system, and
 * `follow` allows that. Else `why` is the reason, printable.
 */
bool
file_pointer_read(const char *path, bool follow, char target[FILE_POINTER_SIZE], char *why,
		  size_t size);

#endif
