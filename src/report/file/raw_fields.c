/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/fields.h"
#include "symbols/records.h"

/* Fields of one record that are told of; an INLINE record may have more. */
#define MOST_FIELDS 64u

#define HEXADECIMAL "hex"
#define DECIMAL "dec"
#define TEXT "text"

struct field_form {
	const char *name, *base, *meaning;
};

#define ADDRESS { "address", HEXADECIMAL, "first byte of code, counted from the module's base" }
#define SIZE { "size", HEXADECIMAL, "bytes of code" }
#define PARAMETERS { "parameter_size", HEXADECIMAL, "bytes of arguments that callers push" }
#define FILE_NUMBER "number of a FILE record"

enum variant { VARIANT_ANY, VARIANT_MULTIPLE, VARIANT_OLD };

/*
 * The fields of each kind of record, in order; the last one is all that is left, and where `again`
 * is not 0 the last so many repeat.
 */
static const struct form {
	const char *word;		/* how the record begins */
	enum variant variant;		/* an `m` may follow; the form of earlier versions */
	unsigned again;
	struct field_form fields[12];
} forms[] = {
	{ "MODULE", VARIANT_ANY, 0, {
		{ "operating_system", TEXT, "where the module runs: Linux, mac, windows, ..." },
		{ "architecture", TEXT, "the processor its code is for" },
		{ "id", HEXADECIMAL, "identifies the very build; dumps ask for symbols by it" },
		{ "name", TEXT, "the module's file or debug file" } } },
	{ "INFO CODE_ID", VARIANT_ANY, 0, {
		{ "code_id", HEXADECIMAL, "identifies the module's own file" },
		{ "file", TEXT, "its name" } } },
	{ "INFO", VARIANT_ANY, 0, {
		{ "key", TEXT, "what the value says" },
		{ "value", TEXT, "nothing that a walk needs" } } },
	{ "FILE", VARIANT_ANY, 0, {
		{ "number", DECIMAL, "what line and INLINE records call the file" },
		{ "name", TEXT, "path of the source" } } },
	{ "INLINE_ORIGIN", VARIANT_OLD, 0, {
		{ "number", DECIMAL, "what INLINE records call the function" },
		{ "file_num", DECIMAL, "earlier versions only; nobody needs it" },
		{ "name", TEXT, "of the function that was inlined" } } },
	{ "INLINE_ORIGIN", VARIANT_ANY, 0, {
		{ "number", DECIMAL, "what INLINE records call the function" },
		{ "name", TEXT, "of the function that was inlined" } } },
	{ "INLINE", VARIANT_OLD, 2, {
		{ "inline_nest_level", DECIMAL, "0: inlined into the function itself, 1: into "
						"the one before, ..." },
		{ "call_site_line", DECIMAL, "line of the call" },
		{ "origin_num", DECIMAL, "number of an INLINE_ORIGIN record" },
		{ "address", HEXADECIMAL, "first byte of a range of its code" },
		{ "size", HEXADECIMAL, "bytes of that range" } } },
	{ "INLINE", VARIANT_ANY, 2, {
		{ "inline_nest_level", DECIMAL, "0: inlined into the function itself, 1: into "
						"the one before, ..." },
		{ "call_site_line", DECIMAL, "line of the call" },
		{ "call_site_file_num", DECIMAL, FILE_NUMBER },
		{ "origin_num", DECIMAL, "number of an INLINE_ORIGIN record" },
		{ "address", HEXADECIMAL, "first byte of a range of its code" },
		{ "size", HEXADECIMAL, "bytes of that range" } } },
	{ "FUNC", VARIANT_MULTIPLE, 0, {
		ADDRESS, SIZE, PARAMETERS, { "name", TEXT, "of the function" } } },
	{ "PUBLIC", VARIANT_MULTIPLE, 0, {
		{ "address", HEXADECIMAL, "where the symbol is; how far it reaches is not said" },
		PARAMETERS, { "name", TEXT, "of the symbol" } } },
	{ "STACK WIN", VARIANT_ANY, 0, {
		{ "type", HEXADECIMAL, "4: frame data, with a program; 0: FPO, sizes alone; "
				       "1 to 3 are never used" },
		{ "rva", HEXADECIMAL, "first byte of code, counted from the module's base" },
		{ "code_size", HEXADECIMAL, "bytes of code that the record covers" },
		{ "prologue_size", HEXADECIMAL, "bytes of its prologue; walkers do not look" },
		{ "epilogue_size", HEXADECIMAL, "bytes of its epilogue; walkers do not look" },
		{ "parameter_size", HEXADECIMAL, ".cbParams: bytes of arguments it was given" },
		{ "saved_register_size", HEXADECIMAL, ".cbSavedRegs: bytes of saved registers" },
		{ "local_size", HEXADECIMAL, ".cbLocals: bytes of local variables" },
		{ "max_stack_size", HEXADECIMAL, "most bytes pushed; walkers do not look" },
		{ "has_program_string", HEXADECIMAL, "1: a program follows; 0: a flag does" },
		{ "program_string_or_allocates_base_pointer", "postfix",
		  "assigns the caller's registers; or 1: ebp is used for something else" } } },
	{ "STACK CFI INIT", VARIANT_ANY, 0, {
		ADDRESS, { "size", HEXADECIMAL, "bytes of code that it and its deltas cover" },
		{ "rules", "postfix", "REGISTER: EXPRESSION, in force from the address on" } } },
	{ "STACK CFI", VARIANT_ANY, 0, {
		{ "address", HEXADECIMAL, "from here on its rules replace those before" },
		{ "rules", "postfix", "only what changes; the rest stays" } } },
	{ "", VARIANT_ANY, 0, {
		ADDRESS, SIZE, { "line", DECIMAL, "of the source" },
		{ "filenum", DECIMAL, FILE_NUMBER } } },
};

static bool
begins_with(struct text text, const char *word)
{
	const size_t length = strlen(word);

	return length == 0 || (text.length >= length && memcmp(text.start, word, length) == 0 &&
			       (text.length == length || text.start[length] == ' '));
}

/*
 * Whether a record of inlining has the form of earlier versions: INLINE without a file has an odd
 * number of fields, INLINE_ORIGIN had the number of a file before the name.
 */
static bool
is_old(struct text record)
{
	struct fields fields = fields_of(record, strlen("INLINE "));
	struct text field;
	size_t count = 0;

	if (record_word(record) == RECORD_INLINE) {
		while (fields_next(&fields, &field))
			count++;
		return count % 2 == 1;
	}
	fields = fields_of(record, strlen("INLINE_ORIGIN "));
	int64_t number;
	return fields_next(&fields, &field) && fields_decimal(&fields, -1, &number);
}

static const struct form *
form_of(struct text record)
{
	const struct form *form = forms;

	while (!begins_with(record, form->word) ||
	       (form->variant == VARIANT_OLD && !is_old(record)))
		form++;
	return form;
}

const char *
raw_fields_kind(struct text record)
{
	const struct form *form = form_of(record);

	if (form->word[0] != '\0')
		return form->word;
	return record_may_be_line(record) ? "line" : NULL;
}

static enum symbol_record_kind
refers_to(const char *name)
{
	if (strcmp(name, "filenum") == 0 || strcmp(name, "call_site_file_num") == 0)
		return SYMBOL_FILE;
	return strcmp(name, "origin_num") == 0 ? SYMBOL_INLINE_ORIGIN : SYMBOL_LINE;
}

struct gathering {
	struct raw_field *fields;
	size_t count;
	struct text record;
	uint64_t offset;
};

static void
gather(struct gathering *gathering, const struct field_form *form, struct text value)
{
	gathering->fields[gathering->count++] = (struct raw_field){
		.name = form->name, .base = form->base, .meaning = form->meaning,
		.value = value, .refers = refers_to(form->name),
		.offset = gathering->offset + (uint64_t)(value.start - gathering->record.start) };
}

static size_t
form_count(const struct form *form)
{
	size_t count = 0;

	while (count < sizeof(form->fields) / sizeof(form->fields[0]) &&
	       form->fields[count].name != NULL)
		count++;
	return count;
}

/* The fields in order; behind the last one the last `again` of them repeat. */
static void
gather_all(struct gathering *gathering, const struct form *form, struct fields fields)
{
	const size_t count = form_count(form);
	struct text value;

	for (size_t i = 0; gathering->count < MOST_FIELDS; i++) {
		if (i == count && form->again == 0)
			return;
		if (i == count)
			i -= form->again;
		const bool last = i + 1 == count && form->again == 0;
		if (!(last ? fields_rest(&fields, &value) : fields_next(&fields, &value)))
			return;
		gather(gathering, &form->fields[i], value);
	}
}

size_t
raw_fields(struct text record, uint64_t offset, struct arena *arena, struct raw_field **fields)
{
	static const struct field_form multiple = {
		"m", "flag", "several symbols have this code; the others' names are not kept"
	};
	const struct form *form = form_of(record);
	struct fields rest = fields_of(record, strlen(form->word)), ahead;
	struct gathering gathering = { .record = record, .offset = offset };
	struct text value;

	*fields = gathering.fields = arena_array(arena, MOST_FIELDS, sizeof(**fields));
	if (*fields == NULL || raw_fields_kind(record) == NULL)
		return 0;
	ahead = rest;
	if (form->variant == VARIANT_MULTIPLE && fields_next(&ahead, &value) &&
	    text_equal(value, text_of("m"))) {
		gather(&gathering, &multiple, value);
		rest = ahead;
	}
	gather_all(&gathering, form, rest);
	return gathering.count;
}

/* What fields lead to ---------------------------------------------------------------------------- */

static bool
number_of(struct text value, uint64_t *number)
{
	struct fields fields = fields_of(value, 0);
	int64_t decimal;

	if (!fields_decimal(&fields, 0, &decimal))
		return false;
	*number = (uint64_t)decimal;
	return true;
}

static bool
find_numbered(const struct symfile *symfile, const struct raw_field *field, uint64_t *offset,
	      uint32_t *length)
{
	uint64_t number;

	return field->refers != SYMBOL_LINE && number_of(field->value, &number) &&
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
		return text_of("no record has this number");
	const struct text text = { data + offset, length };
	if (field->refers == SYMBOL_FILE)
		record_file(text, &record);
	else
		record_inline_origin(text, &record);
	return record.name;
}

void
raw_field_row(const struct symfile *symfile, const struct raw_field *field, size_t name_width,
	      size_t value_width, struct row *row)
{
	const size_t start = row->width;
	struct fields fields = fields_of(field->value, 0);
	uint64_t number;

	row_add(row, ROLE_TITLE, "%s", field->name);
	row_pad(row, start + name_width + 2);
	row_add_cut(row, ROLE_NORMAL, value_width, true, field->value);
	row_pad(row, start + name_width + 2 + value_width + 2);
	row_add(row, ROLE_DIM, "%s", field->base);
	if (strstr(field->name, "size") != NULL && fields_hex(&fields, &number) && number > 9)
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

	if (record_word(record) == RECORD_FUNC && record_func(record, &function))
		return leads_to_unwind(symfile, function.address);
	if (record_word(record) == RECORD_PUBLIC && record_public(record, &function))
		return leads_to_unwind(symfile, function.address);
	if (record_word(record) == RECORD_STACK && record_stack_win(record, &win))
		return leads_to_function(symfile, win.address);
	if (record_word(record) == RECORD_STACK && record_stack_cfi(record, &cfi))
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
is_well_formed(struct text record)
{
	const enum record_word word = record_word(record);
	struct numbered_record numbered;
	struct inline_record call;
	struct function function;
	struct line_record line;
	struct stack_win win;
	struct stack_cfi cfi;

	switch (word) {
	case RECORD_LINE:
		return record_line(record, &line);
	case RECORD_STACK:
		return record_stack_win(record, &win) || record_stack_cfi(record, &cfi);
	case RECORD_FUNC:
		return record_func(record, &function);
	case RECORD_PUBLIC:
		return record_public(record, &function);
	case RECORD_FILE:
		return record_file(record, &numbered);
	case RECORD_INLINE:
		return record_inline(record, &call);
	case RECORD_INLINE_ORIGIN:
		return record_inline_origin(record, &numbered);
	default:
		return true;
	}
}

bool
raw_record_problem(const struct symfile *symfile, struct text record, uint64_t offset,
		   char *buffer, size_t size)
{
	const struct message_list *messages = symfile_messages(symfile);

	if (record.length > 0 && raw_fields_kind(record) == NULL) {
		snprintf(buffer, size, "no kind of record that is known; it is skipped");
		return true;
	}
	if (record.length > 0 && !is_well_formed(record)) {
		snprintf(buffer, size, "malformed: expected %s; it is skipped",
			 record_form(record_word(record)));
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
