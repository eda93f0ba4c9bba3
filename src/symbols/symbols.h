/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "system/file.h"
#include "base/message.h"
#include "base/text.h"

/**
 * One Breakpad symbol file.
 *
 * Opening it makes one pass that indexes MODULE, INFO, FILE, INLINE_ORIGIN, FUNC,
 * PUBLIC and STACK records; what lies inside a function is parsed when a caller
 * asks for that function. Every record is kept, also those that another one
 * shadows, with its order in the file; each can be asked for its place. A malformed
 * record is a message and is skipped. Addresses are relative to the module's base.
 *
 * An opened file never changes, so that threads may share it; what is parsed on
 * demand goes into the caller's arena.
 */
struct symfile;
struct policy;

/** Which of the records of a file count. */
struct symbols_policy {
	/* Stop reading where Breakpad does: at the 101st bad record of the indexed kinds,
	 * or at a byte 0xFF. */
	bool stop_as_breakpad;
	/* A function of size 0 or one that overlaps an earlier one is still not found; this
	 * only says whether a PUBLIC at address 0 counts (Breakpad drops it). */
	bool public_zero;
	/* How the inlined calls around an address nest. */
	enum nesting {
		NESTING_BY_RANGES,	/* as their ranges contain each other */
		/* By levels where each level is there once, else by ranges */
		NESTING_BY_LEVELS,
		NESTING_LEVELS_ALONE,	/* by levels, up to the first that is missing */
	} nesting;
};

/** Which of them count under a policy. */
struct symbols_policy
symbols_policy_of(const struct policy *policy);

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
	SYMBOL_STACK,		/* of no known kind */
	SYMBOL_CODE_ID,		/* INFO CODE_ID */
	SYMBOL_KIND_COUNT
};

/** A FUNC or PUBLIC record. */
struct function {
	enum symbol_record_kind kind;	/* SYMBOL_FUNC or SYMBOL_PUBLIC */
	bool multiple;			/* the `m` flag */
	uint64_t address, size;		/* size is 0 for a PUBLIC */
	uint64_t parameter_size;
	struct text name;		/* bytes of the file, not yet safe for a terminal */
	uint64_t offset;		/* of the record in the file */
	uint32_t length;		/* of the record, without its line end */
};

/** The line record that covers an address. */
struct source_line {
	uint64_t address, size;
	struct text file;		/* empty: no such file number */
	uint32_t line;
	uint32_t length;		/* of the record */
	uint64_t offset;
	const struct input *own_file;	/* of the module, in which `offset` counts; NULL: symbols */
};

/** An inlined call that covers an address. */
struct inline_call {
	uint32_t depth;			/* as the record says */
	uint32_t call_line;		/* where it is called */
	struct text call_file;		/* empty: none in the record, or no such number */
	struct text name;		/* of its origin; "<name omitted>" where there is none */
	uint64_t address, size;		/* of the matching range */
	uint64_t offset;		/* of the record */
	uint32_t length;		/* of the record */
	const struct input *own_file;	/* of the module, in which `offset` counts; NULL: symbols */
};

/** All that a symbol file, or else the module's own file, says of one function. */
struct function_body {
	struct function function;
	struct source_line *lines;	/* by address, without overlap */
	size_t line_count;
	struct inline_call *calls;	/* by address, each before those inlined into it */
	size_t call_count;
	bool has_inline;		/* the symbol file has INLINE records of the function */
};

/** All that a symbol file, or else the module's own file, says of one address. */
struct symbol {
	bool found;			/* some name was found */
	bool stub;			/* it only jumps to the function of that name */
	bool has_line;
	bool has_inline;		/* the symbol file has INLINE records of the function */
	/* Only an address gives the name, and no source says that its function reaches so far. */
	bool uncertain;
	/* The module's own file, in which offsets count then, and the section that has the name;
	 * NULL: a symbol file says all. */
	const struct input *own_file;
	const char *section;
	struct function function;
	struct source_line line;
	struct inline_call *inlines;	/* innermost first */
	size_t inline_count;
	/* What the choice shadowed: a PUBLIC that a FUNC beats, FUNCs dropped for overlap. */
	struct function *shadowed;
	size_t shadowed_count;
	const char *evidence;		/* what else says so, of a walk's location; or NULL */
	/* The closest name below, which is another function's: at `bound` `bound_source` begins the
	 * next one. Its name is empty where there is none. */
	struct function after;
	uint64_t bound;
	const char *bound_source;
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
	/* Of a record of a PDB, which has no line: where it is, and its program. Else no place. */
	struct place own, own_program;
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
 * Told how many bytes of a file have been read, of how many, and asked whether to go on. Any
 * thread may call, never two at once.
 */
typedef bool symfile_progress(void *context, uint64_t bytes, uint64_t total);

/** How to open a symbol file; all may be zero. */
struct symfile_options {
	symfile_progress *progress;	/* NULL: none */
	void *context;
	/* Where indexes of files are kept for the next time; NULL: nowhere. */
	const char *index_directory;
};

/**
 * Open and index a symbol file; `options` may be NULL. On success `*symfile` is freed with
 * symfile_close; a file without any usable record is still a symbol file. Never fails for a bad
 * record; ERROR_CANCELLED where `progress` said so.
 */
enum error_code
symfile_open(struct symfile **symfile, const char *path, const struct symfile_options *options,
	     struct error *error);

/** symfile_open() of bytes that the caller keeps alive, named `name` in places. */
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

/**
 * The file as rust-minidump reads it (strict.h); NULL where it refuses the file. The first call
 * makes it; it is freed with the file.
 */
const struct symfile *
symfile_strict(const struct symfile *symfile);

/** The reading of a file, which may be NULL, that a policy asks for; NULL where it refuses it. */
const struct symfile *
symfile_under(const struct symfile *symfile, const struct policy *policy);

/** That and why it refuses the file, once symfile_strict was called; else NULL or empty. */
const struct message_list *
symfile_strict_messages(const struct symfile *symfile);

struct symfile_identity
symfile_identity(const struct symfile *symfile);

/** A number that no other file that was opened has, unlike its address once it is closed. */
uint64_t
symfile_number(const struct symfile *symfile);

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
 * kind lies, whether or not another one shadows it; false behind the last one, and for STACK CFI
 * records whose index was not needed: those that follow their INIT records.
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

/** symfile_place() if the place of something a little before it is known, which is quicker. */
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
 * (may be NULL), again for each call. Reads the whole text of the function: keep the answer to
 * use it again. Returns symbol->found.
 */
bool
symfile_lookup(const struct symfile *symfile, const struct symbols_policy *policy,
	       uint64_t address, struct arena *arena, struct message_list *messages,
	       struct symbol *symbol);

/** The FUNC or PUBLIC alone: what scans ask. Allocates nothing. */
bool
symfile_function(const struct symfile *symfile, const struct symbols_policy *policy,
		 uint64_t address, struct function *function);

/**
 * FUNC or PUBLIC record `index` (from 0, in the order of the file), whether or not another one
 * shadows it; false behind the last.
 */
bool
symfile_function_at(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
		    struct function *function);

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
 * `*deltas` lives in `arena`. False too when out of memory.
 */
bool
symfile_stack_cfi(const struct symfile *symfile, const struct symbols_policy *policy,
		  uint64_t address, struct arena *arena, struct stack_cfi *init,
		  struct stack_cfi **deltas, size_t *delta_count);

/**
 * The INIT record that covers `address`, else the first one above, with all deltas in its range, as
 * symfile_stack_cfi has them. False behind the last one and when out of memory.
 */
bool
symfile_stack_cfi_from(const struct symfile *symfile, const struct symbols_policy *policy,
		       uint64_t address, struct arena *arena, struct stack_cfi *init,
		       struct stack_cfi **deltas, size_t *delta_count);

/** The STACK CFI INIT records that count, by address, where their deltas stand behind them. */
struct symfile_inits {
	const struct symfile *symfile;
	const char *data;		/* the file's bytes */
	uint64_t size;
	size_t count;
};

/** False where deltas stand elsewhere, or the policy has the file read in another way. */
bool
symfile_inits_plain(const struct symfile *symfile, const struct symbols_policy *policy,
		    struct symfile_inits *inits);

/** What record `n` is for, and its offset. Ranges do not overlap. */
void
symfile_inits_at(const struct symfile_inits *inits, size_t n, uint64_t *address, uint64_t *size,
		 uint64_t *offset);

/**
 * Whether an INIT record covers `address`; `*first` is where it begins, else where the record below
 * ends (0: there is none).
 */
bool
symfile_stack_cfi_extent(const struct symfile *symfile, const struct symbols_policy *policy,
			 uint64_t address, uint64_t *first);

/**
 * The first address above `address` at which STACK CFI may say something else: where an INIT
 * record begins or ends, or a delta applies. False where there is none.
 */
bool
symfile_stack_cfi_change(const struct symfile *symfile, const struct symbols_policy *policy,
			 uint64_t address, uint64_t *change);

#endif
