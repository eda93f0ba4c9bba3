/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/lint_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"

/* The text of lint, as compilers write it. */

enum {
	LINE_SHOWN = 160,	/* bytes of a line that are shown */
	LINE_BEFORE = 60,	/* of them in front of the caret */
};

size_t
lint_report_count(const struct lint *lint, enum lint_severity least)
{
	size_t count = 0;

	for (int i = 0; i < LINT_CODE_COUNT; i++)
		if (lint_code_table[i].severity >= least)
			count += lint->counts[i];
	return count;
}

/* The part of the line around the finding, and marks below it. */
static void
write_line(const struct output *output, const struct lint_finding *finding)
{
	const size_t column = finding->place.column > 0 ? finding->place.column - 1 : 0;
	const size_t skip = column > LINE_BEFORE ? column - LINE_BEFORE : 0;
	struct text line = finding->record;

	if (skip >= line.length)
		return;
	line = (struct text){ line.start + skip, line.length - skip };
	if (line.length > LINE_SHOWN)
		line.length = LINE_SHOWN;
	output_format(output, "%7" PRIu32 " | %s", finding->place.line, skip > 0 ? ".." : "");
	output_text(output, line);
	output_format(output, "\n        | %s", skip > 0 ? "  " : "");
	/* What stands in front of the caret may be shown with escapes, and wider or narrower. */
	char before[8 * LINE_BEFORE];
	text_printable(before, sizeof(before), (struct text){ line.start, column - skip });
	for (size_t i = text_width(text_of(before)); i > 0; i--)
		output_format(output, " ");
	size_t length = finding->place.length > 0 ? finding->place.length : 1;
	if (length > line.length - (column - skip))
		length = line.length > column - skip ? line.length - (column - skip) : 1;
	for (size_t i = 0; i < length; i++)
		output_format(output, "%s", i == 0 ? "^" : "~");
	output_format(output, "\n");
}

static void
write_note(const struct output *output, const char *word, const char *text)
{
	if (text[0] != '\0')
		output_format(
			output, "        = %s%s%s\n", word, word[0] != '\0' ? ": " : "", text);
}

static void
write_meaning(const struct output *output, const struct lint_code_info *info)
{
	write_note(output, "", info->effect);
	write_note(output, "Breakpad", info->breakpad);
	write_note(output, "rust-minidump", info->rust);
	write_note(output, "help", info->hint);
}

static void
write_counts(const struct output *output, const struct lint *lint, const char *path)
{
	size_t accepted = 0;

	for (int i = 0; i < LINT_CODE_COUNT; i++)
		accepted += lint->accepted[i];
	const size_t all = lint_report_count(lint, LINT_NOTE);
	const size_t warnings = lint_report_count(lint, LINT_WARNING);
	const size_t errors = lint_report_count(lint, LINT_ERROR);
	output_text(output, text_of(path));
	output_format(output, ": %zu error%s, %zu warning%s, %zu note%s", errors,
		      errors == 1 ? "" : "s", warnings - errors, warnings - errors == 1 ? "" : "s",
		      all - warnings, all - warnings == 1 ? "" : "s");
	if (accepted > 0)
		output_format(output, ", %zu accepted", accepted);
	if (all > lint->finding_count)
		output_format(output, " (%zu shown; --all shows all)", lint->finding_count);
	output_format(output, "; %" PRIu64 " lines", lint->lines);
	if (lint->coverage.code > 0)
		output_format(output, "; unwind records for %.1f%% of the code",
			      100.0 * (double)lint->coverage.unwound /
				      (double)lint->coverage.code);
	output_format(output, "%s\n", lint->stopped ? "; stopped" : "");
}

void
lint_report_text(const struct lint *lint, const char *path, bool brief,
		 const struct policy *policy, const struct output *output)
{
	bool explained[LINT_CODE_COUNT] = { false };
	struct arena arena;

	arena_init(&arena, 0);
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const struct lint_code_info *info = &lint_code_table[finding->code];

		output_text(output, text_of(path));
		output_format(output, ":%" PRIu32 ":%" PRIu32 ": %s: %s", finding->place.line,
			finding->place.column, lint_severity_names[info->severity], info->wrong);
		if (finding->text[0] != '\0') {
			output_format(output, ": ");
			output_text(output, text_of(finding->text));
		}
		output_format(output, " [%s]\n", info->name);
		if (brief)
			continue;
		write_line(output, finding);
		/* The function's name, where the line does not show it as people read it. */
		const char *start = finding->record.start, *end = start + finding->record.length;
		const struct text name = demangle_shown(policy, finding->name, &arena);
		if (name.length > 0 && (name.start < start || name.start >= end)) {
			output_format(output, "        = in ");
			output_text(output, name);
			output_format(output, "\n");
		}
		arena_reset(&arena);
		if (!explained[finding->code])
			write_meaning(output, info);
		explained[finding->code] = true;
	}
	arena_free(&arena);
	write_counts(output, lint, path);
}

void
lint_report_code(enum lint_code code, const struct output *output)
{
	const struct lint_code_info *info = &lint_code_table[code];

	output_format(output, "%s (%s): %s\n", info->name, lint_severity_names[info->severity],
		      info->wrong);
	write_meaning(output, info);
	if (info->follows[0] != '\0')
		write_note(output, "may be accompanied by", info->follows);
}
