/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "symbols/records.h"
#include "symbols/span.h"
#include "symbols/swar.h"

/* Bytes read at once: few enough to stay in the second-level cache until they are used. */
#define CHUNK ((size_t)128 << 10)
/* Longest line carried from one chunk to the next. */
#define CARRY ((size_t)64 << 10)
#define ROOM_ALIGNMENT ((size_t)4096)
#define ROOM (CARRY + CHUNK + CARRY + ROOM_ALIGNMENT)
/* Readable bytes after a chunk: readers of numbers look at some bytes after a line. */
#define BEHIND ((size_t)64)
#define NO_LINE UINT64_MAX
/* The previous line is in the body of a function, and has no row. */
#define BODY_LINE (UINT64_MAX - 1)

struct slice_reader {
	const struct file *file;
	uint64_t size;			/* bytes of the file without NULs at its end */
	char *room;			/* buffer of ROOM bytes */
	char *data;			/* start of the chunk */
	struct slice *slice;
	uint64_t offset;		/* offset of the chunk in the file */
	size_t length;			/* bytes of the chunk */
	const char *line;		/* the incomplete line; NULL: it begins before the slice */
	uint64_t previous;		/* start of the line before `line`, BODY_LINE or NO_LINE */
	bool return_last;		/* the previous chunk ended with a carriage return */
	bool skips;			/* skip lines and inlined calls of a function */
	struct cfi_run run;
};

bool
index_row_from(const struct symbol_record *record, struct index_row *row)
{
	static const struct {
		enum table_kind table;
		/* Indexes of the fields to store; both are equal if there is only one field */
		uint8_t address, size;
		bool unread;
	} rows[SYMBOL_KIND_COUNT] = {
		[SYMBOL_MODULE] = { TABLE_MODULE, 0, 0, true },
		[SYMBOL_INFO] = { TABLE_INFO, 0, 0, true },
		[SYMBOL_CODE_ID] = { TABLE_INFO, 0, 0, true },
		[SYMBOL_FILE] = { TABLE_FILE, NUMBERED_NUMBER, NUMBERED_NUMBER, false },
		[SYMBOL_INLINE_ORIGIN] = { TABLE_ORIGIN, NUMBERED_NUMBER, NUMBERED_NUMBER, false },
		[SYMBOL_FUNC] = { TABLE_FUNC, FUNC_ADDRESS, FUNC_SIZE, false },
		[SYMBOL_PUBLIC] = { TABLE_PUBLIC, PUBLIC_ADDRESS, PUBLIC_ADDRESS, false },
		[SYMBOL_STACK_WIN] = { TABLE_WIN, WIN_ADDRESS, WIN_SIZE, false },
		[SYMBOL_STACK_CFI_INIT] = { TABLE_INIT, INIT_ADDRESS, INIT_SIZE, false },
		[SYMBOL_STACK_CFI] = { TABLE_DELTA, DELTA_ADDRESS, DELTA_ADDRESS, false },
	};
	const enum symbol_record_kind kind = record->kind;
	const struct symbol_field *fields = record->fields;

	*row = (struct index_row){ .table = rows[kind].table };
	if (rows[kind].unread)
		return true;
	row->address = fields[rows[kind].address].value;
	if (rows[kind].size != rows[kind].address)
		row->size = fields[rows[kind].size].value;
	if (kind == SYMBOL_STACK_WIN)
		row->table += (unsigned)fields[WIN_TYPE].value;
	return kind != SYMBOL_STACK_WIN || fields[WIN_TYPE].value <= WIN_TYPE_MOST;
}

bool
index_row_of(enum symbol_record_kind kind, struct text text, struct index_row *row)
{
	struct symbol_record record;

	if (kind == SYMBOL_MODULE || kind == SYMBOL_INFO || kind == SYMBOL_CODE_ID)
		record.kind = kind;
	else if (!record_read(kind, text, &record))
		return false;
	return index_row_from(&record, row);
}

struct slice_reader *
slice_reader_create(const struct file *file, uint64_t size)
{
	struct slice_reader *reader = calloc(1, sizeof(*reader));
	/* The kernel takes four times as long to copy to an address that is not page-aligned. */
	char *room = aligned_alloc(ROOM_ALIGNMENT, ROOM);

	if (reader == NULL || room == NULL) {
		free(reader);
		free(room);
		return NULL;
	}
	reader->file = file;
	reader->size = size;
	reader->room = room;
	reader->data = room + CARRY;
	return reader;
}

void
slice_reader_free(struct slice_reader *reader)
{
	if (reader == NULL)
		return;
	free(reader->room);
	free(reader);
}

static bool
give_up(struct slice_reader *reader)
{
	reader->slice->given_up = true;
	return false;
}

static uint64_t
offset_of(const struct slice_reader *reader, const char *at)
{
	return reader->offset + (uint64_t)(at - reader->data);
}

static bool
add_row(struct slice_reader *reader, unsigned table, uint64_t address, uint64_t size,
	const char *line)
{
	struct slice *slice = reader->slice;

	if (size > UINT32_MAX)
		return give_up(reader);
	if (slice->row_count == slice->row_capacity) {
		const size_t wanted = slice->row_capacity == 0 ? 4096 : slice->row_capacity * 2;
		struct slice_row *larger = realloc(slice->rows, wanted * sizeof(*larger));

		slice->failed = larger == NULL;
		if (larger == NULL)
			return false;
		slice->rows = larger;
		slice->row_capacity = wanted;
	}
	slice->rows[slice->row_count++] = (struct slice_row){
		address, (uint32_t)size, (uint32_t)(offset_of(reader, line) - slice->start), table
	};
	return true;
}

static bool
ends_line(const char *at)
{
	return *at == '\n' || *at == '\r';
}

/* The record in a line, for the exact readers. A newline always follows the record. */
static struct text
record_of(const struct slice_reader *reader, const char *line)
{
	const char *end = reader->room + ROOM;
	const char *newline = memchr(line, '\n', (size_t)(end - line));
	const size_t length = newline == NULL ? 0 : (size_t)(newline - line);

	return (struct text){ line, length - (length > 0 && line[length - 1] == '\r') };
}

/* Handle a line that must be inside a function. */
static bool
see_body(struct slice_reader *reader)
{
	struct slice *slice = reader->slice;

	if (slice->state == SLICE_OUTSIDE)
		return give_up(reader);
	if (slice->state == SLICE_UNKNOWN) {
		slice->bare = true;
		reader->skips = true;
	}
	return true;
}

/* Read hexadecimal digits and one space. Returns the position after them, or NULL. */
static const char *
plain_hex(const char *at, uint64_t *value)
{
	const size_t digits = swar_hex(at, value);

	return digits != 0 && at[digits] == ' ' ? at + digits + 1 : NULL;
}

/* Handle a record of a rare kind or in unusual form. */
static bool
see_row(struct slice_reader *reader, const char *line, enum symbol_record_kind kind)
{
	struct index_row row;

	if (!index_row_of(kind, record_of(reader, line), &row))
		return give_up(reader);
	return add_row(reader, row.table, row.address, row.size, line);
}

static bool
see_function(struct slice_reader *reader, const char *line, enum symbol_record_kind kind)
{
	const bool func = kind == SYMBOL_FUNC;
	const char *at = line + record_forms[kind].length;
	uint64_t address, size = 0, parameters;

	at = plain_hex(at[0] == 'm' && at[1] == ' ' ? at + 2 : at, &address);
	if (at != NULL && func)
		at = plain_hex(at, &size);
	if (at != NULL)
		at = plain_hex(at, &parameters);
	reader->slice->state = func ? SLICE_INSIDE : SLICE_OUTSIDE;
	reader->skips = func;
	return at == NULL || ends_line(at) ? see_row(reader, line, kind)
					   : add_row(reader, func ? TABLE_FUNC : TABLE_PUBLIC,
						     address, size, line);
}

/* Handle a FILE or INLINE_ORIGIN record; see_row() handles an unusual one. */
static bool
see_numbered(struct slice_reader *reader, const char *line, enum symbol_record_kind kind)
{
	uint64_t number;
	const char *at = line + record_forms[kind].length;
	const size_t digits = swar_few(swar_load(at), true, &number);
	const char next = at[digits + 1];
	/*
	 * The name may begin with digits that are a file number in the old form of INLINE_ORIGIN.
	 */
	const bool plain = digits != 0 && !ends_line(&at[digits + 1]) &&
			   (kind == SYMBOL_FILE || (next != ' ' && next != '-' &&
						    (next < '0' || next > '9')));

	return !plain ? see_row(reader, line, kind)
		      : add_row(reader, kind == SYMBOL_FILE ? TABLE_FILE : TABLE_ORIGIN, number, 0,
				line);
}

/* Handle a delta; `previous` is the start of the previous line. */
static void
see_delta(struct slice_reader *reader, const char *line, uint64_t address, uint64_t previous)
{
	struct slice *slice = reader->slice;
	struct cfi_run *run = &reader->run;

	slice->delta_count++;
	if (previous == NO_LINE && address < UINT64_MAX) {
		slice->head = true;
		slice->head_first = address;
		*run = (struct cfi_run){ CFI_HEAD, 0, address, UINT64_MAX - 1 };
	} else if (run->begins == CFI_NONE || run->line != previous || address < run->least ||
		   address > run->most || address == UINT64_MAX) {
		slice->stray = true;
		return;
	}
	run->line = offset_of(reader, line);
	run->least = address + 1;
	if (run->begins == CFI_HEAD)
		slice->head_next = run->least;
}

static bool
see_cfi(struct slice_reader *reader, const char *line, uint64_t previous)
{
	const char *at = line + 10;
	struct stack_cfi cfi = { .init = memcmp(at, "INIT ", 5) == 0 };
	struct span span;

	at = plain_hex(cfi.init ? at + 5 : at, &cfi.address);
	if (at != NULL && cfi.init)
		at = plain_hex(at, &cfi.size);
	if ((at == NULL || ends_line(at)) &&
	    !record_stack_cfi(record_of(reader, line), false, &cfi))
		return give_up(reader);
	if (!cfi.init) {
		see_delta(reader, line, cfi.address, previous);
		return true;
	}
	reader->run = (struct cfi_run){ .begins = CFI_NONE };
	if (span_of(cfi.address, cfi.size, 0, &span))
		reader->run = (struct cfi_run){ CFI_INIT, offset_of(reader, line), cfi.address,
						span.last };
	return add_row(reader, TABLE_INIT, cfi.address, cfi.size, line);
}

/* Handle a line of a rare kind. */
static bool
see_other(struct slice_reader *reader, const char *line)
{
	const struct text record = record_of(reader, line);
	const enum symbol_record_kind kind = record_kind(record);

	switch (record.length == 0 ? SYMBOL_STACK : kind) {
	case SYMBOL_INFO:
	case SYMBOL_CODE_ID:
	case SYMBOL_MODULE:
	case SYMBOL_STACK_WIN:
		return see_row(reader, line, kind);
	case SYMBOL_INLINE:
		return see_body(reader);
	case SYMBOL_LINE:
		return record_may_be_line(record) ? see_body(reader) : give_up(reader);
	default:
		return record.length == 0 || give_up(reader);
	}
}

/* Handle a whole line. False if the slice was given up. */
static bool
see_line(struct slice_reader *reader, const char *line, uint64_t previous)
{
	const uint64_t word = swar_load(line);

	if (word == swar_load("INLINE_O") && memcmp(line + 8, "RIGIN ", 6) == 0)
		return see_numbered(reader, line, SYMBOL_INLINE_ORIGIN);
	if ((word & SWAR_FIRST(5)) == swar_load("FUNC \0\0"))
		return see_function(reader, line, SYMBOL_FUNC);
	if ((word & SWAR_FIRST(7)) == swar_load("PUBLIC "))
		return see_function(reader, line, SYMBOL_PUBLIC);
	if (word == swar_load("STACK CF") && line[8] == 'I' && line[9] == ' ')
		return see_cfi(reader, line, previous);
	if ((word & SWAR_FIRST(5)) == swar_load("FILE \0\0"))
		return see_numbered(reader, line, SYMBOL_FILE);
	return see_other(reader, line);
}

/* Whether a line may be a line record or inlined call. Has no branch, as both kinds alternate. */
static ATTRIBUTE_INLINE bool
is_body(const char *line)
{
	const bool digit = field_digits[(unsigned char)line[0]] - 16u < 16;

	return digit | ((swar_load(line) & SWAR_FIRST(7)) == swar_load("INLINE "));
}

/* Handle the carried line, which is complete now. */
static ATTRIBUTE_INLINE bool
see_last(struct slice_reader *reader)
{
	const char *line = reader->line;

	if (line == NULL)
		return true;
	if (reader->skips && is_body(line)) {
		reader->previous = BODY_LINE;
		return true;
	}
	const bool seen = see_line(reader, line, reader->previous);
	reader->previous = offset_of(reader, line);
	return seen;
}

/* Count the newlines of each block of the chunk, and handle all lines that end in it. */
static bool
see_chunk(struct slice_reader *reader)
{
	const char *at = reader->data, *end = at + reader->length, *newline;
	const uint64_t before = reader->offset - reader->slice->start;
	uint32_t *newlines = reader->slice->newlines;

	while ((newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		newlines[(before + (uint64_t)(newline - reader->data)) / LINE_BLOCK]++;
		if (!see_last(reader))
			return false;
		reader->line = at = newline + 1;
	}
	return true;
}

/* Whether a newline follows each carriage return; the chunk's last byte is not checked yet. */
static bool
returns_paired(struct slice_reader *reader)
{
	const char *at = reader->data, *end = reader->data + reader->length;

	while ((at = memchr(at, '\r', (size_t)(end - at))) != NULL) {
		if (++at == end) {
			reader->return_last = true;
			return true;
		}
		if (*at != '\n')
			return false;
	}
	return true;
}

static bool
read_chunk(struct slice_reader *reader)
{
	static const struct {
		char byte;
		enum slice_odd odd;
	} odd[] = { { '\r', SLICE_RETURN }, { '\0', SLICE_NUL }, { (char)0xff, SLICE_FF } };
	const uint64_t left = reader->slice->end - reader->offset;

	reader->length = left < CHUNK ? (size_t)left : CHUNK;
	if (!file_read_at(reader->file, reader->offset, reader->data, reader->length))
		return give_up(reader);
	memset(reader->data + reader->length, ' ', BEHIND);
	unsigned here = 0;
	for (size_t i = 0; i < ARRAY_COUNT(odd); i++)
		if (memchr(reader->data, odd[i].byte, reader->length) != NULL)
			here |= odd[i].odd;
	reader->slice->odd |= here;
	if (reader->return_last && reader->data[0] != '\n')
		return give_up(reader);
	reader->return_last = false;
	return (here & SLICE_RETURN) == 0 || returns_paired(reader) ? see_chunk(reader)
								     : give_up(reader);
}

/* Read the rest of the slice's last line, which ends after the slice. */
static bool
complete(struct slice_reader *reader)
{
	const uint64_t end = reader->slice->end;
	const uint64_t left = reader->size - end;
	const size_t length = left < CARRY ? (size_t)left : CARRY;
	char *behind = reader->data + reader->length;

	if (length != 0 && !file_read_at(reader->file, end, behind, length))
		return false;
	if (length == left)
		behind[length] = '\n';
	const char *newline = memchr(behind, '\n', length + (length == left));
	if (newline == NULL || (reader->return_last && newline != behind))
		return false;
	const char *back = memchr(behind, '\r', (size_t)(newline - behind));
	/* The newline added at the end of the file must not follow a carriage return. */
	return (back == NULL || back + 1 == newline) &&
	       (length != left || newline != behind + length ||
		(back == NULL && !reader->return_last));
}

/* Handle the last line, which ends after the slice. */
static void
finish(struct slice_reader *reader)
{
	struct slice *slice = reader->slice;
	const bool over = reader->line != NULL && offset_of(reader, reader->line) >= slice->end;

	if (!over && (reader->line != NULL || reader->return_last)) {
		if (!complete(reader)) {
			give_up(reader);
			return;
		}
		if (!see_last(reader))
			return;
	}
	if (reader->run.begins != CFI_NONE && reader->run.line == reader->previous)
		slice->tail = reader->run;
}

void
slice_reset(struct slice *slice, uint64_t start, uint64_t end)
{
	*slice = (struct slice){ .start = start, .end = end, .rows = slice->rows,
				 .row_capacity = slice->row_capacity };
}

void
slice_free(struct slice *slice)
{
	if (slice == NULL)
		return;
	free(slice->rows);
	free(slice);
}

void
slice_read(struct slice_reader *reader, struct slice *slice)
{
	char *before = reader->data - 1;

	reader->slice = slice;
	reader->offset = slice->start;
	reader->length = 0;
	reader->previous = NO_LINE;
	reader->return_last = false;
	reader->skips = false;
	reader->run = (struct cfi_run){ .begins = CFI_NONE };
	/* A line begins at the start of the slice if the preceding byte is a newline. */
	*before = '\n';
	if (slice->start != 0 && !file_read_at(reader->file, slice->start - 1, before, 1)) {
		give_up(reader);
		return;
	}
	reader->line = *before == '\n' ? reader->data : NULL;
	while (reader->offset < slice->end) {
		if (!read_chunk(reader))
			return;
		if (reader->offset + reader->length == slice->end)
			break;
		/* Move the incomplete line to just before the next chunk's place in memory. */
		if (reader->line != NULL) {
			const char *end = reader->data + reader->length;
			const size_t length = (size_t)(end - reader->line);

			if (length > CARRY) {
				give_up(reader);
				return;
			}
			reader->line = memmove(reader->data - length, reader->line, length);
		}
		reader->offset += reader->length;
	}
	finish(reader);
}
