/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/describe_internal.h"

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
	{ 24, 8, FIELD_HEX, .name = "flags", BITS(header_flags), HEADER(flags) },
};
const struct structure minidump_header = STRUCTURE(header_fields, 32);

static const struct field directory_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "stream_type", INTO(struct minidump_directory, type) },
	LOCATION(4, FIELD_DECIMAL, "location", struct minidump_directory, location),
};
const struct structure minidump_directory = STRUCTURE(directory_fields, 12);

static const struct stream_decoder streams[] = {
#define STREAM_READ(type, name, several, subject, annotations)				\
	{ type, name, several, subject##_decode, subject##_describe, annotations },
#define STREAM_SHOWN(type, name, several, subject, annotations)				\
	{ type, name, several, NULL, subject##_describe, annotations },
#include "dump/stream.def"
#undef STREAM_READ
#undef STREAM_SHOWN
};

/* The vendors that assign the types of a range: by the high half of the id. */
static const struct {
	uint16_t high;
	const char *vendor;
} vendors[] = {
	{ 0x0000, "Microsoft" }, { 0x4767, "Google" },	  { 0x4350, "Crashpad" },
	{ 0x4d7a, "Mozilla" },	 { 0xface, "Facebook" },  { 0x4c4c, "LLDB" },
	{ 0x4b6b, "Chromium" },	 { MICRODUMP_STREAMS >> 16, "Breakpad" },
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

static const char *
stream_name(struct arena *arena, uint32_t type)
{
	const struct stream_decoder *decoder = minidump_decoder(type);
	const char *vendor = describe_vendor(type);

	if (decoder != NULL)
		return decoder->name;
	const char *name =
		vendor != NULL ? arena_format(arena, "unknown (%s)", vendor) : NULL;
	return name != NULL ? name : "unknown";
}

/* How many directory entries there are of those that the header claims. */
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
		struct stream *stream = &crash->streams[crash->stream_count++];
		const uint64_t at = header.directory + (uint64_t)i * minidump_directory.size;
		struct minidump_directory entry = { 0 };
		struct reader bytes = { .data = NULL };

		reader_window(file, at, minidump_directory.size, &bytes);
		fields_read(&minidump_directory, &bytes, &entry);
		stream->place = reader_place(file, at, minidump_directory.size);
		stream->type = entry.type;
		stream->size = entry.location.size;
		stream->offset = entry.location.rva;
		stream->name = stream_name(&crash->arena, stream->type);
	}
}

/* The bytes of a stream that the file has; says so where they are fewer than promised. */
static bool
stream_bytes(struct minidump *minidump, const struct stream *stream, struct reader *window)
{
	if (!minidump_bytes(minidump, stream->offset, stream->size, window)) {
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

static bool
decode_stream(struct minidump *minidump, const struct stream_decoder *decoder,
	      const struct stream *stream)
{
	struct reader window;

	if (!stream_bytes(minidump, stream, &window) ||
	    (decoder->decode != NULL && !decoder->decode(minidump, stream, &window)))
		return false;
	if (decoder->annotations != NULL)
		minidump_annotate_stream(minidump, stream, &window, decoder->annotations);
	return true;
}

/* A stream that the loader does not read may be truncated, too. */
static void
check_undecoded(struct minidump *minidump)
{
	const struct crash *crash = minidump->crash;

	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const struct stream_decoder *decoder = minidump_decoder(stream->type);
		struct reader window;

		if (stream->size > 0 && (decoder == NULL || !stream_is_read(decoder)))
			stream_bytes(minidump, stream, &window);
	}
}

static void
decode_streams(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;

	for (size_t row = 0; row < ARRAY_COUNT(streams); row++) {
		const struct stream_decoder *decoder = &streams[row];
		bool done = false;

		for (size_t i = 0; stream_is_read(decoder) && i < crash->stream_count; i++) {
			struct stream *stream = &crash->streams[i];

			if (stream->type != decoder->type)
				continue;
			if (done && !decoder->several) {
				minidump_message(minidump, STREAM_DUPLICATE, stream->place,
						 "a second %s stream\nthe first one is used",
						 stream->name);
				continue;
			}
			stream->decoded = decode_stream(minidump, decoder, stream);
			done = done || stream->decoded;
		}
	}
}

/* What a walk cannot do without. */
static void
report_missing(struct minidump *minidump)
{
	static const uint32_t needed[] = { 7, 3, 4 };
	const struct crash *crash = minidump->crash;

	for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
		bool found = false;

		for (size_t j = 0; j < crash->stream_count; j++)
			found = found || crash->streams[j].type == needed[i];
		if (!found)
			minidump_message(minidump, STREAM_MISSING,
					 reader_place(&crash->reader, 0, minidump_header.size),
					 "no %s stream", minidump_decoder(needed[i])->name);
	}
}

/* The thread to look at first: the exception's, else the one that asked for the dump. */
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
	crash->flags = header.flags;
	if (file->size < minidump_header.size)
		message_add(&crash->messages, MESSAGE_TRUNCATED, reader_place(file, 0, 0),
			    "the header has %" PRIu32 " bytes, the file %" PRIu64,
			    minidump_header.size, file->size);
	return true;
}

bool
minidump_read(struct crash *crash)
{
	struct minidump minidump = { .crash = crash };

	if (!read_header(crash))
		return false;
	crash->format = "minidump";
	read_directory(&minidump);
	decode_streams(&minidump);
	check_undecoded(&minidump);
	memory_finish(&minidump);
	memory_finish_mappings(&minidump);
	wow64_find(&minidump);
	threads_finish(&minidump);
	report_missing(&minidump);
	find_requesting_thread(crash);
	reason_find(&minidump);
	return true;
}
