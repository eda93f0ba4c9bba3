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
		{ FIELD_REST, "name", "of the function that was inlined" } } },
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
		{ FIELD_LOOSE, "code_size", "bytes of code that the record covers" },
		{ FIELD_LOOSE, "prologue_size", "bytes of its prologue; not used by walkers" },
		{ FIELD_LOOSE, "epilogue_size", "bytes of its epilogue; not used by walkers" },
		{ FIELD_LOOSE, "parameter_size", ".cbParams: bytes of its arguments" },
		{ FIELD_LOOSE, "saved_register_size", ".cbSavedRegs: bytes of saved registers" },
		{ FIELD_LOOSE, "local_size", ".cbLocals: bytes of local variables" },
		{ FIELD_LOOSE, "max_stack_size", "most bytes pushed; not used by walkers" },
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

/* Whether a record begins with the word of a form and a space. */
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
		    !text_equal(field.text, text_of(form->fields[i].name)))
			return false;
	return true;
}

/* Whether a record begins with the name of its kind, one space between words, as nearly all do. */
static bool
has_name(const struct record_form *form, struct text text)
{
	const size_t length = form->name_length;

	return text.length > length + 1 && text.start[length] == ' ' &&
	       text.start[length + 1] != ' ' && memcmp(text.start, form->name, length) == 0;
}

enum symbol_record_kind
record_kind(struct text text)
{
	/* Of kinds with one word those with more keywords come first. */
	static const enum symbol_record_kind kinds[] = {
		SYMBOL_INLINE, SYMBOL_INLINE_ORIGIN, SYMBOL_FUNC, SYMBOL_STACK_CFI_INIT,
		SYMBOL_STACK_CFI, SYMBOL_STACK_WIN, SYMBOL_PUBLIC, SYMBOL_FILE, SYMBOL_MODULE,
		SYMBOL_CODE_ID, SYMBOL_STACK, SYMBOL_INFO,
	};
	const size_t count = ARRAY_COUNT(kinds);

	if (text.length < 5 || text.start[0] < 'F' || text.start[0] > 'S')
		return SYMBOL_LINE;
	/* The names of the last two begin others as well. */
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

bool
record_may_be_line(struct text text)
{
	return text.length != 0 &&
	       memchr("0123456789abcdefABCDEF+-\t\v\f ", text.start[0], 28) != NULL;
}

/* Whether the field at the front is a number, with which the old form goes on. */
static bool
is_old_origin(struct field_cursor cursor)
{
	const char *at = cursor.at;

	at += at < cursor.end && *at == '-';
	while (at < cursor.end && *at >= '0' && *at <= '9')
		at++;
	return at == cursor.end || *at == ' ';
}

bool
record_has_call_file(size_t read, struct field_cursor rest)
{
	const size_t count = read + field_count(rest);

	return (count < LIMIT_INLINE_FIELDS ? count : LIMIT_INLINE_FIELDS) % 2 == 0;
}

/* Whether a field is there that some records of the kind do without. */
static bool
is_there(enum field_kind kind, struct field_cursor cursor, size_t read)
{
	struct symbol_field field;

	switch (kind) {
	case FIELD_FLAG:
		return cursor.at < cursor.end && (*cursor.at == 'm' || *cursor.at == ' ') &&
		       field_read(&cursor, FIELD_FLAG, &field) &&
		       text_equal(field.text, text_of("m"));
	case FIELD_OLD_FILE:
		return is_old_origin(cursor);
	default:
		return record_has_call_file(read, cursor);
	}
}

bool
record_read_fields(struct symbol_record *record)
{
	const struct record_form *form = &record_forms[record->kind];
	struct field_cursor cursor = behind_word(form, record->text);
	size_t count = 0;
	bool good = true;

	/* Keywords as writers write them, with one space between them. */
	if (form->fields[0].kind == FIELD_KEYWORD && has_name(form, record->text)) {
		for (; form->fields[count].kind == FIELD_KEYWORD; count++)
			record->fields[count] = (struct symbol_field){ .text = record->text };
		cursor.at = record->text.start + form->name_length + 1;
	}
	for (const struct field_form *field = form->fields + count;
	     field[form->repeats].kind != FIELD_NONE; field++) {
		struct symbol_field *found = &record->fields[count++];
		const char *behind = NULL;

		if (field_is_optional(field->kind) && !is_there(field->kind, cursor, count - 1)) {
			*found = (struct symbol_field){ .text.start = cursor.at,
							.state = FIELD_ABSENT };
			continue;
		}
		if (field_is_number(field->kind))
			behind = field_plain(cursor.at, cursor.end, field->kind, found);
		if (behind != NULL) {
			cursor.at = behind;
			continue;
		}
		struct field_cursor here = cursor;
		good &= field_read(&here, field->kind, found);
		cursor.at = here.at;
		record->state |= found->state;
		if (found->state == FIELD_MISSING)
			break;
	}
	record->count = count;
	record->rest = cursor;
	return good && record->kind != SYMBOL_STACK;
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
record_numbered(struct text text, struct numbered_record *numbered)
{
	const enum symbol_record_kind kind = record_kind(text);
	struct symbol_record record;

	if ((kind != SYMBOL_FILE && kind != SYMBOL_INLINE_ORIGIN) ||
	    !record_read(kind, text, &record))
		return false;
	numbered->number = record.fields[NUMBERED_NUMBER].value;
	numbered->name = record.fields[record.count - 1].text;
	return true;
}

bool
record_function(struct text text, struct function *function)
{
	const bool public = has_word(&record_forms[SYMBOL_PUBLIC], text);
	const enum symbol_record_kind kind = public ? SYMBOL_PUBLIC : SYMBOL_FUNC;
	struct symbol_record record;

	if (!has_word(&record_forms[kind], text) || !record_read(kind, text, &record))
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
record_line(struct text text, struct line_record *line)
{
	struct symbol_record record;

	if (!record_read(SYMBOL_LINE, text, &record))
		return false;
	const struct symbol_field *fields = record.fields;
	/* Breakpad keeps an int. */
	*line = (struct line_record){ fields[LINE_ADDRESS].value, fields[LINE_SIZE].value,
				      (uint32_t)fields[LINE_NUMBER].value,
				      fields[LINE_FILE].value };
	return true;
}

bool
record_inline(struct text text, struct inline_record *call)
{
	struct symbol_record record;

	if (!has_word(&record_forms[SYMBOL_INLINE], text) ||
	    !record_read(SYMBOL_INLINE, text, &record))
		return false;
	const struct symbol_field *fields = record.fields;
	call->depth = (int64_t)fields[CALL_LEVEL].value;
	call->line = (int64_t)fields[CALL_LINE].value;
	call->file = fields[CALL_FILE].state == FIELD_ABSENT
			     ? -1 : (int64_t)fields[CALL_FILE].value;
	call->origin = fields[CALL_ORIGIN].value;
	for (call->count = 0; call->count < RECORD_INLINE_RANGES && record_has_range(&record);
	     call->count++) {
		if (!record_range(&record))
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
record_stack_win(struct text text, struct stack_win *win)
{
	struct symbol_record record;

	if (record_kind(text) != SYMBOL_STACK_WIN ||
	    !record_read(SYMBOL_STACK_WIN, text, &record) ||
	    record.fields[WIN_TYPE].value > WIN_TYPE_MOST)
		return false;
	*win = record_as_win(&record);
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
record_stack_cfi(struct text text, struct stack_cfi *cfi)
{
	const enum symbol_record_kind kind =
		has_name(&record_forms[SYMBOL_STACK_CFI_INIT], text) ? SYMBOL_STACK_CFI_INIT
		: has_name(&record_forms[SYMBOL_STACK_CFI], text)    ? SYMBOL_STACK_CFI
								     : record_kind(text);
	struct symbol_record record;

	if ((kind != SYMBOL_STACK_CFI && kind != SYMBOL_STACK_CFI_INIT) ||
	    !record_read(kind, text, &record))
		return false;
	*cfi = record_as_cfi(&record);
	return true;
}
