/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/patch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_LINES 3u

struct patch_writer {
	const struct output *output;
	const struct crash *crash;
	const struct symbols *symbols;
	const struct overlay *overlay;
	const struct record_edit **records;	/* in the order of files and offsets */
	size_t count;
	struct patch_summary summary;
};

static void
write_bytes(const struct patch_writer *writer, const char *bytes, size_t length)
{
	writer->output->write(writer->output->context, bytes, length);
}

static int
compare_records(const void *left, const void *right)
{
	const struct record_edit *a = *(const struct record_edit *const *)left;
	const struct record_edit *b = *(const struct record_edit *const *)right;
	const int order = strcmp(a->file, b->file);

	if (order != 0)
		return order;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The loaded symbol file of a path; NULL where it is loaded no more. */
static const struct file *
file_called(const struct patch_writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->crash->module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(writer->symbols, i, &state);

		if (symfile != NULL && strcmp(symfile_file(symfile)->input.name, name) == 0)
			return symfile_file(symfile);
	}
	return NULL;
}

static bool
is_there(const struct file *file, const struct record_edit *record)
{
	return file != NULL && record->offset <= file->size &&
	       record->was.length <= file->size - record->offset &&
	       memcmp(file->data + record->offset, record->was.start, record->was.length) == 0;
}

/* Lines as patch counts them, parted by line feeds alone -----------------------------------------*/

static uint64_t
line_start(const struct file *file, uint64_t offset)
{
	const uint8_t *feed = offset > 0 ? memrchr(file->data, '\n', offset) : NULL;

	return feed == NULL ? 0 : (uint64_t)(feed - file->data) + 1;
}

/* Behind the line feed of the line that holds `offset`, or the end of the file. */
static uint64_t
line_end(const struct file *file, uint64_t offset)
{
	const uint8_t *feed = memchr(file->data + offset, '\n', file->size - offset);

	return feed == NULL ? file->size : (uint64_t)(feed - file->data) + 1;
}

/* Go back over lines; `*lines` is set to how many there were. */
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

static uint64_t
count_lines(const struct file *file, uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (; from < to; from = line_end(file, from))
		count++;
	return count;
}

static void
end_line(const struct patch_writer *writer, char last)
{
	if (last != '\n')
		write_bytes(writer, "\n\\ No newline at end of file\n", 29);
}

/* Lines of the file between two offsets, with `sign` in front of each. */
static void
write_lines(const struct patch_writer *writer, const struct file *file, uint64_t from, uint64_t to,
	    char sign)
{
	while (from < to) {
		const uint64_t end = line_end(file, from);

		write_bytes(writer, &sign, 1);
		write_bytes(writer, (const char *)file->data + from, end - from);
		end_line(writer, (char)file->data[end - 1]);
		from = end;
	}
}

/* The line of a record as it shall be: what stands around the record on it stays. */
static void
write_new_line(const struct patch_writer *writer, const struct file *file,
	       const struct record_edit *record)
{
	const uint64_t start = line_start(file, record->offset);
	const uint64_t end = line_end(file, record->offset);
	const uint64_t behind = record->offset + record->was.length;

	write_bytes(writer, "+", 1);
	write_bytes(writer, (const char *)file->data + start, record->offset - start);
	write_bytes(writer, record->now.start, record->now.length);
	write_bytes(writer, (const char *)file->data + behind, end - behind);
	end_line(writer, (char)file->data[end - 1]);
}

/* How many of the records from `first` on share a hunk: their contexts touch. */
static size_t
hunk_length(const struct patch_writer *writer, const struct file *file, size_t first)
{
	size_t count = 1;

	while (first + count < writer->count) {
		const struct record_edit *last = writer->records[first + count - 1];
		const struct record_edit *next = writer->records[first + count];
		const uint64_t reach = lines_forth(file, line_end(file, last->offset));
		uint64_t lines;

		if (strcmp(last->file, next->file) != 0 || !is_there(file, next) ||
		    lines_back(file, line_start(file, next->offset), &lines) > reach)
			break;
		count++;
	}
	return count;
}

/* The path without what says how it is compressed, and without a '/' in front. */
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

static void
write_file(struct patch_writer *writer, const struct file *file, size_t first, size_t count)
{
	const struct text path = path_of(file);
	bool begun = false;

	for (size_t i = first; i < first + count;) {
		if (!is_there(file, writer->records[i])) {
			i++;
			continue;
		}
		if (!begun) {
			output_plain(writer->output, "--- a/");
			output_text(writer->output, path);
			output_plain(writer->output, "\t\n+++ b/");
			output_text(writer->output, path);
			output_plain(writer->output, "\t\n");
			begun = true;
		}
		const size_t hunk = hunk_length(writer, file, i);
		const struct record_edit *last = writer->records[i + hunk - 1];
		const uint64_t begin = line_start(file, writer->records[i]->offset);
		uint64_t lines, at = lines_back(file, begin, &lines);
		const uint64_t end = lines_forth(file, line_end(file, last->offset));
		const uint64_t number = writer->records[i]->line - lines;
		const uint64_t all = count_lines(file, at, end);

		output_format(writer->output,
			"@@ -%" PRIu64 ",%" PRIu64 " +%" PRIu64 ",%" PRIu64 " @@\n", number, all,
			number, all);
		for (size_t j = i; j < i + hunk; j++) {
			const uint64_t start = line_start(file, writer->records[j]->offset);

			write_lines(writer, file, at, start, ' ');
			at = line_end(file, start);
			write_lines(writer, file, start, at, '-');
			write_new_line(writer, file, writer->records[j]);
		}
		write_lines(writer, file, at, end, ' ');
		i += hunk;
	}
}

/* What people read in front of the diff -----------------------------------------------------------*/

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

/* How a file must be treated before and behind patch. */
static void
write_packed(struct patch_writer *writer, const struct file *file)
{
	static const char *const tools[] = {
		[INFLATE_GZIP] = "gzip -d", [INFLATE_XZ] = "xz -d", [INFLATE_ZSTD] = "zstd -d",
		[INFLATE_LZ4] = "lz4 -d",
	};
	const char *tool = (size_t)file->kind < ARRAY_COUNT(tools) ? tools[file->kind] : NULL;

	if (file->kind == INFLATE_NONE)
		return;
	writer->summary.packed++;
	output_plain(writer->output, "decompress this file first, and compress it again after "
				     "patching: ");
	output_text(writer->output, text_of(file->input.name));
	output_format(writer->output, "%s%s%s\n", tool != NULL ? " (" : "",
		      tool != NULL ? tool : "", tool != NULL ? ")" : "");
}

/* How many of the records from `first` on are of one file. */
static size_t
same_file(const struct patch_writer *writer, size_t first)
{
	size_t count = 1;

	while (first + count < writer->count &&
	       strcmp(writer->records[first]->file, writer->records[first + count]->file) == 0)
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
		const struct file *file = file_called(writer, writer->records[i]->file);

		absolute = absolute || writer->records[i]->file[0] == '/';
		if (file != NULL)
			write_packed(writer, file);
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
	for (size_t i = 0; i < writer.count; i++)
		writer.records[i] = &overlay->records.edits[i];
	if (writer.count > 0)
		qsort(writer.records, writer.count, sizeof(*writer.records), compare_records);
	writer.summary.named = overlay->count - overlay->records.count;
	write_head(&writer, patch_name);
	for (size_t i = 0, count; i < writer.count; i += count) {
		const struct file *file = file_called(&writer, writer.records[i]->file);
		size_t there = 0;

		count = same_file(&writer, i);
		for (size_t j = i; j < i + count; j++)
			there += is_there(file, writer.records[j]);
		writer.summary.records += there;
		writer.summary.changed += count - there;
		writer.summary.files += there > 0;
		if (there > 0)
			write_file(&writer, file, i, count);
	}
	arena_free(&arena);
	return writer.summary;
}
