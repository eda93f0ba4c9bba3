/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARIES_INTERNAL_H
#define LOCATE_BINARIES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "base/limits.h"
#include "binary/binary.h"
#include "locate/debug_links.h"
#include "locate/fetch.h"
#include "locate/search.h"
#include "crash/memory.h"
#include "crash/module_map.h"

/** The state of each module's files, and the checks of a file's ID. */

enum binaries_match {
	BINARIES_MATCH_NO,
	BINARIES_MATCH_YES,
	BINARIES_MATCH_UNCHECKED,	/* the dump has no ID */
};

struct binaries;

/**
 * Whether a file is the build that was loaded as the module. Also returns the wanted and the found
 * ID as text. Call it with the lock held.
 */
enum binaries_match
binaries_match(const struct binaries *binaries, const struct module *module,
	       struct binary_identity build, char wanted[LOCATE_SHOWN], char found[LOCATE_SHOWN]);

/** Whether a module with the path `path` has the path or base name `name`. */
bool
binaries_is_called(const char *path, const char *name);

/** Set the names that stores give the module's PDB, if it may have a PDB. The lock is held. */
void
binaries_name_pdb(struct binaries *binaries, const struct module *module,
		  struct locate_subject *subject);

/** A copy of a file's build identity. */
struct binary_identity
binaries_copy_identity(const struct binary *binary, struct arena *arena);

/** A module's build ID in lower-case hex, or "" if the dump has less than the full ID. */
const char *
binaries_build_id(const struct crash *crash, const struct module *module);

struct binaries_readers {
	struct binaries *binaries;
	pthread_mutex_t mutex;		/* held while a reader is made */
	_Atomic(struct binaries_reader *) made[BINARIES_ROOMS];
};

/* State ---------------------------------------------------------------------------------------- */

/** The files of one module; written before `done` is set. */
struct binaries_slot {
	atomic_bool done[LOCATE_OWN_KINDS];
	/* Given places were searched; servers may still have the file */
	bool searched[LOCATE_OWN_KINDS];
	bool answered[LOCATE_OWN_KINDS];	/* the requests to servers are finished */
	struct binary *files[LOCATE_OWN_KINDS];
	struct binary *stripped;	/* image without code, found in the search for an image */
	struct binary **split;		/* files with units of split DWARF: packages, then others */
	size_t split_count, split_capacity, package_count;
	struct hash split_files;	/* files of units by device and inode */
	bool packaged;			/* packages were searched */
	unsigned split_missing;		/* number of units found nowhere */
	struct locate_record records[LOCATE_OWN_KINDS];
};

struct binaries {
	const struct crash *crash;
	struct module_map map;
	struct locate_root *roots;
	size_t root_count, root_capacity;
	struct folder *folders;		/* directories read so far: the roots and others */
	struct fetcher **fetchers;	/* servers, asked in this order; owned */
	size_t fetcher_count, fetcher_capacity;
	struct binaries_slot *slots;	/* one slot for each loaded module */
	unsigned options;		/* bits of enum binaries_option */
	bool given;			/* binaries_give() was called */
	bool imaged;			/* images in the dump's memory are used */
	struct memory_view memory;	/* the dump's memory; empty if its images are not used */
	uint64_t image_budget;		/* bytes of images that may still be copied */
	struct binaries_readers *readers;
	struct arena arena;
	struct arena places;		/* owns the records */
	struct binaries_source *sources;	/* source files that were searched */
	/* Number of paths that may still be tried for near misses */
	size_t near_left;
	_Atomic(uint64_t) code_run;	/* number of instructions that walks have executed */
	uint64_t code_most;
	struct message_list messages;
	pthread_mutex_t mutex;		/* guards everything except finished slots */
};

/** How the files of a kind are found: a row of binaries_kinds. */
struct binaries_kind_row {
	/* kind of file that names files of this kind; this kind itself: no file names them */
	enum locate_kind namer;
	/* searches the given places; NULL for LOCATE_SPLIT (binaries_find_split) */
	struct binary *(*find)(struct locate_search *search);
	/* Whether the files found make requests unnecessary; NULL: servers have no such files */
	bool (*is_enough)(const struct binaries_slot *slot);
	/* Whether the file at a path is wanted */
	bool (*belongs)(const struct locate_search *search, const struct binary *binary,
			const char *path, struct locate_note *note);
};

extern const struct binaries_kind_row binaries_kinds[LOCATE_OWN_KINDS];

/** Functions for binaries_kind_row.belongs. Each refusal adds a message. */
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
 * Open the path of a note for a module. NULL: no file exists there, or it is another module's. For
 * another module's file, the note gives the reason, and a message is added.
 */
struct binary *
binaries_open_matching(const struct locate_search *search, struct locate_note *note);

/** Whether a file that was given directly may have the requested units of split DWARF. */
bool
binaries_is_split(const struct locate_search *search, const char *path);

/** Open a plain file. Any failure except a missing file adds a message. */
struct binary *
binaries_open_path(struct binaries *binaries, const char *path, struct locate_note *note);

/** Open the path of a note and keep a file with units of split DWARF; true: the search may end. */
bool
binaries_look_split(struct locate_search *search, struct locate_note *note);

/** A search for a kind of file. */
struct locate_search
binaries_search_for(struct binaries *binaries, size_t module, enum locate_kind kind);

/** The file of a kind in a slot. The debug file may be the image. */
const struct binary *
binaries_slot_file(const struct binaries_slot *slot, enum locate_kind kind);

/** Whether the dump has the first bytes of a module's image. Files are compared with them. */
bool
binaries_in_process(const struct binaries *binaries, const struct module *module);

/** The folder that contains a file; NULL when out of memory. */
const char *
binaries_folder_of(struct binaries *binaries, const struct binary *binary);

/** Take the build ID of the image if the dump has only its first bytes. */
void
binaries_learn_build_id(struct locate_search *search);

/** Whether a finished search for a kind found enough files. Then no server is asked. */
bool
binaries_is_enough(const struct binaries_slot *slot, enum locate_kind kind);

/** Search the given places for the debug file that a newly downloaded image names. */
void
binaries_find_named(struct binaries *binaries, size_t module);

/** Search the given places for the files that name a module's file of a kind, then for the file. */
void
binaries_load_given(struct binaries *binaries, size_t module, enum locate_kind kind);

#endif
