/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>

#include "base/text.h"

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
			 "out of memory while reading the dump\nthe part read so far is shown");
}

void *
minidump_grow(struct minidump *minidump, void *array, size_t count, size_t *capacity, size_t size)
{
	void *larger = arena_grow(&minidump->crash->arena, array, count, capacity, size);

	if (larger == NULL)
		minidump_no_memory(minidump);
	return larger;
}

const char *
minidump_string(struct minidump *minidump, uint64_t rva, const char *what)
{
	struct crash *crash = minidump->crash;
	const struct reader *file = &crash->reader;
	struct reader bytes = { .data = file->data };
	uint32_t length;

	if (!reader_u32(file, rva, &length)) {
		minidump_message(minidump, STRING_BROKEN, reader_place(file, rva, 0),
				 "%s lies outside the file", what);
		return NULL;
	}
	minidump_bytes(minidump, rva + 4, length < LIMIT_STRING ? length : LIMIT_STRING, &bytes);
	bytes.size -= bytes.size % 2;
	if (bytes.size != length)
		minidump_message(minidump, STRING_BROKEN, reader_place(file, rva, 4),
				 "%s claims %" PRIu32 " bytes, found %" PRIu64
				 " usable\nthis part is shown",
				 what, length, bytes.size);
	return text_from_utf16(&crash->arena, bytes.data, (size_t)bytes.size / 2,
			       crash->reader.big_endian, true);
}

bool
minidump_expect(struct minidump *minidump, const struct stream *stream,
		const struct reader *window, uint64_t least, uint32_t size)
{
	if (window->size >= least)
		return true;
	minidump_message(minidump, STREAM_BROKEN, stream->place,
			 "stream %s has %" PRIu64 " bytes, expected %" PRIu32, stream->name,
			 window->size, size);
	return false;
}

/* What the model takes of the entries; says what is missing. */
static void
limit_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	   uint32_t limit, struct list *list)
{
	const struct place place = reader_place(window, 0, 4);

	/* A truncated stream has its message from where it is opened. */
	if (list->count < list->claimed && window->size >= stream->size)
		minidump_message(minidump, STREAM_BROKEN, place,
				 "stream %s claims %" PRIu64 " entries, has space for %" PRIu64
				 "\nonly these are used",
				 stream->name, list->claimed, list->count);
	if (list->count > limit) {
		minidump_message(minidump, LIMIT, place,
				 "stream %s has %" PRIu64 " entries, the limit is %" PRIu32
				 "\nthe rest is skipped",
				 stream->name, list->count, limit);
		list->count = limit;
	}
}

bool
minidump_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	      const struct list_layout *layout, struct list *list)
{
	const bool counted = layout->form == LIST_COUNTED;
	const enum list_state state = list_open(layout, window, stream->size, list);

	if (state == LIST_NO_HEADER) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has no room for its %s", stream->name,
				 counted ? "count" : "header");
		return false;
	}
	if (state == LIST_BAD_HEADER) {
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 8),
				 "stream %s claims a header of %" PRIu32 " and entries of %" PRIu64
				 " bytes, expected at least %u and %" PRIu32,
				 stream->name, list->header, list->entry_size,
				 list_header_size(layout), layout->entry.size);
		return false;
	}
	const uint64_t needed = 4 + list->claimed * list->entry_size;
	if (counted && list->header == 4 && stream->size > needed)
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 4),
				 "stream %s has %" PRIu64 " bytes, its %" PRIu64
				 " entries need %" PRIu64 "\nthe entries after the count are used",
				 stream->name, stream->size, list->claimed, needed);
	limit_list(minidump, stream, window, layout->limit, list);
	return true;
}

void *
minidump_entries(struct minidump *minidump, const struct stream *stream,
		 const struct reader *window, const struct list_layout *layout, size_t size,
		 struct list *list)
{
	if (!minidump_list(minidump, stream, window, layout, list))
		return NULL;
	void *entries = arena_array(&minidump->crash->arena, (size_t)list->count, size);
	if (entries == NULL)
		minidump_no_memory(minidump);
	return entries;
}
