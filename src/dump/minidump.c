/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct meaning header_flags[] = {
	{ 0x1, "data segments" }, { 0x2, "full memory" }, { 0x4, "handle data" },
	{ 0x8, "filter memory" }, { 0x10, "scan memory" }, { 0x20, "unloaded modules" },
	{ 0x40, "indirectly referenced memory" }, { 0x80, "filter module paths" },
	{ 0x100, "process and thread data" }, { 0x200, "private read-write memory" },
	{ 0x400, "without optional data" }, { 0x800, "full memory info" },
	{ 0x1000, "thread info" }, { 0x2000, "code segments" },
	{ 0x4000, "without auxiliary state" }, { 0x8000, "full auxiliary state" },
	{ 0x10000, "private write-copy memory" }, { 0x20000, "ignore inaccessible memory" },
	{ 0x40000, "token information" }, { 0x80000, "module headers" },
	{ 0x100000, "filter triage" }, { 0x200000, "avx xstate context" },
	{ 0x400000, "ipt trace" }, { 0x800000, "scan inaccessible partial pages" },
	{ 0x1000000, "filter write-combined memory" },
	{ 0x2000000, "do not ignore inaccessible memory" }, { 0x4000000, "compressed memory" },
};

static const struct meaning signatures[] = { { 0x504d444d, "MDMP" } };

#define HEADER(member) INTO(struct minidump_header, member)

static const struct field header_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "signature", VALUES(signatures), HEADER(signature) },
	{ 4, 4, FIELD_HEX, .name = "version", HEADER(version) },
	{ 8, 4, FIELD_DECIMAL, .name = "stream_count", HEADER(stream_count) },
	{ 12, 4, FIELD_HEX, .name = "stream_directory_rva", HEADER(directory) },
	{ 16, 4, FIELD_HEX, .name = "checksum" },
	{ 20, 4, FIELD_SECONDS, .name = "time_date_stamp", HEADER(time) },
	{ 24, 8, FIELD_HEX, .name = "flags", BITS(header_flags) },
};
const struct structure minidump_header = STRUCTURE(header_fields, 32);

static const struct field directory_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "stream_type", INTO(struct minidump_directory, type) },
	LOCATION(4, FIELD_DECIMAL, "location", struct minidump_directory, location),
};
const struct structure minidump_directory = STRUCTURE(directory_fields, 12);

static const struct stream_decoder streams[] = {
#define STREAM_READ(type, name, several, subject, annotations)				\
	{ type, name, several, subject##_decode, NULL, subject##_describe, annotations },
#define STREAM_SHOWN(type, name, several, subject, annotations)			\
	{ type, name, several, NULL, NULL, subject##_describe, annotations },
#define LAYOUT_READ(type, name, several, subject, annotations)				\
	{ type, name, several, subject##_decode, &subject##_layout, NULL, annotations },
#define LAYOUT_SHOWN(type, name, several, subject, annotations)			\
	{ type, name, several, NULL, &subject##_layout, NULL, annotations },
#include "dump/stream.def"
};

/* The vendor that assigns the types of a range, by the high half of the type. */
static const struct {
	uint16_t high;
	const char *vendor;
} vendors[] = {
	{ 0x0000, "Microsoft" }, { 0x4767, "Google" },	  { 0x4350, "Crashpad" },
	{ 0x4d7a, "Mozilla" },	 { 0xface, "Facebook" },  { 0x4c4c, "LLDB" },
	{ 0x4b6b, "Chromium" },	 { MICRODUMP_STREAMS >> 16, "Breakpad" },
	{ CORE_STREAMS >> 16, "ELF" },
};

const struct stream_decoder *
minidump_decoder(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(streams); i++)
		if (streams[i].type == type)
			return &streams[i];
	return NULL;
}

const char *
describe_vendor(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(vendors); i++)
		if (vendors[i].high == type >> 16)
			return vendors[i].vendor;
	return NULL;
}

/* Bytes and texts of decoders ------------------------------------------------------------------ */

bool
crash_bytes(const struct crash *crash, uint64_t offset, uint64_t size, struct reader *window)
{
	const struct reader *file = &crash->reader;

	if (offset >= file->size)
		return false;
	if (size > file->size - offset)
		size = file->size - offset;
	return reader_window(file, offset, size, window);
}

void
minidump_no_memory(struct minidump *minidump)
{
	if (minidump->no_memory)
		return;
	minidump->no_memory = true;
	minidump_message(minidump, OUT_OF_MEMORY, ((struct place){ 0 }),
			 "out of memory while reading the dump\nthe part read so far is shown");
}

bool
minidump_append(struct minidump *minidump, void *array, size_t *count, size_t *capacity,
		const void *item, size_t size)
{
	void *place = arena_push(&minidump->crash->arena, array, count, capacity, size);

	if (place == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	memcpy(place, item, size);
	return true;
}

bool
crash_stream_bytes(const struct crash *crash, uint32_t type, struct reader *window)
{
	for (size_t i = 0; i < crash->stream_count; i++)
		if (crash->streams[i].type == type &&
		    crash_bytes(crash, crash->streams[i].offset, crash->streams[i].size, window))
			return true;
	return false;
}

const char *
minidump_string(struct minidump *minidump, uint64_t rva, const char *what)
{
	struct crash *crash = minidump->crash;
	const struct reader *file = &crash->reader;
	/* Entries may share a long string: when memory becomes scarce, read only its beginning. */
	const uint64_t most = crash->arena.limit != 0 &&
					      crash->arena.used > crash->arena.limit / 2
				      ? 2 * LIMIT_MODULE_NAME : LIMIT_STRING;
	struct reader bytes = { .data = file->data };
	uint32_t length;

	if (!reader_u32(file, rva, &length)) {
		minidump_message(minidump, STRING_BROKEN, reader_place(file, rva, 0),
				 "%s lies outside the file", what);
		return NULL;
	}
	crash_bytes(minidump->crash, rva + 4, length < most ? length : most, &bytes);
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
minidump_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	      const struct list_layout *layout, struct list *list)
{
	const bool counted = layout->form == LIST_COUNTED;
	const enum list_state state = list_open(layout, window, stream->size, list);
	const struct place head = reader_place(window, 0, 4);

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
		minidump_message(minidump, STREAM_BROKEN, head,
				 "stream %s has %" PRIu64 " bytes, its %" PRIu64
				 " entries need %" PRIu64 "\nthe entries after the count are used",
				 stream->name, stream->size, list->claimed, needed);
	/* A truncated stream got its message when it was opened. */
	if (list->count < list->claimed && window->size >= stream->size)
		minidump_message(minidump, STREAM_BROKEN, head,
				 "stream %s claims %" PRIu64 " entries, has space for %" PRIu64
				 "\nonly these are used",
				 stream->name, list->claimed, list->count);
	if (list->count > layout->limit) {
		minidump_message(minidump, LIMIT, head,
				 "stream %s has %" PRIu64 " entries, the limit is %" PRIu32
				 "\nthe rest is skipped",
				 stream->name, list->count, layout->limit);
		list->count = layout->limit;
	}
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

/* Annotations ---------------------------------------------------------------------------------- */

bool
minidump_annotate(struct minidump *minidump, const char *source, const char *key,
		  const char *value, struct place place)
{
	struct crash *crash = minidump->crash;
	const struct annotation annotation = {
		.source = source, .key = key != NULL ? key : "",
		.value = value != NULL ? value : "", .place = place,
	};

	if (crash->annotation_count >= LIMIT_ANNOTATIONS) {
		if (!minidump->annotations_full)
			minidump_message(minidump, LIMIT, place,
					 "more than %u annotations\nthe rest is skipped",
					 LIMIT_ANNOTATIONS);
		minidump->annotations_full = true;
		return false;
	}
	if (source == NULL)
		minidump_no_memory(minidump);
	return source != NULL &&
	       minidump_append(minidump, &crash->annotations, &crash->annotation_count,
			       &minidump->annotation_capacity, &annotation, sizeof(annotation));
}

/* A sink that turns the texts of a stream into annotations. */
struct annotator {
	struct minidump *minidump;
	const char *source;		/* name of the stream */
	const char *part;		/* the stream, or its current module */
	unsigned depth;
};

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

static void
annotate_value(void *context, const struct describe_value *value)
{
	struct annotator *annotator = context;
	struct minidump *minidump = annotator->minidump;
	struct arena *arena = &minidump->crash->arena;
	const size_t length = value->text.length < LIMIT_STRING ? value->text.length : LIMIT_STRING;
	char *result;

	if (minidump->annotations_full || value->broken)
		return;
	/* The next values belong to a module, which has a name or else a number. */
	if (value->link == DESCRIBE_LINK_MODULE)
		annotator->part = arena_format(arena, "%s module %s", annotator->source,
					       place_base_name(value->text.start));
	else if (value->key && value->kind == DESCRIBE_DECIMAL)
		annotator->part = arena_format(arena, "%s module %" PRIu64, annotator->source,
					       value->number);
	if (value->key)
		return;
	if (value->kind == DESCRIBE_TEXT || value->kind == DESCRIBE_WORD) {
		result = arena_copy(arena, value->text.start, length);
	} else if (value->kind == DESCRIBE_BYTES) {
		result = text_hex(value->text.start, length, arena_array(arena, length * 2 + 1, 1));
	} else if (value->link == DESCRIBE_LINK_ADDRESS) {
		result = arena_format(arena, "0x%" PRIx64, value->number);
	} else {
		return;
	}
	minidump_annotate(minidump, annotator->part, arena_string(arena, value->name), result,
			  value->place);
}

/* Directory and streams ------------------------------------------------------------------------ */

/* The number of claimed directory entries for which the file has room. */
static uint32_t
directory_count(struct minidump *minidump, uint32_t claimed, uint32_t rva)
{
	const struct reader *file = &minidump->crash->reader;
	uint64_t there = rva < file->size ? (file->size - rva) / minidump_directory.size : 0;

	if (claimed > there) {
		minidump_message(minidump, TRUNCATED, reader_place(file, 8, 8),
				 "the header claims %" PRIu32 " streams at 0x%" PRIx32
				 ", the file has room for %" PRIu64 "\nthis part is read",
				 claimed, rva, there);
		claimed = (uint32_t)there;
	}
	if (claimed > LIMIT_STREAMS) {
		minidump_message(minidump, LIMIT, reader_place(file, 8, 4),
				 "%" PRIu32 " streams, the limit is %u\nthe rest is skipped",
				 claimed, LIMIT_STREAMS);
		claimed = LIMIT_STREAMS;
	}
	return claimed;
}

static void
read_directory(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	const struct reader *file = &crash->reader;
	struct minidump_header header = { 0 };

	fields_read(&minidump_header, file, &header);
	const uint32_t count = directory_count(minidump, header.stream_count, header.directory);
	crash->streams = arena_array(&crash->arena, count, sizeof(*crash->streams));
	if (crash->streams == NULL) {
		minidump_no_memory(minidump);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t at = header.directory + (uint64_t)i * minidump_directory.size;
		struct minidump_directory entry = { 0 };
		struct reader bytes = { .data = NULL };

		reader_window(file, at, minidump_directory.size, &bytes);
		fields_read(&minidump_directory, &bytes, &entry);
		const struct stream_decoder *decoder = minidump_decoder(entry.type);
		const char *vendor = describe_vendor(entry.type), *name = NULL;
		if (decoder != NULL)
			name = decoder->name;
		else if (vendor != NULL)
			name = arena_format(&crash->arena, "unknown (%s)", vendor);
		crash->streams[crash->stream_count++] = (struct stream){
			.type = entry.type, .name = name != NULL ? name : "unknown",
			.size = entry.location.size, .offset = entry.location.rva,
			.place = reader_place(file, at, minidump_directory.size),
		};
	}
}

/* The bytes of a stream in the file; adds a message if they are fewer than promised. */
static bool
stream_bytes(struct minidump *minidump, const struct stream *stream, struct reader *window)
{
	if (!crash_bytes(minidump->crash, stream->offset, stream->size, window)) {
		minidump_message(minidump, TRUNCATED, stream->place,
				 "stream %s lies at 0x%" PRIx64 ", past the end of the file",
				 stream->name, stream->offset);
		return false;
	}
	if (window->size < stream->size)
		minidump_message(minidump, TRUNCATED, stream->place,
				 "stream %s has %" PRIu64 " bytes, the file ends after %" PRIu64
				 " of them\nthis part is read",
				 stream->name, stream->size, window->size);
	return true;
}

/* Turn the texts of a stream into annotations, up to a limit, because streams may share bytes. */
static void
annotate_stream(struct minidump *minidump, const struct stream *stream,
		const struct reader *window, const struct describe_sink *sink)
{
	const struct crash *crash = minidump->crash;
	const uint64_t most = crash->reader.size + LIMIT_DESCRIBED_BYTES;

	if (window->size <= most - minidump->annotated) {
		minidump->annotated += window->size;
		describe_stream_bytes(crash, stream, window, sink, true);
	} else if (!minidump->annotations_full) {
		minidump_message(minidump, LIMIT, stream->place,
				 "the streams share their bytes; those with annotations have more "
				 "than %" PRIu64 " bytes\nannotations of the rest are skipped",
				 most);
		minidump->annotations_full = true;
	}
}

/* Whether the loader reads the streams of a row; rows for notes of cores apply only to cores. */
static bool
is_loaded(const struct minidump *minidump, const struct stream_decoder *decoder)
{
	return stream_is_read(decoder) &&
	       (minidump->core != NULL || decoder->type >> 16 != CORE_STREAMS >> 16);
}

void
minidump_decode_streams(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	struct reader window;

	for (size_t row = 0; row < ARRAY_COUNT(streams); row++) {
		const struct stream_decoder *decoder = &streams[row];
		struct annotator annotator = { .minidump = minidump, .source = decoder->annotations,
					       .part = decoder->annotations };
		const struct describe_sink sink = { begin_record, annotate_value, end_record,
						    &annotator, &crash->messages, NULL };
		bool done = false;

		for (size_t i = 0; is_loaded(minidump, decoder) && i < crash->stream_count; i++) {
			struct stream *stream = &crash->streams[i];

			if (stream->type != decoder->type)
				continue;
			if (done && !decoder->several) {
				minidump_message(minidump, STREAM_DUPLICATE, stream->place,
						 "a second %s stream\nthe first one is used",
						 stream->name);
				continue;
			}
			stream->decoded = stream_bytes(minidump, stream, &window) &&
					  (decoder->decode == NULL ||
					   decoder->decode(minidump, stream, &window));
			if (stream->decoded && decoder->annotations != NULL)
				annotate_stream(minidump, stream, &window, &sink);
			done = done || stream->decoded;
		}
	}
	/* A stream that the loader does not read may be truncated, too. */
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const struct stream_decoder *decoder = minidump_decoder(stream->type);

		if (stream->size > 0 && (decoder == NULL || !is_loaded(minidump, decoder)))
			stream_bytes(minidump, stream, &window);
	}
}

/* The thread to show first: that of the exception, else the thread that requested the dump. */
static void
find_requesting_thread(struct crash *crash)
{
	uint32_t id = crash->exception.present ? crash->exception.thread_id
					       : crash->requesting_thread_id;

	crash->requesting_thread = -1;
	if (!crash->exception.present && !crash->has_requesting_thread)
		return;
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].id == id) {
			crash->requesting_thread = (int)i;
			return;
		}
	}
	message_add(&crash->messages, MESSAGE_STREAM_MISSING,
		    crash->exception.present ? crash->exception.place
					     : reader_place(&crash->reader, 0, 0),
		    "thread 0x%" PRIx32 " %s is not in the thread list", id,
		    crash->exception.present ? "of the exception" : "that asked for the dump");
}

static bool
read_header(struct crash *crash)
{
	struct reader *file = &crash->reader;
	struct minidump_header header = { 0 };

	fields_read(&minidump_header, file, &header);
	if (header.signature != MINIDUMP_SIGNATURE) {
		file->big_endian = true;
		fields_read(&minidump_header, file, &header);
	}
	if (header.signature != MINIDUMP_SIGNATURE)
		return false;
	if ((header.version & 0xffff) != MINIDUMP_VERSION)
		message_add(&crash->messages, MESSAGE_ENTRY_BROKEN, reader_place(file, 4, 4),
			    "the header's version is not 0x%x\nit is read as if it were",
			    MINIDUMP_VERSION);
	crash->time = header.time;
	if (file->size < minidump_header.size)
		message_add(&crash->messages, MESSAGE_TRUNCATED, reader_place(file, 0, 0),
			    "the header has %" PRIu32 " bytes, the file %" PRIu64,
			    minidump_header.size, file->size);
	return true;
}

bool
minidump_read(struct crash *crash)
{
	/* Streams that a walk needs. */
	static const uint32_t needed[] = { STREAM_SYSTEM, STREAM_THREADS, STREAM_MODULES };
	struct minidump minidump = { .crash = crash };

	if (!read_header(crash))
		return false;
	crash->format = crash_formats[CRASH_MINIDUMP];
	read_directory(&minidump);
	minidump_decode_streams(&minidump);
	system_finish(&minidump);
	memory_finish(&minidump);
	memory_finish_mappings(&minidump);
	wow64_find(&minidump);
	threads_finish(&minidump);
	for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
		bool found = false;

		for (size_t j = 0; j < crash->stream_count; j++)
			found = found || crash->streams[j].type == needed[i];
		if (!found)
			minidump_message(&minidump, STREAM_MISSING,
					 reader_place(&crash->reader, 0, minidump_header.size),
					 "no %s stream", minidump_decoder(needed[i])->name);
	}
	find_requesting_thread(crash);
	reason_find(&minidump);
	return true;
}
