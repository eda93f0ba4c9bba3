/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "report/file/streams_internal.h"

/* Values of a stream without records that are buffered before they are written. */
#define LINES_KEPT 512u
#define HEX_BYTES 16u

/* Text output: buffers the lines of one record at a time. */
struct text_writer {
	const struct output *output;
	const struct crash *crash;
	struct arena arena;
	struct streams_lines lines;
	struct describe_sink collect;
	uint64_t hex_left;	/* raw bytes that may still be written; 0: none */
};

/* Hexadecimal and text ------------------------------------------------------------------------- */

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

/* Fills a row with a line, whose escapes may make it wider than its bytes. */
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
	enum describe_detail detail = writer->collect.begin(&writer->lines, record);
	/* A line of text contains everything that its fields have. */
	if (detail != DESCRIBE_ALL || record->line.length == 0)
		return detail;
	writer->collect.end(&writer->lines);
	return DESCRIBE_SKIP;
}

static void
text_value(void *context, const struct describe_value *value)
{
	struct text_writer *writer = context;

	if (writer->lines.depth == 0 && writer->lines.count >= LINES_KEPT)
		flush(writer);
	writer->collect.value(&writer->lines, value);
}

static void
text_end(void *context)
{
	struct text_writer *writer = context;

	writer->collect.end(&writer->lines);
	if (writer->lines.depth == 0)
		flush(writer);
}

/* Document ------------------------------------------------------------------------------------- */

static void
write_directory(const struct output *output, const struct crash *crash)
{
	output_format(output, "\ndirectory: %zu stream%s\n"
		      "   #       type name                     vendor        offset      size"
		      " as\n", crash->stream_count,
		      plural(crash->stream_count));
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const char *vendor = describe_vendor(stream->type);
		size_t first = 0, shared = describe_overlaps(crash, i, &first);

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

/* Whether the options choose a stream. */
static bool
is_chosen(const struct streams_options *options, size_t stream)
{
	for (size_t i = 0; i < options->chosen_count; i++)
		if (options->chosen[i] == stream)
			return true;
	return options->chosen == NULL;
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
	writer.collect = streams_lines_sink(&writer.lines);
	/* Threads and regions contain the bytes of stacks, which other streams may share. */
	writer.hex_left = options->hex ? 3 * crash->reader.size + HEX_BYTES : 0;
	if (options->chosen == NULL) {
		output_format(output, "header  %s, %s endian\n", crash->format,
			      crash->reader.big_endian ? "big" : "little");
		describe_header(crash, &sink);
		flush(&writer);
		write_directory(output, crash);
	}
	for (size_t i = 0; i < crash->stream_count && !options->brief; i++) {
		if (!is_chosen(options, i))
			continue;
		const struct stream *stream = &writer.crash->streams[i];

		output_format(writer.output,
			"\n%s  stream %zu, type 0x%" PRIx32 ", %" PRIu64 " byte%s at 0x%" PRIx64
			"\n",
			stream->name, i, stream->type, stream->size, plural(stream->size),
			stream->offset);
		describe_stream(writer.crash, i, &sink);
		flush(&writer);
	}
	arena_free(&writer.arena);
}

/* Names ---------------------------------------------------------------------------------------- */

/* Parses a type number, decimal or with 0x. */
static bool
type_number(const char *text, size_t length, uint32_t *type)
{
	uint64_t value = 0;
	const bool good = text_number((struct text){ text, length }, 0, &value);

	*type = (uint32_t)value;
	return good && value <= UINT32_MAX;
}

size_t
streams_named(const struct crash *crash, const char *name, size_t from)
{
	size_t length = strcspn(name, "#"), seen = 0;
	uint64_t wanted = 0;
	uint32_t type = 0;
	bool by_type = type_number(name, length, &type);

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
		text = streams_hex(writer->crash, &writer->arena, bytes);
	if (text != NULL && bytes.length > SHORT_BYTES)
		writer->hex_left -= bytes.length;
	json_string(writer->json, "value", text);
}

static void
write_json_value(struct json_writer *writer, const struct describe_value *value)
{
	struct json *json = writer->json;

	if (value->kind != DESCRIBE_NONE && streams_is_private(writer->crash, value)) {
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

static const char *const order_words[] = { "little", "big" };
static const struct fact_names order_names = FACT_NAMES(order_words);

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
