/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "report/file/streams_internal.h"
#include "report/report.h"

/* Values with more bytes are not shown in their row. */
#define SHORT_BYTES 32u
/* Names wider than this do not push the values of their neighbours to the right. */
#define NAME_COLUMNS 44u

bool
streams_is_private(const struct crash *crash, const struct describe_value *value)
{
	if (!crash->redacted)
		return false;
	return value->private || (value->place.length > 0 &&
				  crash_redacts_bytes(crash, value->place.offset,
						      value->place.length));
}

/* "thread[3]" or "context". */
static const char *
record_name(struct arena *arena, const struct describe_record *record)
{
	const char *name = record->index == DESCRIBE_NO_INDEX
		? arena_copy(arena, record->name, strlen(record->name))
		: arena_format(arena, "%s[%zu]", record->name, record->index);

	return name != NULL ? name : "";
}

const char *
streams_hex(const struct crash *crash, struct arena *arena, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; crash->redacted && i < bytes.length; i++)
		if (crash_redacts_name(crash, (const uint8_t *)bytes.start, bytes.length, i))
			return CRASH_REDACTED;
	char *text = arena_array(arena, 2 * bytes.length + 1, 1);

	for (size_t i = 0; text != NULL && i < bytes.length; i++) {
		text[2 * i] = digits[(uint8_t)bytes.start[i] >> 4];
		text[2 * i + 1] = digits[(uint8_t)bytes.start[i] & 15];
	}
	return text;
}

static const char *
quoted(struct arena *arena, struct text text)
{
	char *copy = arena_array(arena, text.length + 3, 1);

	if (copy == NULL)
		return NULL;
	copy[0] = copy[text.length + 1] = '"';
	if (text.length > 0)
		memcpy(copy + 1, text.start, text.length);
	/* A NUL would end the text, but the bytes after it belong to the dump's text as well. */
	for (size_t i = 1; i <= text.length; i++)
		if (copy[i] == '\0' || copy[i] == '\t')
			copy[i] = ' ';
	return copy;
}

/* The value as text without its note; NULL: no text, or hidden. */
static const char *
value_text(const struct crash *crash, struct arena *arena, const struct describe_value *value)
{
	if (value->kind != DESCRIBE_NONE && streams_is_private(crash, value))
		return CRASH_REDACTED;
	switch (value->kind) {
	case DESCRIBE_DECIMAL:
		return arena_format(arena, "%" PRIu64, value->number);
	case DESCRIBE_SIGNED:
		return arena_format(arena, "%" PRId64, (int64_t)value->number);
	case DESCRIBE_HEX:
		return arena_format(arena, "0x%" PRIx64, value->number);
	case DESCRIBE_WORD:
		return arena_copy(arena, value->text.start, value->text.length);
	case DESCRIBE_TEXT:
		return quoted(arena, value->text);
	case DESCRIBE_BYTES:
		return value->text.length > SHORT_BYTES
			       ? arena_format(arena, "%zu bytes", value->text.length)
			       : streams_hex(crash, arena, value->text);
	case DESCRIBE_NONE:
		break;
	}
	return NULL;
}

static const char *const known_words[] = {
	[DESCRIBE_UNKNOWN] = "unknown",
	[DESCRIBE_NAMED] = "bytes",
	[DESCRIBE_DECODED] = "fields",
};
const struct fact_names streams_known_names = FACT_NAMES(known_words);

/* Collecting ----------------------------------------------------------------------------------- */

static struct streams_line *
add_line(struct streams_lines *lines, struct streams_line line)
{
	if (lines->limit != 0 && lines->count >= lines->limit) {
		lines->lost++;
		return NULL;
	}
	struct streams_line *grown = arena_grow(lines->arena, lines->lines, lines->count,
						&lines->capacity, sizeof(*grown));
	if (grown == NULL) {
		lines->lost++;
		return NULL;
	}
	lines->lines = grown;
	line.depth = lines->depth;
	line.number = lines->depth > 0 || line.record ? lines->records : STREAMS_NONE;
	grown[lines->count] = line;
	return &grown[lines->count++];
}

static enum describe_detail
streams_listing_begin(void *context, const struct describe_record *record)
{
	struct streams_lines *lines = context;
	bool folds = lines->folded && lines->depth == 0 && lines->records != lines->open;
	struct streams_line *line = add_line(lines, (struct streams_line){
		.record = true, .name = record_name(lines->arena, record),
		.note = record->note != NULL
			? arena_copy(lines->arena, record->note, strlen(record->note)) : NULL,
		.place = record->place });

	if (line != NULL && record->line.length > 0)
		line->value = arena_copy(lines->arena, record->line.start, record->line.length);
	if (line == NULL && lines->depth == 0) {
		lines->records++;
		return DESCRIBE_SKIP;
	}
	lines->depth++;
	lines->folding = folds ? line : NULL;
	lines->folding_text = folds && record->line.length > 0;
	return folds ? DESCRIBE_KEYS : DESCRIBE_ALL;
}

static void
end(void *context)
{
	struct streams_lines *lines = context;

	lines->folding = NULL;
	if (--lines->depth == 0)
		lines->records++;
}

/* The text for a value in a folded record's line: its meaning, if it has one. */
static void
fold_value(struct streams_lines *lines, const struct describe_value *value)
{
	struct streams_line *line = lines->folding;
	const char *text = value->broken || value->note != NULL
		? value->note : value_text(lines->crash, lines->arena, value);

	if (text == NULL || strcmp(text, "\"\"") == 0)
		return;
	if (line->value == NULL)
		line->value = arena_copy(lines->arena, text, strlen(text));
	else if (!lines->folding_text)
		line->value = arena_format(lines->arena, "%s  %s", line->value, text);
	if (line->link == DESCRIBE_LINK_NONE || value->link > line->link) {
		line->link = value->link;
		line->linked = value->linked;
	}
}

static void
streams_listing_add_value(void *context, const struct describe_value *value)
{
	struct streams_lines *lines = context;
	bool hidden = value->kind != DESCRIBE_NONE && streams_is_private(lines->crash, value);
	bool several = value->kind == DESCRIBE_TEXT && !hidden && value->text.length > 0 &&
		       memchr(value->text.start, '\n', value->text.length) != NULL;

	if (lines->folding != NULL) {
		fold_value(lines, value);
		return;
	}
	struct streams_line line = {
		.name = arena_copy(lines->arena, value->name, strlen(value->name)),
		.note = value->note != NULL
			? arena_copy(lines->arena, value->note, strlen(value->note)) : NULL,
		.derived = value->derived, .broken = value->broken,
		.link = value->link, .linked = value->linked, .place = value->place,
	};
	if (line.name == NULL)
		line.name = "";
	if (!several)
		line.value = value_text(lines->crash, lines->arena, value);
	if (value->kind == DESCRIBE_BYTES && !hidden && value->text.length > SHORT_BYTES)
		line.bytes = value->text;
	add_line(lines, line);
	if (several) {
		/* Text of several lines continues on rows after its first one. */
		struct text text = value->text;
		while (text.length > 0) {
			const char *stop = memchr(text.start, '\n', text.length);
			size_t length = stop != NULL ? (size_t)(stop - text.start) : text.length;
			size_t skip = stop != NULL ? length + 1 : length;

			line.more = true;
			line.name = "";
			line.value = arena_copy(lines->arena, text.start, length);
			add_line(lines, line);
			text = (struct text){ text.start + skip, text.length - skip };
		}
	}
}

void
streams_lines_align(struct streams_lines *lines)
{
	size_t first = 0;

	while (first < lines->count) {
		const struct streams_line *head = &lines->lines[first];
		size_t end = first, columns = 0;

		for (; end < lines->count && lines->lines[end].record == head->record &&
		       lines->lines[end].depth == head->depth; end++) {
			const struct streams_line *line = &lines->lines[end];
			/* Names of derived values are in brackets. */
			const size_t used =
				text_width(text_of(line->name)) + (line->derived ? 2 : 0);

			if (used <= NAME_COLUMNS && used > columns)
				columns = used;
		}
		for (; first < end; first++)
			lines->lines[first].columns = columns;
	}
}

struct describe_sink
streams_lines_sink(struct streams_lines *lines)
{
	return (struct describe_sink){ .begin = streams_listing_begin,
				       .value = streams_listing_add_value,
				       .end = end,
				       .context = lines };
}

/* Counting ------------------------------------------------------------------------------------- */

static enum describe_detail
count_record(void *context, const struct describe_record *record)
{
	size_t *count = context;

	(void)record;
	(*count)++;
	return DESCRIBE_SKIP;
}

/* The number of outermost records of a stream. */
static size_t
count_records(const struct crash *crash, size_t stream)
{
	size_t count = 0;
	const struct describe_sink sink = { .begin = count_record, .context = &count };

	describe_stream(crash, stream, &sink);
	return count;
}

/* Streams with more records have one line for each. */
#define FOLD_ABOVE 4u
/* Rows of one listing; further rows are only counted. */
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

/* Whether an address has memory to show. */
static bool
has_memory(const struct crash *crash, uint64_t address)
{
	bool any = false;

	for (size_t i = 0; i < crash->region_count && !any; i++)
		any = checked_contains(crash->regions[i].base, crash->regions[i].available,
				       address);
	for (size_t i = 0; i < crash->thread_count && !any; i++)
		any = crash->threads[i].stack != NULL &&
		      checked_contains(crash->threads[i].stack->base,
				       crash->threads[i].stack->available, address);
	return any;
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
		row_add(row, ROLE_NORMAL, ": %s", line->value);
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

	if (stream >= crash->stream_count)
		return listing_message("no such stream");
	if (rows == NULL)
		return listing_out_of_memory();
	rows->stream = stream;
	rows->lines.open = open;
	rows->lines.folded = count_records(crash, stream) > FOLD_ABOVE;
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
