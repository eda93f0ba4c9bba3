/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/records.h"

/*
 * The one pass over a file. Lines and inlined calls of a function are stepped over; they
 * are read when somebody asks for the function.
 */
struct scan {
	struct symfile *symfile;
	uint64_t where;		/* of the record at hand */
	bool in_function;	/* as Breakpad: what line records belong to */
	bool failed;		/* memory has run out, or there are too many rows */
};

static bool
grow(void **rows, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return true;
	size_t wanted = *capacity == 0 ? 64 : *capacity * 2;
	if (count >= SPAN_NONE / 2 || wanted > SIZE_MAX / size)
		return false;
	void *larger = realloc(*rows, wanted * size);
	if (larger == NULL)
		return false;
	*rows = larger;
	*capacity = wanted;
	return true;
}

static void
add_range(struct scan *scan, struct range_table *table, uint64_t address, uint64_t size)
{
	void *rows = table->rows;

	if (!grow(&rows, table->count, &table->capacity, sizeof(*table->rows))) {
		scan->failed = true;
		return;
	}
	table->rows = rows;
	table->rows[table->count++] = (struct range_row){ address, size, scan->where };
}

static void
add_point(struct scan *scan, struct point_table *table, uint64_t address)
{
	void *rows = table->rows;

	if (!grow(&rows, table->count, &table->capacity, sizeof(*table->rows))) {
		scan->failed = true;
		return;
	}
	table->rows = rows;
	table->rows[table->count++] = (struct point_row){ address, scan->where };
}

/* Note a bad record; `counts` says whether Breakpad counts it. */
static void
add_bad(struct scan *scan, struct text record, enum record_word word, bool counts)
{
	struct symfile *symfile = scan->symfile;
	enum message_kind kind = word == RECORD_INLINE || word == RECORD_INLINE_ORIGIN
				 ? MESSAGE_SYMBOL_INLINE : MESSAGE_SYMBOL_LINE;
	char found[96];

	if (counts && symfile->bad_count < ARRAY_COUNT(symfile->bad))
		symfile->bad[symfile->bad_count++] = where_offset(scan->where);
	if (symfile->messages.seen[kind] < LIMIT_MESSAGES_PER_KIND)
		text_printable(found, sizeof(found), record);
	else
		found[0] = '\0';
	if (word == RECORD_LINE && !scan->in_function)
		symfile_report(symfile, &symfile->messages, kind, scan->where,
			       "record '%s' outside of any function\nskipped", found);
	else
		symfile_report(symfile, &symfile->messages, kind, scan->where,
			       "malformed record, expected '%s', found '%s'\nskipped",
			       record_form(word), found);
}

static void
scan_line(struct scan *scan, struct text record)
{
	if (!scan->in_function || !record_may_be_line(record))
		add_bad(scan, record, RECORD_LINE, true);
}

static void
scan_stack(struct scan *scan, struct text record)
{
	struct symfile *symfile = scan->symfile;
	struct stack_cfi cfi;
	struct stack_win win;

	if (record_stack_cfi(record, &cfi)) {
		if (cfi.init)
			add_range(scan, &symfile->inits, cfi.address, cfi.size);
		else
			add_point(scan, &symfile->deltas, cfi.address);
	} else if (record_stack_win(record, &win)) {
		add_range(scan, &symfile->win[win.type], win.address, win.size);
	} else {
		add_bad(scan, record, RECORD_STACK, true);
	}
}

static void
scan_func(struct scan *scan, struct text record)
{
	struct function function;

	scan->in_function = record_func(record, &function);
	if (scan->in_function)
		add_range(scan, &scan->symfile->functions, function.address, function.size);
	else
		add_bad(scan, record, RECORD_FUNC, true);
}

static void
scan_public(struct scan *scan, struct text record)
{
	struct function function;

	scan->in_function = false;
	if (record_public(record, &function))
		add_point(scan, &scan->symfile->publics, function.address);
	else
		add_bad(scan, record, RECORD_PUBLIC, true);
}

static void
scan_file(struct scan *scan, struct text record)
{
	struct numbered_record file;

	if (record_file(record, &file))
		add_point(scan, &scan->symfile->files, file.number);
	else
		add_bad(scan, record, RECORD_FILE, true);
}

static void
scan_inline(struct scan *scan, struct text record)
{
	char found[96];

	if (scan->in_function)
		return;
	text_printable(found, sizeof(found), record);
	symfile_report(scan->symfile, &scan->symfile->messages, MESSAGE_SYMBOL_INLINE, scan->where,
		       "inlined call '%s' outside of any function\nskipped", found);
}

static void
scan_inline_origin(struct scan *scan, struct text record)
{
	struct numbered_record origin;

	if (record_inline_origin(record, &origin))
		add_point(scan, &scan->symfile->origins, origin.number);
	else
		add_bad(scan, record, RECORD_INLINE_ORIGIN, false);
}

static void
scan_info(struct scan *scan, struct text record)
{
	(void)record;
	add_point(scan, &scan->symfile->infos, scan->symfile->infos.count);
}

static void
scan_module(struct scan *scan, struct text record)
{
	struct symfile *symfile = scan->symfile;

	if (symfile->modules.count == 0)
		symfile->identity = record_module(record);
	add_point(scan, &symfile->modules, symfile->modules.count);
}

static void (*const scan_word[RECORD_WORD_COUNT])(struct scan *scan, struct text record) = {
	[RECORD_LINE] = scan_line,
	[RECORD_STACK] = scan_stack,
	[RECORD_FUNC] = scan_func,
	[RECORD_PUBLIC] = scan_public,
	[RECORD_FILE] = scan_file,
	[RECORD_INLINE] = scan_inline,
	[RECORD_INLINE_ORIGIN] = scan_inline_origin,
	[RECORD_INFO] = scan_info,
	[RECORD_MODULE] = scan_module,
};

static void
find_byte(const struct symfile *symfile, uint64_t block, uint64_t length, char c, uint64_t *first)
{
	if (*first < symfile->size)
		return;
	const char *at = memchr(symfile->data + block, c, length);

	if (at != NULL)
		*first = (uint64_t)(at - symfile->data);
}

/* Find the bytes that change how the file is read, block by block while each is in the cache. */
static void
find_odd_bytes(struct symfile *symfile)
{
	while (symfile->size > 0 && symfile->data[symfile->size - 1] == '\0')
		symfile->size--;
	symfile->first_return = symfile->size;
	symfile->first_nul = symfile->size;
	symfile->first_ff = symfile->size;
	for (uint64_t block = 0; block < symfile->size; block += LINE_BLOCK) {
		uint64_t left = symfile->size - block;
		uint64_t length = left < LINE_BLOCK ? left : LINE_BLOCK;

		find_byte(symfile, block, length, '\r', &symfile->first_return);
		find_byte(symfile, block, length, '\0', &symfile->first_nul);
		find_byte(symfile, block, length, '\xff', &symfile->first_ff);
	}
}

/* Breakpad turns NUL bytes into '_', and counts them as one bad record before all others. */
static void
count_nul(struct symfile *symfile)
{
	if (symfile->first_nul < symfile->first_ff)
		symfile->bad[symfile->bad_count++] = 0;
}

static void
report_nul(struct symfile *symfile)
{
	if (symfile->first_nul < symfile->size)
		symfile_report(symfile, &symfile->messages, MESSAGE_SYMBOL_LINE,
			       where_of(symfile->first_nul, 1), "NUL byte in a text file");
}

static void
scan_record(struct scan *scan, uint64_t start, uint64_t length)
{
	struct symfile *symfile = scan->symfile;
	struct text record = { symfile->data + start, length };

	scan->where = where_of(start, length);
	if (length > WHERE_LENGTH_MAX) {
		record.length = WHERE_LENGTH_MAX;
		symfile_report(symfile, &symfile->messages, MESSAGE_LIMIT, scan->where,
			       "record of %" PRIu64 " bytes, expected at most %" PRIu64
			       "\nthe rest of it is left out", length, WHERE_LENGTH_MAX);
	}
	scan_word[record_word(record)](scan, record);
}

/* Note which line goes on at the start of each block that begins in the one at hand. */
static uint64_t
mark_blocks(struct symfile *symfile, uint64_t block, uint64_t start, uint64_t next, uint32_t line)
{
	uint64_t end = next < symfile->size ? next : symfile->size;

	for (; block * LINE_BLOCK < end; block++)
		symfile->marks[block] = (struct line_mark){ start, line };
	return block;
}

/* Writers end every line. What is left of a cut record may look like a good one. */
static void
report_cut(struct symfile *symfile, uint64_t start, uint64_t length)
{
	if (length > 0 && start + length == symfile->size)
		symfile_report(symfile, &symfile->messages, MESSAGE_TRUNCATED,
			       where_of(start, length),
			       "the last line has no end\nit is read; the file may be cut short");
}

bool
symfile_scan(struct symfile *symfile)
{
	struct scan scan = { .symfile = symfile };
	uint64_t start = 0, length = 0, block = 0;
	uint32_t line = 0;

	find_odd_bytes(symfile);
	symfile->marks = calloc((size_t)(symfile->size / LINE_BLOCK) + 1, sizeof(*symfile->marks));
	if (symfile->marks == NULL)
		return false;
	count_nul(symfile);
	struct line_finder finder = line_finder_at(symfile, 0);
	while (!scan.failed && line_next(&finder, &start, &length)) {
		block = mark_blocks(symfile, block, start, finder.next, line);
		if (length != 0)
			scan_record(&scan, start, length);
		if (line != UINT32_MAX)
			line++;
	}
	symfile->line_count = line;
	report_nul(symfile);
	report_cut(symfile, start, length);
	return !scan.failed;
}
