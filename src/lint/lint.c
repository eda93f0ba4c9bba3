/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "lint/lint_internal.h"
#include "symbols/strict.h"
#include "system/inflate.h"

const struct lint_code_info lint_code_table[LINT_CODE_COUNT] = {
#define L(id, name, severity, wrong, effect, hint, breakpad, rust, follows) \
	[LINT_##id] = { name, LINT_##severity, wrong, effect, hint, breakpad, rust, follows },
#include "lint/code.def"
#undef L
};

bool
lint_code_named(struct text name, enum lint_code *code)
{
	for (int i = 0; i < LINT_CODE_COUNT; i++) {
		if (!text_is(name, lint_code_table[i].name))
			continue;
		*code = (enum lint_code)i;
		return true;
	}
	return false;
}

const char *const lint_severity_names[LINT_SEVERITIES] = {
	[LINT_NOTE] = "note", [LINT_WARNING] = "warning", [LINT_ERROR] = "error",
};

const char *
lint_accept_parse(const char *text, struct lint_accept *accept)
{
	const size_t length = strcspn(text, "@=");

	*accept = (struct lint_accept){ 0 };
	if (!lint_code_named((struct text){ text, length }, &accept->code))
		return "unknown finding in '%s'; 'unspool lint --explain all' lists them";
	if (text[length] == '=') {
		accept->name = text + length + 1;
		return accept->name[0] != '\0' ? NULL : "'%s' has no pattern for names";
	}
	if (text[length] == '\0')
		return NULL;
	accept->addressed = true;
	return text_number(text_of(text + length + 1), 16, &accept->address)
		       ? NULL : "'%s' has no hexadecimal address after '@'";
}

/* Accepted findings, indexed, and the remaining work for patterns. */
struct acceptance {
	struct arena arena, scratch;	/* `scratch`: for one finding's name */
	struct hash addressed;		/* accepted addresses, by address and code */
	bool whole[LINT_CODE_COUNT];	/* every finding of the code is accepted */
	const char **patterns[LINT_CODE_COUNT];
	size_t pattern_count[LINT_CODE_COUNT];
	uint64_t left;
};

/*
 * Units of work: to try a pattern, to compare it with a name (plus 1 for each byte of the name), to
 * demangle one byte of a name.
 */
#define WORK_LOOK 4u
#define WORK_COMPARISON 64u
#define WORK_READABLE 16u

/* False when out of memory. */
static bool
sort_accepts(const struct lint_options *options, struct acceptance *acceptance)
{
	size_t capacity[LINT_CODE_COUNT] = { 0 };

	for (size_t i = 0; i < options->accept_count; i++) {
		const struct lint_accept *accept = &options->accepts[i];
		const enum lint_code code = accept->code;

		if (accept->addressed) {
			if (!hash_put(&acceptance->addressed, accept->address, code, accept))
				return false;
		} else if (accept->name == NULL) {
			acceptance->whole[code] = true;
		} else {
			if (!ARENA_ADD(&acceptance->arena, acceptance->patterns[code],
				       acceptance->pattern_count[code], capacity[code],
				       &(const char *){ accept->name }))
				return false;
		}
	}
	return true;
}

/* Counts work; false if too little is left. */
static bool
spend(struct acceptance *acceptance, uint64_t work)
{
	const bool enough = acceptance->left >= work;

	acceptance->left = enough ? acceptance->left - work : 0;
	return enough;
}

/* Whether a pattern matches a name; its first characters exclude most names. */
static bool
fits(struct acceptance *acceptance, const char *pattern, const char *name, size_t length)
{
	const size_t plain = strcspn(pattern, "*?[\\");

	if (strncmp(name, pattern, plain) != 0)
		return false;
	if (pattern[plain] == '\0')
		return name[plain] == '\0';
	return spend(acceptance, WORK_COMPARISON + length) && fnmatch(pattern, name, 0) == 0;
}

static bool
is_named(struct acceptance *acceptance, enum lint_code code, struct text text)
{
	const char *name = spend(acceptance, text.length)
				   ? arena_copy(&acceptance->scratch,
						text.start != NULL ? text.start : "", text.length)
				   : NULL;

	for (size_t i = 0; name != NULL && i < acceptance->pattern_count[code] &&
			   spend(acceptance, WORK_LOOK); i++)
		if (fits(acceptance, acceptance->patterns[code][i], name, text.length))
			return true;
	return false;
}

/* Whether a finding is accepted, by its mangled or its shown name. */
static bool
is_accepted(struct acceptance *acceptance, const struct lint_finding *finding, size_t *unmatched)
{
	const enum lint_code code = finding->code;

	if (acceptance->whole[code] ||
	    (finding->addressed &&
	     hash_find(&acceptance->addressed, finding->address, code) != NULL))
		return true;
	if (acceptance->pattern_count[code] == 0)
		return false;
	arena_reset(&acceptance->scratch);
	bool named = is_named(acceptance, code, finding->name);
	if (!named && demangle_looks_mangled(finding->name) &&
	    spend(acceptance, WORK_READABLE * finding->name.length))
		named = is_named(acceptance, code,
				 demangle(finding->name, &acceptance->scratch));
	/* A budget that was used up stays 0. */
	*unmatched += !named && acceptance->left == 0;
	return named;
}

/* Findings are accepted at the end, when they are complete. */
static void
settle_findings(struct lint_reading *reading)
{
	const struct lint_options *options = reading->options;
	struct lint *lint = reading->lint;
	size_t kept[LINT_CODE_COUNT] = { 0 }, count = 0;
	struct hash known = { 0 };
	struct acceptance acceptance = {
		.left = LIMIT_ACCEPTED_WORK + LIMIT_ACCEPTED_RATIO * lint->file.size,
	};

	reading->memory_ended |= !sort_accepts(options, &acceptance);
	for (size_t i = 0; i < lint->finding_count; i++) {
		struct lint_finding finding = lint->findings[i];
		const struct lint_range *function = NULL;

		/* If the record names no function, use the function at the finding's address. */
		if (finding.name.length == 0 && finding.addressed)
			function = lint_covering(&reading->covered.functions, finding.address);
		if (function != NULL)
			finding.name = lint_name_at(reading, function->offset);
		finding.fingerprint = lint_fingerprint(lint, &finding, &known);
		if (is_accepted(&acceptance, &finding, &lint->unmatched)) {
			lint->accepted[finding.code]++;
			lint->counts[finding.code]--;
		} else if (options->baseline != NULL &&
			   lint_baseline_has(options->baseline, finding.fingerprint)) {
			lint->known++;
			lint->counts[finding.code]--;
		} else {
			lint->findings[count++] = finding;
		}
	}
	lint->finding_count = count;
	count = 0;
	for (size_t i = 0; i < lint->finding_count; i++) {
		struct lint_finding *finding = &lint->findings[i];
		const size_t all = lint->counts[finding->code];
		const bool folded = options->most != 0 && all > LINT_FOLDED;

		finding->times = folded ? all : 0;
		if (options->most == 0 ||
		    kept[finding->code]++ < (folded ? 1 : options->most))
			lint->findings[count++] = *finding;
	}
	lint->finding_count = count;
	hash_free(&known);
	hash_free(&acceptance.addressed);
	arena_free(&acceptance.arena);
	arena_free(&acceptance.scratch);
}

/*
 * Counts a finding and keeps it with its text. NULL: not kept. To save time, more than `most`
 * findings of a code are kept only if accepted findings or a baseline are given.
 */
static struct lint_finding *
add_finding(struct lint_reading *reading, enum lint_code code, const char *format,
	    va_list arguments)
{
	struct lint *lint = reading->lint;
	const struct lint_options *options = reading->options;
	char text[600];

	lint->counts[code]++;
	if (options->most != 0 && options->accept_count == 0 && options->baseline == NULL &&
	    lint->counts[code] > options->most)
		return NULL;
	struct lint_finding *added = ARENA_PUSH(&lint->arena, lint->findings, lint->finding_count,
						lint->finding_capacity);
	reading->memory_ended |= added == NULL;
	if (added == NULL)
		return NULL;
	vsnprintf(text, sizeof(text), format, arguments);
	const char *copy = text[0] != '\0' ? arena_string(&lint->arena, text) : "";
	*added = (struct lint_finding){ .code = code, .text = text_or_empty(copy) };
	return added;
}

struct lint_finding *
lint_report(struct lint_reading *reading, enum lint_code code, size_t skip, size_t length,
	    const char *format, ...)
{
	const struct text record = reading->record;
	va_list arguments;

	va_start(arguments, format);
	struct lint_finding *finding = add_finding(reading, code, format, arguments);
	va_end(arguments);
	if (finding == NULL)
		return NULL;
	finding->record = record;
	finding->place = (struct place){ .input = reading->input, .offset = reading->offset + skip,
					 .length = (uint32_t)length, .line = reading->line,
					 .column = reading->column + (uint32_t)skip + 1 };
	/* Only these records belong to the open function. */
	if (reading->function.open &&
	    (lint_is_line(record) ||
	     (record.length > 7 && memcmp(record.start, "INLINE ", 7) == 0) ||
	     (record.length > 5 && memcmp(record.start, "FUNC ", 5) == 0)))
		finding->name = lint_name_at(reading, reading->function.offset);
	return finding;
}

struct lint_finding *
lint_report_at(struct lint_reading *reading, enum lint_code code, uint64_t offset, uint32_t line,
	       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct lint_finding *finding = add_finding(reading, code, format, arguments);
	va_end(arguments);
	if (finding == NULL)
		return NULL;
	finding->record = lint_line_at(reading, offset);
	finding->name = lint_name_at(reading, reading->function.open ? reading->function.offset
								     : offset);
	finding->place = (struct place){ .input = reading->input, .offset = offset,
					 .length = (uint32_t)finding->record.length, .line = line,
					 .column = 1 };
	return finding;
}

void
lint_bad_record(struct lint_reading *reading)
{
	const struct text record = reading->record;

	if (record.length > 6 && memcmp(record.start, "INLINE", 6) == 0)
		return;
	if (++reading->bad == LIMIT_SYMBOL_ERRORS + 1)
		lint_report(reading, LINT_ERROR_LIMIT, 0, reading->record.length, "%s", "");
}

void
lint_report_record(struct lint_reading *reading, enum lint_code code, uint64_t address)
{
	lint_about(lint_report(reading, code, 0, reading->record.length, "%s", ""), address, 0);
}

void
lint_interleaved(struct lint_reading *reading, enum symbol_record_kind whole)
{
	const uint32_t line = whole == SYMBOL_FUNC ? reading->function.line : reading->init.line;

	if (reading->whole != SYMBOL_MODULE)
		lint_report(reading, LINT_INTERLEAVED, 0, reading->record.length,
			    "it is part of line %" PRIu32, line);
	reading->whole = whole;
}

void
lint_about(struct lint_finding *finding, uint64_t address, uint32_t other)
{
	if (finding == NULL)
		return;
	finding->addressed = true;
	finding->address = address;
	finding->other = other;
}

struct text
lint_line_at(const struct lint_reading *reading, uint64_t offset)
{
	const char *start = reading->part.start + offset;
	const char *newline = memchr(start, '\n', (size_t)(reading->part.end - start));
	struct text line = { start,
			     (size_t)((newline != NULL ? newline : reading->part.end) - start) };

	while (line.length > 0 && line.start[line.length - 1] == '\r')
		line.length--;
	return line;
}

uint64_t
lint_next_line(const struct lint_reading *reading, uint64_t offset)
{
	const char *start = reading->part.start + offset;
	const char *newline = memchr(start, '\n', (size_t)(reading->part.end - start));

	return (uint64_t)((newline != NULL ? newline + 1 : reading->part.end) -
			  reading->part.start);
}

struct text
lint_name_at(const struct lint_reading *reading, uint64_t offset)
{
	struct function function;

	return record_function(lint_line_at(reading, offset), false, &function) ? function.name
									 : (struct text){ 0 };
}

bool
lint_add_range(struct lint_reading *reading, struct lint_ranges *ranges, uint64_t address,
	       uint64_t size)
{
	if (size == 0 || size - 1 > UINT64_MAX - address)
		return false;
	lint_append_range(reading, ranges, address, size);
	return true;
}

SORTED_BY_ALL(compare_findings, struct lint_finding, SORTED_UP(place.offset) SORTED_UP(code))

void
lint_sort_findings(struct lint *lint)
{
	SORT(lint->findings, lint->finding_count, compare_findings);
}

/* If a finding's code can make rust-minidump refuse the file, find out whether it does. */
static void
ask_strict_reader(struct lint *lint)
{
	const char *data = (const char *)lint->file.data;
	struct strict_refusal refusal;
	bool asked = false;

	for (int code = 0; code < LINT_CODE_COUNT; code++)
		asked |= lint->counts[code] > 0 && lint_may_be_refused(&lint_code_table[code]);
	if (!asked || lint->stopped ||
	    strict_read(data, lint->file.size, NULL, NULL, &refusal))
		return;
	lint->rust_refuses = refusal.why;
	lint->rust_line = 1;
	for (uint64_t at = 0; at < refusal.offset; at++)
		lint->rust_line += data[at] == '\n';
}

static enum error_code
lint_opened(struct lint *lint, const struct inflated *inflated,
	    const struct lint_options *options, struct error *error)
{
	struct arena scratch = { 0 };
	struct lint_reading *reading;

	reading = arena_alloc(&scratch, sizeof(*reading));
	if (reading == NULL) {
		arena_free(&scratch);
		return error_memory(error);
	}
	*reading = (struct lint_reading){
		.lint = lint, .options = options, .scratch = &scratch,
		.module.arch = arch_by_id(ARCH_UNKNOWN), .input = &lint->file.input,
		.part.start = (const char *)lint->file.data,
		.part.end = (const char *)lint->file.data + lint->file.size };
	if (inflated != NULL && inflated->end != INFLATE_WHOLE)
		lint_report(reading, LINT_COMPRESSED_CUT, 0, 0, "%s", inflated->reason);
	if (inflated != NULL && inflated->ignored > 0)
		lint_report(reading, LINT_COMPRESSED_EXTRA, 0, 0, "%" PRIu64 " byte%s",
			    inflated->ignored, plural(inflated->ignored));
	lint_records(reading);
	lint_ranges(reading);
	lint_architecture(reading);
	lint_place(reading);
	lint_binary(reading);
	lint->lines = reading->line;
	lint_sort_findings(lint);
	ask_strict_reader(lint);
	settle_findings(reading);
	lint_expressions_free(reading);
	lint_numbers_free(reading);
	const bool ended = reading->memory_ended;
	arena_free(&scratch);
	return ended ? error_memory(error) : ERROR_NONE;
}

enum error_code
lint_file(struct lint *lint, const char *path, const struct lint_options *options,
	  struct error *error)
{
	struct inflated inflated;

	*lint = (struct lint){ 0 };
	enum error_code code = file_open_most(&lint->file, path, LIMIT_READ_SMALL,
					      file_most_symbols, error);
	if (code != ERROR_NONE)
		return code;
	bool compressed = file_inflate(&lint->file, file_most_symbols, &inflated);
	return lint_opened(lint, compressed ? &inflated : NULL, options, error);
}

enum error_code
lint_bytes(struct lint *lint, const char *name, const void *bytes, size_t size,
	   const struct lint_options *options, struct error *error)
{
	*lint = (struct lint){ 0 };
	if (!file_borrow(&lint->file, name, bytes, size))
		return error_memory(error);
	return lint_opened(lint, NULL, options, error);
}

void
lint_unreadable(struct lint *lint, const char *why)
{
	const char *text;

	lint_free(lint);
	*lint = (struct lint){ 0 };
	text = arena_string(&lint->arena, why);
	lint->findings = arena_alloc(&lint->arena, sizeof(*lint->findings));
	lint->counts[LINT_UNREADABLE] = 1;
	if (lint->findings == NULL)
		return;
	lint->findings[lint->finding_count++] = (struct lint_finding){
		.code = LINT_UNREADABLE, .place = { .line = 1, .column = 1 },
		.record = text_of(""), .text = text != NULL ? text : "" };
}

void
lint_free(struct lint *lint)
{
	for (size_t i = 0; i < lint->slice_count; i++)
		arena_free(&lint->slice_arenas[i]);
	file_close(&lint->file);
	arena_free(&lint->arena);
}
