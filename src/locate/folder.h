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
 * The names in one directory, and the module of each symbol file among them.
 *
 * Names are sorted without regard to case. Names that differ only in case are sorted by their
 * bytes. So a search finds the same file every time.
 */

struct folder_entry {
	const char *name;
	bool folder;			/* a directory; false: a plain file */
	struct symbol_head head;	/* see folder_look */
	/* `listed`: a folder, program or PDB for near misses (near_miss.c) */
	bool listed, debug_only;
	struct binary_identity build;
};

struct folder {
	struct folder *next;		/* next in the list of folder_kept */
	char *path;
	struct arena arena;
	struct identity identity;	/* identity of the directory when it was read */
	struct folder_entry *entries;
	size_t count, capacity;
	bool headed;			/* every file's head was read */
	bool listed;			/* the programs' IDs were also read, for near misses */
	/*
	 * if `headed`: files with a MODULE record, sorted by its ID, then in the order of `entries`
	 */
	const struct folder_entry **by_id;
	size_t symbol_files;
	bool cut;			/* there are more names than are kept */
};

/** The names in a directory; NULL if it cannot be read. Free it with folder_free. */
struct folder *
folder_open(const char *path);

void
folder_free(struct folder *names);

/**
 * The names in a directory; NULL: it cannot be read. They stay in the list `all`, and are read
 * again only if the directory has changed. The next call may free them.
 */
struct folder *
folder_kept(struct folder **all, const char *path);

void
folder_free_all(struct folder **all);

/** Read the head of every plain file. */
void
folder_look(struct folder *names, const char *path);

/**
 * The index in `by_id` of the first file whose MODULE record has the ID `id`, ignoring case.
 * `*end` is the index after the last such file. Call it after folder_look.
 */
size_t
folder_with_id(const struct folder *names, const char *id, size_t *end);

/** The first entry with this name, ignoring case, or NULL. */
const struct folder_entry *
folder_named(const struct folder *names, const char *name);

#endif
