/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_DUMP_DESCRIBED_H
#define TESTS_UNIT_DUMP_DESCRIBED_H

#include "dump/describe.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/** The values of a description, by their path ("thread[1]/context/eip"). */
struct told {
	char path[256], text[512], note[512];
	struct describe_value value;
};

struct described {
	struct arena arena;
	struct told *values;
	size_t count, capacity;
	size_t records;
	unsigned broken;
	char prefix[512];
	size_t ends[DESCRIBE_DEPTH + 2];
	unsigned depth, deepest;
};

static inline enum describe_detail
described_begin(void *context, const struct describe_record *record)
{
	struct described *told = context;
	size_t end = told->ends[told->depth];

	if (record->index == DESCRIBE_NO_INDEX)
		snprintf(told->prefix + end, sizeof(told->prefix) - end, "%s/", record->name);
	else
		snprintf(told->prefix + end, sizeof(told->prefix) - end, "%s[%zu]/", record->name, record->index);
	told->ends[told->depth + 1] = strlen(told->prefix);
	told->depth++;
	told->records++;
	if (told->depth > told->deepest)
		told->deepest = told->depth;
	return DESCRIBE_ALL;
}

static inline void
described_end(void *context)
{
	struct described *told = context;

	told->prefix[told->ends[--told->depth]] = '\0';
}

static inline void
described_value(void *context, const struct describe_value *value)
{
	struct described *told = context;
	struct told *values = arena_grow(&told->arena, told->values, told->count, &told->capacity, sizeof(*values));
	struct told *one = &values[told->count++];

	told->values = values;
	*one = (struct told){ .value = *value };
	snprintf(one->path, sizeof(one->path), "%.160s%.90s", told->prefix, value->name);
	snprintf(one->note, sizeof(one->note), "%s", value->note != NULL ? value->note : "");
	told->broken += value->broken;
	if (value->kind == DESCRIBE_WORD || value->kind == DESCRIBE_TEXT || value->kind == DESCRIBE_BYTES)
		snprintf(one->text, sizeof(one->text), "%.*s", (int)(value->text.length < 500 ? value->text.length : 500),
			 value->text.length > 0 ? value->text.start : "");
	else if (value->kind == DESCRIBE_SIGNED)
		snprintf(one->text, sizeof(one->text), "%" PRId64, (int64_t)value->number);
	else if (value->kind != DESCRIBE_NONE)
		snprintf(one->text, sizeof(one->text), value->kind == DESCRIBE_HEX ? "0x%" PRIx64 : "%" PRIu64, value->number);
}

static inline struct describe_sink
described_sink(struct described *told)
{
	*told = (struct described){ 0 };
	arena_init(&told->arena, 0);
	return (struct describe_sink){ .begin = described_begin, .value = described_value, .end = described_end, .context = told };
}

/** Describe the first stream of a type. */
static inline void
described_stream(struct described *told, const struct crash *crash, uint32_t type)
{
	const struct describe_sink sink = described_sink(told);

	for (size_t i = 0; i < crash->stream_count; i++) {
		if (crash->streams[i].type != type)
			continue;
		describe_stream(crash, i, &sink);
		return;
	}
}

static inline void
described_free(struct described *told)
{
	arena_free(&told->arena);
}

/** The value at a path; an empty one if the path is missing. */
static inline const struct told *
described_at(const struct described *told, const char *path)
{
	static const struct told missing = { .text = "(missing)", .note = "(missing)" };

	for (size_t i = 0; i < told->count; i++)
		if (strcmp(told->values[i].path, path) == 0)
			return &told->values[i];
	return &missing;
}

/** Check the text of one value. */
static inline void
is_told(const struct described *told, const char *path, const char *text)
{
	is_str(described_at(told, path)->text, text, "%s is %s", path, text);
}

/** Check the texts of values below a path, which ends with a slash: "NAME=TEXT; NAME=TEXT". */
static inline void
are_told(const struct described *told, const char *parent, const char *rows)
{
	char *copy = strdup(rows), *next = NULL, path[512];

	for (char *row = copy; (row = strtok_r(row, ";", &next)) != NULL; row = NULL) {
		const char *name = row + strspn(row, " "), *text = strchr(name, '=');
		snprintf(path, sizeof(path), "%s%.*s", parent, (int)(text - name), name);
		is_told(told, path, text + 1);
	}
	free(copy);
}

static inline void
is_noted(const struct described *told, const char *path, const char *note)
{
	is_str(described_at(told, path)->note, note, "%s means %s", path, note);
}

/** The bytes of a stream, in either byte order. */
struct image {
	uint8_t bytes[8192];
	size_t size;
	bool big_endian;
};

static inline void
put(struct image *image, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		image->bytes[image->size++] = (uint8_t)(value >> 8 * (image->big_endian ? size - 1 - i : i));
}

/** Write several 32-bit words. */
static inline void
put_words(struct image *image, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(image, words[i], 4);
}

#define PUT32(image, ...)								\
	put_words(image, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static inline void
put_text(struct image *image, const char *text, size_t size)
{
	memcpy(image->bytes + image->size, text, size);
	image->size += size;
}

/** Write a minidump string of ASCII characters; returns its offset in the image. */
static inline uint32_t
put_string(struct image *image, const char *text)
{
	uint32_t at = (uint32_t)image->size;

	put(image, 2 * strlen(text), 4);
	for (const char *c = text; *c != '\0'; c++)
		put(image, (uint8_t)*c, 2);
	put(image, 0, 2);
	return at;
}

/** Write a Crashpad string of bytes; returns its offset. */
static inline uint32_t
put_utf8(struct image *image, const char *text)
{
	uint32_t at = (uint32_t)image->size;

	put(image, strlen(text), 4);
	put_text(image, text, strlen(text) + 1);
	return at;
}

/** Open a dump with one stream of these bytes; the words at `rvas` are changed to file offsets. */
static inline void
open_image(struct opened *opened, enum arch_id arch, enum crash_os os, uint32_t type,
	   const struct image *image, const uint32_t *rvas, size_t rva_count)
{
	struct synth *synth = synth_create(arch, os, image->big_endian);

	synth_stream(synth, type, image->bytes, image->size);
	open_synth(opened, synth);
	for (size_t i = 0; i < opened->crash.stream_count; i++) {
		const struct stream *stream = &opened->crash.streams[i];
		for (size_t j = 0; stream->type == type && j < rva_count; j++) {
			uint8_t *at = opened->bytes + stream->offset + rvas[j];
			struct image word = { .big_endian = image->big_endian };
			uint32_t value = 0;

			for (unsigned k = 0; k < 4; k++)
				value |= (uint32_t)at[k] << 8 * (image->big_endian ? 3 - k : k);
			put(&word, value + stream->offset, 4);
			memcpy(at, word.bytes, 4);
		}
	}
	open_again(opened);
}

/** Open a dump like open_image(), and describe that stream. */
static inline void
describe_image(struct described *told, struct opened *opened, enum arch_id arch, enum crash_os os,
	       uint32_t type, const struct image *image, const uint32_t *rvas, size_t rva_count)
{
	open_image(opened, arch, os, type, image, rvas, rva_count);
	described_stream(told, &opened->crash, type);
}

/** Begin a test of streams, which runs once for each byte order. It has an empty image in that order,
 * and room for a dump and its description. */
#define DESCRIBE_TEST(name)								\
	static void described_##name(bool big_endian, struct image image,		\
				     struct opened opened, struct described told);	\
	TEST(name)									\
	{										\
		for (int big = 0; big < 2; big++)					\
			described_##name(big, (struct image){ .big_endian = big },	\
					 (struct opened){ 0 }, (struct described){ 0 }); \
	}										\
	static void described_##name(__attribute__((unused)) bool big_endian,		\
				     __attribute__((unused)) struct image image,	\
				     struct opened opened, struct described told)

/** Free a description and its dump. */
static inline void
described_close(struct described *told, struct opened *opened)
{
	described_free(told);
	close_synth(opened);
}

#endif
