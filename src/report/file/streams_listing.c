/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>

#include "crash/memory.h"
#include "report/file/streams_internal.h"
#include "report/report.h"

/* Counting ------------------------------------------------------------------------------------- */

static enum describe_detail
count_record(void *context, const struct describe_record *record)
{
	size_t *count = context;

	(void)record;
	(*count)++;
	return DESCRIBE_SKIP;
}

/* A stream with more records than this has one line for each record. */
#define FOLD_ABOVE 4u
/* Maximum rows of a listing; further rows are only counted. */
#define ROWS_LIMIT 131072u

struct streams_rows {
	const struct crash *crash;
	struct streams_lines lines;
	size_t streams_from;	/* in a directory: row of the first stream */
	size_t stream;		/* STREAMS_NONE: the directory */
	bool directory;
};

/* Rows of values and records ------------------------------------------------------------------- */

static void
fill_value(const struct streams_line *line, struct row *row)
{
	size_t indent = 1 + 2 * (size_t)line->depth;

	row_pad(row, indent);
	if (line->more) {
		row_pad(row, indent + 2);
		row_add_text(row, ROLE_NORMAL, text_of(line->value != NULL ? line->value : ""));
		return;
	}
	row_add_text(row, line->derived ? ROLE_NOTE : ROLE_DIM, text_of(line->name));
	row_pad(row, indent + line->columns);
	row_add(row, ROLE_NORMAL, "  ");
	if (line->value != NULL)
		row_add_text(row, ROLE_NORMAL, text_of(line->value));
	if (line->note == NULL)
		return;
	row_add(row, ROLE_NORMAL, "%s", line->value != NULL ? "  " : "");
	row_add(row, line->broken ? ROLE_BAD : ROLE_NOTE, "%s", line->broken ? "! " : "");
	row_add_text(row, line->broken ? ROLE_BAD : ROLE_NOTE, text_of(line->note));
}

static void
fill_record(const struct streams_rows *rows, const struct streams_line *line, struct row *row)
{
	bool folded = rows->lines.folded && line->depth == 0;

	row_pad(row, 1 + 2 * (size_t)line->depth);
	if (folded)
		row_add(row, ROLE_DIM, "%c ", line->number == rows->lines.open ? '-' : '+');
	row_add_text(row, ROLE_TITLE, text_of(line->name));
	if (line->note != NULL)
		row_add(row, ROLE_NOTE, "  %s", line->note);
	if (line->value != NULL)
		row_add(row, ROLE_NORMAL, "  %s", line->value);
}

static void
fill_stream(const struct crash *crash, size_t index, struct row *row)
{
	const struct stream *stream = &crash->streams[index];
	const char *vendor = describe_vendor(stream->type);
	size_t first = 0, shared = describe_overlaps(crash, index, &first);

	row_add(row, ROLE_DIM, " %4zu  0x%08" PRIx32 "  ", index, stream->type);
	row_add_text(row, describe_known(stream->type) == DESCRIBE_UNKNOWN ? ROLE_UNKNOWN
									   : ROLE_NORMAL,
		     text_of(stream->name));
	row_pad(row, 46);
	row_add(row, ROLE_DIM, " %-9s", vendor != NULL ? vendor : "-");
	row_add(row, ROLE_NORMAL, " 0x%08" PRIx64 " %10" PRIu64, stream->offset, stream->size);
	if (shared > 0)
		row_add(row, ROLE_CHANGED, "  shares bytes with %zu%s", first,
			shared > 1 ? " and others" : "");
}

static void
streams_listing_fill_row(const struct listing *listing, size_t index, size_t columns,
			 struct row *row)
{
	const struct streams_rows *rows = listing->context;

	(void)columns;
	if (rows->directory && index >= rows->streams_from)
		fill_stream(rows->crash, index - rows->streams_from, row);
	else if (index >= rows->lines.count)
		row_add(row, ROLE_DIM, " %zu more lines; 'unspool streams' prints them",
			rows->lines.lost);
	else if (rows->lines.lines[index].record)
		fill_record(rows, &rows->lines.lines[index], row);
	else
		fill_value(&rows->lines.lines[index], row);
}

static void
streams_listing_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct streams_rows *rows = listing->context;

	(void)columns;
	row_add(row, ROLE_DIM, " ");
	if (rows->directory) {
		row_add(row, ROLE_TITLE, "%s", rows->crash->format);
		row_add(row, ROLE_DIM, ", %s endian, %zu streams",
			rows->crash->reader.big_endian ? "big" : "little",
			rows->crash->stream_count);
	} else {
		const struct stream *stream = &rows->crash->streams[rows->stream];

		row_add_text(row, ROLE_TITLE, text_of(stream->name));
		row_add(row, ROLE_DIM, "   type 0x%" PRIx32 ", %" PRIu64 " bytes at 0x%" PRIx64,
			stream->type, stream->size, stream->offset);
	}
}

/* Targets -------------------------------------------------------------------------------------- */

static bool
has_memory(const struct crash *crash, uint64_t address)
{
	struct arena arena = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, crash, &arena);
	const bool has = memory_run_of(&memory, address) != NULL;
	arena_free(&arena);
	return has;
}

static struct target
line_target(const struct crash *crash, const struct streams_line *line)
{
	struct target target = TARGET(TARGET_NONE);
	uint64_t module = line->link == DESCRIBE_LINK_MODULE ? line->linked : UINT64_MAX;

	/* The record is a module's entry in the dump. */
	if (line->record && line->depth == 0 && line->number < crash->module_count &&
	    crash->modules[line->number].place.offset == line->place.offset)
		module = line->number;
	if (module < crash->module_count) {
		target.kind = TARGET_MODULE;
		target.module = (size_t)module;
		return target;
	}
	for (size_t i = 0; line->link == DESCRIBE_LINK_THREAD && i < crash->thread_count; i++)
		if (crash->threads[i].id == line->linked) {
			target.kind = TARGET_THREAD;
			target.thread = i;
			return target;
		}
	if (line->link == DESCRIBE_LINK_ADDRESS && has_memory(crash, line->linked))
		return TARGET(TARGET_MEMORY, .address = line->linked);
	return report_place_target(line->place);
}

static struct target
streams_listing_row_target(const struct listing *listing, size_t index)
{
	const struct streams_rows *rows = listing->context;

	if (rows->directory && index >= rows->streams_from)
		return report_place_target(
			rows->crash->streams[index - rows->streams_from].place);
	if (index >= rows->lines.count)
		return TARGET(TARGET_NONE);
	return line_target(rows->crash, &rows->lines.lines[index]);
}

static void
streams_listing_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct streams_rows *rows = listing->context;

	if (rows->directory && index >= rows->streams_from) {
		const struct stream *stream = &rows->crash->streams[index - rows->streams_from];

		row_add(row, ROLE_NORMAL, "0x%" PRIx64 " bytes at 0x%" PRIx64 ", shown as %s",
			stream->size, stream->offset,
			streams_known_names.first[describe_known(stream->type)]);
		report_add_place(row, stream->place);
		return;
	}
	if (index >= rows->lines.count)
		return;
	const struct streams_line *line = &rows->lines.lines[index];
	row_add_text(row, ROLE_NORMAL, text_of(line->name));
	if (line->value != NULL && *line->value != '\0')
		row_add(row, ROLE_NORMAL, line->more ? "%s" : ": %s", line->value);
	if (line->note != NULL)
		row_add(row, ROLE_NORMAL, ", %s", line->note);
	report_add_place(row, line->place);
}

/* Listings ------------------------------------------------------------------------------------- */

static struct streams_rows *
rows_of(const struct crash *crash, struct arena *arena)
{
	struct streams_rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL)
		return NULL;
	rows->crash = crash;
	rows->stream = STREAMS_NONE;
	rows->lines = (struct streams_lines){ .crash = crash, .arena = arena,
					      .limit = ROWS_LIMIT, .open = STREAMS_NONE };
	return rows;
}

static struct listing
listing_of(const struct streams_rows *rows, size_t count)
{
	return (struct listing){ .count = count,
				 .head = streams_listing_fill_head,
				 .fill = streams_listing_fill_row,
				 .target = streams_listing_row_target,
				 .explain = streams_listing_explain_row,
				 .context = rows };
}

struct listing
streams_directory(const struct crash *crash, struct arena *arena)
{
	struct streams_rows *rows = rows_of(crash, arena);

	if (rows == NULL)
		return listing_out_of_memory();
	if (crash->invented != NULL)
		return listing_message(crash->invented);
	const struct describe_sink sink = streams_lines_sink(&rows->lines);
	describe_header(crash, &sink);
	streams_lines_align(&rows->lines);
	rows->directory = true;
	rows->streams_from = rows->lines.count;
	return listing_of(rows, rows->lines.count + crash->stream_count);
}

size_t
streams_directory_stream(const struct listing *directory, size_t row)
{
	const struct streams_rows *rows = directory->context;

	if (directory->fill != streams_listing_fill_row || !rows->directory ||
	    row < rows->streams_from || row >= directory->count)
		return STREAMS_NONE;
	return row - rows->streams_from;
}

struct listing
streams_listing(const struct crash *crash, size_t stream, size_t open, struct arena *arena)
{
	struct streams_rows *rows = rows_of(crash, arena);
	size_t records = 0;
	const struct describe_sink counter = { .begin = count_record, .context = &records };

	if (stream >= crash->stream_count)
		return listing_message("no such stream");
	if (rows == NULL)
		return listing_out_of_memory();
	rows->stream = stream;
	rows->lines.open = open;
	describe_stream(crash, stream, &counter);
	rows->lines.folded = records > FOLD_ABOVE;
	const struct describe_sink sink = streams_lines_sink(&rows->lines);
	describe_stream(crash, stream, &sink);
	streams_lines_align(&rows->lines);
	if (rows->lines.count == 0)
		return listing_message("the stream is empty");
	return listing_of(rows, rows->lines.count + (rows->lines.lost > 0));
}

size_t
streams_record(const struct listing *listing, size_t row)
{
	const struct streams_rows *rows = listing->context;

	if (listing->fill != streams_listing_fill_row || rows->directory || !rows->lines.folded ||
	    row >= rows->lines.count)
		return STREAMS_NONE;
	return rows->lines.lines[row].number;
}

size_t
streams_record_row(const struct listing *listing, size_t record)
{
	const struct streams_rows *rows = listing->context;

	if (listing->fill != streams_listing_fill_row || rows->directory)
		return 0;
	for (size_t i = 0; i < rows->lines.count; i++)
		if (rows->lines.lines[i].record && rows->lines.lines[i].depth == 0 &&
		    rows->lines.lines[i].number == record)
			return i;
	return 0;
}
