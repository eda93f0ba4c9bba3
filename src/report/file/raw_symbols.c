/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "report/file/raw_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "symbols/records.h"

/* Limit of listed fields of a record; an INLINE record may have more. */
#define MOST_FIELDS 64u

/* A field of a record. Source of names: google/breakpad docs/symbol_files.md. */
struct raw_field {
	const char *name;
	const char *base;		/* "hex", "dec", "text", "postfix" or "flag" */
	const char *meaning;
	struct text value;		/* bytes of the file */
	uint64_t offset;		/* offset of the value in the file */
	bool is_size;
	enum symbol_record_kind refers;	/* record numbered by the value; SYMBOL_LINE: none */
};

/* The base of a field's value; default: "hex". */
static const char *const bases[FIELD_RULES + 1] = {
	[FIELD_FLAG] = "flag",	   [FIELD_DECIMAL] = "dec",   [FIELD_CALL_FILE] = "dec",
	[FIELD_OLD_FILE] = "dec",  [FIELD_RULES] = "postfix", [FIELD_WORD] = "text",
	[FIELD_REST] = "text",
};

/* The kind of a record ("STACK CFI INIT", "line"); NULL: unknown. */
static const char *
kind_of(struct text record)
{
	const enum symbol_record_kind kind = record_kind(record);
	const bool known = kind == SYMBOL_LINE ? record_may_be_line(record) : kind != SYMBOL_STACK;

	return known ? record_forms[kind].name : NULL;
}

static struct raw_field
raw_field_of(const struct symbol_record *record, uint64_t offset, size_t index, struct text value)
{
	const struct field_form *form = &record_forms[record->kind].fields[index];
	const char *base = bases[form->kind];
	const bool is_file = strcmp(form->name, "filenum") == 0 ||
			     strcmp(form->name, "call_site_file_num") == 0;

	return (struct raw_field){
		.name = form->name, .base = base != NULL ? base : "hex", .meaning = form->meaning,
		.value = value,
		.refers = is_file				    ? SYMBOL_FILE
			  : strcmp(form->name, "origin_num") == 0 ? SYMBOL_INLINE_ORIGIN
								    : SYMBOL_LINE,
		.is_size = form->kind == FIELD_SIZE || form->kind == FIELD_LOOSE_SIZE ||
			   form->kind == FIELD_LONG,
		.offset = offset + (uint64_t)(value.start - record->text.start) };
}

/*
 * The fields of the record `text` at `offset`, in `arena`; none if the line is not a record. Fields
 * that the record lacks are left out.
 */
static size_t
raw_fields(struct text text, uint64_t offset, struct arena *arena, struct raw_field **fields)
{
	const enum symbol_record_kind kind = record_kind(text);
	const struct record_form *form = &record_forms[kind];
	struct raw_field *list = arena_array(arena, MOST_FIELDS, sizeof(*list));
	struct symbol_record record;
	struct symbol_field more;
	size_t count = 0;

	*fields = list;
	if (list == NULL || kind_of(text) == NULL)
		return 0;
	record_read(kind, text, &record);
	for (size_t i = 0; i < record.count; i++)
		if (form->fields[i].kind != FIELD_KEYWORD &&
		    (record.fields[i].state & (FIELD_MISSING | FIELD_ABSENT)) == 0)
			list[count++] = raw_field_of(&record, offset, i, record.fields[i].text);
	for (size_t i = 0; form->repeats > 0 && count < MOST_FIELDS &&
			   field_read(&record.rest, FIELD_WORD, &more); i++)
		list[count++] = raw_field_of(&record, offset, record.count + i % form->repeats,
					     more.text);
	return count;
}

/* Targets of fields ---------------------------------------------------------------------------- */

/* The record that a field refers to by number; a place without input: none. */
static struct place
field_leads(const struct symfile *symfile, const struct raw_field *field)
{
	uint64_t number, offset;
	uint32_t length;

	return field->refers != SYMBOL_LINE && field_number(field->value, FIELD_DECIMAL, &number) &&
			       symfile_numbered(symfile, field->refers, number, &offset, &length)
		       ? symfile_place(symfile, offset, length) : (struct place){ 0 };
}

/* The name in the record that a field refers to. */
static struct text
named(const struct symfile *symfile, const struct raw_field *field)
{
	const char *data = (const char *)symfile_file(symfile)->data;
	const struct place place = field_leads(symfile, field);
	struct text name = { 0 };

	if (place.input == NULL)
		return text_of("no record with this number");
	record_numbered((struct text){ data + place.offset, place.length }, false, &name);
	return name;
}

/* Fills a row with a field: name, value, base, the name that its number refers to, meaning. */
static void
field_row(const struct symfile *symfile, const struct raw_field *field, size_t name_width,
	      size_t value_width, struct row *row)
{
	const size_t start = row->width;
	uint64_t number;

	/* A name may be longer than its column. */
	row_add(row, ROLE_TITLE, "%s ", field->name);
	row_pad(row, start + name_width + 2);
	row_add_cut(row, ROLE_NORMAL, value_width, true, field->value);
	row_add(row, ROLE_NORMAL, " ");
	row_pad(row, start + name_width + 2 + value_width + 2);
	row_add(row, ROLE_DIM, "%s", field->base);
	if (field->is_size &&
	    field_number(field->value, FIELD_HEX, &number) && number > 9)
		row_add(row, ROLE_NORMAL, " = %" PRIu64, number);
	row_add(row, ROLE_DIM, "  ");
	if (field->refers != SYMBOL_LINE) {
		row_add_text(row, ROLE_NORMAL, named(symfile, field));
		row_add(row, ROLE_DIM, ", ");
	}
	row_add(row, ROLE_DIM, "%s", field->meaning);
}

static struct place
leads_to_unwind(const struct symfile *symfile, uint64_t address)
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct stack_win win;
	struct stack_cfi init;

	if (symfile_stack_win(symfile, &policy, 4, address, &win) ||
	    symfile_stack_win(symfile, &policy, 0, address, &win))
		return symfile_place(symfile, win.offset, win.length);
	if (symfile_stack_cfi_init(symfile, &policy, address, &init))
		return symfile_place(symfile, init.offset, init.length);
	return (struct place){ 0 };
}

static struct place
leads_to_function(const struct symfile *symfile, uint64_t address)
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct function function;

	if (!symfile_function(symfile, &policy, address, &function))
		return (struct place){ 0 };
	return symfile_place(symfile, function.offset, function.length);
}

/*
 * The record related to a record: function -> unwind record and back, line -> file, inlined call ->
 * name. A place without input: none.
 */
static struct place
record_leads(const struct symfile *symfile, struct text record)
{
	struct place place = { 0 };
	struct raw_field *fields;
	struct function function;
	struct stack_win win;
	struct stack_cfi cfi;
	struct arena scratch = { 0 };

	if (record_function(record, false, &function))
		return leads_to_unwind(symfile, function.address);
	if (record_stack_win(record, false, &win))
		return leads_to_function(symfile, win.address);
	if (record_stack_cfi(record, false, &cfi))
		return leads_to_function(symfile, cfi.address);
	for (size_t i = raw_fields(record, 0, &scratch, &fields); i-- > 0;)
		if (place.input == NULL)
			place = field_leads(symfile, &fields[i]);
	arena_free(&scratch);
	return place;
}

/* Defects -------------------------------------------------------------------------------------- */

static bool
is_well_formed(struct text text)
{
	const enum symbol_record_kind kind = record_kind(text);
	struct symbol_record record;
	struct inline_record call;
	struct stack_win win;

	switch (kind) {
	case SYMBOL_STACK_WIN:
		return record_stack_win(text, false, &win);
	case SYMBOL_INLINE:
		return record_inline(text, false, &call);
	case SYMBOL_MODULE:
	case SYMBOL_INFO:
	case SYMBOL_CODE_ID:
		return true;
	default:
		return record_read(kind, text, &record);
	}
}

/* Describes the defect of a record: bad form, or a problem found when the file was read. */
static bool
record_problem(const struct symfile *symfile, struct text record, uint64_t offset, char *buffer,
	       size_t size)
{
	const struct message_list *messages = symfile_messages(symfile);

	if (record.length > 0 && kind_of(record) == NULL) {
		snprintf(buffer, size, "unknown record; it is skipped");
		return true;
	}
	if (record.length > 0 && !is_well_formed(record)) {
		snprintf(buffer, size, "malformed: expected %s; it is skipped",
			 record_forms[record_kind(record)].text);
		return true;
	}
	for (size_t i = 0; i < messages->count; i++) {
		const struct message *message = &messages->messages[i];

		if (message->place.input == NULL || message->place.offset < offset ||
		    message->place.offset - offset >= record.length)
			continue;
		snprintf(buffer, size, "%s%s%s", message->text, message->hint != NULL ? "; " : "",
			 message->hint != NULL ? message->hint : "");
		return true;
	}
	return false;
}

/* Lines ---------------------------------------------------------------------------------------- */

/* Maximum number of bytes shown of a line. */
#define LINE_SHOWN ((uint64_t)1 << 20)
/* Bytes of the longest character: one column of a line never needs more. */
#define COLUMN_BYTES 4u

/* Start of the line after the last line shown. Most rows are filled in order. */
struct hint {
	uint32_t line;		/* 0: unknown */
	uint64_t offset;
};

struct symbol_lines {
	const struct symfile *symfile;
	struct place marked;
	uint32_t chosen;	/* line number; 0: none */
	bool carets;		/* a row of carets follows the chosen line */
	struct raw_field *fields;	/* fields whose rows follow the carets */
	size_t field_count, name_width, value_width;
	uint64_t start;
	int digits;
	struct hint *hint;	/* saves time, never changes a row */
};

/*
 * The bytes of a line without its end, at most `most` bytes. `*offset` is the offset of the line.
 * `hint` may be NULL.
 */
static struct text
line_text(const struct symfile *symfile, uint32_t line, uint64_t most, struct hint *hint,
	  uint64_t *offset)
{
	const struct file *file = symfile_file(symfile);
	uint64_t length = 0;

	*offset = 0;
	if (hint != NULL && line != 0 && hint->line == line)
		*offset = hint->offset;
	else if (!symfile_line_offset(symfile, line, offset))
		return text_of("");
	const char *start = (const char *)file->data + *offset;
	uint64_t room = file->size - *offset;
	if (room > most)
		room = most;
	while (length < room && start[length] != '\n' && start[length] != '\r')
		length++;
	if (hint != NULL && length < room && line < symfile_line_count(symfile)) {
		bool both = start[length] == '\r' && length + 1 < file->size - *offset &&
			    start[length + 1] == '\n';

		*hint = (struct hint){ line + 1, *offset + length + (both ? 2 : 1) };
	}
	return (struct text){ start, (size_t)length };
}

enum part { PART_LINE, PART_CARETS, PART_FIELD };

/* The number of rows that follow the chosen line. */
static size_t
extra_rows(const struct symbol_lines *lines)
{
	return (lines->carets ? 1 : 0) + lines->field_count;
}

/* The kind of a row: a line, the carets, or field `*number` (from 1) of the chosen line. */
static enum part
part_of(const struct symbol_lines *lines, size_t index, uint32_t *number)
{
	const size_t behind = index - lines->chosen;

	*number = (uint32_t)index + 1;
	if (lines->chosen == 0 || index < lines->chosen)
		return PART_LINE;
	if (behind >= extra_rows(lines)) {
		*number = (uint32_t)(index - extra_rows(lines)) + 1;
		return PART_LINE;
	}
	*number = (uint32_t)behind + (lines->carets ? 0 : 1);
	return *number == 0 ? PART_CARETS : PART_FIELD;
}

/* Indents the carets by the width of the escaped text before the marked bytes. */
static void
fill_carets(const struct symbol_lines *lines, struct row *row)
{
	uint64_t offset, skip = lines->marked.offset - lines->start;
	struct text text = line_text(lines->symfile, lines->chosen, LINE_SHOWN, NULL, &offset);
	struct row prefix, part;
	struct arena arena = { 0 };

	if (skip > text.length)
		return;
	uint64_t length = lines->marked.length;
	if (length > text.length - skip)
		length = text.length - skip;
	row_init(&prefix, &arena);
	row_init(&part, &arena);
	prefix.names = part.names = row->names;
	row_add_text(&prefix, ROLE_NORMAL, (struct text){ text.start, (size_t)skip });
	row_add_text(&part, ROLE_NORMAL, (struct text){ text.start + skip, (size_t)length });
	row_pad(row, (size_t)lines->digits + 2 + prefix.width);
	size_t carets = part.width > 0 ? part.width : 1;
	for (size_t i = 0; i < carets; i++)
		row_add(row, ROLE_CHANGED, "^");
	arena_free(&arena);
}

/* `>` marks the field with the marked place. */
static void
fill_field(const struct symbol_lines *lines, const struct raw_field *field, struct row *row)
{
	const uint64_t at = lines->marked.offset;
	const bool marked = lines->carets && at >= field->offset &&
			    at - field->offset < field->value.length;

	row_add(row, ROLE_TITLE, "%s", marked ? ">" : "");
	row_pad(row, (size_t)lines->digits + 2);
	field_row(lines->symfile, field, lines->name_width, lines->value_width, row);
}

static void
fill_line(const struct symbol_lines *lines, uint32_t line, size_t columns, struct row *row)
{
	const uint64_t most = columns == 0 ? LINE_SHOWN : (uint64_t)columns * COLUMN_BYTES + 1;
	const bool chosen = line == lines->chosen;
	uint64_t offset;
	char problem[256];
	const struct text text = line_text(lines->symfile, line, most, lines->hint, &offset);
	/* If a line is cut, only problems found when it was read are reported. */
	const bool bad = text.length < most &&
			 record_problem(lines->symfile, text, offset, problem, sizeof(problem));

	row_add(row, ROLE_DIM, "%c%*" PRIu32, chosen ? '>' : ' ', lines->digits, line);
	row_add(row, bad ? ROLE_BAD : ROLE_DIM, "%c", bad ? '!' : ' ');
	row_add_text(row, chosen ? ROLE_NORMAL : ROLE_DIM, text);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct symbol_lines *lines = listing->context;
	uint32_t number;
	const enum part part = part_of(lines, index, &number);

	if (part == PART_CARETS)
		fill_carets(lines, row);
	else if (part == PART_FIELD)
		fill_field(lines, &lines->fields[number - 1], row);
	else
		fill_line(lines, number, columns, row);
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct symbol_lines *lines = listing->context;
	const struct symfile_identity identity = symfile_identity(lines->symfile);

	(void)columns;
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE,
		     text_of(place_base_name(symfile_file(lines->symfile)->input.name)));
	row_add(row, ROLE_DIM, "   ");
	row_add_text(row, ROLE_DIM, identity.name);
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_DIM, identity.id);
}

/* The chosen line leads to a related record. Any other line becomes the chosen line. */
static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct symbol_lines *lines = listing->context;
	const struct symfile *symfile = lines->symfile;
	uint32_t number;
	const enum part part = part_of(lines, index, &number);
	struct place place = { 0 };
	uint64_t offset;

	if (part == PART_CARETS)
		return report_place_target(lines->marked);
	if (part == PART_FIELD) {
		const struct raw_field *field = &lines->fields[number - 1];

		place = field_leads(symfile, field);
		return report_place_target(
			place.input != NULL ? place
					    : symfile_place(symfile, field->offset,
							    (uint32_t)field->value.length));
	}
	const struct text text = line_text(symfile, number, LINE_SHOWN, NULL, &offset);
	if (number == lines->chosen)
		place = record_leads(symfile, text);
	if (place.input == NULL)
		place = symfile_place(symfile, offset, (uint32_t)text.length);
	return report_place_target(place);
}

/*
 * Adds the fields of the record in a line with their names in the specification ("FUNC address 1000
 * size 54 parameter_size 0 name main").
 */
static void
add_fields(const struct symfile *symfile, uint32_t line, struct row *row)
{
	uint64_t offset;
	const struct text record = line_text(symfile, line, LINE_SHOWN, NULL, &offset);
	const char *kind = kind_of(record);
	struct raw_field *fields;
	struct arena arena = { 0 };
	char problem[256];

	if (record_problem(symfile, record, offset, problem, sizeof(problem))) {
		row_add(row, ROLE_BAD, "! %s", problem);
		row_add(row, ROLE_DIM, "%s", kind != NULL ? "   " : "");
	}
	if (kind == NULL)
		return;
	row_add(row, ROLE_TITLE, "%s", kind);
	const size_t count = raw_fields(record, offset, &arena, &fields);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(fields[i].name, "m") == 0) {
			row_add(row, ROLE_NORMAL, "  m (several symbols)");
			continue;
		}
		row_add(row, ROLE_DIM, "  %s ", fields[i].name);
		row_add_text(row, ROLE_NORMAL, fields[i].value);
	}
	arena_free(&arena);
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct symbol_lines *lines = listing->context;
	uint32_t number;
	const enum part part = part_of(lines, index, &number);

	if (part == PART_FIELD)
		fill_field(lines, &lines->fields[number - 1], row);
	else
		add_fields(lines->symfile, part == PART_CARETS ? lines->chosen : number, row);
}

/* Maximum columns of a field's value; a longer value is cut. */
#define VALUE_COLUMNS 20u

struct listing
raw_symbols_listing(const struct symfile *symfile, struct place marked, bool open,
		    struct arena *arena)
{
	uint32_t count = symfile_line_count(symfile);
	struct symbol_lines *lines = arena_alloc(arena, sizeof(*lines));
	char digits[24];

	if (lines == NULL)
		return listing_out_of_memory();
	if (count == 0)
		return listing_message("the symbol file is empty");
	lines->symfile = symfile;
	lines->hint = arena_alloc(arena, sizeof(*lines->hint));
	lines->digits = snprintf(digits, sizeof(digits), "%" PRIu32, count);
	/* Find the marked line, and whether the marked place is only part of the line. */
	if (marked.input != NULL && marked.offset < symfile_file(symfile)->size) {
		lines->marked = symfile_place(symfile, marked.offset, marked.length);
		lines->chosen = lines->marked.line;
		const struct text text =
			line_text(symfile, lines->chosen, LINE_SHOWN, NULL, &lines->start);
		lines->carets = lines->marked.column > 1 ||
				(marked.length > 0 && marked.length < text.length);
		if (open && lines->chosen != 0)
			lines->field_count = raw_fields(text, lines->start, arena, &lines->fields);
	}
	for (size_t i = 0; i < lines->field_count; i++) {
		row_widen(&lines->name_width, strlen(lines->fields[i].name), VALUE_COLUMNS);
		row_widen(&lines->value_width, text_width(lines->fields[i].value), VALUE_COLUMNS);
	}
	return (struct listing){ .count = (size_t)count + extra_rows(lines),
				 .head = fill_head, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = lines };
}

uint32_t
raw_symbols_line(const struct listing *listing, size_t row)
{
	const struct symbol_lines *lines = listing->context;
	uint32_t number;

	if (listing->fill != fill_row)
		return 0;
	return part_of(lines, row, &number) == PART_LINE ? number : lines->chosen;
}

size_t
raw_symbols_row(const struct listing *listing, uint32_t line)
{
	const struct symbol_lines *lines = listing->context;

	if (listing->fill != fill_row || line == 0)
		return 0;
	const bool behind = lines->chosen != 0 && line > lines->chosen;
	const size_t row = (size_t)line - 1 + (behind ? extra_rows(lines) : 0);
	return row < listing->count ? row : listing->count - 1;
}
