/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_RECORDS_H
#define SYMBOLS_RECORDS_H

#include "base/limits.h"
#include "symbols/fields.h"
#include "symbols/symbols.h"

/**
 * The general reader of records. `record_forms` lists the fields of each kind of record. The reader
 * returns the place, value and oddities of each field. A record is a line without its end; results
 * point into it. The exact pass, function bodies, lint, edits and the raw view use this reader. A
 * faster reader, the pass over a slice (slice.c), leaves anything unusual to this one. Tests
 * compare the two readers on random files.
 */

#define RECORD_FIELDS 12u

struct record_form {
	size_t length;		/* bytes of its first word and the space after it */
	const char *name;	/* first word and keywords */
	size_t name_length;
	const char *text;	/* form of the record, for messages */
	unsigned repeats;	/* number of fields at the end that may be repeated */
	struct field_form {
		enum field_kind kind;
		const char *name, *meaning;	/* as in Breakpad's docs/symbol_files.md */
	} fields[RECORD_FIELDS + 1];	/* FIELD_NONE at the end */
};

extern const struct record_form record_forms[SYMBOL_KIND_COUNT];

struct symbol_record {
	enum symbol_record_kind kind;
	struct text text;
	size_t count;		/* number of fields read before the first missing field */
	unsigned state;		/* states of all fields combined */
	struct symbol_field fields[RECORD_FIELDS];	/* as in record_forms */
	struct field_cursor rest;
};

/**
 * The kind of record of a line, by its first words. SYMBOL_LINE: any line that does not begin
 * with the word of a record. SYMBOL_STACK: a STACK record of an unknown kind.
 */
enum symbol_record_kind
record_kind(struct text text);

/** The kind of a record in rust-minidump: its name has single spaces, and a blank follows it. */
enum symbol_record_kind
record_kind_strict(struct text text);

/** Whether a line record could begin like this text: with a digit, a sign or a blank. */
bool
record_may_be_line(struct text text);

/** The length of the valid UTF-8 at a text's beginning. */
size_t
record_utf8_length(struct text text);

/** Read the fields of any record; false if Breakpad calls it malformed. */
bool
record_read_fields(struct symbol_record *record);

/**
 * Read the record at the beginning of `text` as rust-minidump does (strict.h). Returns the start of
 * the next line, or NULL if it refuses the record. `record->text` ends with the line; oddities of
 * fields are not checked.
 */
const char *
record_read_strict(enum symbol_record_kind kind, struct text text, struct symbol_record *record);

/* Indexes of fields in record_forms. */
enum {
	MODULE_SYSTEM = 0, MODULE_ARCHITECTURE, MODULE_ID, MODULE_NAME,
	NUMBERED_NUMBER = 0, ORIGIN_FILE,
	CALL_LEVEL = 0, CALL_LINE, CALL_FILE, CALL_ORIGIN, CALL_ADDRESS, CALL_SIZE,
	FUNC_ADDRESS = 1, FUNC_SIZE, FUNC_PARAMETERS, FUNC_NAME,
	PUBLIC_ADDRESS = 1, PUBLIC_PARAMETERS, PUBLIC_NAME,
	LINE_ADDRESS = 0, LINE_SIZE, LINE_NUMBER, LINE_FILE,
	WIN_TYPE = 1, WIN_ADDRESS, WIN_SIZE, WIN_PROLOGUE, WIN_EPILOGUE, WIN_PARAMETERS,
	WIN_SAVED, WIN_LOCALS, WIN_MAX_STACK, WIN_HAS_PROGRAM, WIN_PROGRAM,
	INIT_ADDRESS = 2, INIT_SIZE, INIT_RULES,
	DELTA_ADDRESS = 1, DELTA_RULES,
};

#define WIN_TYPE_MOST 4u

/** Whether an INLINE record has a file: `read` plus the number of fields in `rest` is even. */
bool
record_has_call_file(size_t read, struct field_cursor rest);

/**
 * Read a line record or an inlined call whose fields are plain numbers, as usual. The range of an
 * inlined call is read if the call has only one. False if the record must be read field by field.
 */
static ATTRIBUTE_INLINE bool
record_read_plain(enum symbol_record_kind kind, struct symbol_record *record)
{
	const bool line = kind == SYMBOL_LINE;
	const struct text text = record->text;
	const char *at = text.start + record_forms[kind].length;
	const char *const end = text.start + text.length;
	struct symbol_field *fields = record->fields;

	if (line && (at = field_plain(at, end, FIELD_HEX, &fields[0])) != NULL)
		at = field_plain(at, end, FIELD_HEX, &fields[1]);
	else if (!line && (at = field_plain(at, end, FIELD_DECIMAL, &fields[0])) != NULL)
		at = field_plain(at, end, FIELD_DECIMAL, &fields[1]);
	if (at == NULL || (at = field_plain(at, end, FIELD_DECIMAL, &fields[2])) == NULL ||
	    (at = field_plain(at, end, FIELD_DECIMAL, &fields[3])) == NULL)
		return false;
	record->count = 4;
	record->rest = (struct field_cursor){ at, end };
	if (line)
		return true;
	at = field_plain(at, end, FIELD_HEX, &fields[CALL_ADDRESS]);
	if (at == NULL || field_plain(at, end, FIELD_SIZE, &fields[CALL_SIZE]) != end)
		return record_has_call_file(4, record->rest);
	record->count = CALL_SIZE + 1;
	record->rest.at = end;
	return true;
}

/** Read all fields of a record of kind `kind`; false if Breakpad calls it malformed. */
static ATTRIBUTE_INLINE bool
record_read(enum symbol_record_kind kind, struct text text, struct symbol_record *record)
{
	record->kind = kind;
	record->text = text;
	record->state = 0;
	return ((kind == SYMBOL_LINE || kind == SYMBOL_INLINE) &&
		record_read_plain(kind, record)) ||
	       record_read_fields(record);
}

/** Whether an INLINE record has another range, or other text instead of a range. */
static inline bool
record_has_range(const struct symbol_record *record)
{
	return record->count > CALL_ADDRESS || field_more(&record->rest);
}

/**
 * Read the next address and size of an INLINE record into its fields CALL_ADDRESS and CALL_SIZE.
 * False if malformed or missing. Fields that were not read have no state.
 */
static inline bool
record_range(struct symbol_record *record)
{
	struct symbol_field *range = &record->fields[CALL_ADDRESS];
	struct field_cursor *rest = &record->rest;

	if (record->count > CALL_ADDRESS) {
		record->count = CALL_ADDRESS;
		return true;
	}
	const char *at = field_plain(rest->at, rest->end, FIELD_HEX, &range[0]);
	if (at != NULL)
		at = field_plain(at, rest->end, FIELD_SIZE, &range[1]);
	if (at == NULL) {
		range[1].state = 0;
		return field_read(rest, FIELD_HEX, &range[0]) &&
		       field_read(rest, FIELD_SIZE, &range[1]);
	}
	rest->at = at;
	return true;
}

struct line_record {
	uint64_t address, size;
	uint32_t line;
	uint64_t file;
};

#define RECORD_INLINE_RANGES ((LIMIT_INLINE_FIELDS - 3) / 2)

struct inline_record {
	int64_t depth, line;
	int64_t file;		/* number of the file; -1: none */
	uint64_t origin;
	size_t count;
	struct {
		uint64_t address, size;
	} ranges[RECORD_INLINE_RANGES];
};

/*
 * The values of a record, with columns but without places. Functions of type bool return false for
 * another kind of record, and if Breakpad (with `strict`: rust-minidump) calls it malformed.
 */

/** MODULE; missing parts are empty. */
struct symfile_identity
record_module(struct text text);

/** The name in a FILE or INLINE_ORIGIN record. */
bool
record_numbered(struct text text, bool strict, struct text *name);

/** FUNC or PUBLIC. */
bool
record_function(struct text text, bool strict, struct function *function);

bool
record_line(struct text text, bool strict, struct line_record *line);

/** INLINE; ranges after the first RECORD_INLINE_RANGES are dropped, as in Breakpad. */
bool
record_inline(struct text text, bool strict, struct inline_record *call);

bool
record_stack_win(struct text text, bool strict, struct stack_win *win);

/** STACK CFI or STACK CFI INIT. */
bool
record_stack_cfi(struct text text, bool strict, struct stack_cfi *cfi);

/* Conversions of records already read. */

struct stack_win
record_as_win(const struct symbol_record *record);

struct stack_cfi
record_as_cfi(const struct symbol_record *record);

/** The offset of field `index` from the start of the record; the record's length if missing. */
static inline size_t
record_skip(const struct symbol_record *record, size_t index)
{
	return index < record->count ? (size_t)(record->fields[index].text.start -
						record->text.start) : record->text.length;
}

#endif
