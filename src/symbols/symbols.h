/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "system/file.h"
#include "system/identity.h"
#include "base/message.h"
#include "base/text.h"

/**
 * One Breakpad symbol file.
 *
 * Opening it makes one pass that indexes MODULE, INFO, FILE, INLINE_ORIGIN, FUNC,
 * PUBLIC and STACK records; what lies inside a function is parsed when somebody
 * asks for that function. Every record is kept, also those that another one
 * shadows, with its order in the file; each can be asked for its place. A malformed
 * record is a message and is skipped. Addresses are relative to the module's base.
 *
 * An opened file never changes, so that threads may share it; what is parsed on
 * demand goes into the arena of whoever asks.
 */
struct symfile;

/** Which of the records of a file count. */
struct symbols_policy {
	/* Stop reading where Breakpad does: at the 101st bad record of the indexed kinds,
	 * or at a byte 0xFF. */
	bool stop_as_breakpad;
	/* A function of size 0 or one that overlaps an earlier one is still not found; this
	 * only says whether a PUBLIC at address 0 counts (Breakpad drops it). */
	bool public_zero;
};

enum symbol_record_kind {
	SYMBOL_MODULE,
	SYMBOL_INFO,
	SYMBOL_FILE,
	SYMBOL_INLINE_ORIGIN,
	SYMBOL_FUNC,
	SYMBOL_LINE,
	SYMBOL_INLINE,
	SYMBOL_PUBLIC,
	SYMBOL_STACK_WIN,
	SYMBOL_STACK_CFI_INIT,
	SYMBOL_STACK_CFI,
};

/** A FUNC or PUBLIC record. */
struct function {
	enum symbol_record_kind kind;	/* SYMBOL_FUNC or SYMBOL_PUBLIC */
	uint64_t address, size;		/* size is 0 for a PUBLIC */
	uint64_t parameter_size;
	bool multiple;			/* the `m` flag */
	struct text name;		/* bytes of the file, not yet safe for a terminal */
	uint64_t offset;		/* of the record in the file */
	uint32_t length;		/* of the record, without its line end */
};

/** The line record that covers an address. */
struct source_line {
	uint64_t address, size;
	uint32_t line;
	struct text file;		/* empty: no such file number */
	uint64_t offset;		/* of the record */
	uint32_t length;
};

/** An inlined call that covers an address. */
struct inline_call {
	uint32_t depth;			/* as the record says */
	uint64_t address, size;		/* of the matching range */
	struct text name;		/* of its origin; "<name omitted>" where there is none */
	uint32_t call_line;		/* where it is called */
	struct text call_file;		/* empty: none in the record, or no such number */
	uint64_t offset;		/* of the record */
	uint32_t length;
	uint64_t origin_offset;		/* of the INLINE_ORIGIN record */
	uint32_t origin_length;		/* 0: there is none */
};

/** All that a symbol file, or else the module's own file, says of one function. */
struct function_body {
	const struct input *own_file;	/* as struct symbol has it */
	struct function function;
	struct source_line *lines;	/* by address, without overlap */
	size_t line_count;
	struct inline_call *calls;	/* by address, each before those inlined into it */
	size_t call_count;
};

/** All that a symbol file, or else the module's own file, says of one address. */
struct symbol {
	bool found;			/* some name was found */
	/* The module's own file, in which offsets count then, and the section that has the name;
	 * NULL: a symbol file says all. */
	const struct input *own_file;
	const char *section;
	struct function function;
	bool has_line;
	struct source_line line;
	struct inline_call *inlines;	/* innermost first */
	size_t inline_count;
	/* What the choice shadowed: a PUBLIC that a FUNC beats, FUNCs dropped for overlap. */
	struct function *shadowed;
	size_t shadowed_count;
};

/** A STACK WIN record. */
struct stack_win {
	unsigned type;			/* 0 FPO, 4 frame data; 1 to 3 are never used */
	uint64_t address, size;
	uint32_t prologue, epilogue, parameters, saved_registers, locals, max_stack;
	bool has_program;
	struct text program;		/* has_program */
	bool allocates_base_pointer;	/* !has_program */
	uint64_t offset;		/* of the record */
	uint32_t length;
	uint32_t program_column;	/* 1-based column of the last field */
};

/** A STACK CFI INIT record or a STACK CFI delta. */
struct stack_cfi {
	bool init;
	uint64_t address, size;		/* size is 0 for a delta */
	struct text rules;		/* text of the rules */
	uint64_t offset;		/* of the record */
	uint32_t length;
	uint32_t rules_column;		/* 1-based column of the rules */
};

/** Identity of a symbol file: its MODULE record. Texts are empty where there is none. */
struct symfile_identity {
	struct text os, arch, id, name;
};

/**
 * Open and index a symbol file. On success `*symfile` is freed with symfile_close;
 * a file without any usable record is still a symbol file. Never fails for a bad
 * record.
 */
enum error_code
symfile_open(struct symfile **symfile, const char *path, struct error *error);

/**
 * Told how many bytes of a file have been read, of how many, and asked whether to go on. Any
 * thread may call, never two at once.
 */
typedef bool symfile_progress(void *context, uint64_t bytes, uint64_t total);

/** How to open a symbol file; all may be zero. */
struct symfile_options {
	symfile_progress *progress;	/* NULL: nobody looks */
	void *context;
	/* Where indexes of files are kept for the next time; NULL: nowhere. */
	const char *index_directory;
};

/** symfile_open with all that may be chosen; ERROR_CANCELLED where `progress` said so. */
enum error_code
symfile_open_with(struct symfile **symfile, const char *path,
		  const struct symfile_options *options, struct error *error);

/** The same from bytes that the caller keeps alive, named `name` in places. */
enum error_code
symfile_from_memory(struct symfile **symfile, const char *name, const void *bytes, size_t size,
		    struct error *error);

void
symfile_close(struct symfile *symfile);

/** How many files symfile_options.index_directory holds, and their bytes. */
void
symbols_measure_indexes(const char *directory, size_t *count, uint64_t *bytes);

/** Remove them; how many. */
size_t
symbols_clear_indexes(const char *directory);

struct symfile_identity
symfile_identity(const struct symfile *symfile);

/** The file's bytes and name. */
const struct file *
symfile_file(const struct symfile *symfile);

/** What was wrong with it. */
const struct message_list *
symfile_messages(const struct symfile *symfile);

/** Whether Breakpad would call the file corrupt (one bad record of the kinds it counts). */
bool
symfile_corrupt(const struct symfile *symfile);

/** How many records of a kind are indexed (0 for lines and inlined calls). */
size_t
symfile_count(const struct symfile *symfile, enum symbol_record_kind kind);

/**
 * Where record `index` (from 0, in the order of the file; STACK WIN by type first) of a
 * kind lies, whether or not another one shadows it; false behind the last one.
 */
bool
symfile_record(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
	       uint64_t *offset, uint32_t *length);

/** The record that gives `number` its name, of SYMBOL_FILE or SYMBOL_INLINE_ORIGIN; false: none. */
bool
symfile_numbered(const struct symfile *symfile, enum symbol_record_kind kind, uint64_t number,
		 uint64_t *offset, uint32_t *length);

/** The place (with line and column) of `length` bytes at `offset`; counts lines on demand. */
struct place
symfile_place(const struct symfile *symfile, uint64_t offset, uint32_t length);

/** The same where the place of something a little before it is known, which is quicker. */
struct place
symfile_place_behind(const struct symfile *symfile, const struct place *before, uint64_t offset,
		     uint32_t length);

/** The offset of the first byte of a 1-based line; false behind the end. */
bool
symfile_line_offset(const struct symfile *symfile, uint32_t line, uint64_t *offset);

/** How many lines the file has. */
uint32_t
symfile_line_count(const struct symfile *symfile);

/**
 * What the file says of `address`: FUNC before PUBLIC, its line, its inlined calls.
 * Lists live in `arena`. Messages about lines inside the function go to `messages`
 * (may be NULL), again for each call. Reads the whole text of the function: who asks for
 * one address often keeps the answer. Returns symbol->found.
 */
bool
symfile_lookup(const struct symfile *symfile, const struct symbols_policy *policy,
	       uint64_t address, struct arena *arena, struct message_list *messages,
	       struct symbol *symbol);

/** The FUNC or PUBLIC alone: what scans ask. Allocates nothing. */
bool
symfile_function(const struct symfile *symfile, const struct symbols_policy *policy,
		 uint64_t address, struct function *function);

/** The FUNC that covers `address`, never a PUBLIC. Allocates nothing. */
bool
symfile_covering_function(const struct symfile *symfile, const struct symbols_policy *policy,
			  uint64_t address, struct function *function);

/**
 * The FUNC that covers `address` with its lines and inlined calls; false where there is none.
 * Lists live in `arena`; with memory at its end they are shorter.
 */
bool
symfile_function_body(const struct symfile *symfile, const struct symbols_policy *policy,
		      uint64_t address, struct arena *arena, struct function_body *body);

/**
 * The first FUNC, else the first PUBLIC, of exactly this name, or whose mangled name is shown as
 * this one, maybe with parameters. Looks at every record.
 */
bool
symfile_named(const struct symfile *symfile, const struct symbols_policy *policy, struct text name,
	      struct function *function);

/**
 * The STACK WIN record of `type` (0 or 4) that covers `address`: the innermost of the
 * containment tree that the records build in file order.
 */
bool
symfile_stack_win(const struct symfile *symfile, const struct symbols_policy *policy,
		  unsigned type, uint64_t address, struct stack_win *record);

/** The first address above `address` at which another record of the type, or none, covers. */
bool
symfile_stack_win_change(const struct symfile *symfile, const struct symbols_policy *policy,
			 unsigned type, uint64_t address, uint64_t *change);

/**
 * The STACK CFI INIT record that covers `address` and the deltas in force there, in
 * ascending order of address. Of deltas with one address the last of the file counts.
 * `*deltas` lives in `arena`. False too where memory ends.
 */
bool
symfile_stack_cfi(const struct symfile *symfile, const struct symbols_policy *policy,
		  uint64_t address, struct arena *arena, struct stack_cfi *init,
		  struct stack_cfi **deltas, size_t *delta_count);

/**
 * The first address above `address` at which STACK CFI may say something else: where an INIT
 * record begins or ends, or a delta applies. False where there is none.
 */
bool
symfile_stack_cfi_change(const struct symfile *symfile, const struct symbols_policy *policy,
			 uint64_t address, uint64_t *change);

/* Stores: where symbol files are found. */

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
struct debuginfod;
struct fetcher;
struct fetch_memory;

/**
 * A set of symbols for `count` modules. `paths` are directories in the layout
 * NAME/ID/NAME.sym, or symbol files, compressed or not, that count for the module whose id their MODULE
 * record gives; the first that has a file wins. As in Breakpad a file found in a directory
 * counts whatever its MODULE record says (that is a message), and a module without a debug
 * file or id has none. A name or id that would lead out of the directory finds nothing.
 * Nothing is read yet, except the first lines of plain files. All borrowed. NULL where
 * memory ends.
 */
struct symbols *
symbols_create(const struct module *modules, size_t count, const char *const *paths,
	       size_t path_count);

/**
 * Symbol files that several sets share, so that each is read once. It outlives them. Files are
 * told apart by device and inode and kept until the end.
 */
struct symbols_cache;

/** NULL where memory ends. */
struct symbols_cache *
symbols_cache_create(void);

/** What servers answered, for the fetchers of all sets that share the cache. */
struct fetch_memory *
symbols_cache_answers(struct symbols_cache *cache);

/** Servers for the modules' own files, for all sets that share the cache; NULL: none were kept. */
struct debuginfod *
symbols_cache_debuginfod(const struct symbols_cache *cache);

/** Keep servers, once, to be closed with the cache. */
void
symbols_cache_keep(struct symbols_cache *cache, struct debuginfod *servers);

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
	bool any_layout;		/* directories in other layouts than NAME/ID/NAME.sym, too */
	const char *index_directory;	/* as in struct symfile_options */
	/* Servers to ask where no path has a file; what they gave before is looked at first.
	 * It outlives the set. NULL: nothing is ever fetched. */
	struct fetcher *fetcher;
	/* The modules' own files, asked for (binaries_ask) where a module has no symbol file, as a
	 * part of loading it. They outlive the set. NULL: nobody is asked. */
	struct binaries *binaries;
};

/** How a place where symbols could be comes from a path that was given. */
enum symbols_way {
	SYMBOLS_GIVEN,			/* the file that was given */
	SYMBOLS_BY_NAME,		/* NAME/ID/NAME.sym */
	SYMBOLS_BY_NAME_PACKED,		/* the same with .gz, .zst or .xz behind it */
	SYMBOLS_BY_NAME_FOLDED,		/* either with letters in another case */
	SYMBOLS_BY_CODE,		/* CODE_FILE/CODE_ID/CODE_FILE.sym */
	SYMBOLS_BY_UNIFIED,		/* Symbolicator's aa/rest/breakpad */
	SYMBOLS_BY_RECORD,		/* a file of the directory itself, by its MODULE record */
	SYMBOLS_BY_SERVER,		/* a symbol server, before what it gave is looked for */
	SYMBOLS_WAY_COUNT
};

enum symbols_outcome {
	SYMBOLS_NOT_THERE,
	SYMBOLS_REFUSED,
	SYMBOLS_FETCHED,		/* it is in the directory of what was fetched */
	SYMBOLS_USED,
};

/** A place that a search looked at. Texts are the visitor's until it returns. */
struct symbols_place {
	enum symbols_way way;
	enum symbols_outcome outcome;
	const char *path;
	const char *why;		/* it was refused, or what else is there; NULL */
};

typedef void symbols_visit(void *context, const struct symbols_place *place);

/**
 * Look for a module's file as symbols_load does, and tell every place in order; the last one is
 * that of the file which is used, if there is one. What stands on disk now counts, loaded or not.
 * With symbols_source.any_layout each directory is looked through in the order of symbols_way,
 * and all but the first has to agree with its MODULE record.
 */
void
symbols_search(struct symbols *symbols, size_t module, symbols_visit *visit, void *context);

/** Something that is nearly what was looked for: what it is, and what would help. */
typedef void symbols_near(void *context, const char *path, const char *what, const char *help);

/**
 * Why a module may have no symbols although somebody gave a path: the same name with another id,
 * the same id under another name, bytes of the id swapped, no age, a directory too deep or too
 * shallow, files that are empty or UTF-16. Lists directories and looks into files: not for free.
 */
void
symbols_near_misses(struct symbols *symbols, size_t module, symbols_near *near, void *context);

/** Have somebody told while files are read; before the first of them. */
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
 * somebody asks for, until it is called with false.
 */
void
symbols_stop(struct symbols *symbols, bool stop);

/**
 * Whether another file stands now where that of a module was found, none any more, or one where
 * there was none; `*identity` is set to its. False for modules that nobody has looked for.
 */
bool
symbols_differ(struct symbols *symbols, size_t module, struct identity *identity);

/**
 * Make a module pending again, so that its file is read as it is now. What was handed out stays
 * until the end. Not while somebody else may look at the module.
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

/** The same for servers, asked where no path has a file. The fetcher outlives the last load. */
enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error);

/**
 * Where a directory, a file or the URL of a server was given before: look there again, whatever
 * servers answered in this run, for all modules without symbols. What it was called then, or is
 * now; NULL: nobody gave it.
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

/** The file of a module as it is known now, without loading anything; NULL unless loaded. */
const struct symfile *
symbols_peek(const struct symbols *symbols, size_t module, enum symbols_state *state);

/**
 * The file of a module, loading it first where it is pending. Blocks; several threads may call,
 * also for several files at once. NULL too where reading was stopped: it is pending still.
 */
const struct symfile *
symbols_load(struct symbols *symbols, size_t module);

/**
 * What was wrong while looking for a module's symbols (ids that differ, unreadable files).
 * Read it while no symbols_load runs: that adds to it.
 */
const struct message_list *
symbols_messages(const struct symbols *symbols);

#endif
