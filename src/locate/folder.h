/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FOLDER_H
#define LOCATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "binary/binary.h"
#include "system/file.h"
#include "locate/symbol_head.h"

/**
 * The names in one directory, and which modules the files among them say they are for.
 *
 * Names are in the order of their letters whatever their case, and of their bytes where those
 * are one, so that a search finds the same file every time.
 */

struct folder_entry {
	const char *name;
	bool folder;			/* else a plain file */
	struct symbol_head head;	/* see folder_look */
	/* The program or PDB that it is, or a folder, if near misses count it (near_miss.c) */
	bool listed, debug_only;
	struct binary_identity build;
};

struct folder {
	struct folder *next;		/* another directory that is kept; see folder_kept */
	char *path;
	struct arena arena;
	struct identity identity;	/* of the directory when it was read */
	struct folder_entry *entries;
	size_t count, capacity;
	bool headed;			/* every file has been looked into */
	bool listed;			/* programs among them, too, for near misses */
	/* Then: files with a MODULE record, by its id and then as they are in `entries`. */
	const struct folder_entry **by_id;
	size_t symbol_files;
	bool cut;			/* there are more names than are kept */
};

/** The names in a directory; NULL where it can't be read. Free it with folder_free. */
struct folder *
folder_open(const char *path);

void
folder_free(struct folder *names);

/**
 * The names in a directory, which stay in the list `all` and are read again only if the directory
 * has changed; NULL: it cannot be read. The next call may free them.
 */
struct folder *
folder_kept(struct folder **all, const char *path);

/** Free all directories of a list. */
void
folder_free_all(struct folder **all);

/** Look into every plain file. */
void
folder_look(struct folder *names, const char *path);

/**
 * Of a folder that was looked into: where in `by_id` the files begin whose MODULE record has an id,
 * whatever the case of its digits; `*behind` is where they end.
 */
size_t
folder_with_id(const struct folder *names, const char *id, size_t *behind);

/** The first entry of this name, whatever the case of its letters; NULL: none. */
const struct folder_entry *
folder_named(const struct folder *names, const char *name);

#endif
