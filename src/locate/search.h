/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SEARCH_H
#define LOCATE_SEARCH_H

#include <sys/stat.h>

#include "locate/layout.h"

/**
 * A search for one file of one module. It tries the rows of the layouts in each given place, in
 * order, until a row leads to the file.
 */

/** A place to search: a directory, or one file. */
struct locate_root {
	const char *path;
	const char *problem;		/* why the place cannot be used; NULL: it can */
	bool is_file;
	bool kept;			/* the directory holds downloads from servers */
	/* Given for another purpose: a missing file is not reported */
	bool quiet;
	/* Search only rows with this flag (enum layout_flag); 0: all. LAYOUT_SYSTEM: a directory of
	 * this machine; a file there must have the wanted ID */
	unsigned layouts;
	const char *id, *name;		/* from a symbol file's MODULE record; NULL: unknown */
	struct binary_identity build;	/* identity of a module's own file */
	bool program;			/* the module may be the program (binary_is_program) */
	bool shared;			/* a supplement or a package, which names no module */
	/* Name of the module that the user gave the file for; or NULL */
	const char *as;
};

/** Make a root for a path, which is borrowed. Texts go to `arena`. */
struct locate_root
locate_root_open(const char *path, struct arena *arena);

/** Why the root given as `path` cannot be used; NULL: it can. */
const char *
locate_roots_problem(const struct locate_root *roots, size_t count, const char *path);

/** Whether a root is this file or directory, under any spelling of its path. */
bool
locate_root_is(const struct locate_root *root, const struct stat *status);

/** Bytes of a note's reason. */
#define LOCATE_WHY 320u

/** A place that a search checked, and the result. */
struct locate_note {
	enum locate_way way;
	enum locate_outcome outcome;
	const struct locate_layout *layout;	/* row of the place; NULL: `path` is the place */
	const char *directory;		/* directory of a row; lives as long as the given paths */
	const char *path;
	char why[LOCATE_WHY];		/* safe to print; "": no reason */
};

/** The places of one search for one file. */
struct locate_record {
	enum locate_kind kind;
	struct arena *arena;		/* texts of the places */
	struct locate_place *places;
	size_t count, capacity;
	/* Number of notes lost beyond LIMIT_SPLIT_PLACES or for lack of memory */
	size_t missed;
};

/** Keep a note in a record; harmless on NULL. */
void
locate_keep(struct locate_record *record, const struct locate_note *note);

/** Visit the places of a record in order. */
void
locate_visit_all(const struct locate_record *record, locate_visit *visit, void *context);

/** Refuse a file; `format` is the reason, made safe to print. */
void
locate_note_refuse(struct locate_note *note, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Add a message that `path` is unreadable. Both texts are made printable. */
void
locate_report_unreadable(struct message_list *messages, enum message_kind kind, const char *path,
			 const char *reason);

/** How a search uses a root. */
enum locate_entry {
	LOCATE_PASS,
	LOCATE_ENTER,			/* a directory to search */
	LOCATE_FOUND,			/* the root itself is the requested file */
};

/** A search for a file of one module. The lock of the set is held. */
struct locate_search {
	struct locate_root *roots;
	size_t root_count;
	struct folder **folders;	/* directories that were read; see folder_kept */
	struct locate_subject subject;
	enum locate_kind kind;
	struct locate_record *record;	/* NULL: places are not kept */
	bool linked;			/* search only rows with LAYOUT_LINKED */
	bool quiet;			/* `quiet` of the current root */
	bool first_only;		/* search only the first row of the kind */
	enum locate_entry (*enter)(struct locate_search *search, struct locate_root *root);
	/* Check note->path; true: it is the requested file. Sets the note's result. */
	bool (*look)(struct locate_search *search, struct locate_note *note);
	/* Check all files of a directory, for rows with LAYOUT_LISTED. */
	bool (*list)(struct locate_search *search, struct locate_root *root);

	/* Used to search for a symbol file */
	struct symbols *symbols;
	bool silent;			/* adds no messages */
	char *path;			/* path of the file found, to be freed; NULL: none */
	struct stat status;

	/* Used to search for a module's own file */
	struct binaries *binaries;
	struct binaries_slot *slot;
	bool by_id;			/* the directory's files are used by ID only */
	bool forced;			/* the current root is for one module (`as`) */
	bool whole;			/* refuse truncated files */
	const struct debug_link *link;	/* name and checksum that the file needs; NULL: none */
	const struct binaries_split *split;	/* wanted unit; NULL: find packages */
	struct binary *found;
};

/** Check one place and keep the note. */
bool
locate_look(struct locate_search *search, struct locate_note *note);

/** locate_look() at a path that does not come from a row. `path` is freed; false on NULL. */
bool
locate_look_at(struct locate_search *search, enum locate_way way, char *path);

/**
 * Search one directory by all rows. Its name must live as long as the given paths. `root` is NULL
 * if the directory is not one of the search's roots.
 */
bool
locate_in(struct locate_search *search, const char *directory, struct locate_root *root);

/** Search all given places. */
bool
locate_run(struct locate_search *search);

#endif
