/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams_internal.h"

#include <inttypes.h>
#include <string.h>

/* Bytes up to which a value of bytes is shown where it stands. */
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

static const char *
bytes_text(struct arena *arena, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";

	if (bytes.length > SHORT_BYTES)
		return arena_format(arena, "%zu bytes", bytes.length);
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
	/* A NUL would end what is shown: the bytes behind it are text of the dump as well. */
	for (size_t i = 1; i <= text.length; i++)
		if (copy[i] == '\0' || copy[i] == '\t')
			copy[i] = ' ';
	return copy;
}

/* The value as text without its note; NULL: it has none, or it may not be shown. */
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
		return bytes_text(arena, value->text);
	case DESCRIBE_NONE:
		break;
	}
	return NULL;
}

const char *
streams_known_name(const struct stream *stream)
{
	static const char *const names[] = {
		[DESCRIBE_UNKNOWN] = "unknown",
		[DESCRIBE_NAMED] = "bytes",
		[DESCRIBE_DECODED] = "fields",
	};

	return names[describe_known(stream->type)];
}

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
begin(void *context, const struct describe_record *record)
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

/* What a folded record's line says of a value: its meaning, where it has one. */
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
add_value(void *context, const struct describe_value *value)
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
		/* Text of several lines goes on below its first one. */
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

size_t
streams_name_columns(const struct streams_line *line)
{
	return text_width(text_of(line->name)) + (line->derived ? 2 : 0);
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
			size_t used = streams_name_columns(&lines->lines[end]);

			if (used <= NAME_COLUMNS && used > columns)
				columns = used;
		}
		for (; first < end; first++)
			lines->lines[first].columns = columns;
	}
}

struct describe_sink
streams_lines_sink(struct streams_lines *lines, struct message_list *messages)
{
	return (struct describe_sink){ .begin = begin, .value = add_value, .end = end,
				       .context = lines, .messages = messages };
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

size_t
streams_count_records(const struct crash *crash, size_t stream)
{
	size_t count = 0;
	const struct describe_sink sink = { .begin = count_record, .context = &count };

	describe_stream(crash, stream, &sink);
	return count;
}
