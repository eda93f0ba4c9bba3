/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/records.h"

#include <string.h>

#include "symbols/fields.h"
#include "symbols/swar.h"

static const struct {
	const char *word;	/* with the space behind it */
	uint8_t length;
	const char *form;
} words[RECORD_WORD_COUNT] = {
	[RECORD_LINE] = { "", 0, "address size line file" },
	[RECORD_STACK] = { "STACK ", 6, "STACK WIN or STACK CFI with all their fields" },
	[RECORD_FUNC] = { "FUNC ", 5, "FUNC [m] address size parameter_size name" },
	[RECORD_PUBLIC] = { "PUBLIC ", 7, "PUBLIC [m] address parameter_size name" },
	[RECORD_FILE] = { "FILE ", 5, "FILE number name" },
	[RECORD_INLINE] = { "INLINE ", 7, "INLINE depth line file origin (address size)+" },
	[RECORD_INLINE_ORIGIN] = { "INLINE_ORIGIN ", 14, "INLINE_ORIGIN number name" },
	[RECORD_INFO] = { "INFO ", 5, "INFO key value" },
	[RECORD_MODULE] = { "MODULE ", 7, "MODULE os arch id name" },
};

enum record_word
record_word(struct text record)
{
	if (record.length < 5 || record.start[0] < 'F' || record.start[0] > 'S')
		return RECORD_LINE;
	for (int word = RECORD_LINE + 1; word < RECORD_WORD_COUNT; word++)
		if (record.length >= words[word].length &&
		    memcmp(record.start, words[word].word, words[word].length) == 0)
			return (enum record_word)word;
	return RECORD_LINE;
}

const char *
record_form(enum record_word word)
{
	return words[word].form;
}

bool
record_may_be_line(struct text record)
{
	return record.length != 0 &&
	       memchr("0123456789abcdefABCDEF+-\t\v\f ", record.start[0], 28) != NULL;
}

struct symfile_identity
record_module(struct text record)
{
	struct fields fields = fields_of(record, words[RECORD_MODULE].length);
	struct symfile_identity identity = { 0 };

	if (fields_next(&fields, &identity.os) && fields_next(&fields, &identity.arch) &&
	    fields_next(&fields, &identity.id))
		fields_rest(&fields, &identity.name);
	return identity;
}

static bool
read_number(struct fields *fields, uint64_t *number)
{
	int64_t value;

	if (!fields_decimal(fields, 0, &value))
		return false;
	*number = (uint64_t)value;
	return true;
}

bool
record_file(struct text record, struct numbered_record *file)
{
	struct fields fields = fields_of(record, words[RECORD_FILE].length);

	return read_number(&fields, &file->number) && fields_rest(&fields, &file->name);
}

/* Whether the field at the front is a number, with which the old form goes on. */
static bool
old_origin(struct fields fields)
{
	const char *at = fields.at;

	if (at < fields.end && *at == '-')
		at++;
	while (at < fields.end && *at >= '0' && *at <= '9')
		at++;
	return at == fields.end || *at == ' ';
}

bool
record_inline_origin(struct text record, struct numbered_record *origin)
{
	struct fields fields = fields_of(record, words[RECORD_INLINE_ORIGIN].length);
	int64_t file;

	if (!read_number(&fields, &origin->number))
		return false;
	if (old_origin(fields) && !fields_decimal(&fields, -1, &file))
		return false;
	return fields_rest(&fields, &origin->name);
}

/* Step over the `m` of FUNC and PUBLIC. */
static bool
read_multiple(struct fields *fields)
{
	struct fields ahead = *fields;
	struct text field;

	if (!fields_next(&ahead, &field) || field.length != 1 || field.start[0] != 'm')
		return false;
	*fields = ahead;
	return true;
}

bool
record_func(struct text record, struct function *function)
{
	struct fields fields = fields_of(record, words[RECORD_FUNC].length);

	*function = (struct function){ .kind = SYMBOL_FUNC };
	function->multiple = read_multiple(&fields);
	return fields_hex(&fields, &function->address) && fields_hex(&fields, &function->size) &&
	       fields_size(&fields, &function->parameter_size) &&
	       fields_rest(&fields, &function->name);
}

bool
record_public(struct text record, struct function *function)
{
	struct fields fields = fields_of(record, words[RECORD_PUBLIC].length);

	*function = (struct function){ .kind = SYMBOL_PUBLIC };
	function->multiple = read_multiple(&fields);
	return fields_hex(&fields, &function->address) &&
	       fields_size(&fields, &function->parameter_size) &&
	       fields_rest(&fields, &function->name);
}

bool
record_line(struct text record, struct line_record *line)
{
	struct fields fields = fields_of(record, 0);
	uint64_t number;

	if (!fields_hex(&fields, &line->address) || !fields_hex(&fields, &line->size) ||
	    !read_number(&fields, &number) || !read_number(&fields, &line->file))
		return false;
	/* Breakpad keeps an int. */
	line->line = (uint32_t)number;
	return true;
}

static size_t
count_fields(struct fields fields, size_t most)
{
	size_t count = 0;
	struct text field;

	while (count < most && fields_next(&fields, &field))
		count++;
	return count;
}

bool
record_inline(struct text record, struct inline_record *call)
{
	struct fields fields = fields_of(record, words[RECORD_INLINE].length);
	size_t count = count_fields(fields, LIMIT_INLINE_FIELDS);
	bool has_file = count % 2 == 0;

	if (count < 5)
		return false;
	call->file = -1;
	call->count = (count - (has_file ? 4 : 3)) / 2;
	if (!fields_decimal(&fields, 0, &call->depth) ||
	    !fields_decimal(&fields, 0, &call->line) ||
	    (has_file && !fields_decimal(&fields, -1, &call->file)) ||
	    !read_number(&fields, &call->origin))
		return false;
	for (size_t range = 0; range < call->count; range++)
		if (!fields_hex(&fields, &call->ranges[range].address) ||
		    !fields_hex(&fields, &call->ranges[range].size))
			return false;
	return true;
}

/* Step over `STACK` and the word of the platform. */
static bool
stack_fields(struct text record, const char *platform, struct fields *fields)
{
	struct text word;

	*fields = fields_of(record, words[RECORD_STACK].length);
	return fields_next(fields, &word) && text_equal(word, text_of(platform));
}

static uint32_t
column_of(struct text record, struct text field)
{
	return (uint32_t)(field.start - record.start) + 1;
}

bool
record_stack_win(struct text record, struct stack_win *win)
{
	struct fields fields;
	struct text field, last;
	uint64_t values[10];

	if (!stack_fields(record, "WIN", &fields))
		return false;
	for (size_t value = 0; value < ARRAY_COUNT(values); value++) {
		if (!fields_next(&fields, &field))
			return false;
		values[value] = fields_loose_hex(field);
	}
	if (values[0] > 4 || !fields_rest(&fields, &last))
		return false;
	*win = (struct stack_win){
		.type = (unsigned)values[0],
		.address = values[1],
		.size = values[2],
		.prologue = (uint32_t)values[3],
		.epilogue = (uint32_t)values[4],
		.parameters = (uint32_t)values[5],
		.saved_registers = (uint32_t)values[6],
		.locals = (uint32_t)values[7],
		.max_stack = (uint32_t)values[8],
		.has_program = (uint32_t)values[9] != 0,
		.program_column = column_of(record, last),
	};
	if (win->has_program)
		win->program = last;
	else
		win->allocates_base_pointer = fields_loose_hex(last) != 0;
	return true;
}

/* An address or size as it stands; an odd one counts as far as it goes. */
static bool
read_loose(struct fields *fields, uint64_t *value)
{
	struct fields start = *fields;
	struct text field;

	if (fields_hex(fields, value))
		return true;
	*fields = start;
	if (!fields_next(fields, &field))
		return false;
	*value = fields_loose_hex(field);
	return true;
}

/* A number of eight digits at most and one space, as writers write them. */
static const char *
usual_hex(const char *at, const char *end, uint64_t *value)
{
	const size_t digits = end - at < 9 ? 0 : swar_hex_field(at, value);

	return digits != 0 && at[digits] == ' ' ? at + digits + 1 : NULL;
}

/* STACK CFI as writers write it; false where the general way has to read it. */
static bool
usual_cfi(struct text record, struct stack_cfi *cfi)
{
	const char *at = record.start + 10, *end = record.start + record.length;

	*cfi = (struct stack_cfi){ 0 };
	if (record.length < 20 || memcmp(record.start, "STACK CFI ", 10) != 0)
		return false;
	cfi->init = memcmp(at, "INIT ", 5) == 0;
	at = usual_hex(cfi->init ? at + 5 : at, end, &cfi->address);
	if (at != NULL && cfi->init)
		at = usual_hex(at, end, &cfi->size);
	if (at == NULL || at == end)
		return false;
	cfi->rules = (struct text){ at, (size_t)(end - at) };
	cfi->rules_column = column_of(record, cfi->rules);
	return true;
}

bool
record_stack_cfi(struct text record, struct stack_cfi *cfi)
{
	struct fields fields, ahead;
	struct text field;

	if (usual_cfi(record, cfi))
		return true;
	*cfi = (struct stack_cfi){ 0 };
	if (!stack_fields(record, "CFI", &fields))
		return false;
	ahead = fields;
	if (!fields_next(&ahead, &field))
		return false;
	if (field.length == 4 && memcmp(field.start, "INIT", 4) == 0) {
		cfi->init = true;
		fields = ahead;
	}
	if (!read_loose(&fields, &cfi->address) ||
	    (cfi->init && !read_loose(&fields, &cfi->size)) || !fields_rest(&fields, &cfi->rules))
		return false;
	cfi->rules_column = column_of(record, cfi->rules);
	return true;
}
