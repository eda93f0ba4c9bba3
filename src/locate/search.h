/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SEARCH_H
#define LOCATE_SEARCH_H

#include <sys/stat.h>

#include "locate/layout.h"

/**
 * One search for one file of one module: the rows of the layouts in each place that was given, in
 * order, until one has the file.
 */

/** A place to search: a directory, or one file. */
struct locate_root {
	const char *path;
	const char *problem;		/* why nothing can be found there; NULL: something can */
	bool is_file;
	bool kept;			/* downloads of servers lie there */
	/* Given for another purpose: a missing file is not reported */
	bool quiet;
	/* Only rows with this flag (enum layout_flag); 0: all. LAYOUT_SYSTEM: a directory of this
	 * machine, where a file counts only if it has the wanted ID */
	unsigned layouts;
	const char *id, *name;		/* that a symbol file says it has; NULL: not known */
	struct binary_identity build;	/* that a module's own file has */
};

/** A root of a path, which is borrowed; texts go to `arena`. */
struct locate_root
locate_root_open(const char *path, struct arena *arena);

/** Why nothing can be found in the root that was given as `path`; NULL: something can. */
const char *
locate_roots_problem(const struct locate_root *roots, size_t count, const char *path);

/** Whether a root is this file or directory, however its path is written. */
bool
locate_root_is(const struct locate_root *root, const struct stat *status);

/** Bytes of a note's reason. */
#define LOCATE_WHY 320u

/** The result of a look at a place. */
struct locate_note {
	enum locate_way way;
	enum locate_outcome outcome;
	const struct locate_layout *layout;	/* the place is this row's; NULL: `path` says it */
	const char *directory;		/* of a row; lives as long as what was given */
	const char *path;
	char why[LOCATE_WHY];		/* safe to print; "": nothing to say */
};

/** A place in a record: a note that is kept. */
struct locate_kept {
	const struct locate_layout *layout;	/* NULL: `path` is the whole */
	const char *path;		/* else the directory of the row */
	const char *why;		/* NULL: nothing to say */
	uint8_t way, outcome;
};

/** The places of one search for one file. */
struct locate_record {
	enum locate_kind kind;
	struct arena *arena;		/* texts of the places */
	struct locate_subject subject;	/* makes the paths of all rows */
	struct locate_kept *places;
	size_t count, capacity;
	size_t missed;			/* not kept: LIMIT_SPLIT_PLACES, or out of memory */
};

/** Keep a note in a record; nothing happens on NULL. */
void
locate_keep(struct locate_record *record, const struct locate_note *note);

/** Visit the places of a record in order. */
void
locate_visit_all(const struct locate_record *record, locate_visit *visit, void *context);

/** Refuse: the rest says why, made safe to print. */
void
locate_note_refuse(struct locate_note *note, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Add a message that `path` gives no symbols, or no code. Paths hold names from dumps. */
void
locate_report_unreadable(struct message_list *messages, enum message_kind kind, const char *path,
			 const char *reason);

/** How a search uses a root. */
enum locate_entry {
	LOCATE_PASS,
	LOCATE_ENTER,			/* a directory to look through */
	LOCATE_FOUND,			/* it is itself what is looked for */
};

/** A search for a file of one module, under the lock of the set. */
struct locate_search {
	struct locate_root *roots;
	size_t root_count;
	struct folder **folders;	/* directories that were read; see folder_kept */
	struct locate_subject subject;
	enum locate_kind kind;
	struct locate_record *record;	/* NULL: places are not kept */
	bool linked;			/* rows with LAYOUT_LINKED, and no others */
	bool quiet;			/* the root that is looked through is */
	bool first_only;		/* only the first row of the kind */
	enum locate_entry (*enter)(struct locate_search *search, struct locate_root *root);
	/* Look at note->path; true: it is what is looked for. The note gets what is there. */
	bool (*look)(struct locate_search *search, struct locate_note *note);
	/* Look at all files of a directory, for rows with LAYOUT_LISTED. */
	bool (*list)(struct locate_search *search, struct locate_root *root);

	/* A symbol file */
	struct symbols *symbols;
	bool silent;			/* adds no messages */
	char *path;			/* where it was found, to be freed; NULL: nowhere */
	struct stat status;		/* describes the file there */

	/* A module's own file */
	struct binaries *binaries;
	struct binaries_slot *slot;
	bool by_id;			/* in a directory where only that counts */
	bool whole;			/* truncated files do not count */
	const struct debug_link *link;	/* whose name and checksum count; NULL: none */
	const struct binaries_split *split;	/* the unit; NULL: packages of them */
	struct binary *found;
};

/** Look at one place and keep the note. */
bool
locate_look(struct locate_search *search, struct locate_note *note);

/**
 * Look at what the rows make of one directory, whose name lives as long as what was given; `root`
 * is NULL if the directory is not one of the search's.
 */
bool
locate_in(struct locate_search *search, const char *directory, struct locate_root *root);

/** Look in all that was given. */
bool
locate_run(struct locate_search *search);

#endif
