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
		if (!text_equal(name, text_of(lint_code_table[i].name)))
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
	char *end;

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
	accept->address = strtoull(text + length + 1, &end, 16);
	return text[length + 1] != '\0' && *end == '\0'
		       ? NULL : "'%s' has no hexadecimal address after '@'";
}

/* Whether a pattern fits a name as the file has it, or as people read it. */
static bool
fits(const char *pattern, struct text name)
{
	struct arena arena = { 0 };

	const char *copy = arena_copy(&arena, name.start != NULL ? name.start : "", name.length);
	bool good = copy != NULL && fnmatch(pattern, copy, 0) == 0;
	if (!good && demangle_looks_mangled(name)) {
		name = demangle(name, &arena);
		copy = arena_copy(&arena, name.start, name.length);
		good = copy != NULL && fnmatch(pattern, copy, 0) == 0;
	}
	arena_free(&arena);
	return good;
}

static bool
is_accepted(const struct lint_options *options, const struct lint_finding *finding)
{
	for (size_t i = 0; i < options->accept_count; i++) {
		const struct lint_accept *accept = &options->accepts[i];

		if (accept->code == finding->code &&
		    (!accept->addressed ||
		     (finding->addressed && accept->address == finding->address)) &&
		    (accept->name == NULL || fits(accept->name, finding->name)))
			return true;
	}
	return false;
}

/* The function that an address is in, where the finding's record names none. */
static void
settle_name(struct lint_reading *reading, struct lint_finding *finding)
{
	const struct lint_range *function = NULL;

	if (finding->name.length == 0 && finding->addressed)
		function = lint_covering(&reading->functions, finding->address);
	if (function != NULL)
		finding->name = lint_name_at(reading, function->offset);
}

/* Findings are accepted once all is known of them: at the end. */
static void
settle_findings(struct lint_reading *reading)
{
	const struct lint_options *options = reading->options;
	struct lint *lint = reading->lint;
	size_t kept[LINT_CODE_COUNT] = { 0 }, count = 0;
	struct hash known = { 0 };

	for (size_t i = 0; i < lint->finding_count; i++) {
		struct lint_finding finding = lint->findings[i];

		settle_name(reading, &finding);
		finding.fingerprint = lint_fingerprint(lint, &finding, &known);
		if (is_accepted(options, &finding)) {
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
}

/*
 * Count a finding and keep it with its text; NULL where it is not kept. With nothing to accept that
 * is what is not shown: texts cost time where there are millions.
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
	struct lint_finding *list =
		arena_grow(&lint->arena, lint->findings, lint->finding_count,
			   &lint->finding_capacity, sizeof(*list));
	if (list == NULL) {
		reading->memory_ended = true;
		return NULL;
	}
	vsnprintf(text, sizeof(text), format, arguments);
	const char *copy = text[0] != '\0' ? arena_copy(&lint->arena, text, strlen(text)) : "";
	lint->findings = list;
	list[lint->finding_count] = (struct lint_finding){ .code = code,
							   .text = copy != NULL ? copy : "" };
	return &list[lint->finding_count++];
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
	/* Other records do not belong to the function before them. */
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
	const char *start = reading->start + offset;
	const char *newline = memchr(start, '\n', (size_t)(reading->end - start));
	struct text line = { start, (size_t)((newline != NULL ? newline : reading->end) - start) };

	while (line.length > 0 && line.start[line.length - 1] == '\r')
		line.length--;
	return line;
}

uint64_t
lint_next_line(const struct lint_reading *reading, uint64_t offset)
{
	const char *start = reading->start + offset;
	const char *newline = memchr(start, '\n', (size_t)(reading->end - start));

	return (uint64_t)((newline != NULL ? newline + 1 : reading->end) - reading->start);
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
	if (lint->finding_count > 0)
		qsort(lint->findings, lint->finding_count, sizeof(*lint->findings),
		      compare_findings);
}

/* Whether rust-minidump refuses the file; asked where something was found for which it may. */
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
		.arch = arch_by_id(ARCH_UNKNOWN), .input = &lint->file.input,
		.start = (const char *)lint->file.data,
		.end = (const char *)lint->file.data + lint->file.size };
	if (inflated != NULL && inflated->end != INFLATE_WHOLE)
		lint_report(reading, LINT_COMPRESSED_CUT, 0, 0, "%s", inflated->reason);
	lint_records(reading);
	lint_ranges(reading);
	lint_architecture(reading);
	lint_binary(reading);
	lint->lines = reading->line;
	lint_sort_findings(lint);
	ask_strict_reader(lint);
	settle_findings(reading);
	lint_expressions_free(reading);
	const bool ended = reading->memory_ended;
	arena_free(&scratch);
	return ended ? error_memory(error) : ERROR_NONE;
}

static void
begin(struct lint *lint)
{
	*lint = (struct lint){ 0 };
}

enum error_code
lint_file(struct lint *lint, const char *path, const struct lint_options *options,
	  struct error *error)
{
	struct inflated inflated;

	begin(lint);
	enum error_code code = file_open_mapped(&lint->file, path, file_most_symbols, error);
	if (code != ERROR_NONE)
		return code;
	bool compressed = file_inflate(&lint->file, file_most_symbols, &inflated);
	return lint_opened(lint, compressed ? &inflated : NULL, options, error);
}

enum error_code
lint_bytes(struct lint *lint, const char *name, const void *bytes, size_t size,
	   const struct lint_options *options, struct error *error)
{
	begin(lint);
	if (!file_borrow(&lint->file, name, bytes, size))
		return error_memory(error);
	return lint_opened(lint, NULL, options, error);
}

void
lint_unreadable(struct lint *lint, const char *why)
{
	const char *text;

	lint_free(lint);
	begin(lint);
	text = arena_copy(&lint->arena, why, strlen(why));
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
