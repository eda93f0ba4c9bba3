/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump/describe_internal.h"

bool
minidump_annotate(struct minidump *minidump, const char *source, const char *key,
		  const char *value, struct place place)
{
	struct crash *crash = minidump->crash;

	if (crash->annotation_count >= LIMIT_ANNOTATIONS) {
		if (!minidump->annotations_full)
			minidump_message(minidump, LIMIT, place,
					 "more than %u annotations\nthe rest is skipped",
					 LIMIT_ANNOTATIONS);
		minidump->annotations_full = true;
		return false;
	}
	struct annotation *annotations =
		arena_grow(&crash->arena, crash->annotations, crash->annotation_count,
			   &minidump->annotation_capacity, sizeof(*annotations));
	if (annotations == NULL || source == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	crash->annotations = annotations;
	annotations[crash->annotation_count++] = (struct annotation){
		.source = source,
		.key = key != NULL ? key : "",
		.value = value != NULL ? value : "",
		.place = place,
	};
	return true;
}

/* A sink that makes annotations of the texts of a stream. */
struct annotator {
	struct minidump *minidump;
	const char *source;		/* of the stream */
	const char *part;		/* of what is being told: the stream or a module of it */
	unsigned depth;
};

static const char *
hex_text(struct arena *arena, struct text bytes)
{
	char *text = arena_array(arena, bytes.length * 2 + 1, 1);

	for (size_t i = 0; text != NULL && i < bytes.length; i++)
		snprintf(text + 2 * i, 3, "%02x", (uint8_t)bytes.start[i]);
	return text;
}

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct annotator *annotator = context;

	(void)record;
	annotator->depth++;
	return annotator->minidump->annotations_full ? DESCRIBE_SKIP : DESCRIBE_ALL;
}

static void
end_record(void *context)
{
	struct annotator *annotator = context;

	if (--annotator->depth == 0)
		annotator->part = annotator->source;
}

/* What follows belongs to a module: its name, or its number where there is no such module. */
static bool
names_module(struct annotator *annotator, const struct describe_value *value)
{
	struct arena *arena = &annotator->minidump->crash->arena;

	if (value->link == DESCRIBE_LINK_MODULE)
		annotator->part = arena_format(arena, "%s module %s", annotator->source,
					       place_base_name(value->text.start));
	else if (value->key && value->kind == DESCRIBE_DECIMAL)
		annotator->part = arena_format(arena, "%s module %" PRIu64, annotator->source,
					       value->number);
	return value->key;
}

static void
annotate_value(void *context, const struct describe_value *value)
{
	struct annotator *annotator = context;
	struct minidump *minidump = annotator->minidump;
	struct arena *arena = &minidump->crash->arena;
	struct text text = value->text;
	const char *result;

	if (minidump->annotations_full || value->broken || names_module(annotator, value))
		return;
	if (text.length > LIMIT_STRING)
		text.length = LIMIT_STRING;
	if (value->kind == DESCRIBE_TEXT || value->kind == DESCRIBE_WORD)
		result = arena_copy(arena, text.start, text.length);
	else if (value->kind == DESCRIBE_BYTES)
		result = hex_text(arena, text);
	else if (value->link == DESCRIBE_LINK_ADDRESS)
		result = arena_format(arena, "0x%" PRIx64, value->number);
	else
		return;
	minidump_annotate(minidump, annotator->part,
			  arena_copy(arena, value->name, strlen(value->name)), result,
			  value->place);
}

void
minidump_annotate_stream(struct minidump *minidump, const struct stream *stream,
			 const struct reader *window, const char *source)
{
	struct annotator annotator = { .minidump = minidump, .source = source, .part = source };
	const struct describe_sink sink = { begin_record, annotate_value, end_record, &annotator,
					    &minidump->crash->messages };

	describe_loading(minidump->crash, stream, window, &sink);
}
