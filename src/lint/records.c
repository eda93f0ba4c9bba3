/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "lint/lint_internal.h"
#include "locate/symbol_head.h"
#include "symbols/records.h"
#include "system/crew.h"

/* Reads the file line by line, recognises each kind of record, and checks each record alone. */

enum {
	BLOCK = 16 << 10,	/* bytes that stay cached until their lines are read */
	LONG_LINE = 80 << 10,
	MODULE_WORD = 7,		/* "MODULE " */
	LEAST_ID = 33,
	MOST_ID = 40,
	LEAST_SHARED = 32 << 20,	/* minimum size in bytes to use several threads */
	MOST_SLICES = 64,
	FIRST_CALLS = 3,		/* number of INLINE records examined for their form */
};

/* Unusual bytes in a block. Its lines are searched for them only if the block has some. */
struct odd_bytes {
	bool nul, ff, cr, high;
};

static bool
has_high(const char *at, size_t length)
{
	uint64_t bits = 0, words[4];
	size_t at_end = length % sizeof(words);

	for (size_t i = 0; i + sizeof(words) <= length; i += sizeof(words)) {
		memcpy(words, at + i, sizeof(words));
		bits |= words[0] | words[1] | words[2] | words[3];
	}
	for (; at_end > 0; at_end--)
		bits |= (uint64_t)(unsigned char)at[length - at_end];
	return (bits & UINT64_C(0x8080808080808080)) != 0;
}

/* Returns the end of a block of whole lines at `at`, and finds the block's unusual bytes. */
static const char *
read_block(const char *at, const char *end, struct odd_bytes *odd)
{
	const char *newline = end - at > BLOCK
				   ? memchr(at + BLOCK, '\n', (size_t)(end - at - BLOCK)) : NULL;
	const size_t length = (size_t)((newline != NULL ? newline + 1 : end) - at);

	*odd = (struct odd_bytes){ .nul = memchr(at, '\0', length) != NULL,
				  .cr = memchr(at, '\r', length) != NULL,
				  .high = has_high(at, length) };
	odd->ff = odd->high && memchr(at, 0xff, length) != NULL;
	return at + length;
}

static void
report_bytes(struct lint_reading *reading, const struct odd_bytes *odd)
{
	const struct text record = reading->record;
	const char *found;

	if (odd->nul && (found = memchr(record.start, '\0', record.length)) != NULL) {
		lint_report(reading, LINT_NUL_BYTE, (size_t)(found - record.start), 1, "%s", "");
		/* Breakpad counts all lines with NUL bytes as one bad record. */
		if (!reading->nul_seen)
			lint_bad_record(reading);
		reading->nul_seen = reading->part.unsure = true;
	}
	if (odd->ff && (found = memchr(record.start, 0xff, record.length)) != NULL)
		lint_report(reading, LINT_BYTE_FF, (size_t)(found - record.start), 1, "%s", "");
	if (odd->high) {
		size_t good = record_utf8_length(record);

		if (good < record.length)
			lint_report(reading, LINT_NOT_UTF8, good, 1, "byte 0x%02x",
				    (unsigned char)record.start[good]);
	}
}

static const char *
id_problem(struct text id)
{
	size_t upper = 0, zeros = 0;

	if (id.length < LEAST_ID || id.length > MOST_ID)
		return id.length == LEAST_ID - 1 ? "the age is missing: only 32 digits"
						 : "expected 33 to 40 digits";
	while (zeros < id.length && id.start[zeros] == '0')
		zeros++;
	if (zeros == id.length)
		return "it is zero, which means that the module has none";
	while (upper < id.length && strchr("0123456789ABCDEF", id.start[upper]) != NULL &&
	       id.start[upper] != '\0')
		upper++;
	for (size_t i = upper; i < id.length; i++)
		if (id.start[i] == '\0' || strchr("0123456789abcdefABCDEF", id.start[i]) == NULL)
			return "it has characters that are not hexadecimal digits";
	return upper < LEAST_ID - 1 ? "lower-case letters: file systems distinguish them" : NULL;
}

static void
check_identity(struct lint_reading *reading, const struct symfile_identity *identity)
{
	static const char *const systems[] = { "Linux", "mac", "windows", "Android", "iOS",
					       "Fuchsia", "NaCl", "Solaris", "linux", "android" };
	const char *start = reading->record.start, *problem = id_problem(identity->id);
	const struct text arch = identity->arch;
	bool known = false;

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++)
		known |= text_is(identity->os, systems[i]);
	if (!known)
		lint_report(reading, LINT_MODULE_SYSTEM, (size_t)(identity->os.start - start),
			    identity->os.length, "%s", "");
	reading->module.arch = arch_of_symbols(arch);
	/*
	 * Drop results of earlier rules, which were computed without the registers of this
	 * architecture.
	 */
	lint_expressions_free(reading);
	reading->module.id = identity->id;
	reading->module.os = identity->os;
	reading->module.build_ids =
		text_is(identity->os, "Linux") || text_is(identity->os, "Android");
	/* Callers leave room: for arguments on 64-bit Windows, for the link register on PowerPC. */
	reading->module.home_slots =
		reading->module.arch->chain_only || text_is(identity->os, "windows");
	if (reading->module.arch->register_count == 0)
		lint_report(reading, LINT_MODULE_ARCHITECTURE, (size_t)(arch.start - start),
			arch.length, "'%.*s'", TEXT_UPTO(arch, 60));
	if (problem != NULL)
		lint_report(reading, LINT_MODULE_ID, (size_t)(identity->id.start - start),
			    identity->id.length, "%s", problem);
	if (memchr(identity->name.start, '/', identity->name.length) != NULL ||
	    memchr(identity->name.start, '\\', identity->name.length) != NULL)
		lint_report(reading, LINT_MODULE_NAME, (size_t)(identity->name.start - start),
			    identity->name.length, "%s", "");
}

static void
records_read_module(struct lint_reading *reading)
{
	const struct symfile_identity identity = record_module(reading->record);

	reading->part.unsure = true;
	if (reading->module.seen) {
		lint_report(reading, LINT_MODULE_SECOND, 0, reading->record.length, "%s", "");
		return;
	}
	if (reading->any_record)
		lint_report(reading, LINT_MODULE_LATE, 0, reading->record.length, "%s", "");
	reading->module.seen = true;
	reading->module.offset = reading->offset;
	reading->module.line = reading->line;
	reading->lint->module = (struct text){ reading->record.start + MODULE_WORD,
					       reading->record.length - MODULE_WORD };
	if (identity.name.length == 0)
		lint_report(reading, LINT_MALFORMED_RECORD, 0, reading->record.length,
			    "not '%s'", record_forms[SYMBOL_MODULE].text);
	else
		check_identity(reading, &identity);
}

/* Reads a FILE or INLINE_ORIGIN record and defines its number. */
static void
read_numbered(struct lint_reading *reading, enum symbol_record_kind kind)
{
	const bool file = kind == SYMBOL_FILE;
	struct symbol_record record;

	if (!lint_fields(reading, kind, &record))
		return;
	if (!file && record.fields[ORIGIN_FILE].state != FIELD_ABSENT)
		lint_report(reading, LINT_ORIGIN_OLD_FORM, record_skip(&record, ORIGIN_FILE), 1,
			    "%s", "");
	const uint64_t number = record.fields[NUMBERED_NUMBER].value;
	const uint32_t before = lint_define(reading, file ? LINT_FILES : LINT_ORIGINS, number);
	reading->part.unsure = true;
	if (before == 0)
		return;
	struct lint_finding *finding =
		lint_report(reading, file ? LINT_FILE_DUPLICATE : LINT_ORIGIN_DUPLICATE,
			    record_skip(&record, NUMBERED_NUMBER), 1,
			    "number %" PRIu64 ", defined on line %" PRIu32, number, before);
	if (finding != NULL)
		finding->other = before;
}

static void
read_public(struct lint_reading *reading)
{
	struct symbol_record record;
	struct lint_finding *finding;

	lint_end_function(reading);
	/* Lines after PUBLIC belong to no function, not even to one of an earlier slice. */
	reading->part.function_begun |= reading->part.outer != NULL;
	if (!lint_fields(reading, SYMBOL_PUBLIC, &record))
		return;
	/* A symbol at address 0 is in no function: the finding gets the symbol's name. */
	if (record.fields[PUBLIC_ADDRESS].value == 0 &&
	    (finding = lint_report(reading, LINT_PUBLIC_ZERO, 0, reading->record.length, "%s",
				   "")) != NULL)
		finding->name = lint_name_at(reading, reading->offset);
	lint_add_range(reading, &reading->covered.publics, record.fields[PUBLIC_ADDRESS].value, 1);
}

static void
read_unknown_stack(struct lint_reading *reading)
{
	static const char word[] = "STACK ";
	const size_t length = reading->record.length, skip = sizeof(word) - 1;

	lint_report(reading, LINT_STACK_UNKNOWN, skip, skip < length ? length - skip : 1, "%s", "");
	lint_bad_record(reading);
}

/* Whether a text looks like a record's word: capitals and '_', but not a hexadecimal number. */
static bool
is_word(struct text text)
{
	bool other = false;

	for (size_t i = 0; i < text.length; i++) {
		const char c = text.start[i];

		if ((c < 'A' || c > 'Z') && c != '_')
			return false;
		other |= c > 'F';
	}
	return other;
}

/* Describes the mistake if the first word, ignoring case, is a record's; NULL: it is not. */
static const char *
odd_word(struct text record, struct text word)
{
	bool known = false;

	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		known |= word.length > 0 && record_forms[kind].length == word.length + 1 &&
			 strncasecmp(record_forms[kind].name, word.start, word.length) == 0;
	if (!known)
		return NULL;
	if (word.start > record.start)
		return "; a record must start at the beginning of its line";
	if (!is_word(word))
		return "; it must be in capitals";
	if (word.length == record.length)
		return "; nothing follows it";
	return "; tabs do not separate fields";
}

/* Reads a line without a record's word: a line record, or an unknown record. */
static void
read_other(struct lint_reading *reading)
{
	const struct text record = reading->record;
	struct text word = record;
	size_t length = 0;

	while (word.length > 0 && (word.start[0] == ' ' || word.start[0] == '\t')) {
		word.start++;
		word.length--;
	}
	while (length < word.length && word.start[length] != ' ' && word.start[length] != '\t')
		length++;
	word.length = length;
	const char *why = odd_word(record, word);
	if (why == NULL && record_may_be_line(record) && !is_word(word)) {
		lint_line(reading);
		return;
	}
	/* Show a word only up to its first NUL byte. */
	length = strnlen(word.start, length);
	lint_report(reading, LINT_UNKNOWN_RECORD, (size_t)(word.start - record.start), word.length,
		    "'%.*s'%s", (int)(length < 60 ? length : 60), word.start,
		    length < word.length ? "; it has NUL bytes" : why != NULL ? why : "");
	lint_bad_record(reading);
}

static void
read_record(struct lint_reading *reading)
{
	static void (*const readers[SYMBOL_KIND_COUNT])(struct lint_reading *) = {
		[SYMBOL_LINE] = read_other,	[SYMBOL_STACK] = read_unknown_stack,
		[SYMBOL_FUNC] = lint_func,	[SYMBOL_PUBLIC] = read_public,
		[SYMBOL_INLINE] = lint_inline,	[SYMBOL_MODULE] = records_read_module,
		[SYMBOL_STACK_WIN] = lint_stack_win, [SYMBOL_STACK_CFI] = lint_stack_delta,
		[SYMBOL_STACK_CFI_INIT] = lint_stack_init, [SYMBOL_CODE_ID] = lint_code_id,
	};
	const struct text record = reading->record;

	/* Test first for the most frequent kinds: lines, inlined calls and their names. */
	if (lint_is_line(record)) {
		lint_line(reading);
	} else if (record.length >= 7 && memcmp(record.start, "INLINE ", 7) == 0) {
		lint_inline(reading);
	} else if (record.length > 14 && memcmp(record.start, "INLINE_ORIGIN ", 14) == 0) {
		if (reading->whole != SYMBOL_FUNC)
			reading->whole = SYMBOL_INLINE_ORIGIN;
		read_numbered(reading, SYMBOL_INLINE_ORIGIN);
	} else {
		const enum symbol_record_kind kind = record_kind(record);

		if (kind != SYMBOL_STACK_CFI && kind != SYMBOL_LINE)
			reading->whole = kind == SYMBOL_MODULE ? SYMBOL_INFO : kind;
		if (kind == SYMBOL_FILE || kind == SYMBOL_INLINE_ORIGIN)
			read_numbered(reading, kind);
		else if (readers[kind] != NULL)
			readers[kind](reading);
	}
	reading->any_record = true;
}

/* Reads one line of the file. Breakpad splits the line at every carriage return. */
static void
read_line(struct lint_reading *reading, struct text line, const struct odd_bytes *odd)
{
	const char *start = line.start;

	reading->column = 0;
	while (odd->cr && line.length > 0 && line.start[line.length - 1] == '\r')
		line.length--;
	reading->record = line;
	reading->offset = (uint64_t)(start - reading->part.start);
	if (line.length == 0) {
		lint_report(reading, LINT_BLANK_LINE, 0, 0, "%s", "");
		return;
	}
	if (odd->nul || odd->high)
		report_bytes(reading, odd);
	if (line.length > LONG_LINE)
		lint_report(reading, LINT_LONG_LINE, 0, line.length, "%zu bytes", line.length);
	const char *cr = odd->cr ? memchr(line.start, '\r', line.length) : NULL;
	if (cr == NULL) {
		read_record(reading);
		return;
	}
	lint_report(reading, LINT_LONE_CR, (size_t)(cr - start), 1, "%s", "");
	for (const char *end = start + line.length; start < end; start = cr + 1) {
		cr = memchr(start, '\r', (size_t)(end - start));
		cr = cr != NULL ? cr : end;
		reading->record = (struct text){ start, (size_t)(cr - start) };
		reading->offset = (uint64_t)(start - reading->part.start);
		reading->column = (uint32_t)(start - line.start);
		if (reading->record.length > 0)
			read_record(reading);
	}
}

const char *
lint_lines(struct lint_reading *reading, const char *at, bool head)
{
	const char *end = reading->part.end, *block = at;
	struct odd_bytes odd = { 0 };

	while (at < end) {
		if (head && end - at > 5 && memcmp(at, "FUNC ", 5) == 0)
			return at;
		if (at == block) {
			const struct lint_options *options = reading->options;
			const char *start = reading->part.start;

			reading->lint->stopped |=
				options->progress != NULL &&
				!options->progress(options->context, (uint64_t)(at - start),
						   (uint64_t)(end - start));
			if (reading->lint->stopped)
				return end;
			block = read_block(at, end, &odd);
		}
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline != NULL ? newline : end;

		reading->line++;
		read_line(reading, (struct text){ at, (size_t)(stop - at) }, &odd);
		if (newline == NULL)
			lint_report(reading, LINT_NO_FINAL_NEWLINE, reading->record.length, 1,
				    "%s", "");
		at = newline != NULL ? newline + 1 : end;
	}
	return end;
}

/* Reads the head, then the rest in slices. If the slices fail, one reader reads the whole file. */
static void
read_records(struct lint_reading *reading)
{
	const unsigned processors = crew_size(MOST_SLICES / 4);
	unsigned slices = reading->options->slices;
	const struct lint_reading before = *reading;
	struct lint *lint = reading->lint;
	size_t counts[LINT_CODE_COUNT], findings = lint->finding_count;

	/* Small files are read faster without threads. */
	if (slices == 0 &&
	    (reading->part.end - reading->part.start < LEAST_SHARED || processors < 2))
		slices = 1;
	else if (slices == 0)
		slices = processors * 4;
	memcpy(counts, lint->counts, sizeof(counts));
	reading->line = 0;
	const char *rest = lint_lines(reading, reading->part.start, slices > 1);
	if (rest == reading->part.end || lint_slices(reading, rest, slices))
		return;
	lint_expressions_free(reading);
	lint_numbers_free(reading);
	*reading = before;
	reading->line = 0;
	lint->finding_count = findings;
	memcpy(lint->counts, counts, sizeof(counts));
	lint_lines(reading, reading->part.start, false);
}

/* Identifies the file by its first bytes; false if no records can follow. */
static bool
check_kind(struct lint_reading *reading)
{
	const char *start = reading->part.start, *end = reading->part.end;
	const size_t size = (size_t)(end - start);
	const struct symbol_foreign *foreign = symbol_foreign_kind(start, size);

	reading->line = 1;
	if (symbol_head_is_utf16(start, size)) {
		lint_report(reading, LINT_UTF16, 0, 2, "%s", "");
		return false;
	}
	if (foreign != NULL) {
		lint_report(reading, LINT_OTHER_FILE, 0, 1, "it is %s", foreign->what);
		return false;
	}
	if (end - start >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0)
		lint_report(reading, LINT_BYTE_ORDER_MARK, 0, 3, "%s", "");
	return true;
}

/* Reports NUL bytes after the last line. Crashes and full disks leave them. Breakpad skips them. */
static void
report_trailing_nuls(struct lint_reading *reading, size_t count)
{
	const char *start = reading->part.end;

	while (start > reading->part.start && start[-1] != '\n')
		start--;
	reading->record = (struct text){ start, (size_t)(reading->part.end - start) };
	reading->offset = (uint64_t)(start - reading->part.start);
	reading->column = 0;
	reading->line += start == reading->part.end;
	lint_report(reading, LINT_NUL_BYTE, reading->record.length, 1, "%zu at the end of the file",
		    count);
	reading->line -= start == reading->part.end;
}

/*
 * Whether one of the file's first INLINE records has the new form, with a file. A record of the old
 * form has one number fewer, but so has a damaged record of the new form.
 */
static bool
find_call_files(const struct lint_reading *reading)
{
	static const char word[] = "\nINLINE ";
	const size_t length = sizeof(word) - 1;
	const char *at = reading->part.start;
	bool found = false;

	for (unsigned i = 0; i < FIRST_CALLS && !found; i++) {
		at = memmem(at, (size_t)(reading->part.end - at), word, length);
		if (at == NULL)
			break;
		at += length;
		const struct text rest =
			lint_line_at(reading, (uint64_t)(at - reading->part.start));
		found = record_has_call_file(0, (struct field_cursor){ rest.start, rest.start +
									rest.length });
	}
	return found;
}

void
lint_records(struct lint_reading *reading)
{
	const char *end = reading->part.end;

	if (!check_kind(reading))
		return;
	while (reading->part.end > reading->part.start && reading->part.end[-1] == '\0')
		reading->part.end--;
	reading->module.call_files = find_call_files(reading);
	read_records(reading);
	if (reading->part.end < end)
		report_trailing_nuls(reading, (size_t)(end - reading->part.end));
	lint_end_function(reading);
	lint_end_init(reading);
	lint_finish_cfi(reading);
	lint_finish_uses(reading, LINT_FILES, LINT_FILE_UNDEFINED, LINT_FILE_LATE);
	lint_finish_uses(reading, LINT_ORIGINS, LINT_ORIGIN_UNDEFINED, LINT_ORIGIN_LATE);
	/* Check for records that the file lacks. */
	reading->record = (struct text){ reading->part.start, 0 };
	reading->offset = 0;
	if (!reading->any_record)
		lint_report_at(reading, LINT_EMPTY_FILE, 0, 1, "%s", "");
	else if (!reading->module.seen)
		lint_report_at(reading, LINT_MODULE_MISSING, 0, 1, "%s", "");
	if (reading->any_record &&
	    reading->covered.functions.count + reading->covered.publics.count == 0)
		lint_report_at(reading, LINT_NO_NAMES, 0, 1, "%s", "");
}
