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
	SYMBOLS_ABSENT,		/* no readable file found */
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
 * plain or compressed symbol files, each for the module in its MODULE record. The first path with a
 * file wins. As in Breakpad, a directory's file is used with any MODULE record (a wrong one is
 * reported), and a module without a debug file or ID has no symbols. A name or ID that would lead
 * out of the directory finds nothing. Only the first lines of plain files are read. All is
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

/** Close all files. Call it only while no set shares the cache. */
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
	/* Search directories in other layouts than NAME/ID/NAME.sym, too */
	bool any_layout;
	const char *index_directory;	/* as in struct symfile_options */
	/* Servers to ask if no path has a file. Earlier downloads are searched first. The fetcher
	 * outlives the set. NULL: nothing is ever fetched. */
	struct fetcher *fetcher;
	/* The modules' own files, requested (binaries_ask) while a module without a symbol file
	 * is loaded. They outlive the set. NULL: not requested. */
	struct binaries *binaries;
};

/**
 * Search for a module's file like symbols_load, even if it is loaded. Visit every place in order;
 * the last one is that of the file in use, if any. With symbols_source.any_layout, each directory
 * is searched in the order of way.def, and all ways but the first need a matching MODULE record.
 */
void
symbols_search(struct symbols *symbols, size_t module, locate_visit *visit, void *context);

/**
 * Add near misses to `list`, the likeliest first. They show why a module has no symbols although a
 * path was given. Examples are the same name with another ID, swapped bytes of an ID, no age, a
 * directory too deep or too shallow, and empty files. Slow: lists directories and reads files.
 */
void
symbols_near_misses(struct symbols *symbols, size_t module, struct locate_near_list *list);

/** Set the callback for the reading of files, before the first file is read. */
void
symbols_tell(struct symbols *symbols, symbols_progress *progress, void *context);

/** A file that is being read, or fetched from a server. */
struct symbols_reading {
	size_t module;
	const char *host;		/* printable name of the server; NULL: read from disk */
	uint64_t bytes, total;
	uint64_t milliseconds;		/* since the start */
};

/**
 * Store up to `most` of the files that are being read right now in `readings`; returns how many
 * are being read. Any thread may call it; it never waits.
 */
size_t
symbols_reading(const struct symbols *symbols, struct symbols_reading *readings, size_t most);

/**
 * Stop reading; any thread may call. All files that are not read yet stay pending until a call with
 * `stop` false.
 */
void
symbols_stop(struct symbols *symbols, bool stop);

/**
 * Whether the place of a module's file now has another file, has lost its file, or has one for the
 * first time. `*identity` is the file's identity now. False if the file was not searched for yet.
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
 * Search one more directory or file, after the given ones. Modules without symbols become pending
 * again; loaded ones stay. Running loads search the new place, too. `path` is copied. ERROR_IO or
 * ERROR_FORMAT: nothing can be found there, and nothing has changed.
 */
enum error_code
symbols_add(struct symbols *symbols, const char *path, struct error *error);

/** Add servers to ask if no path has a file. The fetcher outlives the last load. */
enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error);

/**
 * Use `binaries` as the modules' own files from now on; it outlives the last load. For modules
 * without symbols, servers are asked again, also by running loads.
 */
void
symbols_use_binaries(struct symbols *symbols, struct binaries *binaries);

/**
 * For all modules without symbols, search a given directory, file or server again, despite the
 * servers' earlier answers. Returns the place's name; NULL: not a given place, or unusable.
 */
const char *
symbols_ask_again(struct symbols *symbols, const char *place);

/**
 * binaries_find_source() with the store's binaries and progress callback. Also NULL if the store
 * does not have `module`.
 */
const struct binaries_source *
symbols_find_source(struct symbols *symbols, const struct module *module, struct text path,
		    bool ask);

/** symbols_create with all options. */
struct symbols *
symbols_open(const struct module *modules, size_t count, const struct symbols_source *source);

void
symbols_free(struct symbols *symbols);

/** Whether any path was given. Without a path, Breakpad takes every address for code. */
bool
symbols_configured(const struct symbols *symbols);

/** Why the given place `path` cannot be used; NULL: it can. */
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
 * Whether the search for a module's symbols was finished at a moment (symbols_moment). `*symfile`
 * is the file of that moment or NULL, even if it has been forgotten since. Meant for the thread
 * that calls symbols_forget, symbols_add and similar functions while other threads load files.
 */
bool
symbols_known_at(const struct symbols *symbols, size_t module, uint64_t moment,
		 const struct symfile **symfile);

/** The file of a module if it is loaded already, else NULL. `state` may be NULL. */
const struct symfile *
symbols_peek(const struct symbols *symbols, size_t module, enum symbols_state *state);

/**
 * Load the file of a module if it is pending, and return it. Blocks. Several threads may call, for
 * several files at once. NULL also if reading was stopped; the module then stays pending.
 */
const struct symfile *
symbols_load(struct symbols *symbols, size_t module);

/**
 * The version of a file of the set with edits (symbols/version.h). The first call makes it, and it
 * lives as long as the set. Returns the file itself if it has none of the edits, and when out of
 * memory. Any thread may call.
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
