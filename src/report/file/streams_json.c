/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>

#include "document/json.h"
#include "report/file/streams_internal.h"

/* Bytes of a value that are written without being asked for. */
#define SHORT_BYTES 64u

struct json_writer {
	struct json json;
	const struct crash *crash;
	struct arena arena;
	uint64_t hex_left;	/* raw bytes that may still be written */
};

static void
write_place(struct json *json, struct place place)
{
	if (place.input == NULL)
		return;
	json_number(json, "offset", place.offset);
	json_number(json, "size", place.length);
}

/* Bytes as hexadecimal digits; null where they are many and not asked for. */
static void
write_bytes(struct json_writer *writer, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *text = NULL;

	if (bytes.length <= SHORT_BYTES || bytes.length <= writer->hex_left)
		text = arena_array(&writer->arena, 2 * bytes.length + 1, 1);
	if (text != NULL && bytes.length > SHORT_BYTES)
		writer->hex_left -= bytes.length;
	for (size_t i = 0; text != NULL && i < bytes.length; i++) {
		text[2 * i] = digits[(uint8_t)bytes.start[i] >> 4];
		text[2 * i + 1] = digits[(uint8_t)bytes.start[i] & 15];
	}
	json_string(&writer->json, "value", text);
}

static void
write_value(struct json_writer *writer, const struct describe_value *value)
{
	struct json *json = &writer->json;

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

static void
json_value(void *context, const struct describe_value *value)
{
	struct json_writer *writer = context;
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "name", value->name);
	if (value->kind != DESCRIBE_NONE && streams_is_private(writer->crash, value))
		json_string(json, "value", CRASH_REDACTED);
	else
		write_value(writer, value);
	if (value->note != NULL)
		json_string(json, "note", value->note);
	if (value->derived)
		json_bool(json, "derived", true);
	if (value->broken)
		json_bool(json, "broken", true);
	write_place(json, value->place);
	json_object_end(json);
	arena_reset(&writer->arena);
}

static enum describe_detail
json_record(void *context, const struct describe_record *record)
{
	struct json_writer *writer = context;
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "record", record->name);
	if (record->index != DESCRIBE_NO_INDEX)
		json_number(json, "index", record->index);
	if (record->note != NULL)
		json_string(json, "note", record->note);
	write_place(json, record->place);
	json_array(json, "contents");
	return DESCRIBE_ALL;
}

static void
json_record_end(void *context)
{
	struct json_writer *writer = context;

	json_array_end(&writer->json);
	json_object_end(&writer->json);
}

static void
write_entry(struct json_writer *writer, size_t index)
{
	const struct stream *stream = &writer->crash->streams[index];
	struct json *json = &writer->json;
	size_t first = 0, shared = describe_overlaps(writer->crash, index, &first);

	json_number(json, "index", index);
	json_hex(json, "type", stream->type, 8);
	json_string(json, "name", stream->name);
	json_string(json, "vendor", describe_vendor(stream->type));
	json_number(json, "offset", stream->offset);
	json_number(json, "size", stream->size);
	json_string(json, "shown_as", streams_known_name(stream));
	if (shared > 0) {
		json_number(json, "overlaps", shared);
		json_number(json, "overlaps_first", first);
	}
}

static void
write_stream(struct json_writer *writer, size_t index, const struct describe_sink *sink)
{
	json_object(&writer->json, NULL);
	write_entry(writer, index);
	json_array(&writer->json, "contents");
	describe_stream(writer->crash, index, sink);
	json_array_end(&writer->json);
	json_object_end(&writer->json);
}

static void
write_streams(struct json_writer *writer, const struct streams_options *options,
	      const struct describe_sink *sink)
{
	json_array(&writer->json, "streams");
	for (size_t i = 0; i < writer->crash->stream_count; i++) {
		bool wanted = options->chosen == NULL;

		for (size_t j = 0; j < options->chosen_count; j++)
			wanted = wanted || options->chosen[j] == i;
		if (!wanted)
			continue;
		writer->hex_left = options->hex ? 2 * writer->crash->reader.size : 0;
		write_stream(writer, i, sink);
	}
	json_array_end(&writer->json);
}

void
streams_json(const struct output *output, const struct crash *crash,
	     const struct streams_options *options, bool pretty)
{
	struct json_writer writer = { .crash = crash };
	const struct describe_sink sink = { json_record, json_value, json_record_end, &writer,
					    options->messages };

	arena_init(&writer.arena, 0);
	json_begin(&writer.json, output, pretty);
	json_object(&writer.json, NULL);
	json_string(&writer.json, "format", crash->format);
	json_string(&writer.json, "byte_order", crash->reader.big_endian ? "big" : "little");
	json_array(&writer.json, "header");
	describe_header(crash, &sink);
	json_array_end(&writer.json);
	json_array(&writer.json, "directory");
	for (size_t i = 0; i < crash->stream_count; i++) {
		json_object(&writer.json, NULL);
		write_entry(&writer, i);
		json_object_end(&writer.json);
	}
	json_array_end(&writer.json);
	if (!options->brief)
		write_streams(&writer, options, &sink);
	json_object_end(&writer.json);
	json_finish(&writer.json);
	arena_free(&writer.arena);
}
