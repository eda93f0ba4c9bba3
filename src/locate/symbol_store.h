/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_STORE_H
#define LOCATE_SYMBOL_STORE_H

#include "locate/locate.h"
#include "symbols/version.h"
#include "system/file.h"

/** Where symbol files are found. */

enum symbols_state {
	SYMBOLS_PENDING,	/* not searched for yet */
	SYMBOLS_LOADING,
	SYMBOLS_ABSENT,		/* no file found, or unreadable */
	SYMBOLS_LOADED,
};

/** The places of symbol files, and the file found for each module of a crash. */
struct symbols;

struct module;
struct binaries;
struct fetcher;
struct fetch_memory;

/**
 * A set of symbols for `count` modules. `paths` are directories in the layout NAME/ID/NAME.sym, or
 * symbol files, compressed or not, for the module whose ID their MODULE record gives; the first
 * that has a file wins. As in Breakpad a file found in a directory is used with any MODULE record
 * (a wrong one is a message), and a module without a debug file or ID has none. A name or ID that
 * would lead out of the directory finds nothing. Only the first lines of plain files are read. All
 * borrowed. NULL when out of memory.
 */
struct symbols *
symbols_create(const struct module *modules, size_t count, const char *const *paths,
	       size_t path_count);

/**
 * Symbol files that several sets share; each file is read once. The cache must outlive the sets.
 * Files are identified by device and inode and kept until the end. The list of the modules in a
 * directory's files is kept as well, for later sets.
 */
struct symbols_cache;

/** NULL when out of memory. */
struct symbols_cache *
symbols_cache_create(void);

/** The servers' answers, for the fetchers of all sets that share the cache. */
struct fetch_memory *
symbols_cache_answers(struct symbols_cache *cache);

/** Close all files between sets of files, when no set shares the cache. */
void
symbols_cache_close_files(struct symbols_cache *cache);

void
symbols_cache_free(struct symbols_cache *cache);

/** Receives the progress of reading a module's file, like symfile_progress; false stops. */
typedef bool symbols_progress(void *context, size_t module, const char *path, uint64_t bytes,
			      uint64_t total);

/** The sources of a set of symbols; all borrowed. */
struct symbols_source {
	const char *const *paths;
	size_t path_count;
	struct symbols_cache *cache;	/* NULL: not shared */
	/* A module without a debug file uses the name of its code file */
	bool by_code_file;
	/* Also directories in other layouts than NAME/ID/NAME.sym */
	bool any_layout;
	const char *index_directory;	/* as in struct symfile_options */
	/* Servers to ask if no path has a file; their earlier downloads are searched first. It
	 * outlives the set. NULL: nothing is ever fetched. */
	struct fetcher *fetcher;
	/* The modules' own files, requested (binaries_ask) while a module without a symbol file
	 * is loaded. They outlive the set. NULL: not requested. */
	struct binaries *binaries;
};

/**
 * Search for a module's file, loaded or not, like symbols_load, and visit every place in order;
 * the last place is that of the file in use, if any. With symbols_source.any_layout each directory
 * is searched in the order of way.def, and all but the first way need a matching MODULE record.
 */
void
symbols_search(struct symbols *symbols, size_t module, locate_visit *visit, void *context);

/**
 * Why a module may have no symbols although a path was given: the same name with another ID, the
 * same ID under another name, bytes of the ID swapped, no age, a directory too deep or too shallow,
 * files that are empty or UTF-16. Near misses are added to `list`, the likeliest first. Slow: lists
 * directories and reads files.
 */
void
symbols_near_misses(struct symbols *symbols, size_t module, struct locate_near_list *list);

/** Set the callback for the reading of files, before the first file is read. */
void
symbols_tell(struct symbols *symbols, symbols_progress *progress, void *context);

/** A file that is being read, or fetched from a server. */
struct symbols_reading {
	size_t module;
	const char *host;		/* printable name of the server; NULL: the file is read */
	uint64_t bytes, total;
	uint64_t milliseconds;		/* since the start */
};

/**
 * The files that are being read right now, the first `most` of them in `readings`; returns their
 * number. Any thread may call it; it never waits.
 */
size_t
symbols_reading(const struct symbols *symbols, struct symbols_reading *readings, size_t most);

/**
 * Stop reading, from any thread: files being read and files requested later stay pending until it
 * is called with false.
 */
void
symbols_stop(struct symbols *symbols, bool stop);

/**
 * Whether the place of a module's file has changed: another file, no file any more, or now a file.
 * `*identity` is set to its identity. False if the file was not searched for yet.
 */
bool
symbols_differ(struct symbols *symbols, size_t module, struct identity *identity);

/**
 * Make a module pending again, so that its file is read again. Files already returned live until
 * the end. Do not call it while another thread may look at the module.
 */
void
symbols_forget(struct symbols *symbols, size_t module);

/**
 * Search one more directory or file, after the given ones. Modules without symbols are pending
 * again; loaded ones stay. Loads under way search it, too. `path` is copied. ERROR_IO or
 * ERROR_FORMAT if nothing can be found there: then nothing has changed.
 */
enum error_code
symbols_add(struct symbols *symbols, const char *path, struct error *error);

/** Add servers, asked if no path has a file. The fetcher outlives the last load. */
enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error);

/**
 * Replace the modules' own files (symbols_source) by others, which outlive the last load: servers
 * are asked again for files of modules without symbols, also by loads under way.
 */
void
symbols_use_binaries(struct symbols *symbols, struct binaries *binaries);

/**
 * Search again in a given directory, file or server, despite the servers' answers in this run, for
 * all modules without symbols. Returns the place's name; NULL: not a given place, or unusable.
 */
const char *
symbols_ask_again(struct symbols *symbols, const char *place);

/**
 * binaries_find_source() for a module's own files, with the progress of the store. NULL also if
 * the store does not have `module`.
 */
const struct binaries_source *
symbols_find_source(struct symbols *symbols, const struct module *module, struct text path,
		    bool ask);

/** symbols_create with all options. */
struct symbols *
symbols_open(const struct module *modules, size_t count, const struct symbols_source *source);

void
symbols_free(struct symbols *symbols);

/** Whether any path was given: without one Breakpad takes every address for code. */
bool
symbols_configured(const struct symbols *symbols);

/** Why `path`, as it was given, cannot be used; NULL: it can. */
const char *
symbols_problem(const struct symbols *symbols, const char *path);

/** Whether the search for a module's symbols is finished: they are loaded, or none were found. */
bool
symbols_settled(const struct symbols *symbols, size_t module);

/**
 * The moment of the last change of any module's symbols. symbols_known_at with this moment ignores
 * files that are read later.
 */
uint64_t
symbols_moment(const struct symbols *symbols);

/**
 * Whether the search for a module's symbols was finished at a moment; `*symfile` is the file of
 * that moment or NULL, even if it has been forgotten since. For the thread that calls
 * symbols_forget, symbols_add and the like while others load files.
 */
bool
symbols_known_at(const struct symbols *symbols, size_t module, uint64_t moment,
		 const struct symfile **symfile);

/** The file of a module if it is loaded already, else NULL. `state` may be NULL. */
const struct symfile *
symbols_peek(const struct symbols *symbols, size_t module, enum symbols_state *state);

/**
 * The file of a module, loaded first if it is pending. Blocks; several threads may call, also for
 * several files at once. NULL also if reading was stopped: then the module is still pending.
 */
const struct symfile *
symbols_load(struct symbols *symbols, size_t module);

/**
 * The version of a file of the set (symbols/version.h) with edits, made on the first call and kept
 * until the set is freed. The file itself if none of the edits is in it, and when out of memory.
 * Any thread may call.
 */
const struct symfile *
symbols_version(struct symbols *symbols, const struct symfile *symfile,
		const struct record_edits *edits);

/**
 * The messages about a module's symbols (IDs that differ, unreadable files). Read them while no
 * symbols_load runs, because it adds messages.
 */
const struct message_list *
symbols_messages(const struct symbols *symbols);

#endif
