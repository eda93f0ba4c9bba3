/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "report/file/streams_internal.h"

/* Values with more bytes are not shown in their row. */
#define LINE_BYTES 32u
/* Maximum columns of names; a wider name moves only its own value to the right. */
#define NAME_COLUMNS 44u

static bool
is_private(const struct crash *crash, const struct describe_value *value)
{
	if (!crash->redacted)
		return false;
	return value->private || (value->place.length > 0 &&
				  crash_redacts_bytes(crash, value->place.offset,
						      value->place.length));
}

/* Bytes as hexadecimal digits, or a note that they are redacted; NULL when out of memory. */
static const char *
hex_text(const struct crash *crash, struct arena *arena, struct text bytes)
{
	for (size_t i = 0; crash->redacted && i < bytes.length; i++)
		if (crash_redacts_name(crash, (const uint8_t *)bytes.start, bytes.length, i))
			return CRASH_REDACTED;
	return text_hex(bytes.start, bytes.length, arena_array(arena, 2 * bytes.length + 1, 1));
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
	/* Replace a NUL: it would hide the rest of the text. */
	for (size_t i = 1; i <= text.length; i++)
		if (copy[i] == '\0' || copy[i] == '\t')
			copy[i] = ' ';
	return copy;
}

/* The value as text without its note, or a note that it is redacted; NULL: it has no text. */
static const char *
value_text(const struct crash *crash, struct arena *arena, const struct describe_value *value)
{
	if (value->kind != DESCRIBE_NONE && is_private(crash, value))
		return CRASH_REDACTED;
	switch (value->kind) {
	case DESCRIBE_DECIMAL:
		return arena_format(arena, "%" PRIu64, value->number);
	case DESCRIBE_SIGNED:
		return arena_format(arena, "%" PRId64, (int64_t)value->number);
	case DESCRIBE_HEX:
		return arena_format(arena, "0x%" PRIx64, value->number);
	case DESCRIBE_WORD:
		return text_copy(arena, value->text);
	case DESCRIBE_TEXT:
		return quoted(arena, value->text);
	case DESCRIBE_BYTES:
		return value->text.length > LINE_BYTES
			       ? arena_format(arena, "%zu bytes", value->text.length)
			       : hex_text(crash, arena, value->text);
	case DESCRIBE_NONE:
		break;
	}
	return NULL;
}

const struct fact_names streams_known_names = FACT_WORDS(
	[DESCRIBE_UNKNOWN] = "unknown",
	[DESCRIBE_NAMED] = "bytes",
	[DESCRIBE_DECODED] = "fields");

/* Collecting ----------------------------------------------------------------------------------- */

static struct streams_line *
add_line(struct streams_lines *lines, struct streams_line line)
{
	struct streams_line *added =
		lines->limit != 0 && lines->count >= lines->limit
			? NULL
			: ARENA_PUSH(lines->arena, lines->lines, lines->count, lines->capacity);

	if (added == NULL) {
		lines->lost++;
		return NULL;
	}
	line.depth = lines->depth;
	line.number = lines->depth > 0 || line.record ? lines->records : STREAMS_NONE;
	*added = line;
	return added;
}

static enum describe_detail
lines_begin(void *context, const struct describe_record *record)
{
	struct streams_lines *lines = context;
	bool folds = lines->folded && lines->depth == 0 && lines->records != lines->open;
	/* "thread[3]" or "context". */
	const char *name =
		record->index == DESCRIBE_NO_INDEX
			? arena_string(lines->arena, record->name)
			: arena_format(lines->arena, "%s[%zu]", record->name, record->index);
	struct streams_line *line = add_line(
		lines,
		(struct streams_line){ .record = true,
				       .name = text_or_empty(name),
				       .note = record->note != NULL
						       ? arena_string(lines->arena, record->note)
						       : NULL,
				       .place = record->place });

	if (line != NULL && record->line.length > 0)
		line->value = text_copy(lines->arena, record->line);
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
lines_end(void *context)
{
	struct streams_lines *lines = context;

	lines->folding = NULL;
	if (--lines->depth == 0)
		lines->records++;
}

/* Adds a value to the line of a folded record: its note if it has one, else its text. */
static void
fold_value(struct streams_lines *lines, const struct describe_value *value)
{
	struct streams_line *line = lines->folding;
	const char *text = value->broken || value->note != NULL
		? value->note : value_text(lines->crash, lines->arena, value);

	if (text == NULL || strcmp(text, "\"\"") == 0)
		return;
	if (line->value == NULL)
		line->value = arena_string(lines->arena, text);
	else if (!lines->folding_text)
		line->value = arena_format(lines->arena, "%s  %s", line->value, text);
	if (line->link == DESCRIBE_LINK_NONE || value->link > line->link) {
		line->link = value->link;
		line->linked = value->linked;
	}
}

static void
lines_value(void *context, const struct describe_value *value)
{
	struct streams_lines *lines = context;
	bool hidden = value->kind != DESCRIBE_NONE && is_private(lines->crash, value);
	bool several = value->kind == DESCRIBE_TEXT && !hidden && value->text.length > 0 &&
		       memchr(value->text.start, '\n', value->text.length) != NULL;

	if (lines->folding != NULL) {
		fold_value(lines, value);
		return;
	}
	struct streams_line line = {
		.name = text_or_empty(arena_string(lines->arena, value->name)),
		.note = *text_or_empty(value->note) == '\0'
				? NULL : arena_string(lines->arena, value->note),
		.derived = value->derived,
		.broken = value->broken,
		.link = value->link,
		.linked = value->linked,
		.place = value->place,
	};
	if (!several)
		line.value = value_text(lines->crash, lines->arena, value);
	if (value->kind == DESCRIBE_BYTES && !hidden && value->text.length > LINE_BYTES)
		line.bytes = value->text;
	add_line(lines, line);
	if (several) {
		/* A text of several lines continues on the following rows. */
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
	return (struct describe_sink){ .begin = lines_begin,
				       .value = lines_value,
				       .end = lines_end,
				       .context = lines };
}

/* Text ----------------------------------------------------------------------------------------- */

/* Maximum number of buffered values of a stream without records. */
#define LINES_KEPT 512u
#define HEX_BYTES 16u

/* Text output: buffers the lines of one record at a time. */
struct text_writer {
	const struct output *output;
	const struct crash *crash;
	struct arena arena;
	struct streams_lines lines;
	uint64_t hex_left;	/* raw bytes that may still be written; 0: none */
};

static void
write_hex(struct text_writer *writer, const struct streams_line *line, unsigned indent)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *data = (const uint8_t *)line->bytes.start;
	size_t size = line->bytes.length;

	if (size > writer->hex_left) {
		output_format(writer->output, "%*somitted: only a limited number of raw bytes is "
					      "shown\n",
			      (int)indent, "");
		return;
	}
	writer->hex_left -= size;
	for (size_t at = 0; at < size; at += HEX_BYTES) {
		char bytes[3 * HEX_BYTES], text[HEX_BYTES + 1] = "";

		memset(bytes, ' ', sizeof(bytes));
		for (size_t i = 0; i < HEX_BYTES && at + i < size; i++) {
			const bool hidden = writer->crash->redacted &&
					    crash_redacts_name(writer->crash, data, size, at + i);
			const uint8_t byte = hidden ? '-' : data[at + i];

			text[i] = (char)(byte >= ' ' && byte <= '~' ? byte : '.');
			bytes[3 * i + 1] = hidden ? '-' : digits[byte >> 4];
			bytes[3 * i + 2] = hidden ? '-' : digits[byte & 15];
		}
		output_format(writer->output, "%*s%08" PRIx64 " %.*s  %s\n", (int)indent, "",
			      line->place.offset + at, (int)sizeof(bytes), bytes, text);
	}
}

/* Fills a row with a line. Escapes may make the line wider than its bytes. */
static void
fill_line(const struct streams_line *line, struct row *row)
{
	const size_t indent = 2 + 2 * (size_t)line->depth;
	const char *value = line->value != NULL ? line->value : "";

	row_pad(row, indent);
	if (line->more || (line->record && line->value != NULL)) {
		row_add(row, ROLE_NORMAL, "%s%s", line->more ? "  " : "", value);
	} else if (line->record) {
		row_add(row, ROLE_NORMAL, "%s", line->name);
		if (line->note != NULL)
			row_add(row, ROLE_NORMAL, "  %s", line->note);
		if (line->place.input != NULL)
			row_add(row, ROLE_NORMAL, "  at 0x%" PRIx64, line->place.offset);
	} else {
		row_add(row, ROLE_NORMAL, line->derived ? "(%s)" : "%s", line->name);
		row_pad(row, indent + line->columns);
		row_add(row, ROLE_NORMAL, line->broken ? " !" : " =");
		if (line->value != NULL)
			row_add(row, ROLE_NORMAL, " %s", value);
		if (line->note != NULL)
			row_add(row, ROLE_NORMAL,
				line->broken	       ? " %s"
				: line->value != NULL ? "  (%s)"
						       : " (%s)",
				line->note);
	}
}

static void
flush(struct text_writer *writer)
{
	struct streams_lines *lines = &writer->lines;
	struct row row = ROW_IN(&writer->arena);

	streams_lines_align(lines);
	for (size_t i = 0; i < lines->count; i++) {
		const struct streams_line *line = &lines->lines[i];

		row_clear(&row);
		fill_line(line, &row);
		output_plain(writer->output, line->record && line->value == NULL ? "\n" : "");
		output_text(writer->output, text_of(row_text(&row)));
		output_plain(writer->output, "\n");
		if (!line->record && writer->hex_left > 0 && line->bytes.length > 0)
			write_hex(writer, line, 4 + 2 * line->depth);
	}
	if (lines->lost > 0)
		output_format(writer->output, "  %zu lines are omitted: " OUT_OF_MEMORY "\n",
			      lines->lost);
	lines->lines = NULL;
	lines->count = lines->capacity = lines->lost = 0;
	arena_reset(&writer->arena);
}

static enum describe_detail
text_begin(void *context, const struct describe_record *record)
{
	struct text_writer *writer = context;

	if (writer->lines.depth == 0)
		flush(writer);
	enum describe_detail detail = lines_begin(&writer->lines, record);
	/* The line of a record already contains the values of all its fields. */
	if (detail != DESCRIBE_ALL || record->line.length == 0)
		return detail;
	lines_end(&writer->lines);
	return DESCRIBE_SKIP;
}

static void
text_value(void *context, const struct describe_value *value)
{
	struct text_writer *writer = context;

	if (writer->lines.depth == 0 && writer->lines.count >= LINES_KEPT)
		flush(writer);
	lines_value(&writer->lines, value);
}

static void
text_end(void *context)
{
	struct text_writer *writer = context;

	lines_end(&writer->lines);
}

/* Document ------------------------------------------------------------------------------------- */

static bool
is_chosen(const struct streams_options *options, size_t stream)
{
	for (size_t i = 0; i < options->chosen_count; i++)
		if (options->chosen[i] == stream)
			return true;
	return options->chosen == NULL;
}

static void
write_directory(const struct output *output, const struct crash *crash,
		const struct streams_options *options)
{
	output_format(output, "directory: %zu stream%s\n"
		      "   #       type name                     vendor        offset      size"
		      " as\n", crash->stream_count,
		      plural(crash->stream_count));
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const char *vendor = describe_vendor(stream->type);
		size_t first = 0, shared = describe_overlaps(crash, i, &first);

		if (!is_chosen(options, i))
			continue;
		output_format(output, "%4zu 0x%08" PRIx32 " %-24s %-9s 0x%08" PRIx64
			      " %9" PRIu64 " %s", i, stream->type, stream->name,
			      vendor != NULL ? vendor : "-", stream->offset, stream->size,
			      streams_known_names.first[describe_known(stream->type)]);
		if (shared > 0)
			output_format(output, ", shares bytes with %zu%s", first,
				      shared > 1 ? " and others" : "");
		output_format(output, "\n");
	}
}

void
streams_text(const struct output *output, const struct crash *crash,
	     const struct streams_options *options)
{
	struct describe_budget budget = describe_budget(crash);
	struct text_writer writer = { .output = output, .crash = crash };
	const struct describe_sink sink = { text_begin, text_value, text_end, &writer,
					    options->messages, &budget };

	writer.lines = (struct streams_lines){ .crash = crash, .arena = &writer.arena };
	/* More than the dump's size, because several streams may contain the bytes of one stack. */
	writer.hex_left = options->hex ? 3 * crash->reader.size + HEX_BYTES : 0;
	if (options->chosen == NULL) {
		output_format(output, "header  %s, %s endian\n", crash->format,
			      crash->reader.big_endian ? "big" : "little");
		describe_header(crash, &sink);
		flush(&writer);
		output_plain(output, "\n");
	}
	if (options->chosen == NULL || options->brief)
		write_directory(output, crash, options);
	for (size_t i = 0; i < crash->stream_count && !options->brief; i++) {
		if (!is_chosen(options, i))
			continue;
		const struct stream *stream = &crash->streams[i];

		output_format(output,
			"\n%s  stream %zu, type 0x%" PRIx32 ", %" PRIu64 " byte%s at 0x%" PRIx64
			"\n",
			stream->name, i, stream->type, stream->size, plural(stream->size),
			stream->offset);
		describe_stream(crash, i, &sink);
		flush(&writer);
	}
	arena_free(&writer.arena);
}

/* Names ---------------------------------------------------------------------------------------- */

size_t
streams_named(const struct crash *crash, const char *name, size_t from)
{
	size_t length = strcspn(name, "#"), seen = 0;
	uint64_t wanted = 0, type = 0;
	const bool by_type = text_number((struct text){ name, length }, 0, &type) &&
			     type <= UINT32_MAX;

	if (name[length] == '#' &&
	    (!text_number(text_of(name + length + 1), 10, &wanted) || wanted == 0))
		return STREAMS_NONE;
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		bool same = by_type ? stream->type == type
				    : strlen(stream->name) == length &&
					      strncasecmp(stream->name, name, length) == 0;

		if (same && (wanted == 0 || ++seen == wanted) && i >= from)
			return i;
	}
	return STREAMS_NONE;
}

/* Bytes of a value that are written without --hex. */
#define SHORT_BYTES 64u

struct json_writer {
	struct json *json;
	const struct crash *crash;
	const struct streams_options *options;
	const struct describe_sink *sink;
	struct arena arena;
	uint64_t hex_left;	/* raw bytes that may still be written */
};

/* Bytes as hexadecimal digits; null if they are many and --hex is off. */
static void
write_bytes(struct json_writer *writer, struct text bytes)
{
	const char *text = NULL;

	if (bytes.length <= SHORT_BYTES || bytes.length <= writer->hex_left)
		text = hex_text(writer->crash, &writer->arena, bytes);
	if (text != NULL && bytes.length > SHORT_BYTES)
		writer->hex_left -= bytes.length;
	json_string(writer->json, "value", text);
}

static void
write_json_value(struct json_writer *writer, const struct describe_value *value)
{
	struct json *json = writer->json;

	if (value->kind != DESCRIBE_NONE && is_private(writer->crash, value)) {
		json_string(json, "value", CRASH_REDACTED);
		return;
	}
	switch (value->kind) {
	case DESCRIBE_DECIMAL:
		json_number(json, "value", value->number);
		break;
	case DESCRIBE_SIGNED:
		json_signed(json, "value", (int64_t)value->number);
		break;
	case DESCRIBE_HEX:
		json_hex(json, "value", value->number, value->digits > 0 ? value->digits : 1);
		break;
	case DESCRIBE_WORD:
	case DESCRIBE_TEXT:
		json_text(json, "value", value->text);
		break;
	case DESCRIBE_BYTES:
		write_bytes(writer, value->text);
		break;
	case DESCRIBE_NONE:
		json_null(json, "value");
		break;
	}
}

static const struct fact_names format_names = FACT_NAMES(crash_formats);

static const struct fact_names order_names = FACT_WORDS("little", "big");

#define FACTS "report/file/streams_facts.def"
#include "document/describe_facts.h"

static void
json_value(void *context, const struct describe_value *value)
{
	struct json_writer *writer = context;

	FACTS_WRITE(writer->json, NULL, streams_value, writer, value);
	arena_reset(&writer->arena);
}

static enum describe_detail
json_record(void *context, const struct describe_record *record)
{
	struct json_writer *writer = context;

	json_object(writer->json, NULL);
	streams_record_members(writer->json, record);
	return DESCRIBE_ALL;
}

static void
json_record_end(void *context)
{
	struct json_writer *writer = context;

	json_array_end(writer->json);
	json_object_end(writer->json);
}

void
streams_json(const struct output *output, const struct crash *crash,
	     const struct streams_options *options, bool pretty)
{
	struct describe_budget budget = describe_budget(crash);
	struct json_writer writer = { .crash = crash, .options = options,
				      .hex_left = options->hex ? 3 * crash->reader.size : 0 };
	const struct describe_sink sink = { json_record, json_value, json_record_end, &writer,
					    options->messages, &budget };

	writer.sink = &sink;
	FACTS_DOCUMENT(output, pretty, streams_document, &writer);
	arena_free(&writer.arena);
}
