/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "dump/describe.h"
#include "report/stack/walk_json.h"

#define STREAM_HANDLES 12u
#define STREAM_MAC_CRASH_INFO 0x4d7a0001u
#define STREAM_MAC_BOOT_ARGUMENTS 0x4d7a0002u
#define STREAM_PROC_LIMITS 0x4d7a0003u
#define STREAM_SOFT_ERRORS 0x4d7a0004u

/* A value of the record that is being gathered. */
struct gathered {
	const struct gathered *before;
	const char *name;
	uint64_t number;
	struct text text;
};

/* Gathers the values of one record after another, and writes each record. */
struct gatherer {
	const struct crash *crash;
	struct json *json;
	const char *record;		/* the name of the records */
	void (*members)(struct json *json, const struct gatherer *gatherer);
	struct arena arena;		/* of one record's values */
	const struct gathered *values;	/* the last one first */
	size_t depth;			/* 1: in a record */
	uint64_t count;			/* of records */
};

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct gatherer *gatherer = context;

	if (gatherer->depth > 0 || strcmp(record->name, gatherer->record) != 0)
		return DESCRIBE_SKIP;
	gatherer->depth++;
	return DESCRIBE_ALL;
}

static void
gather_value(void *context, const struct describe_value *value)
{
	struct gatherer *gatherer = context;
	struct gathered *gathered;

	if (gatherer->depth != 1 || (value->broken && value->text.length == 0))
		return;
	gathered = arena_alloc(&gatherer->arena, sizeof(*gathered));
	if (gathered == NULL)
		return;
	*gathered = (struct gathered){
		.before = gatherer->values, .number = value->number,
		.name = arena_copy(&gatherer->arena, value->name, strlen(value->name)),
		.text = { arena_copy(&gatherer->arena, value->text.start, value->text.length),
			  value->text.length },
	};
	if (gathered->name != NULL && gathered->text.start != NULL)
		gatherer->values = gathered;
}

static void
end_record(void *context)
{
	struct gatherer *gatherer = context;

	gatherer->depth--;
	gatherer->count++;
	json_object(gatherer->json, NULL);
	gatherer->members(gatherer->json, gatherer);
	json_object_end(gatherer->json);
	gatherer->values = NULL;
	arena_reset(&gatherer->arena);
}

static const struct gathered *
find(const struct gatherer *gatherer, const char *name)
{
	const struct gathered *value = gatherer->values;

	while (value != NULL && strcmp(value->name, name) != 0)
		value = value->before;
	return value;
}

static bool
has(const struct gatherer *gatherer, const char *name)
{
	return find(gatherer, name) != NULL;
}

static uint64_t
number(const struct gatherer *gatherer, const char *name)
{
	return find(gatherer, name)->number;
}

static struct text
text(const struct gatherer *gatherer, const char *name)
{
	return find(gatherer, name)->text;
}

static void
write_limit(struct json *json, const struct gatherer *gatherer, const char *key)
{
	const struct gathered *value = find(gatherer, key);
	uint64_t limit = 0;

	if (value == NULL) {
		json_null(json, key);
		return;
	}
	bool digits = value->text.length > 0 && value->text.length < 19;
	for (size_t i = 0; i < value->text.length && digits; i++) {
		digits = value->text.start[i] >= '0' && value->text.start[i] <= '9';
		limit = limit * 10 + (uint64_t)(value->text.start[i] - '0');
	}
	if (digits)
		json_number(json, key, limit);
	else
		json_text(json, key, value->text);
}

/* The first stream of a type, or one behind the last. */
static size_t
find_stream(const struct crash *crash, uint32_t type)
{
	size_t at = 0;

	while (at < crash->stream_count && crash->streams[at].type != type)
		at++;
	return at;
}

static bool
has_stream(const struct crash *crash, uint32_t type)
{
	return find_stream(crash, type) < crash->stream_count;
}

static void
gather(struct gatherer *gatherer, struct json *json, uint32_t type, const char *record,
       void (*members)(struct json *json, const struct gatherer *gatherer))
{
	const struct describe_sink sink = { begin_record, gather_value, end_record, gatherer, NULL };

	gatherer->json = json;
	gatherer->record = record;
	gatherer->members = members;
	gatherer->count = 0;
	describe_stream(gatherer->crash, find_stream(gatherer->crash, type), &sink);
}

/* The text that a stream holds as a whole, under a name of its own or as its bytes. */
struct string_of_stream {
	struct json *json;
	const char *key, *value;
	bool found;
};

static void
write_value(void *context, const struct describe_value *value)
{
	struct string_of_stream *string = context;
	bool named = string->value == NULL ? value->text.length > 0
					   : strcmp(value->name, string->value) == 0;

	if (string->found || !named || value->text.length == 0)
		return;
	string->found = true;
	json_text(string->json, string->key, value->text);
}

static void
write_string(struct json *json, const struct crash *crash, const char *key, uint32_t type,
	     const char *value)
{
	struct string_of_stream string = { json, key, value, false };
	const struct describe_sink sink = { .value = write_value, .context = &string };
	size_t stream = find_stream(crash, type);

	if (stream < crash->stream_count)
		describe_stream(crash, stream, &sink);
	if (!string.found)
		json_null(json, key);
}

#define FACTS "report/stack/stream_facts.def"
#include "document/describe_facts.h"
