/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_PATH_H
#define LOCATE_SYMBOL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/**
 * The symbol path of Windows debuggers, as in _NT_SYMBOL_PATH (Debugging Tools for Windows, "Symbol
 * path for Windows debuggers"). Semicolons separate its elements. Each is a directory, a URL, or:
 *
 *	srv*STORE*STORE*STORE-OR-URL	stores to the left keep files from the right
 *	symsrv*symsrv.dll*...		like srv*...
 *	cache*STORE			keeps files of the elements after it
 */

enum symbol_path_kind {
	SYMBOL_PATH_DIRECTORY,
	SYMBOL_PATH_STORE,		/* files are found by ID only */
	SYMBOL_PATH_SERVER,
};

struct symbol_path_part {
	enum symbol_path_kind kind;
	const char *text;		/* a path or a URL */
	const char *cache;		/* directory for a server's files; NULL: none given */
};

struct symbol_path {
	struct symbol_path_part *parts;	/* in the order of a search */
	size_t count, capacity;
};

/** Whether a text is a URL or an element with a '*', and not just a directory. */
bool
symbol_path_recognise(const char *text);

/** Add a part unless it is a duplicate. Its texts are borrowed. False when out of memory. */
bool
symbol_path_add(struct symbol_path *path, struct arena *arena, enum symbol_path_kind kind,
		const char *text, const char *cache);

/**
 * Parse a symbol path and add each of its parts once to `path`. Texts live in `arena`. Stores come
 * before the servers whose files they keep. A store with a Windows path is added, but never used as
 * a cache. False when out of memory.
 */
bool
symbol_path_parse(struct symbol_path *path, const char *text, struct arena *arena);

/**
 * A file.ptr in a Windows symbol store replaces a file. It has `PATH:` and the file's path, or
 * `MSG:` and why the file is missing (Debugging Tools for Windows, symstore). Because it may come
 * from a server, its path is used only if that was allowed.
 */

/** Bytes of a path with its terminator. */
#define FILE_POINTER_SIZE 4096u

/** Whether a path is a Windows path, with a drive or backslashes. */
bool
file_pointer_is_foreign(const char *path);

/**
 * Read the file.ptr at `path`. True: `follow` allows it, and `target` is the file's absolute path
 * on this system. False: `why` is the printable reason.
 */
bool
file_pointer_read(const char *path, bool follow, char target[FILE_POINTER_SIZE], char *why,
		  size_t size);

#endif
