/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_STORE_H
#define LOCATE_SYMBOL_STORE_H

#include "locate/locate.h"
#include "symbols/version.h"
#include "system/file.h"

/** Where symbol files are found. */

enum symbols_state {
	SYMBOLS_PENDING,	/* not looked at yet */
	SYMBOLS_LOADING,
	SYMBOLS_ABSENT,		/* no file found, or unreadable */
	SYMBOLS_LOADED,
};

/** Where symbol files are looked for, and what was found for each module of a crash. */
struct symbols;

struct module;
struct binaries;
struct fetcher;
struct fetch_memory;

/**
 * A set of symbols for `count` modules. `paths` are directories in the layout
 * NAME/ID/NAME.sym, or symbol files, compressed or not, that count for the module whose id their
 * MODULE record gives; the first that has a file wins. As in Breakpad a file found in a directory
 * counts whatever its MODULE record says (that is a message), and a module without a debug file
 * or id has none. A name or id that would lead out of the directory finds nothing. Nothing is
 * read yet, except the first lines of plain files. All borrowed. NULL when out of memory.
 */
struct symbols *
symbols_create(const struct module *modules, size_t count, const char *const *paths,
	       size_t path_count);

/**
 * Symbol files that several sets share, so that each is read once. It outlives them. Files are
 * told apart by device and inode and kept until the end. What the files of a directory say they are
 * for is kept as well, for sets that come one after the other.
 */
struct symbols_cache;

/** NULL when out of memory. */
struct symbols_cache *
symbols_cache_create(void);

/** What servers answered, for the fetchers of all sets that share the cache. */
struct fetch_memory *
symbols_cache_answers(struct symbols_cache *cache);

/** Close all files, while no set shares the cache: for commands with many sets of other files. */
void
symbols_cache_close_files(struct symbols_cache *cache);

void
symbols_cache_free(struct symbols_cache *cache);

/** Told while a module's file is read, as symfile_progress is; false: stop reading it. */
typedef bool symbols_progress(void *context, size_t module, const char *path, uint64_t bytes,
			      uint64_t total);

/** Where a set of symbols comes from; all borrowed. */
struct symbols_source {
	const char *const *paths;
	size_t path_count;
	struct symbols_cache *cache;	/* NULL: the set shares with none */
	bool by_code_file;		/* a module without a debug file has its code file's */
	/* Directories in other layouts than NAME/ID/NAME.sym, too */
	bool any_layout;
	const char *index_directory;	/* as in struct symfile_options */
	/* Servers to ask where no path has a file; what they gave before is looked at first.
	 * It outlives the set. NULL: nothing is ever fetched. */
	struct fetcher *fetcher;
	/* The modules' own files, asked for (binaries_ask) where a module has no symbol file, as a
	 * part of loading it. They outlive the set. NULL: these are not asked for. */
	struct binaries *binaries;
};

/**
 * Look for a module's file as symbols_load does, and tell every place in order; the last one is
 * that of the file which is used, if there is one. What stands on disk now counts, loaded or not.
 * With symbols_source.any_layout each directory is looked through in the order of way.def,
 * and all but the first has to agree with its MODULE record.
 */
void
symbols_search(struct symbols *symbols, size_t module, locate_visit *visit, void *context);

/**
 * Why a module may have no symbols although a path was given: the same name with another id,
 * the same id under another name, bytes of the id swapped, no age, a directory too deep or too
 * shallow, files that are empty or UTF-16. Near misses are added to `list`, the likeliest first.
 * Lists directories and looks into files: not for free.
 */
void
symbols_near_misses(struct symbols *symbols, size_t module, struct locate_near_list *list);

/** Set what is called while files are read; before the first of them. */
void
symbols_tell(struct symbols *symbols, symbols_progress *progress, void *context);

/** A file that is being read, or fetched from a server. */
struct symbols_reading {
	size_t module;
	const char *host;		/* the server's, printable; NULL: the file is read */
	uint64_t bytes, total;
	uint64_t milliseconds;		/* since it was begun */
};

/**
 * The files that are being read right now, the first `most` of them in `readings`; returns how
 * many there are. Any thread may ask, and never waits.
 */
size_t
symbols_reading(const struct symbols *symbols, struct symbols_reading *readings, size_t most);

/**
 * Stop reading, from any thread: files that are being read stay pending, and so do those that
 * are asked for, until it is called with false.
 */
void
symbols_stop(struct symbols *symbols, bool stop);

/**
 * Whether another file stands now where that of a module was found, none any more, or one where
 * there was none; `*identity` is set to its. False for modules that were not looked for.
 */
bool
symbols_differ(struct symbols *symbols, size_t module, struct identity *identity);

/**
 * Make a module pending again, so that its file is read as it is now. What was handed out stays
 * until the end. Not while another thread may look at the module.
 */
void
symbols_forget(struct symbols *symbols, size_t module);

/**
 * Look in one more directory or file, behind those that were given before. Modules without symbols
 * are pending again, what is loaded stays. Loads that are under way look there, too. `path` is
 * copied. ERROR_IO or ERROR_FORMAT where nothing can be found there: then nothing has changed.
 */
enum error_code
symbols_add(struct symbols *symbols, const char *path, struct error *error);

/** Add servers, asked where no path has a file. The fetcher outlives the last load. */
enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error);

/**
 * Other own files of the modules, which outlive the last load, take the place of those of
 * symbols_source: what servers have of modules without symbols is asked for again, also by loads
 * that are under way.
 */
void
symbols_use_binaries(struct symbols *symbols, struct binaries *binaries);

/**
 * Where a directory, a file or the URL of a server was given before: look there again, whatever
 * servers answered in this run, for all modules without symbols. What it was called then, or is
 * now; NULL: it was not given.
 */
const char *
symbols_ask_again(struct symbols *symbols, const char *place);

/** symbols_create with all that may be chosen. */
struct symbols *
symbols_open(const struct module *modules, size_t count, const struct symbols_source *source);

void
symbols_free(struct symbols *symbols);

/** Whether any path was given: without one Breakpad takes every address for code. */
bool
symbols_configured(const struct symbols *symbols);

/** Why nothing can be found in a path that was given, as it was written; NULL: something can. */
const char *
symbols_problem(const struct symbols *symbols, const char *path);

/** Whether nothing more will come of a module's symbols: they are loaded, or there are none. */
bool
symbols_settled(const struct symbols *symbols, size_t module);

/**
 * The moment of the last change in what is known of any module's symbols: with it
 * symbols_known_at leaves out what has been read since.
 */
uint64_t
symbols_moment(const struct symbols *symbols);

/**
 * Whether a module's symbols were settled at a moment, and `*symfile`, its file then or NULL, also
 * one that has been forgotten since. For the thread that has files forgotten (symbols_forget,
 * symbols_add and what else looks again) while others load some.
 */
bool
symbols_known_at(const struct symbols *symbols, size_t module, uint64_t moment,
		 const struct symfile **symfile);

/**
 * The file of a module as it is known now, without loading anything; NULL unless loaded. `state`
 * may be NULL.
 */
const struct symfile *
symbols_peek(const struct symbols *symbols, size_t module, enum symbols_state *state);

/**
 * The file of a module, loading it first where it is pending. Blocks; several threads may call,
 * also for several files at once. NULL too where reading was stopped: it is pending still.
 */
const struct symfile *
symbols_load(struct symbols *symbols, size_t module);

/**
 * The version of a file of the set (symbols/version.h) with edits, made by the first who asks for
 * it and kept until the set is freed. The file itself where no edit is one of its lines, and when
 * out of memory. Any thread may call.
 */
const struct symfile *
symbols_version(struct symbols *symbols, const struct symfile *symfile,
		const struct record_edits *edits);

/**
 * What was wrong while looking for a module's symbols (ids that differ, unreadable files).
 * Read it while no symbols_load runs: that adds to it.
 */
const struct message_list *
symbols_messages(const struct symbols *symbols);

#endif
