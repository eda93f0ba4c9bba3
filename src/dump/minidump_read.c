/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>

#include "base/text.h"

bool
minidump_location(const struct reader *reader, uint64_t offset, struct location *location)
{
	return reader_u32(reader, offset, &location->size) &&
	       reader_u32(reader, offset + 4, &location->rva);
}

bool
minidump_bytes(const struct minidump *minidump, uint64_t offset, uint64_t size,
	       struct reader *window)
{
	const struct reader *file = &minidump->crash->reader;

	if (offset >= file->size)
		return false;
	if (size > file->size - offset)
		size = file->size - offset;
	return reader_window(file, offset, size, window);
}

void
minidump_no_memory(struct minidump *minidump)
{
	minidump_message(minidump, OUT_OF_MEMORY, ((struct place){ 0 }),
			 "out of memory while reading the dump\nwhat was read so far is shown");
}

/* The bytes behind a length word that a string may use. */
static bool
string_bytes(struct minidump *minidump, uint64_t rva, unsigned unit, const char *what,
	     struct reader *bytes)
{
	const struct reader *file = &minidump->crash->reader;
	uint32_t length;

	if (!reader_u32(file, rva, &length)) {
		if (what != NULL)
			minidump_message(minidump, STRING_BROKEN, reader_place(file, rva, 0),
					 "%s lies outside the file", what);
		return false;
	}
	uint32_t usable = length - length % unit;
	if (usable > LIMIT_STRING)
		usable = LIMIT_STRING;
	if (!minidump_bytes(minidump, rva + 4, usable, bytes))
		*bytes = (struct reader){ .input = file->input, .data = file->data };
	bytes->size -= bytes->size % unit;
	if (what == NULL)
		return bytes->size == length;
	if (bytes->size != length)
		minidump_message(minidump, STRING_BROKEN, reader_place(file, rva, 4),
				 "%s claims %" PRIu32 " bytes, found %" PRIu64
				 " usable\nthose are shown",
				 what, length, bytes->size);
	return true;
}

const char *
minidump_string(struct minidump *minidump, uint64_t rva, const char *what)
{
	struct crash *crash = minidump->crash;
	struct reader bytes;

	if (!string_bytes(minidump, rva, 2, what, &bytes))
		return NULL;
	return text_from_utf16(&crash->arena, bytes.data, (size_t)bytes.size / 2,
			       crash->reader.big_endian, true);
}

const char *
minidump_utf8(struct minidump *minidump, uint64_t rva, const char *what)
{
	struct reader bytes;

	if (!string_bytes(minidump, rva, 1, what, &bytes))
		return NULL;
	return arena_copy(&minidump->crash->arena, (const char *)bytes.data, (size_t)bytes.size);
}

struct reader
minidump_entry(const struct list *list, uint32_t index)
{
	struct reader entry = { .data = NULL };

	reader_window(&list->entries, (uint64_t)index * list->entry_size, list->entry_size, &entry);
	return entry;
}

/* How many whole entries there are of `claimed` at `offset` of the window; says what is missing. */
static void
clip_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	  uint64_t offset, uint64_t claimed, uint32_t limit, struct list *list)
{
	uint64_t room = offset <= window->size ? window->size - offset : 0;
	uint64_t there = room / list->entry_size;
	struct place place = reader_place(window, 0, 4);

	if (claimed < there)
		there = claimed;
	/* A stream that the file cuts is told of where the stream is opened. */
	if (there < claimed && window->size >= stream->size)
		minidump_message(minidump, STREAM_BROKEN, place,
				 "stream %s claims %" PRIu64 " entries, has room for %" PRIu64
				 "\nthose are used",
				 stream->name, claimed, there);
	if (there > limit) {
		minidump_message(minidump, LIMIT, place,
				 "stream %s has %" PRIu64 " entries, the limit is %" PRIu32
				 "\nthe rest is left out",
				 stream->name, there, limit);
		there = limit;
	}
	list->count = (uint32_t)there;
	if (!reader_window(window, offset, there * list->entry_size, &list->entries))
		list->count = 0;
}

bool
minidump_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	      uint32_t entry_size, uint32_t limit, struct list *list)
{
	uint32_t count;
	uint64_t first = 4;

	if (!reader_u32(window, 0, &count)) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has no room for its count", stream->name);
		return false;
	}
	*list = (struct list){ .entry_size = entry_size };
	/* Writers of 64-bit processes may align the entries to 8 bytes. */
	uint64_t wanted = 4 + (uint64_t)count * entry_size;
	if (stream->size == wanted + 4)
		first = 8;
	else if (stream->size > wanted)
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 4),
				 "stream %s has %" PRIu64 " bytes, its %" PRIu32
				 " entries need %" PRIu64 "\nthe entries behind the count are used",
				 stream->name, stream->size, count, wanted);
	clip_list(minidump, stream, window, first, count, limit, list);
	return true;
}

bool
minidump_headed_list(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window, bool wide, uint32_t least, uint32_t limit,
		     struct list *list)
{
	uint32_t header_size, entry_size;
	uint64_t count;

	if (!reader_u32(window, 0, &header_size) || !reader_u32(window, 4, &entry_size) ||
	    !reader_unsigned(window, 8, wide ? 8 : 4, &count)) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has no room for its header", stream->name);
		return false;
	}
	if (header_size < (wide ? 16u : 12u) || entry_size < least) {
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 8),
				 "stream %s claims a header of %" PRIu32 " and entries of %" PRIu32
				 " bytes, expected at least %u and %" PRIu32,
				 stream->name, header_size, entry_size, wide ? 16u : 12u, least);
		return false;
	}
	*list = (struct list){ .entry_size = entry_size };
	clip_list(minidump, stream, window, header_size, count, limit, list);
	return true;
}
