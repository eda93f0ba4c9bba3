/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARIES_INTERNAL_H
#define LOCATE_BINARIES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "binary/binary.h"
#include "locate/debug_links.h"
#include "locate/fetch.h"
#include "locate/search.h"
#include "crash/module_map.h"

/** The files of the modules of one crash: what is kept of each, and how one is known. */

enum binaries_match {
	BINARIES_MATCH_NO,
	BINARIES_MATCH_YES,
	BINARIES_MATCH_UNCHECKED,	/* the dump says nothing of the id */
};

struct binaries;

/**
 * Whether a file is the build that was loaded as the module; what was wanted and what was found as
 * text. Under the lock.
 */
enum binaries_match
binaries_match(const struct binaries *binaries, const struct module *module,
	       struct binary_identity build, char wanted[LOCATE_SHOWN], char found[LOCATE_SHOWN]);

/** Set what the module's PDB is kept under, if it may have one. Under the lock. */
void
binaries_name_pdb(struct binaries *binaries, const struct module *module,
		  struct locate_subject *subject);

/** A copy of what says which build a file is. */
struct binary_identity
binaries_copy_identity(const struct binary *binary, struct arena *arena);

/** A module's build id, where the dump has the whole of it: lower-case hex, or "". */
const char *
binaries_build_id(const struct crash *crash, const struct module *module);

/** Readers that were made. */
struct binaries_readers {
	struct binaries *binaries;
	pthread_mutex_t mutex;		/* while one is made */
	_Atomic(struct binaries_reader *) made[BINARIES_ROOMS];
};

/* All ------------------------------------------------------------------------------------------ */

/** The files of one module; set before `done` says so. */
struct binaries_slot {
	atomic_bool done[LOCATE_OWN_KINDS];
	/* In what was given; servers may have it all the same */
	bool searched[LOCATE_OWN_KINDS];
	bool answered[LOCATE_OWN_KINDS];	/* no server is asked for it any more */
	struct binary *files[LOCATE_OWN_KINDS];
	struct binary *stripped;	/* found where an image was looked for, without its code */
	struct binary **split;		/* with units of split DWARF: packages, then others */
	size_t split_count, split_capacity, package_count;
	bool packaged;			/* packages were looked for */
	unsigned split_missing;		/* units that were found nowhere */
	struct locate_record records[LOCATE_OWN_KINDS];
};

struct binaries {
	const struct crash *crash;
	struct module_map map;
	struct locate_root *roots;
	size_t root_count, root_capacity;
	struct folder *folders;		/* their directories, and others, that were read */
	struct fetcher **fetchers;	/* servers, asked in this order; its own */
	size_t fetcher_count, fetcher_capacity;
	bool follow;			/* paths in file.ptr */
	struct binaries_slot *slots;	/* one a loaded module */
	bool given;			/* a module's file was handed over */
	bool inside;			/* nothing is opened where it was compiled */
	struct binaries_readers *readers;
	struct arena arena;
	struct arena places;		/* of the records */
	size_t near_left;		/* paths that may still be tried for near misses */
	_Atomic(uint64_t) code_run;	/* instructions that walks have run */
	uint64_t code_most;
	struct message_list messages;
	pthread_mutex_t mutex;		/* all but a slot that is done */
};

/** How the files of a kind are found: a row of binaries_kinds. */
struct binaries_kind_row {
	/* The kind of file that names this one; the kind itself: none does */
	enum locate_kind namer;
	/* Look in what was given; NULL for LOCATE_SPLIT (binaries_find_split) */
	struct binary *(*find)(struct locate_search *search);
	/* Whether no server has to be asked after that; NULL: none has such files */
	bool (*is_enough)(const struct binaries_slot *slot);
	/* Whether a file at a path is the one that is looked for */
	bool (*belongs)(const struct locate_search *search, const struct binary *binary,
			const char *path, struct locate_note *note);
};

extern const struct binaries_kind_row binaries_kinds[LOCATE_OWN_KINDS];

/** Checks of binaries_kind_row.belongs; a file that is refused is a message. */
bool
binaries_is_of_module(const struct locate_search *search, const struct binary *binary,
		      const char *path, struct locate_note *note);

bool
binaries_is_supplement(const struct locate_search *search, const struct binary *binary,
		       const char *path, struct locate_note *note);

bool
binaries_has_split(const struct locate_search *search, const struct binary *binary,
		   const char *path, struct locate_note *note);

/**
 * Open the path of a note for a module; NULL where nothing is there, or what is there is not the
 * module's. The note gets what is there and why it is refused, which is a message, too.
 */
struct binary *
binaries_open_matching(const struct locate_search *search, struct locate_note *note);

/** Whether a file that was given by itself may be what a search for split DWARF is for. */
bool
binaries_is_split(const struct locate_search *search, const char *path);

/** Open the path of a note and keep what has units of split DWARF; true: the search may end. */
bool
binaries_look_split(struct locate_search *search, struct locate_note *note);

/** A search for a kind of file. */
struct locate_search
binaries_search_for(struct binaries *binaries, size_t module, enum locate_kind kind);

/** A kind's file of a slot; a debug file may be the image. */
const struct binary *
binaries_slot_file(const struct binaries_slot *slot, enum locate_kind kind);

/** Take the build id of the image where the dump has only its first bytes. */
void
binaries_learn_build_id(struct locate_search *search);

/** Whether what was found of a kind, searched already, is all that is needed. */
bool
binaries_is_enough(const struct binaries_slot *slot, enum locate_kind kind);

/** Look in what was given for the debug file that an image names which came only now. */
void
binaries_find_named(struct binaries *binaries, size_t module);

/** Look in what was given for a module's file of a kind, after those that it is named in. */
void
binaries_load_given(struct binaries *binaries, size_t module, enum locate_kind kind);

#endif
