/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/raw_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "symbols/fields.h"
#include "symbols/records.h"

/* Bytes of a line that are shown. */
#define LINE_SHOWN ((uint64_t)1 << 20)
/* Bytes of the longest character: no more of a line can matter for one column. */
#define COLUMN_BYTES 4u

/* Where the line behind the one shown last begins: rows are asked for in order. */
struct hint {
	uint32_t line;		/* 0: unknown */
	uint64_t offset;
};

struct lines {
	const struct symfile *symfile;
	struct place marked;
	uint32_t chosen;	/* line; 0: none */
	bool carets;		/* the row behind it has some */
	uint64_t start;		/* offset of the chosen line */
	int digits;
	struct hint *hint;	/* saves time, changes no row */
};

static bool
line_start(const struct symfile *symfile, uint32_t line, const struct hint *hint,
	   uint64_t *offset)
{
	if (hint == NULL || line == 0 || hint->line != line)
		return symfile_line_offset(symfile, line, offset);
	*offset = hint->offset;
	return true;
}

/*
 * The bytes of a line without its end, at most `most` of them; `*offset` is that of the
 * first. `hint` may be NULL.
 */
static struct text
line_text(const struct symfile *symfile, uint32_t line, uint64_t most, struct hint *hint,
	  uint64_t *offset)
{
	const struct file *file = symfile_file(symfile);
	uint64_t length = 0;

	*offset = 0;
	if (!line_start(symfile, line, hint, offset))
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

static uint32_t
line_of(const struct lines *lines, size_t index, bool *carets)
{
	*carets = lines->carets && index == lines->chosen;
	if (lines->carets && index >= lines->chosen)
		return (uint32_t)index;
	return (uint32_t)index + 1;
}

/* The carets stand where the same prefix of the line ends, however it had to be escaped. */
static void
fill_carets(const struct lines *lines, struct row *row)
{
	uint64_t offset, skip = lines->marked.offset - lines->start;
	struct text text = line_text(lines->symfile, lines->chosen, LINE_SHOWN, NULL, &offset);
	struct row prefix, part;
	struct arena arena;

	if (skip > text.length)
		return;
	uint64_t length = lines->marked.length;
	if (length > text.length - skip)
		length = text.length - skip;
	arena_init(&arena, 0);
	row_init(&prefix, &arena);
	row_init(&part, &arena);
	row_add_text(&prefix, ROLE_NORMAL, (struct text){ text.start, (size_t)skip });
	row_add_text(&part, ROLE_NORMAL, (struct text){ text.start + skip, (size_t)length });
	row_pad(row, (size_t)lines->digits + 2 + prefix.width);
	size_t carets = part.width > 0 ? part.width : 1;
	for (size_t i = 0; i < carets; i++)
		row_add(row, ROLE_CHANGED, "^");
	arena_free(&arena);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct lines *lines = listing->context;
	bool carets;
	uint32_t line = line_of(lines, index, &carets);
	uint64_t offset;

	if (carets) {
		fill_carets(lines, row);
	} else {
		uint64_t most = columns == 0 ? LINE_SHOWN : (uint64_t)columns * COLUMN_BYTES + 1;
		bool chosen = line == lines->chosen;

		row_add(row, ROLE_DIM, "%c%*" PRIu32 " ", chosen ? '>' : ' ', lines->digits, line);
		row_add_text(row, chosen ? ROLE_NORMAL : ROLE_DIM,
			     line_text(lines->symfile, line, most, lines->hint, &offset));
	}
	if (columns != 0)
		row_cut(row, columns);
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct lines *lines = listing->context;
	const struct symfile_identity identity = symfile_identity(lines->symfile);

	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE,
		     text_of(place_base_name(symfile_file(lines->symfile)->input.name)));
	row_add(row, ROLE_DIM, "   ");
	row_add_text(row, ROLE_DIM, identity.name);
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_DIM, identity.id);
	if (columns != 0)
		row_cut(row, columns);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct lines *lines = listing->context;
	bool carets;
	uint32_t line = line_of(lines, index, &carets);
	uint64_t offset;
	struct text text = line_text(lines->symfile, line, LINE_SHOWN, NULL, &offset);

	return report_place_target(carets ? lines->marked
					  : symfile_place(lines->symfile, offset,
							  (uint32_t)text.length));
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct lines *lines = listing->context;
	bool carets;

	raw_symbols_fields(lines->symfile, line_of(lines, index, &carets), row);
}

/* Take over what is marked: its line, and whether it is only a part of that. */
static void
mark(struct lines *lines, struct place marked)
{
	const struct file *file = symfile_file(lines->symfile);

	if (marked.input == NULL || marked.offset >= file->size)
		return;
	lines->marked = symfile_place(lines->symfile, marked.offset, marked.length);
	lines->chosen = lines->marked.line;
	struct text text = line_text(lines->symfile, lines->chosen, LINE_SHOWN, NULL,
				     &lines->start);
	lines->carets = lines->marked.column > 1 ||
			(marked.length > 0 && marked.length < text.length);
}

struct listing
raw_symbols_listing(const struct symfile *symfile, struct place marked, struct arena *arena)
{
	uint32_t count = symfile_line_count(symfile);
	struct lines *lines = arena_alloc(arena, sizeof(*lines));
	char digits[24];

	if (lines == NULL)
		return listing_message("memory ran out");
	if (count == 0)
		return listing_message("the symbol file is empty");
	lines->symfile = symfile;
	lines->hint = arena_alloc(arena, sizeof(*lines->hint));
	lines->digits = snprintf(digits, sizeof(digits), "%" PRIu32, count);
	mark(lines, marked);
	return (struct listing){ .count = (size_t)count + (lines->carets ? 1 : 0),
				 .head = fill_head, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = lines };
}

size_t
raw_symbols_row(const struct listing *listing, uint32_t line)
{
	const struct lines *lines = listing->context;

	if (listing->fill != fill_row || line == 0)
		return 0;
	size_t row = (size_t)line - 1 + (lines->carets && line > lines->chosen ? 1 : 0);
	return row < listing->count ? row : listing->count - 1;
}

/*
 * The names of fields, in order; the last one is all that is left, and where it begins
 * with '+' the fields of that part repeat. Source: Breakpad's symbol file format.
 */
enum variant { VARIANT_ANY, VARIANT_MULTIPLE, VARIANT_OLD };

static const struct {
	const char *word;		/* how the record begins */
	enum variant variant;		/* an `m` may follow; the form of earlier versions */
	const char *names[12];
} forms[] = {
	{ "MODULE", VARIANT_ANY, { "operating_system", "architecture", "id", "name" } },
	{ "INFO CODE_ID", VARIANT_ANY, { "code_id", "file" } },
	{ "INFO", VARIANT_ANY, { "key", "value" } },
	{ "FILE", VARIANT_ANY, { "number", "name" } },
	{ "INLINE_ORIGIN", VARIANT_OLD, { "number", "file_num", "name" } },
	{ "INLINE_ORIGIN", VARIANT_ANY, { "number", "name" } },
	{ "INLINE", VARIANT_OLD, { "inline_nest_level", "call_site_line", "origin_num",
				   "+address", "size" } },
	{ "INLINE", VARIANT_ANY, { "inline_nest_level", "call_site_line", "call_site_file_num",
				   "origin_num", "+address", "size" } },
	{ "FUNC", VARIANT_MULTIPLE, { "address", "size", "parameter_size", "name" } },
	{ "PUBLIC", VARIANT_MULTIPLE, { "address", "parameter_size", "name" } },
	{ "STACK WIN", VARIANT_ANY, { "type", "rva", "code_size", "prologue_size", "epilogue_size",
				      "parameter_size", "saved_register_size", "local_size",
				      "max_stack_size", "has_program_string",
				      "program_string_or_allocates_base_pointer" } },
	{ "STACK CFI INIT", VARIANT_ANY, { "address", "size", "rules" } },
	{ "STACK CFI", VARIANT_ANY, { "address", "rules" } },
	{ "", VARIANT_ANY, { "address", "size", "line", "filenum" } },
};

static bool
begins_with(struct text text, const char *word)
{
	size_t length = strlen(word);

	return length == 0 || (text.length >= length && memcmp(text.start, word, length) == 0 &&
			       (text.length == length || text.start[length] == ' '));
}

/*
 * Whether a record of inlining has the form of earlier versions: INLINE without a file has
 * an odd number of fields, INLINE_ORIGIN had the number of a file before the name.
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

static size_t
form_of(struct text record)
{
	size_t form = 0;

	while (!begins_with(record, forms[form].word) ||
	       (forms[form].variant == VARIANT_OLD && !is_old(record)))
		form++;
	return form;
}

static void
add_field(struct row *row, const char *name, struct text value)
{
	row_add(row, ROLE_DIM, "%s%s ", row->width > 0 ? "  " : "", name);
	row_add_text(row, ROLE_NORMAL, value);
}

/* Fields by name; behind a name with '+' those from there on repeat. */
static void
add_fields(struct row *row, const char *const *names, struct fields fields)
{
	struct text value;
	size_t repeat = 0;

	for (size_t i = 0;; i++) {
		if (names[i] == NULL && repeat == 0)
			return;
		if (names[i] == NULL)
			i = repeat;
		bool repeated = names[i][0] == '+';
		if (repeated)
			repeat = i;
		bool last = names[i + 1] == NULL && repeat == 0;
		if (!(last ? fields_rest(&fields, &value) : fields_next(&fields, &value)))
			return;
		add_field(row, names[i] + (repeated ? 1 : 0), value);
	}
}

void
raw_symbols_fields(const struct symfile *symfile, uint32_t line, struct row *row)
{
	uint64_t offset;
	struct text record = line_text(symfile, line, LINE_SHOWN, NULL, &offset), value;
	size_t form = form_of(record);

	struct fields fields = fields_of(record, strlen(forms[form].word));
	if (forms[form].word[0] == '\0' && !record_may_be_line(record)) {
		row_add(row, ROLE_UNKNOWN, "no kind of record that is known");
		return;
	}
	row_add(row, ROLE_TITLE, "%s",
		forms[form].word[0] != '\0' ? forms[form].word : "line");
	struct fields ahead = fields;
	if (forms[form].variant == VARIANT_MULTIPLE && fields_next(&ahead, &value) &&
	    text_equal(value, text_of("m"))) {
		row_add(row, ROLE_NORMAL, "  m (several symbols)");
		fields = ahead;
	}
	add_fields(row, forms[form].names, fields);
}
