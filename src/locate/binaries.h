/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARIES_H
#define LOCATE_BINARIES_H

#include <pthread.h>

#include "binary/binary.h"

/**
 * The own files of a crash's modules: images, debug files and others. They are searched in
 * directories and at servers, checked against the dump's record of the module, and opened on first
 * use. Views mark their bytes, because these are not part of the dump.
 */
struct binaries;
struct elf_damage;
struct fetch_options;
struct locate_record;

enum locate_kind {
	LOCATE_IMAGE,			/* has the code that was executed */
	LOCATE_DEBUG,			/* has debug information; may be the image itself */
	LOCATE_MINI,			/* the symbols in the image's .gnu_debugdata */
	/* shared file into which dwz moved parts of debug files */
	LOCATE_SUPPLEMENT,
	LOCATE_SPLIT,			/* units of split DWARF: see binaries_find_split */
	LOCATE_OWN_KINDS,		/* number of kinds of a module's own files */
	LOCATE_SYMBOLS = LOCATE_OWN_KINDS,	/* symbol files of Breakpad */
	LOCATE_SOURCE,
	LOCATE_KINDS
};

/**
 * Search `directories` for the files of the modules of `crash`. The caller keeps `crash` alive. A
 * file is recognised by its path below a directory:
 *
 *	NAME, PATH/OF/NAME		base name, or the module's whole path
 *	.build-id/xx/yyyy[.debug]	build ids as distributions install them
 *	xxyyyy/executable, debuginfo	the cache of debuginfod
 *	NAME/ID/NAME			symbol servers; ID as Breakpad or Microsoft write it
 *	PATH/OF/LINK, LINK		LINK: name in the image's .gnu_debuglink; also in .debug/
 *	.dwz/LINK			LINK: name in the debug file's .gnu_debugaltlink; also
 *					as a path from the debug file's folder
 *	LINK				LINK: name of a .dwo file in a unit of split DWARF, or of
 *					an object file in the debug map of a Mach-O file; also next
 *					to the debug file and the image
 *	NAME.dwp, PATH/OF/NAME.dwp, .build-id/xx/yyyy.dwp	packages of .dwo files
 *
 * The file in a .gnu_debuglink is also searched next to the image, and must have the link's
 * checksum. A supplement must have the build ID that the debug file gives.
 *
 * `directories` may include plain files. Such a file is used for the module with its ID or name.
 * NULL when out of memory.
 */
struct binaries *
binaries_create(const struct crash *crash, const char *const *directories, size_t count);

/**
 * Use the file at `path` first, with any ID, for the modules with the path or base name `name`. A
 * different ID is reported, and so is a name without a module. Both texts are copied. Call it
 * before anything is loaded.
 */
void
binaries_add_named(struct binaries *binaries, const char *name, const char *path);

/**
 * Report the given files that belong to no module, in one message; returns their number. Call it
 * after all places were added, and after binaries_give() if the crash was made from one file.
 */
size_t
binaries_report_unused(struct binaries *binaries);

/** Options of a search beyond the given places. */
enum binaries_option {
	/*
	 * This machine's own directories (/ and /usr/lib/debug), after all others. A file there
	 * must have the ID in the dump. For a module without an ID, the file must have the headers
	 * in the dump's memory. Other builds are ignored without a message.
	 */
	BINARIES_SYSTEM = 1,
	/* For modules without a file, use images in the dump's memory, for example the vDSO */
	BINARIES_MEMORY = 2,
	BINARIES_POINTERS = 4,		/* follow paths in file.ptr files of symbol stores */
	/* Do not search the directories where units were compiled */
	BINARIES_INSIDE = 8,
};

/** Set options before anything is loaded. Set each option at most once. */
void
binaries_set(struct binaries *binaries, unsigned options);

/**
 * Use `binary` as the file of loaded module `module` and look only for files that belong to
 * `binary`. `binaries` owns `binary` from then on. Call it once, before anything is loaded.
 */
void
binaries_give(struct binaries *binaries, size_t module, struct binary *binary);

/**
 * Search a directory after the given places. `is_store`: it is a symbol store or has downloads, and
 * is searched only by ID (LAYOUT_STORE); a second call with its path does nothing. Otherwise it is
 * searched in all layouts. A missing directory is not reported. Call it before anything is loaded.
 */
void
binaries_add_place(struct binaries *binaries, const char *path, bool is_store);

/**
 * Use servers for files that are found nowhere else; `options` is copied. The download directory of
 * symbol servers is searched as a store. Call it before anything is loaded. Afterwards, only
 * binaries_ask or binaries_settle finishes the search for a module's files. Before that,
 * binaries_load returns the files found so far.
 */
enum error_code
binaries_add_fetcher(struct binaries *binaries, const struct fetch_options *options,
		     struct error *error);

/** Forget the answers of the servers at a URL, so that they are asked again. Harmless on NULL. */
void
binaries_ask_again(struct binaries *binaries, const char *url);

/** Add a message that a given place cannot be searched. */
void
binaries_report_place(struct binaries *binaries, const char *path, const char *problem);

/**
 * Receives the progress of the server that has sent the most bytes; false stops. One thread at a
 * time calls it. `host` is printable and lives as long as its server's fetcher; `total` is 0 if it
 * is unknown.
 */
typedef bool locate_progress(void *context, const char *host, uint64_t bytes, uint64_t total);

/**
 * Request the missing files of a module from the servers: the image, a debug file if the image has
 * no debug information, and the debug file's supplement. Blocks the caller, but no other thread;
 * any thread may call. False: `progress` stopped it, and the search is not finished.
 */
bool
binaries_ask(struct binaries *binaries, size_t module, locate_progress *progress, void *context);

/** A source file of a module at debuginfod servers. */
struct binaries_source {
	struct binaries_source *next;
	size_t module;
	const char *path;		/* path in the symbols */
	/* Path in debuginfod's cache; NULL: the file is not there */
	const char *kept;
	bool asked;			/* `record` has the servers' answers */
	struct locate_record *record;
};

/**
 * Find a source file at debuginfod servers, by the module's build ID and the absolute path `path`.
 * `ask`: request the file if the answer is unknown, as binaries_ask() does. The result lives as
 * long as `binaries`. NULL: no server can be used, `binaries` is NULL, or out of memory.
 */
const struct binaries_source *
binaries_find_source(struct binaries *binaries, size_t module, struct text path, bool ask,
		     locate_progress *progress, void *context);

/** Finish the search for a module's files without asking servers. */
void
binaries_settle(struct binaries *binaries, size_t module);

/** Close every file. Harmless on NULL. */
void
binaries_free(struct binaries *binaries);

/** Whether any directory, file or server was given. False on NULL. */
bool
binaries_configured(const struct binaries *binaries);

/**
 * Whether a module may have a file of its own: a place for such files was given, or a directory of
 * symbols had one. False on NULL.
 */
bool
binaries_expected(const struct binaries *binaries, size_t module);

/** Whether this machine's own directories are searched (BINARIES_SYSTEM). False on NULL. */
bool
binaries_in_system(const struct binaries *binaries);

/** Whether files are requested from servers (binaries_add_fetcher). False on NULL. */
bool
binaries_asks_servers(const struct binaries *binaries);

/** Whether a directory or file was given, under any spelling of its path. False on NULL. */
bool
binaries_has(const struct binaries *binaries, const char *path);

/** Why the given place `path` cannot be used; NULL: it can. */
const char *
binaries_problem(const struct binaries *binaries, const char *path);

/** The messages so far; NULL for NULL. */
const struct message_list *
binaries_messages(const struct binaries *binaries);

/** Report the section of a module's file that a reader left out, if any. */
void
binaries_report_damage(struct binaries *binaries, const struct elf_damage *damage);

/** Report an unreadable part of a file in use; the text after a line feed says what is missing. */
void
binaries_report_missing(struct binaries *binaries, struct place place, const char *what);

/** Report that a reader left out `missing` ("rows") of `what` in a file to limit the cost. */
void
binaries_report_limit(struct binaries *binaries, const struct binary *binary, const char *what,
		      const char *missing);

/**
 * Charge one executed instruction of a module's code to the budget for all modules and walks of the
 * crash (LIMIT_CODE_STEPS). False: the budget is used up, and a message says so.
 */
bool
binaries_run_code(struct binaries *binaries);

/**
 * The file of loaded module `module` of the crash, opened on the first call, or NULL. Any thread
 * may call this. NULL on NULL.
 */
const struct binary *
binaries_load(struct binaries *binaries, size_t module, enum locate_kind kind);

/** Like binaries_load(). `*settled` is true if no server will provide another file. */
const struct binary *
binaries_try(struct binaries *binaries, size_t module, enum locate_kind kind, bool *settled);

/** The file of a module if it is open already, else NULL. Starts no search. */
const struct binary *
binaries_peek(const struct binaries *binaries, size_t module, enum locate_kind kind);

/**
 * A file with a unit of split DWARF, as the unit's skeleton describes it, or an object file in the
 * debug map of a Mach-O file.
 */
struct binaries_split {
	const char *name;		/* DW_AT_dwo_name or the path, as stored; NULL: absent */
	bool object;			/* an object file, which is in no package */
	const char *directory;		/* DW_AT_comp_dir; NULL: absent */
	uint64_t id;
	/* Whether a file has the unit. Called with the files locked, so it must not load a file. */
	bool (*fits)(void *context, const struct binary *file);
	void *context;
};

/**
 * Find the file of a unit whose skeleton is in `from`, a file of loaded module `module`. Search
 * packages (.dwp) next to `from` and in the given places, then the unit's own file there, and last
 * the directory of compilation (not with BINARIES_INSIDE). A file accepted by `fits` lives as long
 * as `binaries`. A missing file is reported. False on NULL.
 */
bool
binaries_find_split(struct binaries *binaries, size_t module, const struct binary *from,
		    const struct binaries_split *wanted);

/** Bytes of a module's file that the process had in memory. */
struct binary_run {
	const struct binary *binary;
	uint64_t base;			/* address of the first byte */
	uint64_t size;
	const uint8_t *data;
	uint64_t offset;		/* file offset of the first byte */
};

/**
 * Find the read-only segment of a module's file that holds `address`. False: no such segment. The
 * segment's bytes live as long as `binaries`.
 */
bool
binaries_run(struct binaries *binaries, uint64_t address, struct binary_run *run);

/**
 * Copy up to `size` bytes of the process's memory at `address` from read-only segments of the
 * module's file. Returns the number of bytes available from `address` on, or 0. `place` (may be
 * NULL) receives their place in the file.
 */
size_t
binaries_read(struct binaries *binaries, uint64_t address, uint8_t *buffer, size_t size,
	      struct place *place);

/** Kinds of data that are derived from the files and cached. */
enum binaries_room {
	BINARIES_SFRAMES,
	BINARIES_FRAME_TABLES,
	BINARIES_DEBUG_INFO,
	BINARIES_SURVEYS,
	BINARIES_CODE_ANSWERS,
	BINARIES_CODE_DOUBTS,
	BINARIES_SYMBOL_FITS,
	BINARIES_ROOMS
};

/** The cached data of one kind for all modules: made on first use, freed before the files. */
struct binaries_reader {
	const struct binaries_reader_kind *kind;
	const struct crash *crash;
	struct binaries *binaries;
	void *slots;			/* a slot for each loaded module, zeroed at first */
	struct arena arena;
	struct message_list messages;
	pthread_mutex_t mutex;		/* held by users of the data */
};

struct binaries_reader_kind {
	enum binaries_room room;
	size_t slot_size;
	void (*close)(void *slot);	/* NULL: nothing to close */
	/* called after files of a module were requested from servers; may be NULL */
	void (*served)(struct binaries_reader *reader, size_t module);
};

/**
 * The reader of a kind; any thread may call. NULL if `binaries` is NULL, if there is no loaded
 * module `module`, and when out of memory.
 */
struct binaries_reader *
binaries_reader(const struct binaries *binaries, const struct binaries_reader_kind *kind,
		size_t module);

#endif
