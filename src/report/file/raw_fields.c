/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/records.h"

/* Fields of one record that are told of; an INLINE record may have more. */
#define MOST_FIELDS 64u

/* The base that a field's value is written in. */
static const char *
base_of(enum field_kind kind)
{
	switch (kind) {
	case FIELD_FLAG:
		return "flag";
	case FIELD_DECIMAL:
	case FIELD_CALL_FILE:
	case FIELD_OLD_FILE:
		return "dec";
	case FIELD_RULES:
		return "postfix";
	case FIELD_WORD:
	case FIELD_REST:
		return "text";
	default:
		return "hex";
	}
}

const char *
raw_fields_kind(struct text record)
{
	const enum symbol_record_kind kind = record_kind(record);
	const bool known = kind == SYMBOL_LINE ? record_may_be_line(record) : kind != SYMBOL_STACK;

	return known ? record_forms[kind].name : NULL;
}

static enum symbol_record_kind
refers_to(const char *name)
{
	if (strcmp(name, "filenum") == 0 || strcmp(name, "call_site_file_num") == 0)
		return SYMBOL_FILE;
	return strcmp(name, "origin_num") == 0 ? SYMBOL_INLINE_ORIGIN : SYMBOL_LINE;
}

static struct raw_field
raw_field_of(const struct symbol_record *record, uint64_t offset, size_t index, struct text value)
{
	const struct field_form *form = &record_forms[record->kind].fields[index];

	return (struct raw_field){
		.name = form->name, .base = base_of(form->kind), .meaning = form->meaning,
		.value = value, .refers = refers_to(form->name),
		.offset = offset + (uint64_t)(value.start - record->text.start) };
}

size_t
raw_fields(struct text text, uint64_t offset, struct arena *arena, struct raw_field **fields)
{
	const enum symbol_record_kind kind = record_kind(text);
	const struct record_form *form = &record_forms[kind];
	struct raw_field *list = arena_array(arena, MOST_FIELDS, sizeof(*list));
	struct symbol_record record;
	struct symbol_field more;
	size_t count = 0;

	*fields = list;
	if (list == NULL || raw_fields_kind(text) == NULL)
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

/* What fields lead to ---------------------------------------------------------------------------- */

static bool
find_numbered(const struct symfile *symfile, const struct raw_field *field, uint64_t *offset,
	      uint32_t *length)
{
	uint64_t number;

	return field->refers != SYMBOL_LINE &&
	       field_number(field->value, FIELD_DECIMAL, &number) &&
	       symfile_numbered(symfile, field->refers, number, offset, length);
}

struct place
raw_field_leads(const struct symfile *symfile, const struct raw_field *field)
{
	uint64_t offset;
	uint32_t length;

	return find_numbered(symfile, field, &offset, &length)
		       ? symfile_place(symfile, offset, length) : (struct place){ 0 };
}

/* The name in the record that a field refers to. */
static struct text
named(const struct symfile *symfile, const struct raw_field *field)
{
	const char *data = (const char *)symfile_file(symfile)->data;
	struct numbered_record record = { 0 };
	uint64_t offset;
	uint32_t length;

	if (!find_numbered(symfile, field, &offset, &length))
		return text_of("no record with this number");
	record_numbered((struct text){ data + offset, length }, &record);
	return record.name;
}

void
raw_field_row(const struct symfile *symfile, const struct raw_field *field, size_t name_width,
	      size_t value_width, struct row *row)
{
	const size_t start = row->width;
	uint64_t number;

	row_add(row, ROLE_TITLE, "%s", field->name);
	row_pad(row, start + name_width + 2);
	row_add_cut(row, ROLE_NORMAL, value_width, true, field->value);
	row_pad(row, start + name_width + 2 + value_width + 2);
	row_add(row, ROLE_DIM, "%s", field->base);
	if (strstr(field->name, "size") != NULL && 
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
	const struct symbols_policy policy = { .public_zero = true };
	struct place place = { 0 };
	struct stack_win win;
	struct stack_cfi init, *deltas;
	struct arena scratch;
	size_t count;

	if (symfile_stack_win(symfile, &policy, 4, address, &win) ||
	    symfile_stack_win(symfile, &policy, 0, address, &win))
		return symfile_place(symfile, win.offset, win.length);
	arena_init(&scratch, 0);
	if (symfile_stack_cfi(symfile, &policy, address, &scratch, &init, &deltas, &count))
		place = symfile_place(symfile, init.offset, init.length);
	arena_free(&scratch);
	return place;
}

static struct place
leads_to_function(const struct symfile *symfile, uint64_t address)
{
	const struct symbols_policy policy = { .public_zero = true };
	struct function function;

	if (!symfile_function(symfile, &policy, address, &function))
		return (struct place){ 0 };
	return symfile_place(symfile, function.offset, function.length);
}

struct place
raw_record_leads(const struct symfile *symfile, struct text record)
{
	struct place place = { 0 };
	struct raw_field *fields;
	struct function function;
	struct stack_win win;
	struct stack_cfi cfi;
	struct arena scratch;

	if (record_function(record, &function))
		return leads_to_unwind(symfile, function.address);
	if (record_stack_win(record, &win))
		return leads_to_function(symfile, win.address);
	if (record_stack_cfi(record, &cfi))
		return leads_to_function(symfile, cfi.address);
	arena_init(&scratch, 0);
	for (size_t i = raw_fields(record, 0, &scratch, &fields); i-- > 0;)
		if (place.input == NULL)
			place = raw_field_leads(symfile, &fields[i]);
	arena_free(&scratch);
	return place;
}

/* What is wrong --------------------------------------------------------------------------------- */

/* Whether a record is written as its kind must be. */
static bool
is_well_formed(struct text text)
{
	const enum symbol_record_kind kind = record_kind(text);
	struct symbol_record record;
	struct inline_record call;
	struct stack_win win;

	switch (kind) {
	case SYMBOL_STACK_WIN:
		return record_stack_win(text, &win);
	case SYMBOL_INLINE:
		return record_inline(text, &call);
	case SYMBOL_MODULE:
	case SYMBOL_INFO:
	case SYMBOL_CODE_ID:
		return true;
	default:
		return record_read(kind, text, &record);
	}
}

bool
raw_record_problem(const struct symfile *symfile, struct text record, uint64_t offset,
		   char *buffer, size_t size)
{
	const struct message_list *messages = symfile_messages(symfile);

	if (record.length > 0 && raw_fields_kind(record) == NULL) {
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
