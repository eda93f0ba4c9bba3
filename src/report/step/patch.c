/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/patch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "system/inflate.h"

#define CONTEXT_LINES 3u

struct patch_writer {
	const struct output *output;
	const struct crash *crash;
	const struct symbols *symbols;
	const struct overlay *overlay;
	struct record_edit *records;	/* in the order of files and offsets */
	size_t count;
	struct patch_summary summary;
};

static int
compare_records(const void *left, const void *right)
{
	const struct record_edit *a = left, *b = right;
	const int order = strcmp(a->file, b->file);

	return order != 0 ? order : a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The loaded symbol file with a path; NULL if it is no longer loaded. */
static const struct file *
file_called(const struct patch_writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(writer->symbols, i, NULL);

		if (symfile != NULL && strcmp(symfile_file(symfile)->input.name, name) == 0)
			return symfile_file(symfile);
	}
	return NULL;
}

/* Lines as patch counts them, separated only by line feeds ------------------------------------- */

static uint64_t
line_start(const struct file *file, uint64_t offset)
{
	const uint8_t *feed = memrchr(file->data, '\n', (size_t)offset);

	return feed == NULL ? 0 : (uint64_t)(feed - file->data) + 1;
}

/* The offset after the line feed of the line that holds `offset`, or the end of the file. */
static uint64_t
line_end(const struct file *file, uint64_t offset)
{
	const uint8_t *feed = memchr(file->data + offset, '\n', (size_t)(file->size - offset));

	return feed == NULL ? file->size : (uint64_t)(feed - file->data) + 1;
}

/* Goes back over at most CONTEXT_LINES lines. Sets `*lines` to their number. */
static uint64_t
lines_back(const struct file *file, uint64_t start, uint64_t *lines)
{
	for (*lines = 0; *lines < CONTEXT_LINES && start > 0; ++*lines)
		start = line_start(file, start - 1);
	return start;
}

static uint64_t
lines_forth(const struct file *file, uint64_t end)
{
	for (unsigned i = 0; i < CONTEXT_LINES && end < file->size; i++)
		end = line_end(file, end);
	return end;
}

struct hunk_writer {
	const struct output *output;
	const struct file *file;
	struct record_edits edits;	/* in the order of their offsets */
	int64_t shift;			/* lines added by earlier hunks */
};

static void
put(const struct hunk_writer *writer, const char *bytes, size_t length)
{
	writer->output->write(writer->output->context, bytes, length);
}

static void
end_line(const struct hunk_writer *writer, char last)
{
	if (last != '\n')
		put(writer, "\n\\ No newline at end of file\n", 29);
}

/* Lines of the file between two offsets, with `sign` in front of each. */
static void
write_lines(const struct hunk_writer *writer, uint64_t from, uint64_t to, char sign)
{
	while (from < to) {
		const uint64_t end = line_end(writer->file, from);

		put(writer, &sign, 1);
		put(writer, (const char *)writer->file->data + from, (size_t)(end - from));
		end_line(writer, (char)writer->file->data[end - 1]);
		from = end;
	}
}

/* Whether the lines of an edit include the old line, which can then stay in its place. */
static bool
stays(const struct file *file, const struct record_edit *record)
{
	struct text lines = record->now, line;

	if (file->data[line_end(file, record->offset) - 1] != '\n')
		return false;
	while (text_take_line(&lines, &line))
		if (text_equal(line, record->was))
			return true;
	return false;
}

/* The new line of a record, with the bytes of the old line around the record. */
static void
write_edit(const struct hunk_writer *writer, const struct record_edit *record)
{
	const struct file *file = writer->file;
	const uint64_t start = line_start(file, record->offset);
	const uint64_t end = line_end(file, record->offset);
	const uint64_t behind = record->offset + record->was.length;
	const char *data = (const char *)file->data;
	bool kept = !stays(file, record);
	struct text lines = record->now, line;

	if (kept)
		write_lines(writer, start, end, '-');
	while (text_take_line(&lines, &line)) {
		if (!kept && text_equal(line, record->was)) {
			write_lines(writer, start, end, ' ');
			kept = true;
			continue;
		}
		put(writer, "+", 1);
		put(writer, data + start, (size_t)(record->offset - start));
		put(writer, line.start, line.length);
		put(writer, data + behind, (size_t)(end - behind));
		if (data[end - 1] != '\n' && lines.length > 0)
			put(writer, "\n", 1);
		else
			end_line(writer, data[end - 1]);
	}
}

/* The number of records from `first` on that share a hunk because their contexts touch. */
static size_t
hunk_length(const struct hunk_writer *writer, size_t first)
{
	const struct file *file = writer->file;
	size_t count = 1;

	while (first + count < writer->edits.count) {
		const uint64_t last = writer->edits.edits[first + count - 1].offset;
		const uint64_t next = writer->edits.edits[first + count].offset;
		uint64_t lines;

		if (lines_back(file, line_start(file, next), &lines) >
		    lines_forth(file, line_end(file, last)))
			break;
		count++;
	}
	return count;
}

static void
write_hunk(struct hunk_writer *writer, size_t first, size_t count)
{
	const struct file *file = writer->file;
	const struct record_edit *records = &writer->edits.edits[first];
	uint64_t lines, at = lines_back(file, line_start(file, records[0].offset), &lines);
	const uint64_t end = lines_forth(file, line_end(file, records[count - 1].offset));
	const int64_t number = (int64_t)(records[0].line - lines);
	int64_t all = 0, added = 0;

	for (uint64_t line = at; line < end; line = line_end(file, line))
		all++;
	for (size_t i = 0; i < count; i++) {
		struct text now = records[i].now, line;

		/* The new lines replace one line. */
		for (added--; text_take_line(&now, &line);)
			added++;
	}
	output_format(writer->output,
		"@@ -%" PRId64 ",%" PRId64 " +%" PRId64 ",%" PRId64 " @@\n", number, all,
		number + writer->shift, all + added);
	for (size_t i = 0; i < count; i++) {
		const uint64_t start = line_start(file, records[i].offset);

		write_lines(writer, at, start, ' ');
		write_edit(writer, &records[i]);
		at = line_end(file, start);
	}
	write_lines(writer, at, end, ' ');
	writer->shift += added;
}

void
patch_write_file(const struct output *output, const struct file *file, struct text path,
		 const struct record_edits *edits)
{
	struct hunk_writer writer = { .output = output, .file = file, .edits = *edits };

	output_plain(output, "--- a/");
	output_text(output, path);
	output_plain(output, "\t\n+++ b/");
	output_text(output, path);
	output_plain(output, "\t\n");
	for (size_t i = 0, hunk; i < edits->count; i += hunk) {
		hunk = hunk_length(&writer, i);
		write_hunk(&writer, i, hunk);
	}
}

/* The path without a leading '/' and without its compression suffix. */
static struct text
path_of(const struct file *file)
{
	const char *name = file->input.name + strspn(file->input.name, "/");
	struct text path = text_of(name);
	const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');

	if (file->kind != INFLATE_NONE && dot != NULL && (slash == NULL || dot > slash))
		path.length = (size_t)(dot - name);
	return path;
}

/* Text for people before the diff -------------------------------------------------------------- */

static void
describe_all(const struct patch_writer *writer, bool records, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < writer->overlay->count; i++) {
		const struct overlay_edit *edit = &writer->overlay->edits[i];

		if ((edit->kind == OVERLAY_RECORD) != records)
			continue;
		if (!any)
			output_plain(writer->output, title);
		any = true;
		const struct crash_context *context =
			crash_thread_context(writer->crash, edit->thread);
		const struct arch *arch = context->arch != NULL ? context->arch
								 : writer->crash->system.arch;
		char text[500];

		output_plain(writer->output, "    ");
		output_text(
			writer->output, text_of(overlay_describe(edit, arch, text, sizeof(text))));
		if (edit->kind != OVERLAY_RECORD && edit->kind != OVERLAY_POLICY)
			output_format(writer->output, ", thread %zu", edit->thread);
		output_plain(writer->output, "\n");
	}
}

/* The number of records from `first` on that are in the same file. */
static size_t
same_file(const struct patch_writer *writer, size_t first)
{
	size_t count = 1;

	while (first + count < writer->count &&
	       strcmp(writer->records[first].file, writer->records[first + count].file) == 0)
		count++;
	return count;
}

static void
write_head(struct patch_writer *writer, const char *patch_name)
{
	bool absolute = false;

	output_plain(writer->output, "What-if edits of unwind records for ");
	output_text(writer->output, text_of(place_base_name(writer->crash->file.input.name)));
	output_plain(writer->output, "\n");
	describe_all(writer, true, "records:\n");
	describe_all(writer, false, "edits that cannot be written in a symbol file and are not in "
				    "this patch:\n");
	for (size_t i = 0; i < writer->count; i += same_file(writer, i)) {
		const struct file *file = file_called(writer, writer->records[i].file);

		absolute = absolute || writer->records[i].file[0] == '/';
		if (file == NULL || file->kind == INFLATE_NONE)
			continue;
		writer->summary.packed++;
		output_plain(writer->output, "decompress this file first, and compress it again "
					     "after patching: ");
		output_text(writer->output, text_of(file->input.name));
		output_format(writer->output, " (%s)\n", inflate_tool(file->kind, false));
	}
	if (writer->count > 0) {
		output_format(writer->output, "apply with: patch %s-p1 < ",
			      absolute ? "-d / " : "");
		output_text(writer->output, text_of(patch_name));
		output_plain(writer->output, "\n");
	}
	output_plain(writer->output, "\n");
}

struct patch_summary
patch_write(const struct output *output, const struct overlay *overlay, const struct crash *crash,
	    const struct symbols *symbols, const char *patch_name)
{
	struct arena arena = { 0 };
	struct patch_writer writer = { .output = output, .crash = crash, .symbols = symbols,
				 .overlay = overlay, .count = overlay->records.count };

	writer.records = arena_array(&arena, writer.count + 1, sizeof(*writer.records));
	if (writer.records == NULL)
		writer.count = 0;
	if (writer.count > 0)
		memcpy(writer.records, overlay->records.edits,
		       writer.count * sizeof(*writer.records));
	SORT(writer.records, writer.count, compare_records);
	writer.summary.named = overlay->count - overlay->records.count;
	write_head(&writer, patch_name);
	for (size_t i = 0, count; i < writer.count; i += count) {
		const struct file *file = file_called(&writer, writer.records[i].file);
		struct record_edits held = { .edits = &writer.records[i] };

		count = same_file(&writer, i);
		for (size_t j = i; file != NULL && j < i + count; j++)
			if (record_edit_holds(&writer.records[j], file))
				writer.records[i + held.count++] = writer.records[j];
		writer.summary.records += held.count;
		writer.summary.changed += count - held.count;
		if (held.count > 0)
			patch_write_file(output, file, path_of(file), &held);
	}
	arena_free(&arena);
	return writer.summary;
}
