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
 * Opening it makes one pass that indexes MODULE, INFO, FILE, INLINE_ORIGIN, FUNC, PUBLIC and STACK
 * records; the contents of a function are parsed on request. All records are kept in their order,
 * including shadowed ones, and each has a place. A malformed record is skipped with a message.
 * Addresses are relative to the module's base.
 *
 * An open file never changes, so threads may share it; data parsed on request goes into the
 * caller's arena.
 */
struct symfile;
struct policy;

/*
 * Functions that take a policy use POLICY_SYMBOL_ERROR_LIMIT, POLICY_PUBLIC_AT_ZERO and
 * POLICY_INLINE_LEVELS (an enum nesting). FUNC records of size 0, and FUNC records that overlap an
 * earlier one, are never found.
 */
enum nesting {
	/* By ranges: call A is inside call B if the range of B includes the range of A */
	NESTING_BY_RANGES,
	NESTING_BY_LEVELS,		/* by levels if each level occurs once, else by ranges */
	NESTING_LEVELS_ALONE,		/* by levels, up to the first missing one */
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
	SYMBOL_STACK,		/* a STACK record of an unknown kind */
	SYMBOL_CODE_ID,		/* INFO CODE_ID */
	SYMBOL_KIND_COUNT
};

/** A FUNC or PUBLIC record. */
struct function {
	enum symbol_record_kind kind;
	bool multiple;			/* the `m` flag */
	uint64_t address, size;		/* size is 0 for a PUBLIC */
	uint64_t parameter_size;
	struct text name;		/* bytes of the file, not yet safe for a terminal */
	uint64_t offset;		/* offset of the record in the file */
	uint32_t length;		/* length of the record without line end */
};

/** The line record that covers an address. */
struct source_line {
	uint64_t address, size;
	struct text file;		/* empty: no such file number */
	uint32_t line;
	uint32_t length;
	uint64_t offset;
	const struct input *own_file;	/* file of the module for `offset`; NULL: the symbol file */
};

/** The name of an inlined call whose function has none. */
#define SYMBOL_NAME_OMITTED "<name omitted>"

/** An inlined call that covers an address. */
struct inline_call {
	uint32_t depth;			/* depth that the record gives */
	uint32_t call_line;
	struct text call_file;		/* empty: not in the record, or no such number */
	struct text name;		/* name of its INLINE_ORIGIN; or SYMBOL_NAME_OMITTED */
	uint64_t address, size;		/* the matching range */
	uint64_t offset;
	uint32_t length;
	const struct input *own_file;	/* file of the module for `offset`; NULL: the symbol file */
};

/** The contents of one function, from a symbol file or else from the module's file. */
struct function_body {
	struct function function;
	struct source_line *lines;	/* sorted by address, without overlaps */
	size_t line_count;
	/* Inlined calls by address, each before the calls inlined into it */
	struct inline_call *calls;
	size_t call_count;
	bool has_inline;		/* the symbol file has INLINE records of the function */
};

/** The information about one address, from a symbol file or else from the module's file. */
struct symbol {
	bool found;			/* some name was found */
	bool stub;			/* the code only jumps to the named function */
	bool has_line;
	bool has_inline;		/* the symbol file has INLINE records of the function */
	/*
	 * the name is the next lower symbol's; no source shows that the function reaches the
	 * address
	 */
	bool uncertain;
	/* The module's file and the section of the name, if the offsets are in the module's file.
	 * NULL: all data is from a symbol file. */
	const struct input *own_file;
	const char *section;
	struct function function;
	struct source_line line;
	struct inline_call *inlines;	/* innermost first */
	size_t inline_count;
	/* Records not used: a PUBLIC hidden by a FUNC, FUNCs dropped for overlap. */
	struct function *shadowed;
	size_t shadowed_count;
	const char *evidence;		/* sentence with a walk's evidence; NULL: none */
	/*
	 * The next lower name, if `bound_source` shows that another function begins between the
	 * name and the address, at `bound`. Empty: no such name
	 */
	struct function after;
	uint64_t bound;
	const char *bound_source;
};

struct stack_win {
	unsigned type;			/* 0 FPO, 4 frame data; 1 to 3 are never used */
	uint64_t address, size;
	uint32_t prologue, epilogue, parameters, saved_registers, locals, max_stack;
	bool has_program;
	struct text program;		/* only if `has_program` */
	bool allocates_base_pointer;	/* only if not `has_program` */
	uint64_t offset;
	uint32_t length;
	uint32_t program_column;	/* 1-based column of the last field */
	/* places of the record and its program in a PDB, without a line; else empty */
	struct place own, own_program;
};

/** A STACK CFI INIT record or a STACK CFI delta. */
struct stack_cfi {
	bool init;
	uint64_t address, size;		/* size is 0 for a delta */
	struct text rules;
	uint64_t offset;
	uint32_t length;
	uint32_t rules_column;		/* 1-based column of the rules */
};

/** The MODULE record of a symbol file. Texts are empty if there is none. */
struct symfile_identity {
	struct text os, arch, id, name;
};

/**
 * Reports the bytes read and the total. False cancels. Any thread may call it, never two at once.
 */
typedef bool symfile_progress(void *context, uint64_t bytes, uint64_t total);

/** How to open a symbol file; all members may be zero. */
struct symfile_options {
	symfile_progress *progress;	/* NULL: none */
	void *context;
	/* Directory of saved indexes of files; NULL: none. */
	const char *index_directory;
};

/**
 * Open and index a symbol file; `options` may be NULL. On success free `*symfile` with
 * symfile_close; a file without any usable record is still a symbol file. Bad records are no
 * failure. ERROR_CANCELLED: `progress` returned false.
 */
enum error_code
symfile_open(struct symfile **symfile, const char *path, const struct symfile_options *options,
	     struct error *error);

/** symfile_open() for bytes that the caller keeps; places refer to `name`. */
enum error_code
symfile_from_memory(struct symfile **symfile, const char *name, const void *bytes, size_t size,
		    struct error *error);

void
symfile_close(struct symfile *symfile);

/** The number of files in symfile_options.index_directory, and the sum of their sizes in bytes. */
void
symbols_measure_indexes(const char *directory, size_t *count, uint64_t *bytes);

/** Remove the index files in `directory`. Returns their number. */
size_t
symbols_clear_indexes(const char *directory);

/**
 * The file as read by rust-minidump (strict.h); NULL if rust-minidump refuses the file. The first
 * call makes this reading, which is freed with the file.
 */
const struct symfile *
symfile_strict(const struct symfile *symfile);

/** The file as read under a policy; NULL: no file, or the policy's walker refuses it. */
const struct symfile *
symfile_under(const struct symfile *symfile, const struct policy *policy);

/** After a call of symfile_strict, the refusal and its reason; else NULL or an empty list. */
const struct message_list *
symfile_strict_messages(const struct symfile *symfile);

struct symfile_identity
symfile_identity(const struct symfile *symfile);

/** A unique number of an open file. Unlike the address, the number is never reused. */
uint64_t
symfile_number(const struct symfile *symfile);

/** The file's bytes and name. */
const struct file *
symfile_file(const struct symfile *symfile);

const struct message_list *
symfile_messages(const struct symfile *symfile);

/** Whether Breakpad would call the file corrupt: it has bad records that Breakpad counts. */
bool
symfile_corrupt(const struct symfile *symfile);

/** The number of indexed records of a kind (0 for lines and inlined calls). */
size_t
symfile_count(const struct symfile *symfile, enum symbol_record_kind kind);

/**
 * The place of record `index` of a kind, shadowed or not. `index` counts from 0 in the order of the
 * file; STACK WIN records are ordered by type first. False after the last record, and for STACK
 * CFI deltas if they all follow their INIT records: such deltas are not indexed.
 */
bool
symfile_record(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
	       uint64_t *offset, uint32_t *length);

/** The FILE or INLINE_ORIGIN record (by `kind`) that defines a number. False: none. */
bool
symfile_numbered(const struct symfile *symfile, enum symbol_record_kind kind, uint64_t number,
		 uint64_t *offset, uint32_t *length);

/** The place (with line and column) of `length` bytes at `offset`; counts lines on demand. */
struct place
symfile_place(const struct symfile *symfile, uint64_t offset, uint32_t length);

/** symfile_place(), made faster by the known place of a byte shortly before `offset`. */
struct place
symfile_place_behind(const struct symfile *symfile, const struct place *before, uint64_t offset,
		     uint32_t length);

/** The offset of the first byte of a 1-based line. False after the last line. */
bool
symfile_line_offset(const struct symfile *symfile, uint32_t line, uint64_t *offset);

uint32_t
symfile_line_count(const struct symfile *symfile);

/**
 * Find the FUNC at `address`, or else the PUBLIC, with line and inlined calls. Lists live in
 * `arena`. Reads the whole text of the function, so keep the result. Returns symbol->found.
 */
bool
symfile_lookup(const struct symfile *symfile, const struct policy *policy, uint64_t address,
	       struct arena *arena, struct symbol *symbol);

/** Find only the FUNC or PUBLIC, for scans. Allocates nothing. */
bool
symfile_function(const struct symfile *symfile, const struct policy *policy,
		 uint64_t address, struct function *function);

/**
 * FUNC or PUBLIC record `index`, shadowed or not. `index` counts from 0 in the order of the file.
 * False after the last record.
 */
bool
symfile_function_at(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
		    struct function *function);

/** The FUNC that covers `address`, never a PUBLIC. Allocates nothing. */
bool
symfile_covering_function(const struct symfile *symfile, const struct policy *policy,
			  uint64_t address, struct function *function);

/**
 * The FUNC that covers `address` with its lines and inlined calls. False if there is none. Lists
 * live in `arena`; they are shorter when out of memory.
 */
bool
symfile_function_body(const struct symfile *symfile, const struct policy *policy,
		      uint64_t address, struct arena *arena, struct function_body *body);

/**
 * The first FUNC with the name `name`, or else the first PUBLIC. `name` is mangled or demangled,
 * with or without parameters. Checks every record.
 */
bool
symfile_named(const struct symfile *symfile, const struct policy *policy, struct text name,
	      struct function *function);

/**
 * The STACK WIN record of `type` (0 or 4) that covers `address`: the innermost in the containment
 * tree built in the order of the file.
 */
bool
symfile_stack_win(const struct symfile *symfile, const struct policy *policy,
		  unsigned type, uint64_t address, struct stack_win *record);

/** The first higher address where a different record of the type applies, or where none applies. */
bool
symfile_stack_win_change(const struct symfile *symfile, const struct policy *policy,
			 unsigned type, uint64_t address, uint64_t *change);

/** The STACK CFI INIT record that covers `address`. */
bool
symfile_stack_cfi_init(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       struct stack_cfi *init);

/** A STACK CFI INIT record with deltas in ascending order of address. */
struct stack_cfi_records {
	struct stack_cfi init, *deltas;
	size_t delta_count;
	uint64_t read;		/* bytes in which the deltas were searched */
};

/**
 * The INIT record that covers `address` and the deltas that apply there. Of deltas with the same
 * address the last in the file is used. The deltas live in `arena`. Also false when out of memory.
 */
bool
symfile_stack_cfi(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		  struct arena *arena, struct stack_cfi_records *records);

/** Reads the deltas of an INIT record one at a time: all of them may take much memory. */
struct stack_cfi_reader;

/**
 * The INIT record that covers `address`, and a reader in `arena` of its deltas up to `last`, which
 * the record also covers. NULL if no record covers the address, and when out of memory.
 */
struct stack_cfi_reader *
symfile_stack_cfi_open(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       uint64_t last, struct arena *arena, struct stack_cfi *init);

/** The next delta, in the order of symfile_stack_cfi; false after the last one. */
bool
symfile_stack_cfi_next(struct stack_cfi_reader *reader, struct stack_cfi *delta);

/**
 * The INIT record that covers `address`, or else the next higher INIT record, with all deltas in
 * its range. False after the last record and when out of memory. See symfile_stack_cfi.
 */
bool
symfile_stack_cfi_from(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       struct arena *arena, struct stack_cfi_records *records);

/** The STACK CFI INIT records in use, by address; their deltas directly follow them. */
struct symfile_inits {
	const struct symfile *symfile;
	const char *data;
	uint64_t size;
	size_t count;
};

/** False if a delta does not follow its INIT record, or the policy changes how the file is read. */
bool
symfile_inits_plain(const struct symfile *symfile, const struct policy *policy,
		    struct symfile_inits *inits);

/** The range and offset of record `n`. Ranges do not overlap. */
void
symfile_inits_at(const struct symfile_inits *inits, size_t n, uint64_t *address, uint64_t *size,
		 uint64_t *offset);

/**
 * Whether an INIT record covers `address`. If so, `*first` is the start of the record; else it is
 * the end of the next lower INIT record (0: none).
 */
bool
symfile_stack_cfi_extent(const struct symfile *symfile, const struct policy *policy,
			 uint64_t address, uint64_t *first);

/**
 * The first higher address at which STACK CFI may change: an INIT record begins or ends, or a delta
 * applies. False if there is none.
 */
bool
symfile_stack_cfi_change(const struct symfile *symfile, const struct policy *policy,
			 uint64_t address, uint64_t *change);

#endif
