/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/lint_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/demangle.h"
#include "report/file/sarif.h"

/* The text of lint, in the layout of compilers' messages. */

enum {
	LINE_SHOWN = 160,	/* bytes of a line that are shown */
	LINE_BEFORE = 60,	/* bytes shown before the caret */
};

static size_t
count_severity(const size_t counts[LINT_CODE_COUNT], enum lint_severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++)
		count += lint_code_table[i].severity == severity ? counts[i] : 0;
	return count;
}

size_t
lint_report_count(const struct lint *lint, enum lint_severity least)
{
	size_t count = 0;

	for (enum lint_severity severity = least; severity <= LINT_ERROR; severity++)
		count += count_severity(lint->counts, severity);
	return count;
}

void
lint_write_line(const struct output *output, struct text line, struct place place)
{
	const size_t column = place.column > 0 ? place.column - 1 : 0;
	const size_t skip = column > LINE_BEFORE ? column - LINE_BEFORE : 0;

	if (skip >= line.length)
		return;
	line = (struct text){ line.start + skip, line.length - skip };
	if (line.length > LINE_SHOWN)
		line.length = LINE_SHOWN;
	/*
	 * A record that follows a NUL and a carriage return begins in the middle of its line;
	 * columns count from the line's beginning.
	 */
	const size_t front = column - skip < line.length ? column - skip : line.length;
	output_format(output, "%7" PRIu32 " | %s", place.line, skip > 0 ? ".." : "");
	output_text(output, line);
	output_format(output, "\n        | %s", skip > 0 ? "  " : "");
	/* The text before the caret may be escaped, which makes it wider or narrower. */
	char before[8 * LINE_BEFORE];
	text_printable(before, sizeof(before), (struct text){ line.start, front });
	for (size_t i = text_width(text_of(before)); i > 0; i--)
		output_format(output, " ");
	size_t length = place.length > 0 ? place.length : 1;
	if (length > line.length - front)
		length = line.length > front ? line.length - front : 1;
	for (size_t i = 0; i < length; i++)
		output_format(output, "%s", i == 0 ? "^" : "~");
	output_format(output, "\n");
}

static void
finding_sentence(const struct lint_finding *finding, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", lint_code_table[finding->code].wrong,
		 finding->text[0] != '\0' ? ": " : "", finding->text);
}

void
lint_write_head(const struct output *output, const struct lint_finding *finding, const char *at)
{
	const struct lint_code_info *info = &lint_code_table[finding->code];

	output_line(output, "%s: %s: %s%s%s [%s]", at, lint_severity_names[info->severity],
		    info->wrong, finding->text[0] != '\0' ? ": " : "", finding->text, info->name);
}

static void
write_note(const struct output *output, const char *word, const char *text)
{
	if (text[0] != '\0')
		output_format(
			output, "        = %s%s%s\n", word, word[0] != '\0' ? ": " : "", text);
}

/* Writes the meaning of a code; `lint` (or NULL) says whether rust-minidump refuses the file. */
static void
write_meaning(const struct output *output, const struct lint_code_info *info,
	      const struct lint *lint)
{
	const char *rust = info->rust;

	if (lint != NULL && lint_may_be_refused(info))
		rust = lint->rust_refuses != NULL ? "refuses the whole file" : "accepts the file";
	write_note(output, "", info->effect);
	write_note(output, "Breakpad", info->breakpad);
	write_note(output, "rust-minidump", rust);
	write_note(output, "help", info->hint);
}

static void
write_severities(const struct output *output, const char *before,
		 const size_t counts[LINT_CODE_COUNT])
{
	const size_t errors = count_severity(counts, LINT_ERROR);
	const size_t warnings = count_severity(counts, LINT_WARNING);
	const size_t notes = count_severity(counts, LINT_NOTE);

	output_format(output, "%s%zu error%s, %zu warning%s, %zu note%s", before, errors,
		      plural(errors), warnings, plural(warnings), notes, plural(notes));
}

static void
write_counts(const struct output *output, const struct lint *lint, const char *path)
{
	size_t accepted = 0;

	for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++)
		accepted += lint->accepted[i];
	output_text(output, text_of(path));
	write_severities(output, ": ", lint->counts);
	if (accepted > 0)
		output_format(output, ", %zu accepted", accepted);
	if (lint->known > 0)
		output_format(output, ", %zu in the baseline", lint->known);
	if (lint_report_count(lint, LINT_NOTE) > lint->finding_count)
		output_format(output, " (%zu shown; --all shows all)", lint->finding_count);
	output_format(output, "; %" PRIu64 " line%s", lint->lines, plural(lint->lines));
	if (lint->coverage.code > 0)
		output_format(output, "; unwind records for %.1f%% of the code",
			      100.0 * (double)lint->coverage.unwound /
				      (double)lint->coverage.code);
	output_format(output, "%s\n", lint->stopped ? "; stopped" : "");
	if (lint->rust_refuses == NULL)
		return;
	output_line(output, "%s:%" PRIu32 ": rust-minidump refuses the whole file: %s", path,
		    lint->rust_line, lint->rust_refuses);
}

void
lint_report_text(const struct lint *lint, const char *path, bool brief,
		 const struct policy *policy, const struct output *output)
{
	bool explained[LINT_CODE_COUNT] = { false };
	struct arena arena = { 0 };

	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const char *at = arena_format(&arena, "%s:%" PRIu32 ":%" PRIu32, path,
					      finding->place.line, finding->place.column);

		lint_write_head(output, finding, text_or_empty(at));
		if (brief)
			continue;
		lint_write_line(output, finding->record, finding->place);
		if (finding->times > 0)
			output_format(output, "        = %zu times in the file, which may have one "
				      "cause; --all shows them\n", finding->times);
		/* Write the demangled name of the function if the line does not contain it. */
		const char *start = finding->record.start, *end = start + finding->record.length;
		const struct text name = demangle_shown(policy, finding->name, &arena);
		if (name.length > 0 && (name.start < start || name.start >= end)) {
			output_format(output, "        = in ");
			output_text(output, name);
			output_format(output, "\n");
		}
		arena_reset(&arena);
		if (!explained[finding->code])
			write_meaning(output, &lint_code_table[finding->code], lint);
		explained[finding->code] = true;
	}
	arena_free(&arena);
	write_counts(output, lint, path);
}

/* Writes text with each byte in `special` encoded as %XX or as an XML reference. */
static void
write_encoded(const struct output *output, const char *text, const char *special, bool xml)
{
	for (;;) {
		const size_t plain = strcspn(text, special);

		output_text(output, (struct text){ text, plain });
		text += plain;
		if (*text == '\0')
			break;
		output_format(output, xml ? "&#%u;" : "%%%02X", (unsigned)*text++);
	}
}

static void
write_github(const struct output *output, const char *text, bool property)
{
	write_encoded(output, text, property ? "%\r\n:," : "%\r\n", false);
}

static void
write_xml(const struct output *output, const char *text)
{
	write_encoded(output, text, "&<>\"", true);
}

void
lint_write_github(const struct output *output, const char *severity, const char *path,
		  struct place place, const char *code, const char *text)
{
	const bool note = strcmp(severity, lint_severity_names[LINT_NOTE]) == 0;

	output_format(output, "::%s file=", note ? "notice" : severity);
	write_github(output, path, true);
	if (place.line > 0)
		output_format(output, ",line=%" PRIu32 ",col=%" PRIu32, place.line, place.column);
	output_format(output, ",title=%s::", code);
	write_github(output, text, false);
	output_plain(output, "\n");
}

void
lint_report_github(const struct lint *lint, const char *path, const struct output *output)
{
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const struct lint_code_info *info = &lint_code_table[finding->code];
		char text[700];

		finding_sentence(finding, text, sizeof(text));
		lint_write_github(output, lint_severity_names[info->severity], path,
				  finding->place, info->name, text);
	}
}

static void
write_case(const struct output *output, const struct lint_finding *finding, const char *path,
	   bool fails)
{
	const struct lint_code_info *info = &lint_code_table[finding->code];
	char text[700];

	finding_sentence(finding, text, sizeof(text));
	output_plain(output, "<testcase classname=\"");
	write_xml(output, path);
	output_format(output, "\" name=\"%s, line %" PRIu32 "\">", info->name,
		      finding->place.line);
	if (fails)
		output_format(output, "<failure type=\"%s\" message=\"",
			      lint_severity_names[info->severity]);
	else
		output_plain(output, "<system-out>");
	write_xml(output, text);
	output_plain(output, fails ? "\">" : "; ");
	write_xml(output, info->effect);
	output_format(output, "</%s></testcase>\n", fails ? "failure" : "system-out");
}

void
lint_report_junit(const struct lint *lint, const char *path, enum lint_severity least,
		  const struct output *output)
{
	size_t failures = 0;

	for (size_t i = 0; i < lint->finding_count; i++)
		failures += lint_code_table[lint->findings[i].code].severity >= least;
	output_plain(output, "<testsuite name=\"");
	write_xml(output, path);
	output_format(output, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
		      lint->finding_count + (lint->finding_count == 0), failures);
	if (lint->finding_count == 0) {
		output_plain(output, "<testcase name=\"no findings\" classname=\"");
		write_xml(output, path);
		output_plain(output, "\"/>\n");
	}
	for (size_t i = 0; i < lint->finding_count; i++)
		write_case(output, &lint->findings[i], path,
			   lint_code_table[lint->findings[i].code].severity >= least);
	output_plain(output, "</testsuite>\n");
}

void
lint_totals_add(struct lint_totals *totals, const struct lint *lint)
{
	size_t found = 0, accepted = 0;

	for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++) {
		totals->counts[i] += lint->counts[i];
		totals->files_with[i] += lint->counts[i] > 0;
		found += lint->counts[i];
		accepted += lint->accepted[i];
	}
	totals->files++;
	totals->clean += found == 0;
	totals->unreadable += lint->counts[LINT_UNREADABLE] + lint->counts[LINT_OTHER_FILE] > 0;
	totals->left_out += accepted + lint->known;
	totals->lines += lint->lines;
	totals->partial |= lint->finding_count != found;
}

void
lint_report_totals(const struct lint_totals *totals, const struct output *output)
{
	output_format(output, "%zu file%s, %zu without findings, %zu unreadable", totals->files,
		      plural(totals->files), totals->clean, totals->unreadable);
	write_severities(output, "; ", totals->counts);
	if (totals->left_out > 0)
		output_format(output, ", %zu left out", totals->left_out);
	output_format(output, "; %" PRIu64 " line%s\n", totals->lines, plural(totals->lines));
	if (totals->clean == totals->files)
		return;
	output_format(output, "  findings    files  severity  code\n");
	for (int severity = LINT_ERROR; severity >= LINT_NOTE; severity--)
		for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++)
			if (totals->counts[i] > 0 &&
			    (int)lint_code_table[i].severity == severity)
				output_format(output, "  %8zu %8zu  %-8s  %s\n",
					      totals->counts[i], totals->files_with[i],
					      lint_severity_names[severity],
					      lint_code_table[i].name);
}

void
lint_report_code(enum lint_code code, const struct output *output)
{
	const struct lint_code_info *info = &lint_code_table[code];

	output_format(output, "%s (%s): %s\n", info->name, lint_severity_names[info->severity],
		      info->wrong);
	write_meaning(output, info, NULL);
	if (info->follows[0] != '\0')
		write_note(output, "may be accompanied by", info->follows);
}

/* JSON, and SARIF (OASIS, version 2.1.0) ------------------------------------------------------- */

static const struct fact_names lint_severities = FACT_NAMES(lint_severity_names);
static const struct fact_names lint_codes = FACT_NAMES_IN(lint_code_table);

static void
list_counts(struct json *json, const size_t counts[LINT_CODE_COUNT])
{
	for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++)
		if (counts[i] > 0)
			json_number(json, lint_code_table[i].name, counts[i]);
}

#define FACTS "report/file/lint_facts.def"
#include "document/describe_facts.h"

void
lint_report_sarif_begin(struct json *json, const char *version)
{
	sarif_begin(json, "unspool lint", version);
	for (size_t i = 0; i < ARRAY_COUNT(lint_code_table); i++) {
		const struct lint_code_info *info = &lint_code_table[i];
		char help[1024];

		snprintf(help, sizeof(help), "%s.%s%s%s%s%s%s%s%s", info->effect,
			 info->breakpad[0] != '\0' ? " Breakpad: " : "", info->breakpad,
			 info->breakpad[0] != '\0' ? "." : "",
			 info->rust[0] != '\0' ? " rust-minidump: " : "", info->rust,
			 info->rust[0] != '\0' ? "." : "", info->hint[0] != '\0' ? " Help: " : "",
			 info->hint);
		sarif_rule(json, info->name, info->wrong, help,
			   lint_severity_names[info->severity]);
	}
	sarif_results(json);
}

void
lint_report_sarif(const struct lint *lint, const char *path, bool compared,
		  const struct policy *policy, struct json *json)
{
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const struct lint_code_info *info = &lint_code_table[finding->code];
		char text[700];

		finding_sentence(finding, text, sizeof(text));
		sarif_result(json, info->name, (size_t)finding->code,
			     lint_severity_names[info->severity], text);
		json_array(json, "locations");
		sarif_location(json, path, finding->record, finding->place, finding->name, policy);
		json_array_end(json);
		sarif_fingerprint(json, finding->fingerprint);
		if (finding->times > 0)
			json_number(json, "occurrenceCount", finding->times);
		if (compared)
			json_string(json, "baselineState", "new");
		json_object_end(json);
	}
}
