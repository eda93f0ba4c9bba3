/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/records.h"

#include <string.h>

#include "base/compiler.h"

#define ADDRESS "address"
#define CODE "first byte of code, counted from the module's base"
#define SIZE { FIELD_SIZE, "size", "bytes of code" }
#define PARAMETERS { FIELD_LONG, "parameter_size", "bytes of arguments that callers push" }
#define MULTIPLE \
	{ FIELD_FLAG, "m", "several symbols have this code; the others' names are not kept" }
#define FILE_NUMBER "number of a FILE record"
#define STACK "STACK WIN or STACK CFI with all their fields"

const struct record_form record_forms[SYMBOL_KIND_COUNT] = {
	[SYMBOL_MODULE] = { 7, "MODULE", 6, "MODULE os arch id name", 0, {
		{ FIELD_WORD, "operating_system",
		  "where the module runs: Linux, mac, windows, ..." },
		{ FIELD_WORD, "architecture", "the processor its code is for" },
		{ FIELD_ID, "id", "identifies the build; dumps refer to symbols by it" },
		{ FIELD_REST, "name", "the module's file or debug file" } } },
	[SYMBOL_CODE_ID] = { 5, "INFO CODE_ID", 12, "INFO CODE_ID code_id file", 0, {
		{ FIELD_KEYWORD, "CODE_ID", "" },
		{ FIELD_ID, "code_id", "identifies the module's own file" },
		{ FIELD_REST, "file", "its name" } } },
	[SYMBOL_INFO] = { 5, "INFO", 4, "INFO key value", 0, {
		{ FIELD_WORD, "key", "the name of the value" },
		{ FIELD_REST, "value", "nothing that a walk needs" } } },
	[SYMBOL_FILE] = { 5, "FILE", 4, "FILE number name", 0, {
		{ FIELD_DECIMAL, "number", "the number of the file in line and INLINE records" },
		{ FIELD_REST, "name", "path of the source" } } },
	[SYMBOL_INLINE_ORIGIN] = { 14, "INLINE_ORIGIN", 13, "INLINE_ORIGIN number name", 0, {
		{ FIELD_DECIMAL, "number", "the number of the function in INLINE records" },
		{ FIELD_OLD_FILE, "file_num", "earlier versions only; nothing needs it" },
		{ FIELD_REST, "name", "name of the inlined function" } } },
	[SYMBOL_INLINE] = { 7, "INLINE", 6, "INLINE depth line file origin (address size)+", 2, {
		{ FIELD_DECIMAL, "inline_nest_level",
		  "0: inlined into the function itself, 1: into the one before, ..." },
		{ FIELD_DECIMAL, "call_site_line", "line of the call" },
		{ FIELD_CALL_FILE, "call_site_file_num", FILE_NUMBER },
		{ FIELD_DECIMAL, "origin_num", "number of an INLINE_ORIGIN record" },
		{ FIELD_HEX, ADDRESS, "first byte of a range of its code" },
		{ FIELD_SIZE, "size", "bytes of that range" } } },
	[SYMBOL_FUNC] = { 5, "FUNC", 4, "FUNC [m] address size parameter_size name", 0, {
		MULTIPLE, { FIELD_HEX, ADDRESS, CODE }, SIZE, PARAMETERS,
		{ FIELD_REST, "name", "of the function" } } },
	[SYMBOL_PUBLIC] = { 7, "PUBLIC", 6, "PUBLIC [m] address parameter_size name", 0, {
		MULTIPLE,
		{ FIELD_HEX, ADDRESS, "address of the symbol; its size is unknown" },
		PARAMETERS, { FIELD_REST, "name", "of the symbol" } } },
	[SYMBOL_STACK_WIN] = { 6, "STACK WIN", 9, STACK, 0, {
		{ FIELD_KEYWORD, "WIN", "" },
		{ FIELD_LOOSE, "type", "4: frame data, with a program; 0: FPO, sizes alone; "
				       "1 to 3 are never used" },
		{ FIELD_LOOSE, "rva", CODE },
		{ FIELD_LOOSE_SIZE, "code_size", "bytes of code that the record covers" },
		{ FIELD_LOOSE_SIZE, "prologue_size", "bytes of its prologue; not used by walkers" },
		{ FIELD_LOOSE_SIZE, "epilogue_size", "bytes of its epilogue; not used by walkers" },
		{ FIELD_LOOSE_SIZE, "parameter_size", ".cbParams: bytes of its arguments" },
		{ FIELD_LOOSE_SIZE, "saved_register_size",
		  ".cbSavedRegs: bytes of saved registers" },
		{ FIELD_LOOSE_SIZE, "local_size", ".cbLocals: bytes of local variables" },
		{ FIELD_LOOSE_SIZE, "max_stack_size", "most bytes pushed; not used by walkers" },
		{ FIELD_LOOSE, "has_program_string", "1: a program follows; 0: a flag does" },
		{ FIELD_RULES, "program_string_or_allocates_base_pointer",
		  "assigns the caller's registers; or 1: ebp is used for something else" } } },
	[SYMBOL_STACK_CFI_INIT] = { 6, "STACK CFI INIT", 14, STACK, 0, {
		{ FIELD_KEYWORD, "CFI", "" }, { FIELD_KEYWORD, "INIT", "" },
		{ FIELD_LOOSE, ADDRESS, CODE },
		{ FIELD_LOOSE_SIZE, "size", "bytes of code that it and its deltas cover" },
		{ FIELD_RULES, "rules", "REGISTER: EXPRESSION, in force from the address on" } } },
	[SYMBOL_STACK_CFI] = { 6, "STACK CFI", 9, STACK, 0, {
		{ FIELD_KEYWORD, "CFI", "" },
		{ FIELD_LOOSE, ADDRESS, "from here on its rules replace those before" },
		{ FIELD_RULES, "rules", "only the rules that change" } } },
	[SYMBOL_STACK] = { 6, "STACK", 5, STACK, 0, { { FIELD_NONE, "", "" } } },
	[SYMBOL_LINE] = { 0, "line", 4, "address size line file", 0, {
		{ FIELD_HEX, ADDRESS, CODE }, SIZE,
		{ FIELD_DECIMAL, "line", "of the source" },
		{ FIELD_DECIMAL, "filenum", FILE_NUMBER } } },
};

/* Whether a record begins with the first word of a form, followed by a space. */
static bool
has_word(const struct record_form *form, struct text text)
{
	return text.length >= form->length && text.start[form->length - 1] == ' ' &&
	       memcmp(text.start, form->name, form->length - 1) == 0;
}

static struct field_cursor
behind_word(const struct record_form *form, struct text text)
{
	return (struct field_cursor){ text.start + form->length, text.start + text.length };
}

/* Whether the keywords of a form follow the record's word. */
static bool
has_keywords(const struct record_form *form, struct text text)
{
	struct field_cursor cursor = behind_word(form, text);
	struct symbol_field field;

	for (size_t i = 0; form->fields[i].kind == FIELD_KEYWORD; i++)
		if (!field_read(&cursor, FIELD_KEYWORD, &field) ||
		    !text_is(field.text, form->fields[i].name))
			return false;
	return true;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Whether a record begins with the form's name, with the usual single spaces. */
static bool
has_name(const struct record_form *form, struct text text)
{
	const size_t length = form->name_length;

	return text.length > length + 1 && text.start[0] == form->name[0] &&
	       text.start[length] == ' ' && text.start[length + 1] != ' ' &&
	       memcmp(text.start, form->name, length) == 0;
}

/* Among kinds with the same first word, those with more keywords come first. */
static const enum symbol_record_kind kinds[] = {
	SYMBOL_INLINE, SYMBOL_INLINE_ORIGIN, SYMBOL_FUNC, SYMBOL_STACK_CFI_INIT,
	SYMBOL_STACK_CFI, SYMBOL_STACK_WIN, SYMBOL_PUBLIC, SYMBOL_FILE, SYMBOL_MODULE,
	SYMBOL_CODE_ID, SYMBOL_STACK, SYMBOL_INFO,
};

enum symbol_record_kind
record_kind(struct text text)
{
	const size_t count = ARRAY_COUNT(kinds);

	if (text.length < 5 || text.start[0] < 'F' || text.start[0] > 'S')
		return SYMBOL_LINE;
	/* The names of the last two kinds are prefixes of other names. */
	for (size_t i = 0; i < count - 2; i++)
		if (has_name(&record_forms[kinds[i]], text))
			return kinds[i];
	for (size_t i = 0; i < count; i++) {
		const struct record_form *form = &record_forms[kinds[i]];

		if (has_word(form, text) && has_keywords(form, text))
			return kinds[i];
	}
	return SYMBOL_LINE;
}

enum symbol_record_kind
record_kind_strict(struct text text)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const size_t length = record_forms[kinds[i]].name_length;

		/* rust-minidump has no such kinds. */
		if (kinds[i] == SYMBOL_CODE_ID || kinds[i] == SYMBOL_STACK)
			continue;
		if (text.length > length && is_blank(text.start[length]) &&
		    memcmp(text.start, record_forms[kinds[i]].name, length) == 0)
			return kinds[i];
	}
	return SYMBOL_LINE;
}

bool
record_may_be_line(struct text text)
{
	return text.length != 0 &&
	       memchr("0123456789abcdefABCDEF+-\t\v\f ", text.start[0], 28) != NULL;
}

bool
record_has_call_file(size_t read, struct field_cursor rest)
{
	const size_t count = read + field_count(rest);

	return (count < LIMIT_INLINE_FIELDS ? count : LIMIT_INLINE_FIELDS) % 2 == 0;
}

/* Whether an optional field of the kind is present. */
static bool
is_there(enum field_kind kind, struct field_cursor cursor, size_t read)
{
	struct symbol_field field;
	const char *at = cursor.at;

	switch (kind) {
	case FIELD_FLAG:
		return cursor.at < cursor.end && (*cursor.at == 'm' || *cursor.at == ' ') &&
		       field_read(&cursor, FIELD_FLAG, &field) && text_is(field.text, "m");
	case FIELD_OLD_FILE:
		/* The next field is a number only in the old form of INLINE_ORIGIN. */
		at += at < cursor.end && *at == '-';
		while (at < cursor.end && *at >= '0' && *at <= '9')
			at++;
		return at == cursor.end || *at == ' ';
	default:
		return record_has_call_file(read, cursor);
	}
}

bool
record_read_fields(struct symbol_record *record)
{
	const struct record_form *form = &record_forms[record->kind];
	const struct field_form *field = form->fields, *more = field + form->repeats;
	struct field_cursor cursor = behind_word(form, record->text);
	struct symbol_field *found = record->fields;
	bool good = record->kind != SYMBOL_STACK;

	/* The usual case: single spaces separate the keywords. */
	if (field->kind == FIELD_KEYWORD && has_name(form, record->text)) {
		for (; field->kind == FIELD_KEYWORD; field++, more++)
			*found++ = (struct symbol_field){ .text = record->text };
		cursor.at = record->text.start + form->name_length + 1;
	}
	for (; more->kind != FIELD_NONE; field++, more++, found++) {
		if (field_is_optional(field->kind) &&
		    !is_there(field->kind, cursor, (size_t)(found - record->fields))) {
			*found = (struct symbol_field){ .text.start = cursor.at,
							.state = FIELD_ABSENT };
			continue;
		}
		/* Separate calls, so that field_plain() is compiled for each base. */
		const char *const behind =
			!field_is_number(field->kind) ? NULL
			: field_is_decimal(field->kind)
				? field_plain(cursor.at, cursor.end, FIELD_DECIMAL, found)
				: field_plain(cursor.at, cursor.end, FIELD_HEX, found);
		if (behind != NULL) {
			cursor.at = behind;
			continue;
		}
		struct field_cursor here = cursor;
		good &= field_read(&here, field->kind, found);
		cursor.at = here.at;
		record->state |= found->state;
		if (found->state == FIELD_MISSING) {
			found++;
			break;
		}
	}
	record->count = (size_t)(found - record->fields);
	record->rest = cursor;
	return good;
}

/* Skip blanks and tabs, at least one. */
static bool
strict_blanks(struct field_cursor *cursor)
{
	const char *const start = cursor->at;

	while (cursor->at < cursor->end && is_blank(*cursor->at))
		cursor->at++;
	return cursor->at > start;
}

/* The position after the end of a line, or NULL. */
static const char *
strict_line_end(struct field_cursor cursor)
{
	while (cursor.at < cursor.end && *cursor.at == '\r')
		cursor.at++;
	if (cursor.at == cursor.end)
		return cursor.end;
	return *cursor.at == '\n' ? cursor.at + 1 : NULL;
}

/* A number of at most `most` digits; a decimal one must fit in 32 bits. */
static bool
strict_number(struct field_cursor *cursor, unsigned base, size_t most, struct symbol_field *field)
{
	const char *at = cursor->at;
	uint64_t value = 0;

	for (; at < cursor->end && (size_t)(at - cursor->at) < most; at++) {
		const unsigned digit = field_digits[(unsigned char)*at];

		if (digit == 0 || (digit & 15u) >= base)
			break;
		value = value * base + (digit & 15u);
	}
	*field = (struct symbol_field){ { cursor->at, (size_t)(at - cursor->at) }, value, 0, 0 };
	cursor->at = at;
	return field->text.length != 0 && (base == 16 || value <= UINT32_MAX);
}

size_t
record_utf8_length(struct text text)
{
	uint32_t character;
	size_t at = 0;

	for (size_t length; at < text.length; at += length) {
		length = (unsigned char)text.start[at] < 0x80
				 ? 1 : text_decode(text.start + at, text.length - at, &character);
		if (length == 0)
			return at;
	}
	return at;
}

/* Read up to the first byte that is in `ends`. */
static bool
strict_text(struct field_cursor *cursor, const char *ends, struct symbol_field *field)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at != ends[0] && *at != ends[1])
		at++;
	*field = (struct symbol_field){ .text = { cursor->at, (size_t)(at - cursor->at) } };
	cursor->at = at;
	return record_utf8_length(field->text) == field->text.length;
}

static bool
strict_field(enum symbol_record_kind kind, size_t index, struct field_cursor *cursor,
	     struct symbol_field *field)
{
	const enum field_kind form = record_forms[kind].fields[index].kind;

	if (form == FIELD_WORD)
		return strict_text(cursor, "  ", field);
	if (form == FIELD_REST || form == FIELD_RULES)
		return strict_text(cursor, "\r\n", field);
	if (form == FIELD_ID)
		return strict_number(cursor, 16, SIZE_MAX, field);
	if (kind == SYMBOL_STACK_WIN && (index == WIN_TYPE || index == WIN_HAS_PROGRAM))
		return strict_number(cursor, index == WIN_TYPE ? 16 : 10, 1, field);
	if (field_is_decimal(form))
		return strict_number(cursor, 10, 10, field);
	return strict_number(cursor, 16, form == FIELD_HEX || form == FIELD_LOOSE ? 16 : 8, field);
}

static bool
strict_range(struct field_cursor *rest, struct symbol_field range[2])
{
	return strict_blanks(rest) && strict_number(rest, 16, 16, &range[0]) &&
	       strict_blanks(rest) && strict_number(rest, 16, 8, &range[1]);
}

const char *
record_read_strict(enum symbol_record_kind kind, struct text text, struct symbol_record *record)
{
	const struct record_form *form = &record_forms[kind];
	struct field_cursor cursor = behind_word(form, text);
	bool apart = kind == SYMBOL_LINE, good = true;
	struct symbol_field range[2];
	size_t i = 0;

	if (!apart && record_kind_strict(text) != kind)
		return NULL;
	cursor.at = apart ? text.start : text.start + form->name_length;
	record->kind = kind;
	record->state = 0;
	for (; good && form->fields[i].kind != FIELD_NONE; i++) {
		const enum field_kind field = form->fields[i].kind;

		record->fields[i] = (struct symbol_field){ .text.start = cursor.at,
							   .state = FIELD_ABSENT };
		if (field == FIELD_KEYWORD || field == FIELD_OLD_FILE)
			continue;
		good = apart || strict_blanks(&cursor);
		apart = false;
		if (field == FIELD_FLAG) {
			struct field_cursor flag = { cursor.at + 1, cursor.end };

			apart = !good || cursor.at == cursor.end || *cursor.at != 'm' ||
				!strict_blanks(&flag);
			record->fields[i].state = apart ? FIELD_ABSENT : 0;
			cursor.at += !apart;
		} else if (kind == SYMBOL_INFO) {
			/* Only the URL of a download must be UTF-8. */
			good = strict_text(&cursor, "\r\n", &record->fields[i++]) ||
			       !(text.length > 8 && memcmp(text.start, "INFO URL", 8) == 0 &&
				 is_blank(text.start[8]));
			break;
		} else {
			good = good && strict_field(kind, i, &cursor, &record->fields[i]);
		}
	}
	record->count = i;
	record->rest.at = cursor.at;
	/* The second and later ranges of a call. */
	while (good && kind == SYMBOL_INLINE && cursor.at < cursor.end && is_blank(*cursor.at))
		good = strict_range(&cursor, range);
	record->rest.end = cursor.at;
	record->text = (struct text){ text.start, (size_t)(cursor.at - text.start) };
	return good ? strict_line_end(cursor) : NULL;
}

static enum symbol_record_kind
kind_of(struct text text, bool strict)
{
	return strict ? record_kind_strict(text) : record_kind(text);
}

static bool
read_as(enum symbol_record_kind kind, struct text text, bool strict, struct symbol_record *record)
{
	return strict ? record_read_strict(kind, text, record) != NULL
		      : record_read(kind, text, record);
}

struct symfile_identity
record_module(struct text text)
{
	struct symbol_record record;

	record_read(SYMBOL_MODULE, text, &record);
	for (size_t i = record.count; i <= MODULE_NAME; i++)
		record.fields[i].text = (struct text){ 0 };
	return (struct symfile_identity){ record.fields[MODULE_SYSTEM].text,
					  record.fields[MODULE_ARCHITECTURE].text,
					  record.fields[MODULE_ID].text,
					  record.fields[MODULE_NAME].text };
}

bool
record_numbered(struct text text, bool strict, struct text *name)
{
	const enum symbol_record_kind kind = kind_of(text, strict);
	struct symbol_record record;

	if ((kind != SYMBOL_FILE && kind != SYMBOL_INLINE_ORIGIN) ||
	    !read_as(kind, text, strict, &record))
		return false;
	*name = record.fields[record.count - 1].text;
	return true;
}

bool
record_function(struct text text, bool strict, struct function *function)
{
	const bool public = text.length > 0 && text.start[0] == 'P';
	const enum symbol_record_kind kind = public ? SYMBOL_PUBLIC : SYMBOL_FUNC;
	struct symbol_record record;

	if ((!strict && !has_word(&record_forms[kind], text)) ||
	    !read_as(kind, text, strict, &record))
		return false;
	const struct symbol_field *fields = record.fields;
	*function = (struct function){
		.kind = kind,
		.multiple = fields[0].state != FIELD_ABSENT,
		.address = fields[FUNC_ADDRESS].value,
		.size = public ? 0 : fields[FUNC_SIZE].value,
		.parameter_size = fields[public ? PUBLIC_PARAMETERS : FUNC_PARAMETERS].value,
		.name = fields[public ? PUBLIC_NAME : FUNC_NAME].text,
	};
	return true;
}

bool
record_line(struct text text, bool strict, struct line_record *line)
{
	ATTRIBUTE_UNINITIALIZED struct symbol_record record;

	if (!read_as(SYMBOL_LINE, text, strict, &record))
		return false;
	const struct symbol_field *fields = record.fields;
	/* Breakpad stores a line number as an int. */
	*line = (struct line_record){ fields[LINE_ADDRESS].value, fields[LINE_SIZE].value,
				      (uint32_t)fields[LINE_NUMBER].value,
				      fields[LINE_FILE].value };
	return true;
}

bool
record_inline(struct text text, bool strict, struct inline_record *call)
{
	ATTRIBUTE_UNINITIALIZED struct symbol_record record;

	if ((!strict && !has_word(&record_forms[SYMBOL_INLINE], text)) ||
	    !read_as(SYMBOL_INLINE, text, strict, &record))
		return false;
	const struct symbol_field *fields = record.fields;
	call->depth = (int64_t)fields[CALL_LEVEL].value;
	call->line = (int64_t)fields[CALL_LINE].value;
	call->file = fields[CALL_FILE].state == FIELD_ABSENT
			     ? -1 : (int64_t)fields[CALL_FILE].value;
	call->origin = fields[CALL_ORIGIN].value;
	for (call->count = 0; call->count < RECORD_INLINE_RANGES && record_has_range(&record);
	     call->count++) {
		if (!(strict && call->count > 0
			      ? strict_range(&record.rest, &record.fields[CALL_ADDRESS])
			      : record_range(&record)))
			return false;
		call->ranges[call->count].address = fields[CALL_ADDRESS].value;
		call->ranges[call->count].size = fields[CALL_SIZE].value;
	}
	return call->count != 0;
}

struct stack_win
record_as_win(const struct symbol_record *record)
{
	const struct symbol_field *fields = record->fields, *last = &fields[WIN_PROGRAM];
	const bool has_program = (uint32_t)fields[WIN_HAS_PROGRAM].value != 0;
	uint64_t flag;

	field_number(last->text, FIELD_LOOSE, &flag);
	return (struct stack_win){
		.type = (unsigned)fields[WIN_TYPE].value,
		.address = fields[WIN_ADDRESS].value,
		.size = fields[WIN_SIZE].value,
		.prologue = (uint32_t)fields[WIN_PROLOGUE].value,
		.epilogue = (uint32_t)fields[WIN_EPILOGUE].value,
		.parameters = (uint32_t)fields[WIN_PARAMETERS].value,
		.saved_registers = (uint32_t)fields[WIN_SAVED].value,
		.locals = (uint32_t)fields[WIN_LOCALS].value,
		.max_stack = (uint32_t)fields[WIN_MAX_STACK].value,
		.has_program = has_program,
		.program = has_program ? last->text : (struct text){ 0 },
		.allocates_base_pointer = !has_program && flag != 0,
		.program_column = (uint32_t)record_skip(record, WIN_PROGRAM) + 1,
	};
}

bool
record_stack_win(struct text text, bool strict, struct stack_win *win)
{
	const enum symbol_record_kind kind = kind_of(text, strict);
	struct symbol_record record;

	if (kind != SYMBOL_STACK_WIN || !read_as(kind, text, strict, &record) ||
	    record.fields[WIN_TYPE].value > WIN_TYPE_MOST)
		return false;
	*win = record_as_win(&record);
	if (strict) {
		const struct text last = record.fields[WIN_PROGRAM].text;

		win->has_program = win->type == 4;
		win->program = win->has_program ? last : (struct text){ 0 };
		win->allocates_base_pointer = !win->has_program && text_is(last, "1");
	}
	return true;
}

struct stack_cfi
record_as_cfi(const struct symbol_record *record)
{
	const bool init = record->kind == SYMBOL_STACK_CFI_INIT;
	const size_t rules = record->count - 1;

	return (struct stack_cfi){
		.init = init,
		.address = record->fields[init ? INIT_ADDRESS : DELTA_ADDRESS].value,
		.size = init ? record->fields[INIT_SIZE].value : 0,
		.rules = record->fields[rules].text,
		.rules_column = (uint32_t)record_skip(record, rules) + 1,
	};
}

bool
record_stack_cfi(struct text text, bool strict, struct stack_cfi *cfi)
{
	const enum symbol_record_kind kind = kind_of(text, strict);
	struct symbol_record record;

	if ((kind != SYMBOL_STACK_CFI && kind != SYMBOL_STACK_CFI_INIT) ||
	    !read_as(kind, text, strict, &record))
		return false;
	*cfi = record_as_cfi(&record);
	return true;
}
