/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_STORE_INTERNAL_H
#define LOCATE_SYMBOL_STORE_INTERNAL_H

#include "locate/symbol_store.h"

#include <pthread.h>
#include <stdatomic.h>

#include "locate/search.h"
#include "system/file.h"
#include "locate/fetch.h"

/** Declarations shared by the files of the store: the given paths and the slots. */

/* A symbol file that is open or being opened; modules may share it. */
struct opened {
	struct opened *next;
	dev_t device;
	ino_t inode;
	bool done;
	bool stopped;			/* reading was stopped: the entry is ignored */
	bool forgotten;			/* the next load reads the file again */
	struct symfile *symfile;	/* NULL: not done, or unreadable */
	char reason[256];		/* why the file is unreadable */
	struct timespec changed;	/* last change of bytes or permissions, before reading */
	unsigned told;			/* number of the last set that reported the file */
};

struct symbols_cache {
	struct opened *opened;
	struct folder *folders;
	unsigned sets;			/* number of sets that have shared the cache so far */
	struct fetch_memory *answers;
	/* Guards all sets that share the cache, except the state and file of each slot */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
};

/* A module's symbols from moment `from` until just before moment `until`. */
struct slot_past {
	struct slot_past *older;
	uint64_t from, until;
	struct symfile *symfile;	/* NULL: no symbols */
};

struct slot {
	_Atomic(enum symbols_state) state;
	_Atomic(uint64_t) moment;	/* moment of the end of the search; 0: not finished */
	struct symfile *symfile;	/* set before `state` and `moment` */
	_Atomic(struct slot_past *) past;	/* newest first */
	/* Identity of the module's file before reading; set with `moment` */
	struct identity identity;
	struct locate_record served;	/* the servers' answers, in their order */
	/* Bytes read so far, their total, and the start of reading in milliseconds (0: none) */
	_Atomic(uint64_t) bytes, total, begun;
	_Atomic(const char *) host;	/* server that is sending the file; NULL: none */
};

/* A version of a file with edits: see symbols_version(). */
struct edited {
	struct edited *next;
	const struct symfile *symfile;
	struct record_edits edits;	/* copies of the edits of `symfile` */
	struct symfile *version;
};

struct symbols {
	const struct module *modules;
	size_t count;
	struct locate_root *roots;
	size_t root_count, root_capacity;
	unsigned added;			/* how often a place was added */
	_Atomic(uint64_t) moment;	/* moment of the last change of a slot; the first is 1 */
	struct slot *slots;
	struct symbols_source options;	/* as given, except for binaries that were replaced later */
	struct symbols_cache *cache;
	bool owns_cache;
	/* Number of this set among those that share the cache, from 1 */
	unsigned number;
	struct fetcher **fetchers;	/* servers, asked in this order */
	size_t fetcher_count, fetcher_capacity;
	struct edited *versions;
	symbols_progress *progress;
	void *context;
	atomic_bool stop;
	struct arena arena;
	struct message_list messages;
};

/**
 * The entry of the file with `status` if that file could not be read; a search then continues.
 * NULL: readable, changed since, or not tried. The lock is held.
 */
struct opened *
store_unreadable(const struct symbols *symbols, const struct stat *status);

/** Report an unreadable file once for each set. The lock is held. */
void
store_tell_unreadable(struct symbols *symbols, struct opened *opened, const char *path);

/**
 * Drop the state of a slot's module, except for callers that use an earlier moment. The lock is
 * held.
 */
void
store_forget(struct symbols *symbols, struct slot *slot);

/** The names and IDs of a module's symbol file, by the rules of the set. */
struct locate_subject
symbol_search_subject(struct symbols *symbols, const struct module *module);

/** Make a root for a given path. The first bytes of a plain file give its module. */
struct locate_root
store_root(struct symbols *symbols, const char *path);

/** A search for the file of a module, without messages. The lock is held. */
struct locate_search
symbol_search_for(struct symbols *symbols, size_t module);

/** Search for a module's file in all roots, in order; search->path must be freed. */
bool
symbol_search_run(struct locate_search *search);

#endif
