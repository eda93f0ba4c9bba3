/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include <inttypes.h>

#include "report/file/streams_internal.h"

/* Bytes of a value that are written without being asked for. */
#define SHORT_BYTES 64u

struct json_writer {
	struct json json;
	const struct crash *crash;
	const struct streams_options *options;
	const struct describe_sink *sink;
	struct arena arena;
	uint64_t hex_left;	/* raw bytes that may still be written */
};

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

/* Whether the stream is to be shown; its raw bytes are counted from here on. */
static bool
choose_stream(struct json_writer *writer, size_t stream)
{
	writer->hex_left = writer->options->hex ? 2 * writer->crash->reader.size : 0;
	return streams_is_chosen(writer->options, stream);
}

static const char *const shown_words[] = { "fields", "bytes", "unknown" };
static const struct fact_names shown_names = FACT_NAMES(shown_words);

static const char *const format_words[] = { "minidump", "microdump" };
static const struct fact_names format_names = FACT_NAMES(format_words);

static const char *const order_words[] = { "little", "big" };
static const struct fact_names order_names = FACT_NAMES(order_words);

#define FACTS "report/file/streams_facts.def"
#include "document/describe_facts.h"

static void
json_value(void *context, const struct describe_value *value)
{
	struct json_writer *writer = context;

	json_object(&writer->json, NULL);
	streams_value_members(&writer->json, writer, value);
	json_object_end(&writer->json);
	arena_reset(&writer->arena);
}

static enum describe_detail
json_record(void *context, const struct describe_record *record)
{
	struct json_writer *writer = context;

	json_object(&writer->json, NULL);
	streams_record_members(&writer->json, record);
	return DESCRIBE_ALL;
}

static void
json_record_end(void *context)
{
	struct json_writer *writer = context;

	json_array_end(&writer->json);
	json_object_end(&writer->json);
}

void
streams_json(const struct output *output, const struct crash *crash,
	     const struct streams_options *options, bool pretty)
{
	struct json_writer writer = { .crash = crash, .options = options };
	const struct describe_sink sink = { json_record, json_value, json_record_end, &writer,
					    options->messages };

	writer.sink = &sink;
	arena_init(&writer.arena, 0);
	json_begin(&writer.json, output, pretty);
	json_object(&writer.json, NULL);
	streams_document_members(&writer.json, &writer);
	json_object_end(&writer.json);
	json_finish(&writer.json);
	arena_free(&writer.arena);
}
