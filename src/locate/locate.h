/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_LOCATE_H
#define LOCATE_LOCATE_H

#include "locate/binaries.h"

/**
 * The places that were searched for a module's symbol file and own files, and the file found at
 * each place.
 */

/** How a place is derived from the given paths: a row of way.def. */
enum locate_way {
#define W(id, name, words) LOCATE_##id,
#include "locate/way.def"
#undef W
	LOCATE_WAYS
};

/** The text that describes a way in reports. */
const char *
locate_way_words(enum locate_way way);

enum locate_outcome {
	LOCATE_NOT_THERE,
	LOCATE_REFUSED,
	LOCATE_FETCHED,			/* a server sent it to the directory of downloads */
	/* an image was requested, and this file has only debug information */
	LOCATE_ASIDE,
	LOCATE_USED,
};

/** A place that was searched. Texts live until the visitor returns. */
struct locate_place {
	enum locate_kind kind;
	enum locate_way way;
	enum locate_outcome outcome;
	const char *path;
	/* length of the searched directory, a prefix of `path`; 0: unknown */
	size_t directory_length;
	const char *why;		/* why the file was refused, or what it is; or NULL */
};

typedef void locate_visit(void *context, const struct locate_place *place);

/** A file that no search finds, though it differs little from the wanted file. */
struct locate_near_miss {
	const char *path;
	const char *what;		/* the difference */
	const char *help;
};

/** Near misses in the order of reports; their texts are in the arena. */
struct locate_near_list {
	struct arena *arena;
	struct locate_near_miss *items;
	size_t count, capacity;
};

/**
 * Visit the places searched so far for the files of loaded module `module`, in order. Only
 * binaries_load searches for files. Returns how many places are missing because the record was
 * full (LIMIT_BINARY_PLACES); 0 on NULL.
 */
size_t
binaries_places(const struct binaries *binaries, size_t module, locate_visit *visit,
		void *context);

/**
 * Find near misses of a loaded module's own files, an image or a debug file. Replaces the contents
 * of `list`. Its texts live as long as `binaries`.
 */
void
binaries_near_misses(struct binaries *binaries, size_t module, bool image, bool debug,
		     struct locate_near_list *list);

/** Whether a module's file of a kind was searched for. False on NULL. */
bool
binaries_looked(const struct binaries *binaries, size_t module, enum locate_kind kind);

#endif
