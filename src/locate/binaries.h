/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARIES_H
#define LOCATE_BINARIES_H

#include <pthread.h>

#include "binary/binary.h"

/**
 * The modules' own files of one crash: found in directories and at servers, matched with what the
 * dump says of each module, opened when they are first needed. Bytes that come from them were not
 * in the dump: callers say so.
 */
struct binaries;
struct elf_damage;
struct fetch_options;

/** The kinds of a module's files. */
enum locate_kind {
	LOCATE_IMAGE,			/* with the code that ran */
	LOCATE_DEBUG,			/* with what debuggers want; may be the image itself */
	LOCATE_MINI,			/* the symbols that the image has in .gnu_debugdata */
	/* What dwz moved out of the debug file, for several files */
	LOCATE_SUPPLEMENT,
	LOCATE_SPLIT,			/* units of split DWARF: see binaries_find_split */
	LOCATE_OWN_KINDS,		/* all before are the module's own files */
	LOCATE_SYMBOLS = LOCATE_OWN_KINDS,	/* symbol files of Breakpad */
	LOCATE_SOURCE,
	LOCATE_KINDS
};

/**
 * Files of `crash`, which outlives them, are looked for in `directories`. A file is known
 * by its place in one:
 *
 *	NAME, PATH/OF/NAME		of the module's path
 *	.build-id/xx/yyyy[.debug]	build ids as distributions install them
 *	xxyyyy/executable, debuginfo	the cache of debuginfod
 *	NAME/ID/NAME			symbol servers, ID as Breakpad or Microsoft write it
 *	PATH/OF/LINK, LINK		LINK the name in the image's .gnu_debuglink, also in .debug/
 *	.dwz/LINK			LINK the name in the debug file's .gnu_debugaltlink; also
 *					its path from the debug file's folder
 *	LINK				LINK the name of a .dwo file in a unit of split DWARF; also
 *					beside the debug file and the image
 *	NAME.dwp, PATH/OF/NAME.dwp, .build-id/xx/yyyy.dwp	packages of .dwo files
 *
 * The files that a .gnu_debuglink names are also looked for beside the image, and must have the
 * checksum that it says; a supplement must have the build id that the debug file says.
 *
 * A directory may also be one plain file, for the module that it identifies or is named
 * after. NULL when out of memory.
 */
struct binaries *
binaries_create(const struct crash *crash, const char *const *directories, size_t count);

/**
 * Look into this machine's own directories, too, behind all others: / and /usr/lib/debug. There a
 * file counts only where the dump says its id, and another build in its place is no message. Once,
 * before anything is loaded.
 */
void
binaries_add_system(struct binaries *binaries);

/**
 * Take `binary` as the file of loaded module `module`: only what belongs to it is looked for then.
 * It is theirs from here on. Once, before anything is loaded.
 */
void
binaries_give(struct binaries *binaries, size_t module, struct binary *binary);

/**
 * Look into a symbol store or a directory of downloads, too, behind what was given: there a file is
 * by its id only (LAYOUT_STORE). One that is not there yet is no message. Once, before anything is
 * loaded.
 */
void
binaries_add_store(struct binaries *binaries, const char *path);

/**
 * Look into a directory of symbols, too, behind what was given, in all layouts. Once, before
 * anything is loaded.
 */
void
binaries_add_symbols(struct binaries *binaries, const char *path);

/** Follow the paths in the file.ptr of symbol stores. Once, before anything is loaded. */
void
binaries_follow_pointers(struct binaries *binaries);

/**
 * Ask servers for files that are found nowhere else; `options` is copied. The directory of symbol
 * servers is searched as a store. Before anything is loaded. From then on a module's files are
 * settled when binaries_ask or binaries_settle was called for it; before that binaries_load gives
 * what there is.
 */
enum error_code
binaries_add_fetcher(struct binaries *binaries, const struct fetch_options *options,
		     struct error *error);

/** Whatever the servers at a URL answered in this run: they are asked again. Harmless on NULL. */
void
binaries_ask_again(struct binaries *binaries, const char *url);

/** A place that was named and cannot be searched is a message. */
void
binaries_report_place(struct binaries *binaries, const char *path, const char *problem);

/** Called with how far it is; false stops. `total` is 0 where it is not known. */
typedef bool binaries_progress(void *context, const char *host, uint64_t bytes, uint64_t total);

/**
 * Ask the servers for those files of a module that were not found: the image, a debug file where
 * the image has no debug information, its supplement. Blocks, without holding up others; any
 * thread may call. False where `progress` stopped it: then the module is not settled.
 */
bool
binaries_ask(struct binaries *binaries, size_t module, binaries_progress *progress, void *context);

/** Servers will not be asked for a module's files: what was found is all. */
void
binaries_settle(struct binaries *binaries, size_t module);

/** Close every file. Harmless on NULL. */
void
binaries_free(struct binaries *binaries);

/** Whether any directory or file was given, or a server. False on NULL. */
bool
binaries_configured(const struct binaries *binaries);

/**
 * Whether a module may have a file of its own: a place was given for such files, or one was found
 * in a directory of symbols. False on NULL.
 */
bool
binaries_expected(const struct binaries *binaries, size_t module);

/** Whether this machine's own are among them (binaries_add_system). False on NULL. */
bool
binaries_in_system(const struct binaries *binaries);

/** Whether servers are asked (binaries_add_fetcher). False on NULL. */
bool
binaries_asks_servers(const struct binaries *binaries);

/** Whether a directory or file is one that was given, however it is written. False on NULL. */
bool
binaries_has(const struct binaries *binaries, const char *path);

/** Why nothing can be found in a path that was given, as it was written; NULL: something can. */
const char *
binaries_problem(const struct binaries *binaries, const char *path);

/** What was wrong so far. NULL has none. */
const struct message_list *
binaries_messages(const struct binaries *binaries);

/** Report a section that a reader of a module's file left out, if there is any. */
void
binaries_report_damage(struct binaries *binaries, const struct elf_damage *damage);

/** Say what of a file that is used cannot be read; behind a line feed, what is missing for that. */
void
binaries_report_missing(struct binaries *binaries, struct place place, const char *what);

/** Report that a reader left out `missing` of `what` in a file, which would cost too much. */
void
binaries_report_limit(struct binaries *binaries, const struct binary *binary, const char *what,
		      const char *missing);

/**
 * Pay for an instruction that a walk runs of a module's code, out of one budget for all modules and
 * walks of the crash (LIMIT_CODE_STEPS). False: nothing is left of it, which a message says.
 */
bool
binaries_run_code(struct binaries *binaries);

/**
 * The file of loaded module `module` of the crash, opened on the first call; NULL where
 * there is none. Any thread may call this. NULL on NULL.
 */
const struct binary *
binaries_load(struct binaries *binaries, size_t module, enum locate_kind kind);

/** binaries_load(); `*settled` says whether no other file will come from a server. */
const struct binary *
binaries_try(struct binaries *binaries, size_t module, enum locate_kind kind, bool *settled);

/** The file of a module if it was opened already, else NULL: nothing is looked for. */
const struct binary *
binaries_peek(const struct binaries *binaries, size_t module, enum locate_kind kind);

/** A unit of split DWARF: what its skeleton says of the file that it is in. */
struct binaries_split {
	const char *name;		/* DW_AT_dwo_name, as stored; NULL: not said */
	const char *directory;		/* DW_AT_comp_dir; NULL: not said */
	uint64_t id;
	/*
	 * Whether a file has the unit; asked under the lock of the files, so it must not ask
	 * them.
	 */
	bool (*fits)(void *context, const struct binary *file);
	void *context;
};

/**
 * Look for the file of a unit that `from`, a file of loaded module `module`, has the skeleton of:
 * in packages (.dwp) beside it and in what was given, then by its name, there as well, and last
 * in the directory where it was compiled (not after binaries_stay_inside). A file that `fits`
 * lives as long as `binaries`. What is missing is a message. False on NULL.
 */
bool
binaries_find_split(struct binaries *binaries, size_t module, const struct binary *from,
		    const struct binaries_split *wanted);

/** Open no file by the directory where it was compiled. Once, before anything is loaded. */
void
binaries_stay_inside(struct binaries *binaries);

/** Bytes of a module's file as they stand in the process's memory. */
struct binary_run {
	const struct binary *binary;
	uint64_t base;			/* address of the first one */
	uint64_t size;
	const uint8_t *data;
	uint64_t offset;		/* of the first one in the file */
};

/**
 * The run of bytes that the program could not write which holds `address`, from the file of
 * the module that holds it. False where there is none. It lives as long as `binaries`.
 */
bool
binaries_run(struct binaries *binaries, uint64_t address, struct binary_run *run);

/**
 * Copy up to `size` bytes of the process's memory at `address` from the file of the module
 * that holds it; returns how many there are from there on, 0 where none. Only what the
 * program could not write is read. `place` (may be NULL) gets where they stand.
 */
size_t
binaries_read(struct binaries *binaries, uint64_t address, uint8_t *buffer, size_t size,
	      struct place *place);

/** Rooms below that keep what they read from the files. */
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

/** What such a room has of all modules: made when it is first needed, freed before the files. */
struct binaries_reader {
	const struct binaries_reader_kind *kind;
	const struct crash *crash;
	struct binaries *binaries;
	void *slots;			/* one a loaded module, zeroed at first */
	struct arena arena;
	struct message_list messages;
	pthread_mutex_t mutex;		/* for the room to use */
};

struct binaries_reader_kind {
	enum binaries_room room;
	size_t slot_size;
	void (*close)(void *slot);	/* NULL: nothing is to be closed */
	/* After servers were asked for files of a module; may be NULL. */
	void (*served)(struct binaries_reader *reader, size_t module);
};

/**
 * The reader of a kind; any thread may call. NULL on NULL, where there is no loaded module
 * `module`, and when out of memory.
 */
struct binaries_reader *
binaries_reader(const struct binaries *binaries, const struct binaries_reader_kind *kind,
		size_t module);

#endif
