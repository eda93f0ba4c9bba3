/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SHELF_H
#define LOCATE_SHELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "system/identity.h"
#include "system/inflate.h"

/**
 * The names in one directory, and which modules the files among them say they are for.
 *
 * Names are in the order of their letters whatever their case, and of their bytes where those
 * are one, so that a search finds the same file every time.
 */

/* What the first bytes of a file say. */
struct shelf_head {
	bool read;			/* they could be read */
	bool empty, utf16;
	enum inflate_kind kind;		/* how the file is compressed */
	const struct foreign *foreign;	/* what it is instead; NULL: nobody knows */
	const char *id, *name;		/* of its MODULE record; NULL: it has none there */
};

struct shelf_entry {
	const char *name;
	bool folder;			/* else a plain file */
	bool looked;			/* `head` is there */
	struct shelf_head head;
};

struct shelf {
	struct arena arena;
	struct identity identity;	/* of the directory when it was read */
	struct shelf_entry *entries;
	size_t count, capacity;
	bool headed;			/* every file has been looked into */
	bool cut;			/* there are more names than are kept */
};

/** The names in a directory; NULL where it can't be read. Free it with shelf_free. */
struct shelf *
shelf_open(const char *path);

/** The same directory as it is now: `shelf`, if that still is what stands there. */
struct shelf *
shelf_renew(struct shelf *shelf, const char *path);

void
shelf_free(struct shelf *shelf);

/** Look into every plain file. */
void
shelf_look(struct shelf *shelf, const char *path);

/** The first entry of this name, whatever the case of its letters; NULL: none. */
const struct shelf_entry *
shelf_named(const struct shelf *shelf, const char *name);

/** Read what the first bytes of a plain file say; texts live in `arena`. */
void
shelf_head_read(struct shelf_head *head, const char *path, struct arena *arena);

#endif
