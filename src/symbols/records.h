/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_RECORDS_H
#define SYMBOLS_RECORDS_H

#include "base/limits.h"
#include "symbols/symbols.h"

/**
 * The fields of each kind of record. A record is a line without its end; what is read
 * points into it. All return false for a record that Breakpad calls malformed. Places are
 * left to the caller, but for columns.
 */

/** What a line is, by its first word and the space behind it. */
enum record_word {
	RECORD_LINE,		/* no word: a line record, good or bad */
	RECORD_STACK,
	RECORD_FUNC,
	RECORD_PUBLIC,
	RECORD_FILE,
	RECORD_INLINE,
	RECORD_INLINE_ORIGIN,
	RECORD_INFO,
	RECORD_MODULE,
	RECORD_WORD_COUNT
};

enum record_word
record_word(struct text record);

/** How a record of the kind is written, for messages. */
const char *
record_form(enum record_word word);

/** Whether a line record could begin like this: with a digit, a sign or a blank but space. */
bool
record_may_be_line(struct text record);

struct numbered_record {
	uint64_t number;
	struct text name;
};

struct line_record {
	uint64_t address, size;
	uint32_t line;
	uint64_t file;
};

#define RECORD_INLINE_RANGES ((LIMIT_INLINE_FIELDS - 3) / 2)

struct inline_record {
	int64_t depth, line;
	int64_t file;		/* -1: none */
	uint64_t origin;
	size_t count;
	struct {
		uint64_t address, size;
	} ranges[RECORD_INLINE_RANGES];
};

/** MODULE os arch id name; what is missing is empty. */
struct symfile_identity
record_module(struct text record);

/** FILE number name. */
bool
record_file(struct text record, struct numbered_record *file);

/** INLINE_ORIGIN number [file] name: the old form has a number of a file, which is of no use. */
bool
record_inline_origin(struct text record, struct numbered_record *origin);

/** FUNC [m] address size parameter_size name. */
bool
record_func(struct text record, struct function *function);

/** PUBLIC [m] address parameter_size name. */
bool
record_public(struct text record, struct function *function);

/** address size line file. */
bool
record_line(struct text record, struct line_record *line);

/** INLINE depth line [file] origin (address size)+; the count of fields tells the forms apart. */
bool
record_inline(struct text record, struct inline_record *call);

/** STACK WIN ...; `record` may be any STACK record. */
bool
record_stack_win(struct text record, struct stack_win *win);

/** STACK CFI [INIT] ...; `record` may be any STACK record. */
bool
record_stack_cfi(struct text record, struct stack_cfi *cfi);

#endif
