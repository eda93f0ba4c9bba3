/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARIES_INTERNAL_H
#define LOCATE_BINARIES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "binary/binary_internal.h"
#include "locate/binary_places.h"
#include "locate/debug_links.h"
#include "locate/debuginfod.h"
#include "crash/module_map.h"

/**
 * How a module's files are looked for: where in a directory one may be, how it is known to be the
 * module's, and what is noted of it.
 */

/** Bytes of a name or an id in a message. */
#define BINARIES_SHOWN 128u

enum binaries_match {
	BINARIES_MATCH_NO,
	BINARIES_MATCH_YES,
	BINARIES_MATCH_UNCHECKED,	/* the dump says nothing of the id */
};

/** Whether a file with an id is the module's; what was wanted and what was found as text. */
enum binaries_match
binaries_match(const struct crash *crash, const struct module *module, enum binary_format format,
	       const char *id, char wanted[BINARIES_SHOWN], char found[BINARIES_SHOWN]);

/** A module's build id, where the dump has the whole of it: lower-case hex, or "". */
const char *
binaries_build_id(const struct crash *crash, const struct module *module);

/* Paths ---------------------------------------------------------------------------------------- */

/** What paths are made of. */
struct binaries_subject {
	const struct module *module;
	const char *build_id;		/* of the file that is looked for, in hex; "": not known */
	const char *link;		/* what another file calls it; NULL: nothing */
};

/** A place in a directory: a row of a table, the surest first. */
struct binaries_layout {
	enum binaries_kind kind;
	enum binaries_way way;
	bool linked;			/* under the name in a .gnu_debuglink */
	const char *pattern;
};

extern const struct binaries_layout binaries_layouts[];
extern const size_t binaries_layout_count;

/** The path that a pattern makes under a directory, to be freed; NULL where it does not count. */
char *
binaries_path(const struct binaries_subject *subject, const char *directory, const char *pattern);

/**
 * The path that a relative link of a file makes, without "..", to be freed. NULL where the link is
 * absolute, goes down before it goes up, or leads out of `root`, a directory that the file is below
 * (NULL: then it may not go up at all).
 */
char *
binaries_relative_path(const char *file, const char *root, const char *link);

/** Whether a name from a file is safe as one component of a path. */
bool
binaries_safe_name(const char *name);

/* The record ----------------------------------------------------------------------------------- */

/** Bytes of a note's reason. */
#define BINARIES_WHY 320u

/** What is found out of a place while it is looked at. */
struct binaries_note {
	enum binaries_way way;
	enum binaries_outcome outcome;
	const struct binaries_layout *layout;	/* the place is this row's; NULL: `path` says it */
	const char *directory;		/* of a row; lives as long as the binaries */
	const char *path;
	char why[BINARIES_WHY];		/* safe to print; "": nothing to say */
};

struct binaries_entry;
struct binary_survey;
struct binaries_listed;

/** The places where one file of one module was looked for; never changes once it was. */
struct binaries_record {
	struct binaries_subject subject;	/* of all rows */
	struct binaries_entry *entries;
	size_t count, capacity;
	size_t missed;			/* for want of memory */
};

/** Keep a note in the record; texts are copied to `arena`, whose limit bounds all records. */
void
binaries_note_keep(struct binaries_record *record, struct arena *arena,
		   const struct binaries_note *note);

/** Refuse: the rest says why, made safe to print. */
void
binaries_note_refuse(struct binaries_note *note, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Tell the places of one record. */
void
binaries_record_tell(const struct binaries_record *record, enum binaries_kind kind,
		     binaries_visit *visit, void *context);

/* All ------------------------------------------------------------------------------------------ */

/** What was given: a directory, or one file. */
struct binaries_root {
	const char *path;
	bool is_file;
	bool by_id;			/* of this machine: only what has the wanted id counts */
	const char *id;			/* of a file; NULL: it cannot be used */
	const char *problem;		/* why nothing can be found there; NULL: something can */
};

/** The files of one module; set before `done` says so. */
struct binaries_slot {
	atomic_bool done[BINARIES_KINDS];
	bool searched[BINARIES_KINDS];	/* in what was given; servers may have it all the same */
	bool answered[BINARIES_KINDS];	/* no server is asked for it any more */
	struct binary *image;
	struct binary *stripped;	/* found where an image was looked for, without its code */
	struct binary *debug;
	struct binary *mini;
	struct binary *supplement;
	struct binaries_record records[BINARIES_KINDS];
	_Atomic(const struct binary_survey *) survey;	/* NULL: nobody asked */
};

struct binaries {
	const struct crash *crash;
	struct module_map map;
	struct binaries_root *roots;
	size_t root_count;
	struct debuginfod *servers;	/* NULL: nobody is asked */
	struct binaries_slot *slots;	/* one a loaded module */
	bool given;			/* a module's file was handed over */
	struct sframes *sframes;
	struct frame_tables *frame_tables;
	struct debug_info *debug_info;
	struct arena arena;
	struct arena places;		/* of the records */
	struct binaries_listed *listed;	/* entries of the directories; see is_listed */
	size_t listed_count, listed_capacity;
	bool is_listed;
	size_t near_left;		/* paths that may still be tried for near misses */
	struct message_list messages;
	pthread_mutex_t mutex;		/* all but a slot that is done */
};

/** What is looked for, for which module. */
struct binaries_search {
	struct binaries *binaries;
	struct binaries_slot *slot;
	struct binaries_record *record;
	struct binaries_subject subject;
	enum binaries_kind kind;
	bool by_id;			/* in a directory where only that counts */
	bool whole;			/* what is cut short does not count */
	const struct debug_link *link;	/* whose name and checksum count; NULL: none */
};

/** Text from a file, in a buffer of BINARIES_SHOWN bytes, safe to print. */
const char *
binaries_shown(char *buffer, const char *text);

/** A message that a file cannot be read. */
void
binaries_report_unreadable(struct binaries *binaries, const char *path, const char *reason);

/**
 * Open a path for a module; NULL where nothing is there, or what is there is not the module's.
 * The note gets what is there and why it is refused, which is a message, too.
 */
struct binary *
binaries_open_matching(const struct binaries_search *search, const char *path,
		       struct binaries_note *note);

/** A kind's file of a slot; a debug file may be the image. */
const struct binary *
binaries_slot_file(const struct binaries_slot *slot, enum binaries_kind kind);

/** Add files of the module that are nearly where they would be found. Under the lock. */
void
binaries_find_near(struct binaries *binaries, size_t module, struct binary_survey *survey);

/** Look at one place, note what is there, and return it where it is what is looked for. */
struct binary *
binaries_look_at(const struct binaries_search *search, const char *path,
		 struct binaries_note *note);

/** Look for the file of search->kind and set it in the slot; of a kind behind those it wants. */
void
binaries_find(struct binaries_search *search);

/** The debug file that the image names: beside it, else in what was given. */
struct binary *
binaries_find_linked(struct binaries_search search);

/** An image knows its build id where a dump has only the first bytes of it. */
void
binaries_learn_build_id(struct binaries_search *search);

/** The search for a module's file of a kind. */
struct binaries_search
binaries_search_for(struct binaries *binaries, size_t module, enum binaries_kind kind);

/** Whether what was found of a kind, searched already, is all that anybody wants. */
bool
binaries_is_enough(const struct binaries_slot *slot, enum binaries_kind kind);

/** Look in what was given for a module's file of a kind, behind those that it wants. */
void
binaries_load_given(struct binaries *binaries, size_t module, enum binaries_kind kind);

#endif
