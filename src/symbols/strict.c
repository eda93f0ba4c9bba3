/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/strict.h"

#include <string.h>

/* Sizes of the buffer, which is doubled when a line does not fit. */
#define BUFFER_FIRST (10u << 10)
#define BUFFER_MOST (160u << 10)

/*
 * Simulates only the positions of the buffer through which rust-minidump reads the file. The
 * content begins at `position`; `taken` and `read` are offsets in the file.
 */
struct buffer {
	uint64_t capacity, position;
	uint64_t taken, read;
};

struct strict_reader {
	const char *data;
	strict_visitor *visit;
	void *context;
	struct strict_refusal *refusal;
	enum symbol_record_kind item; /* item that lines may belong to: FUNC or STACK CFI INIT */
	uint64_t lines;			/* number of lines read so far */
	bool failed;			/* `visit` returned false */
};

static bool
refuse(struct strict_reader *reader, const char *why, const char *line)
{
	*reader->refusal = (struct strict_refusal){ why, (uint64_t)(line - reader->data) };
	return false;
}

/* Read a record that belongs to the open item; returns the position after it, or NULL. */
static const char *
read_part(const struct strict_reader *reader, struct text text, struct symbol_record *record)
{
	enum symbol_record_kind kind = SYMBOL_LINE;

	if (reader->item == SYMBOL_STACK_CFI_INIT)
		kind = SYMBOL_STACK_CFI;
	else if (text.length > 14 && memcmp(text.start, "INLINE_ORIGIN ", 14) == 0)
		kind = SYMBOL_INLINE_ORIGIN;
	else if (text.length > 7 && memcmp(text.start, "INLINE ", 7) == 0)
		kind = SYMBOL_INLINE;
	return record_read_strict(kind, text, record);
}

/* Accept the lines up to the last line feed, and move `*at` past them. */
static bool
read_lines(struct strict_reader *reader, const char **at, const char *end)
{
	struct symbol_record record;

	while (end > *at && end[-1] != '\n')
		end--;
	for (; *at < end; reader->lines++) {
		const struct text text = { *at, (size_t)(end - *at) };
		const char *next = NULL;

		if (reader->item != SYMBOL_KIND_COUNT)
			next = read_part(reader, text, &record);
		if (next == NULL) {
			const char *feed = *at;

			reader->item = SYMBOL_KIND_COUNT;
			while (*feed == '\r' && feed + 1 < end)
				feed++;
			if (*feed == '\n') {
				*at = feed + 1;
				continue;
			}
			const enum symbol_record_kind kind = record_kind_strict(text);
			if (kind != SYMBOL_LINE && kind != SYMBOL_INLINE &&
			    kind != SYMBOL_STACK_CFI)
				next = record_read_strict(kind, text, &record);
			if (next == NULL)
				return refuse(reader, "not a valid record at this place", *at);
			if (kind == SYMBOL_MODULE && reader->lines != 0)
				return refuse(reader, "MODULE not in the first line", *at);
			if (kind == SYMBOL_FUNC || kind == SYMBOL_STACK_CFI_INIT)
				reader->item = kind;
		}
		if (reader->visit != NULL && !reader->visit(reader->context, &record))
			return false;
		*at = next;
	}
	return true;
}

/* Move the content of the buffer to its start. */
static void
buffer_take(struct buffer *buffer, uint64_t to)
{
	buffer->position += to - buffer->taken;
	buffer->taken = to;
	if (buffer->position > buffer->capacity / 2)
		buffer->position = 0;
}

/* Returns the number of bytes added. */
static uint64_t
buffer_fill(struct buffer *buffer, uint64_t size)
{
	const uint64_t end = buffer->position + (buffer->read - buffer->taken);
	const uint64_t room = buffer->capacity - end, left = size - buffer->read;
	const uint64_t came = room < left ? room : left;

	buffer->read += came;
	if (room - came < buffer->read - buffer->taken + came)
		buffer->position = 0;
	return came;
}

/* Skip to the end of a line that does not fit in the buffer. True if the end was found. */
static bool
skip_line(struct strict_reader *reader, struct buffer *buffer)
{
	const char *start = reader->data + buffer->taken;
	const char *feed = memchr(start, '\n', (size_t)(buffer->read - buffer->taken));
	const struct symbol_record line = { .kind = SYMBOL_KIND_COUNT, .text.start = start };

	if (reader->visit != NULL && (start == reader->data || start[-1] == '\n') &&
	    !reader->visit(reader->context, &line))
		reader->failed = true;
	buffer_take(buffer, feed == NULL ? buffer->read
					 : (uint64_t)(feed - reader->data) + 1);
	reader->lines += feed != NULL;
	return feed != NULL;
}

bool
strict_read(const char *data, uint64_t size, strict_visitor *visit, void *context,
	    struct strict_refusal *refusal)
{
	struct strict_reader reader = { data, visit, context, refusal, SYMBOL_KIND_COUNT, 0,
					false };
	struct buffer buffer = { .capacity = BUFFER_FIRST };
	bool all = false, grown = false, skipping = false, skipped = false;

	*refusal = (struct strict_refusal){ 0 };
	for (;;) {
		if (skipping) {
			skipped = skip_line(&reader, &buffer);
			skipping = !skipped;
			all = !skipped;
			if (reader.failed)
				return false;
		}
		if (buffer_fill(&buffer, size) != 0) {
			grown = false;
		} else if (!skipped || buffer.taken == buffer.read) {
			if (all)
				return true;
			if (grown)
				return refuse(&reader, size == 0 ? "the file is empty"
								 : "the line has no line feed",
					      data + buffer.taken);
			skipping = buffer.capacity * 2 > BUFFER_MOST;
			grown = !skipping;
			buffer.capacity *= skipping ? 1 : 2;
			continue;
		}
		if (skipping)
			continue;
		skipped = false;
		const char *at = data + buffer.taken;
		if (!read_lines(&reader, &at, data + buffer.read))
			return false;
		all = at == data + buffer.read;
		buffer_take(&buffer, (uint64_t)(at - data));
	}
}
