/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe.h"

#include <inttypes.h>

#include "dump/core.h"
#include "dump/describe_internal.h"

bool
describe_whole(const struct describe *describe)
{
	return describe->detail[describe->depth] == DESCRIBE_ALL;
}

bool
describe_begin(struct describe *describe, struct describe_record record)
{
	enum describe_detail detail = DESCRIBE_SKIP;

	if (describe->sink->begin != NULL && describe->depth < DESCRIBE_DEPTH &&
	    describe_whole(describe))
		detail = describe->sink->begin(describe->sink->context, &record);
	if (detail == DESCRIBE_SKIP)
		return false;
	describe->detail[++describe->depth] = detail;
	return true;
}

void
describe_end(struct describe *describe)
{
	describe->depth--;
	if (describe->sink->end != NULL)
		describe->sink->end(describe->sink->context);
	if (describe->depth == 0)
		arena_reset(&describe->arena);
}

void
describe_value(struct describe *describe, struct describe_value value)
{
	if (describe->sink->value != NULL && (describe_whole(describe) || value.key))
		describe->sink->value(describe->sink->context, &value);
}

void
describe_broken(struct describe *describe, const char *name, struct place place,
		const char *format, ...)
{
	const struct stream_decoder *decoder =
		describe->stream != NULL ? minidump_decoder(describe->stream->type) : NULL;
	char text[256];

	TEXT_FORMAT(text, format);
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_NONE, .note = text, .broken = true,
		.place = place });
	/* Add a message, unless the loader has read the stream and added the message already. */
	if (describe->sink->messages != NULL && decoder != NULL &&
	    stream_is_read(decoder) == describe->loading)
		message_add(describe->sink->messages, MESSAGE_ENTRY_BROKEN, place, "%s: %s: %s",
			    describe->stream->name, name, text);
}

void
describe_text(struct describe *describe, const char *name, enum describe_kind kind,
	      const char *text, struct place place)
{
	if (text != NULL && *text != '\0')
		describe_value(describe, (struct describe_value){
			.name = name, .kind = kind, .text = text_of(text), .derived = true,
			.place = place });
}

void
describe_bytes(struct describe *describe, const char *name, const struct reader *window,
	       uint64_t offset, uint64_t size)
{
	struct reader bytes;

	if (size == 0 || !reader_window(window, offset, size, &bytes))
		return;
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_BYTES,
		.text = { (const char *)bytes.data, (size_t)bytes.size },
		.place = reader_place(window, offset, size) });
}

/* Take bytes from the budget; if too few are left, describe a broken value and return false. */
static bool
take_bytes(struct describe *describe, const char *name, struct place place, uint64_t size)
{
	struct describe_budget *left = describe->left;
	const uint64_t most = describe_budget(describe->crash).bytes;

	if (size <= left->bytes) {
		left->bytes -= size;
		return true;
	}
	describe_broken(describe, name, place, "skipped: more than %" PRIu64 " bytes are shared",
			most);
	if (!left->exceeded && describe->sink->messages != NULL)
		message_add(describe->sink->messages, MESSAGE_LIMIT, place,
			    "the streams share their bytes\nonly %" PRIu64
			    " of them are shown; --stream shows one stream", most);
	left->exceeded = true;
	return false;
}

bool
describe_window(struct describe *describe, const char *name, struct descriptor location,
		struct reader *window)
{
	const struct reader *file = &describe->crash->reader;

	if (crash_bytes(describe->crash, location.rva, location.size, window))
		return take_bytes(describe, name, reader_place(window, 0, window->size),
				  window->size);
	describe_broken(describe, name, reader_place(file, location.rva, 0),
			"lies at 0x%" PRIx32 ", past the end of the file", location.rva);
	return false;
}

void
describe_data(struct describe *describe, struct describe_value value, uint64_t offset,
	      uint64_t size)
{
	const struct reader *file = &describe->crash->reader;
	struct reader bytes = { .data = NULL };

	crash_bytes(describe->crash, offset, size, &bytes);
	if (bytes.size < size)
		describe_broken(describe, value.name, reader_place(file, offset, 0),
				"0x%" PRIx64 " of 0x%" PRIx64 " bytes are in the file", bytes.size,
				size);
	if (bytes.size == 0)
		return;
	value.kind = DESCRIBE_BYTES;
	value.text = (struct text){ (const char *)bytes.data, (size_t)bytes.size };
	value.place = reader_place(&bytes, 0, bytes.size);
	describe_value(describe, value);
}

void
describe_clip(struct describe *describe, const struct reader *window, uint64_t offset,
	      struct list *list)
{
	list_clip(list, window, offset);
	if (list->count < list->claimed)
		describe_broken(describe, "entries", reader_place(window, offset, 0),
				"%" PRIu64 " are claimed, there is space for %" PRIu64,
				list->claimed, list->count);
}

static void
tell_number(struct describe *describe, const char *name, const struct reader *window,
	    uint64_t offset, unsigned size, uint64_t number)
{
	if (offset + size <= window->size)
		describe_value(describe, (struct describe_value){
			.name = name, .kind = DESCRIBE_DECIMAL, .number = number,
			.digits = 2 * size, .place = reader_place(window, offset, size) });
}

static void
tell_list(struct describe *describe, const struct reader *window, const struct list_layout *layout)
{
	const unsigned least = list_header_size(layout);
	struct list list;
	const enum list_state state = list_open(layout, window, describe->stream->size, &list);

	if (layout->form != LIST_COUNTED) {
		tell_number(describe, "size_of_header", window, 0, 4, list.header);
		tell_number(describe, "size_of_entry", window, 4, 4, list.entry_size);
	}
	if (state == LIST_NO_HEADER && layout->form == LIST_COUNTED)
		describe_broken(describe, layout->count, reader_place(window, 0, 0),
				"there is no room for the count");
	else if (state == LIST_NO_HEADER)
		describe_broken(describe, "header", reader_place(window, 0, 0),
				"%" PRIu64 " bytes, expected at least %u", window->size, least);
	else if (layout->form == LIST_COUNTED)
		tell_number(describe, layout->count, window, 0, 4, list.claimed);
	else
		tell_number(describe, "number_of_entries", window, 8, least - 8, list.claimed);
	if (state == LIST_BAD_HEADER)
		describe_broken(describe, "header", reader_place(window, 0, 8),
				"expected a header of at least %u and entries of at least %" PRIu32
				" bytes", least, layout->entry.size);
	if (state != LIST_OPEN)
		return;
	describe_clip(describe, window, list.header, &list);
	describe_entries(describe, &list, layout);
}

void
describe_entries(struct describe *describe, const struct list *list,
		 const struct list_layout *layout)
{
	uint64_t named = layout->entry.size;

	for (size_t i = 0; i < layout->entry.count; i++) {
		const struct field *row = &layout->entry.rows[i];

		if (row->offset + (uint64_t)row->size > named)
			named = row->offset + (uint64_t)row->size;
	}
	for (uint64_t i = 0; i < list->count; i++) {
		const struct reader entry = list_entry(list, i);

		if (!describe_begin_entry(describe, layout->name, i, &entry))
			continue;
		describe_fields(describe, layout->entry, &entry);
		if (layout->tell != NULL)
			layout->tell(describe, &entry, i);
		if (entry.size > named)
			describe_bytes(describe, "rest", &entry, named, entry.size - named);
		describe_end(describe);
	}
}

void
describe_memory(struct describe *describe, const char *name, uint64_t base, uint64_t offset,
		uint64_t size)
{
	if (describe_whole(describe))
		describe_data(describe, (struct describe_value){
			.name = name, .private = true, .derived = true,
			.link = DESCRIBE_LINK_ADDRESS, .linked = base }, offset, size);
}

bool
describe_begin_entry(struct describe *describe, const char *name, uint64_t index,
		     const struct reader *entry)
{
	return describe_begin(describe, (struct describe_record){
		.name = name, .index = (size_t)index,
		.place = reader_place(entry, 0, entry->size) });
}

bool
describe_begin_clipped(struct describe *describe, const char *name, const char *note,
		       const struct reader *bytes, uint64_t claimed)
{
	if (bytes->size < claimed)
		describe_broken(describe, name, reader_place(bytes, 0, 0),
				"0x%" PRIx64 " of 0x%" PRIx64 " bytes are in the file",
				bytes->size, claimed);
	return describe_begin(describe, (struct describe_record){
		.name = name, .index = DESCRIBE_NO_INDEX, .note = note,
		.place = reader_place(bytes, 0, bytes->size) });
}

bool
describe_link(struct describe *describe, const char *name)
{
	struct describe_budget *left = describe->left;

	if (left->links == 0)
		return false;
	if (--left->links == 0)
		describe_broken(describe, name, describe->stream->place,
				"more than %" PRIu64 " linked structures; the rest is skipped",
				describe_budget(describe->crash).links);
	return left->links > 0;
}

/* Streams without fields ----------------------------------------------------------------------- */

void
stream_raw_describe(struct describe *describe, const struct reader *window)
{
	describe_bytes(describe, "bytes", window, 0, window->size);
}

void
stream_marker_describe(struct describe *describe, const struct reader *window)
{
	if (window->size > 0) {
		stream_raw_describe(describe, window);
		return;
	}
	describe_value(describe, (struct describe_value){
		.name = "marker", .kind = DESCRIBE_NONE, .place = describe->stream->place,
		.note = describe->stream->type == 0
			? "an entry that the writer left empty"
			: "the dump was written by LLDB" });
}

/* Entry points --------------------------------------------------------------------------------- */

struct describe_budget
describe_budget(const struct crash *crash)
{
	const uint64_t size = crash->reader.size;

	return (struct describe_budget){ .bytes = LIMIT_DESCRIBED_BYTES + size,
					 .text = LIMIT_DESCRIBED_TEXT + 4 * size,
					 .links = LIMIT_DESCRIBED_LINKS + size / 8 };
}

static void
start(struct describe *describe, const struct crash *crash, const struct describe_sink *sink)
{
	*describe = (struct describe){ .crash = crash, .sink = sink,
				       .own = describe_budget(crash), .left = sink->budget };
	if (describe->left == NULL)
		describe->left = &describe->own;
	describe->detail[0] = DESCRIBE_ALL;
	arena_init(&describe->arena, LIMIT_DESCRIBED_TEXT);
}

void
describe_header(const struct crash *crash, const struct describe_sink *sink)
{
	struct describe describe;

	start(&describe, crash, sink);
	/* Microdumps are text without a header. */
	if (crash->core)
		describe_fields(&describe,
				core_header_structures[core_word(crash) == 8],
				&crash->reader);
	else if (crash->lines.count == 0)
		describe_fields(&describe, minidump_header, &crash->reader);
	arena_free(&describe.arena);
}

void
describe_directory(const struct crash *crash, const struct describe_sink *sink)
{
	struct describe describe;
	struct reader entry;

	start(&describe, crash, sink);
	const bool has_directory = crash->lines.count == 0 && !crash->core;
	for (size_t i = 0; has_directory && i < crash->stream_count; i++) {
		const struct place place = crash->streams[i].place;

		if (!reader_window(&crash->reader, place.offset, place.length, &entry) ||
		    !describe_begin_entry(&describe, "directory entry", i, &entry))
			continue;
		describe_fields(&describe, minidump_directory, &entry);
		describe_end(&describe);
	}
	arena_free(&describe.arena);
}

void
describe_stream_bytes(const struct crash *crash, const struct stream *stream,
		      const struct reader *window, const struct describe_sink *sink, bool loading)
{
	const struct stream_decoder *decoder = minidump_decoder(stream->type);
	struct describe describe;

	start(&describe, crash, sink);
	describe.stream = stream;
	describe.loading = loading;
	if (!loading && window->size < stream->size)
		describe_broken(&describe, "stream", stream->place,
				"0x%" PRIx64 " of 0x%" PRIx64 " bytes are in the file",
				window->size, stream->size);
	if (!take_bytes(&describe, "stream", stream->place, window->size)) {
		arena_free(&describe.arena);
		return;
	}
	if (crash->lines.count > 0)
		microdump_describe(&describe, window);
	else if (decoder == NULL)
		stream_raw_describe(&describe, window);
	else if (decoder->layout == NULL)
		decoder->describe(&describe, window);
	else if (decoder->layout->form == LIST_NONE)
		describe_structure(&describe, decoder->layout->entry, window,
				   decoder->layout->entry.size);
	else
		tell_list(&describe, window, decoder->layout);
	arena_free(&describe.arena);
}

void
describe_stream(const struct crash *crash, size_t stream, const struct describe_sink *sink)
{
	const struct stream *entry = &crash->streams[stream];
	struct reader window = { .input = crash->reader.input, .data = crash->reader.data,
				 .start = entry->offset,
				 .big_endian = crash->reader.big_endian };

	crash_bytes(crash, entry->offset, entry->size, &window);
	describe_stream_bytes(crash, entry, &window, sink, false);
}

void
describe_processor(const struct crash *crash, const struct crash_context *context,
		   const struct describe_sink *sink)
{
	const uint64_t offset = context->place.offset;
	struct describe describe;
	struct reader bytes;

	if (crash->lines.count > 0 || context->place.input != crash->reader.input ||
	    !crash_bytes(crash, offset, context->size, &bytes))
		return;
	start(&describe, crash, sink);
	describe_registers(&describe, &bytes, context->size);
	if (crash->core)
		core_describe_processor(&describe, offset);
	arena_free(&describe.arena);
}

enum describe_known
describe_known(uint32_t type)
{
	const struct stream_decoder *decoder = minidump_decoder(type);

	if (type >> 16 == MICRODUMP_STREAMS >> 16)
		return DESCRIBE_DECODED;
	if (decoder == NULL)
		return type >> 16 == CORE_STREAMS >> 16 && type != CORE_OTHER ? DESCRIBE_NAMED
									      : DESCRIBE_UNKNOWN;
	return decoder->describe == stream_raw_describe ? DESCRIBE_NAMED : DESCRIBE_DECODED;
}

size_t
describe_overlaps(const struct crash *crash, size_t stream, size_t *first)
{
	const struct stream *one = &crash->streams[stream];
	size_t count = 0;

	for (size_t i = 0; one->size > 0 && count < 2 && i < crash->stream_count; i++) {
		const struct stream *other = &crash->streams[i];

		if (i == stream || other->size == 0 ||
		    one->offset >= other->offset + other->size ||
		    other->offset >= one->offset + one->size)
			continue;
		if (count++ == 0)
			*first = i;
	}
	return count;
}
