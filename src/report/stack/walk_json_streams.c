/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "dump/describe.h"
#include "report/stack/walk_json_internal.h"

/* A member of a record's object, and the value of the stream that it is. */
struct member {
	const char *key, *value;
	enum { AS_HEX, AS_TEXT, AS_NUMBER_OR_TEXT } form;
};

/* A list of records in a stream, as a member of the document. */
struct list {
	const char *key, *inside, *count;	/* inside: array in an object, with its count */
	uint32_t stream;
	const char *record;
	const struct member *members;
	size_t member_count;
};

static const struct member handle_members[] = {
	{ "handle", "handle", AS_HEX },
	{ "type_name", "type_name", AS_TEXT },
	{ "object_name", "object_name", AS_TEXT },
};

static const struct member mac_members[] = {
	{ "thread", "thread", AS_HEX },
	{ "dialog_mode", "dialog_mode", AS_HEX },
	{ "abort_cause", "abort_cause", AS_HEX },
	{ "module", "module_path", AS_TEXT },
	{ "message", "message", AS_TEXT },
	{ "signature_string", "signature_string", AS_TEXT },
	{ "backtrace", "backtrace", AS_TEXT },
	{ "message2", "message2", AS_TEXT },
};

static const struct member limit_members[] = {
	{ "name", "name", AS_TEXT },
	{ "soft", "soft", AS_NUMBER_OR_TEXT },
	{ "hard", "hard", AS_NUMBER_OR_TEXT },
	{ "unit", "unit", AS_TEXT },
};

#define MEMBERS(array) array, ARRAY_COUNT(array)

static const struct list lists[] = {
	{ "handles", NULL, NULL, 12, "handle", MEMBERS(handle_members) },
	{ "mac_crash_info", "records", "num_records", 0x4d7a0001, "record", MEMBERS(mac_members) },
	{ "proc_limits", "limits", NULL, 0x4d7a0003, "limit", MEMBERS(limit_members) },
};

#define MOST_MEMBERS 8u
#define STREAM_MAC_BOOT_ARGUMENTS 0x4d7a0002u
#define STREAM_SOFT_ERRORS 0x4d7a0004u

/* Gathers the values of one record after another. */
struct gatherer {
	struct walk_json *document;
	const struct list *list;
	struct arena arena;
	size_t depth;			/* 1: in a record of the list */
	uint64_t count;
	bool known[MOST_MEMBERS];
	uint64_t number[MOST_MEMBERS];
	struct text text[MOST_MEMBERS];
};

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct gatherer *gatherer = context;

	if (gatherer->depth > 0 || strcmp(record->name, gatherer->list->record) != 0)
		return DESCRIBE_SKIP;
	gatherer->depth++;
	memset(gatherer->known, 0, sizeof(gatherer->known));
	return DESCRIBE_ALL;
}

static void
gather_value(void *context, const struct describe_value *value)
{
	struct gatherer *gatherer = context;

	if (gatherer->depth != 1)
		return;
	for (size_t i = 0; i < gatherer->list->member_count; i++) {
		if (strcmp(gatherer->list->members[i].value, value->name) != 0)
			continue;
		char *copy = arena_copy(&gatherer->arena, value->text.start, value->text.length);

		gatherer->known[i] = !value->broken || value->text.length > 0;
		gatherer->number[i] = value->number;
		gatherer->text[i] = (struct text){ copy, copy != NULL ? value->text.length : 0 };
	}
}

static void
write_number_or_text(struct json *json, const char *key, struct text text)
{
	uint64_t number = 0;
	bool digits = text.length > 0 && text.length < 19;

	for (size_t i = 0; i < text.length && digits; i++) {
		digits = text.start[i] >= '0' && text.start[i] <= '9';
		number = number * 10 + (uint64_t)(text.start[i] - '0');
	}
	if (digits)
		json_number(json, key, number);
	else
		json_text(json, key, text);
}

static void
end_record(void *context)
{
	struct gatherer *gatherer = context;
	struct json *json = &gatherer->document->json;

	gatherer->depth--;
	gatherer->count++;
	json_object(json, NULL);
	for (size_t i = 0; i < gatherer->list->member_count; i++) {
		const struct member *member = &gatherer->list->members[i];

		if (!gatherer->known[i])
			json_null(json, member->key);
		else if (member->form == AS_HEX)
			json_hex(json, member->key, gatherer->number[i],
				 gatherer->document->digits);
		else if (member->form == AS_NUMBER_OR_TEXT)
			write_number_or_text(json, member->key, gatherer->text[i]);
		else
			json_text(json, member->key, gatherer->text[i]);
	}
	json_object_end(json);
	arena_reset(&gatherer->arena);
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

static void
write_list(struct walk_json *document, const struct list *list)
{
	struct json *json = &document->json;
	struct gatherer gatherer = { .document = document, .list = list };
	const struct describe_sink sink = { begin_record, gather_value, end_record, &gatherer,
					    NULL };
	size_t stream = find_stream(document->crash, list->stream);

	if (stream == document->crash->stream_count) {
		json_null(json, list->key);
		return;
	}
	arena_init(&gatherer.arena, 0);
	if (list->inside != NULL)
		json_object(json, list->key);
	json_array(json, list->inside != NULL ? list->inside : list->key);
	describe_stream(document->crash, stream, &sink);
	json_array_end(json);
	if (list->count != NULL)
		json_number(json, list->count, gatherer.count);
	if (list->inside != NULL)
		json_object_end(json);
	arena_free(&gatherer.arena);
}

/* The text that a stream holds as a whole, under a name of its own or as its bytes. */
struct string_of_stream {
	struct json *json;
	const char *key, *value;
	bool found;
};

static enum describe_detail
skip_record(void *context, const struct describe_record *record)
{
	(void)context;
	(void)record;
	return DESCRIBE_SKIP;
}

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
end_nothing(void *context)
{
	(void)context;
}

static void
write_string(struct walk_json *document, const char *key, uint32_t type, const char *value)
{
	struct string_of_stream string = { &document->json, key, value, false };
	const struct describe_sink sink = { skip_record, write_value, end_nothing, &string, NULL };
	size_t stream = find_stream(document->crash, type);

	if (stream < document->crash->stream_count)
		describe_stream(document->crash, stream, &sink);
	if (!string.found)
		json_null(&document->json, key);
}

void
walk_json_streams(struct walk_json *document)
{
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		write_list(document, &lists[i]);
	write_string(document, "mac_boot_args", STREAM_MAC_BOOT_ARGUMENTS, "bootargs");
	json_null(&document->json, "soft_errors");
	write_string(document, "soft_errors_text", STREAM_SOFT_ERRORS, NULL);
}
