/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"

/* Layouts: Crashpad, minidump/minidump_extensions.h. */
#define MODULE_LINK_SIZE 12u
#define ANNOTATION_TYPE_STRING 1u

/*
 * An array of a u32 count and entries at a location. Entries are few but the count
 * may lie: those that fit the location and the file are read.
 */
static bool
open_array(struct minidump *minidump, struct location location, uint32_t entry_size,
	   const char *what, struct list *list)
{
	struct reader window;
	uint32_t count;

	*list = (struct list){ .entry_size = entry_size };
	if (location.rva == 0)
		return false;
	struct place place = reader_place(&minidump->crash->reader, location.rva, location.size);
	if (!minidump_bytes(minidump, location.rva, location.size, &window) ||
	    !reader_u32(&window, 0, &count)) {
		minidump_message(minidump, ENTRY_BROKEN, place, "%s cannot be read", what);
		return false;
	}
	uint64_t there = (window.size - 4) / entry_size;
	if (count > there || count > LIMIT_ANNOTATIONS)
		minidump_message(minidump, ENTRY_BROKEN, place,
				 "%s claims %" PRIu32 " entries, has room for %" PRIu64
				 "\nthe first %u at most are used", what, count, there,
				 LIMIT_ANNOTATIONS);
	if (there > LIMIT_ANNOTATIONS)
		there = LIMIT_ANNOTATIONS;
	list->count = count < there ? count : (uint32_t)there;
	return reader_window(&window, 4, (uint64_t)list->count * entry_size, &list->entries);
}

static bool
annotations_full(const struct minidump *minidump)
{
	return minidump->crash->annotation_count >= LIMIT_ANNOTATIONS;
}

static void
read_dictionary(struct minidump *minidump, struct location location, const char *source)
{
	struct list list;

	if (!open_array(minidump, location, 8, "Crashpad dictionary", &list))
		return;
	for (uint32_t i = 0; i < list.count && !annotations_full(minidump); i++) {
		struct reader entry = minidump_entry(&list, i);
		uint32_t key = 0, value = 0;

		reader_u32(&entry, 0, &key);
		reader_u32(&entry, 4, &value);
		minidump_annotate(minidump, source,
				  minidump_utf8(minidump, key, "Crashpad key"),
				  minidump_utf8(minidump, value, "Crashpad value"),
				  reader_place(&entry, 0, 8));
	}
}

static void
read_texts(struct minidump *minidump, struct location location, const char *source)
{
	struct list list;
	char key[32];

	if (!open_array(minidump, location, 4, "Crashpad text list", &list))
		return;
	for (uint32_t i = 0; i < list.count && !annotations_full(minidump); i++) {
		struct reader entry = minidump_entry(&list, i);
		uint32_t rva = 0;

		reader_u32(&entry, 0, &rva);
		snprintf(key, sizeof(key), "[%" PRIu32 "]", i);
		minidump_annotate(minidump, source,
				  arena_format(&minidump->crash->arena, "%s", key),
				  minidump_utf8(minidump, rva, "Crashpad text"),
				  reader_place(&entry, 0, 4));
	}
}

/* The bytes of an annotation of a user's own type, in hexadecimal. */
static const char *
hex_value(struct minidump *minidump, uint32_t rva)
{
	struct reader bytes;
	uint32_t length;

	if (!reader_u32(&minidump->crash->reader, rva, &length) ||
	    !minidump_bytes(minidump, (uint64_t)rva + 4,
			    length < LIMIT_STRING ? length : LIMIT_STRING, &bytes))
		return NULL;
	char *text = arena_array(&minidump->crash->arena, (size_t)bytes.size * 2 + 1, 1);
	for (uint64_t i = 0; text != NULL && i < bytes.size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes.data[i]);
	return text;
}

static void
read_objects(struct minidump *minidump, struct location location, const char *source)
{
	struct list list;

	if (!open_array(minidump, location, 12, "Crashpad annotation list", &list))
		return;
	for (uint32_t i = 0; i < list.count && !annotations_full(minidump); i++) {
		struct reader entry = minidump_entry(&list, i);
		uint32_t name = 0, value = 0;
		uint16_t type = 0;

		reader_u32(&entry, 0, &name);
		reader_u16(&entry, 4, &type);
		reader_u32(&entry, 8, &value);
		minidump_annotate(minidump, source,
				  minidump_utf8(minidump, name, "Crashpad key"),
				  type == ANNOTATION_TYPE_STRING
					  ? minidump_utf8(minidump, value, "Crashpad value")
					  : hex_value(minidump, value),
				  reader_place(&entry, 0, 12));
	}
}

static void
read_module(struct minidump *minidump, uint32_t index, struct location location)
{
	struct crash *crash = minidump->crash;
	struct location texts = { 0 }, dictionary = { 0 }, objects = { 0 };
	struct reader window;

	if (!minidump_bytes(minidump, location.rva, location.size, &window) ||
	    !minidump_location(&window, 4, &texts) ||
	    !minidump_location(&window, 12, &dictionary)) {
		minidump_message(minidump, ENTRY_BROKEN,
				 reader_place(&crash->reader, location.rva, location.size),
				 "Crashpad's information of module %" PRIu32 " cannot be read",
				 index);
		return;
	}
	minidump_location(&window, 20, &objects);
	const char *source =
		index < crash->module_count
			? arena_format(&crash->arena, "crashpad module %s",
				       place_base_name(crash->modules[index].code_file))
			: arena_format(&crash->arena, "crashpad module %" PRIu32, index);
	read_texts(minidump, texts, source);
	read_dictionary(minidump, dictionary, source);
	read_objects(minidump, objects, source);
}

static void
annotate_guid(struct minidump *minidump, const struct reader *window, uint64_t offset,
	      const char *key)
{
	uint32_t data1 = 0;
	uint16_t data2 = 0, data3 = 0;
	uint8_t rest[8] = { 0 };

	reader_u32(window, offset, &data1);
	reader_u16(window, offset + 4, &data2);
	reader_u16(window, offset + 6, &data3);
	for (size_t i = 0; i < sizeof(rest); i++)
		reader_u8(window, offset + 8 + i, &rest[i]);
	minidump_annotate(minidump, "crashpad", key,
			  arena_format(&minidump->crash->arena,
				       "%08" PRIx32 "-%04" PRIx16 "-%04" PRIx16
				       "-%02x%02x-%02x%02x%02x%02x%02x%02x",
				       data1, data2, data3, rest[0], rest[1], rest[2], rest[3],
				       rest[4], rest[5], rest[6], rest[7]),
			  reader_place(window, offset, 16));
}

bool
crashpad_decode_info(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	struct location dictionary = { 0 }, modules = { 0 };
	struct list list;
	uint32_t version;

	if (!reader_u32(window, 0, &version) || !minidump_location(window, 36, &dictionary)) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has %" PRIu64 " bytes, expected at least 52",
				 stream->name, window->size);
		return false;
	}
	if (version == 0)
		minidump_message(minidump, ENTRY_BROKEN, reader_place(window, 0, 4),
				 "stream %s has version 0\nit is read as version 1", stream->name);
	annotate_guid(minidump, window, 4, "report id");
	annotate_guid(minidump, window, 20, "client id");
	reader_u64(window, 56, &minidump->crash->address_mask);
	read_dictionary(minidump, dictionary, "crashpad");
	if (!minidump_location(window, 44, &modules) ||
	    !open_array(minidump, modules, MODULE_LINK_SIZE, "Crashpad module list", &list))
		return true;
	for (uint32_t i = 0; i < list.count && !annotations_full(minidump); i++) {
		struct reader entry = minidump_entry(&list, i);
		struct location location = { 0 };
		uint32_t index = 0;

		reader_u32(&entry, 0, &index);
		minidump_location(&entry, 4, &location);
		read_module(minidump, index, location);
	}
	return true;
}
