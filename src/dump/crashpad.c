/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Layouts: Crashpad, minidump/minidump_extensions.h. */

static const struct field info_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "version" },
	{ 4, 16, FIELD_GUID, .name = "report_id" },
	{ 20, 16, FIELD_GUID, .name = "client_id" },
	{ 36, 4, FIELD_DECIMAL, .name = "simple_annotations.data_size" },
	{ 40, 4, FIELD_HEX, .name = "simple_annotations.rva" },
	{ 44, 4, FIELD_DECIMAL, .name = "module_list.data_size" },
	{ 48, 4, FIELD_HEX, .name = "module_list.rva" },
	{ 52, 4, FIELD_HEX, .name = "reserved" },
	{ 56, 8, FIELD_HEX, .name = "address_mask" },
};

static const struct field link_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "minidump_module_list_index", .key = true },
	{ 4, 4, FIELD_DECIMAL, .name = "location.data_size" },
	{ 8, 4, FIELD_HEX, .name = "location.rva" },
};

static const struct field module_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "version" },
	{ 4, 4, FIELD_DECIMAL, .name = "list_annotations.data_size" },
	{ 8, 4, FIELD_HEX, .name = "list_annotations.rva" },
	{ 12, 4, FIELD_DECIMAL, .name = "simple_annotations.data_size" },
	{ 16, 4, FIELD_HEX, .name = "simple_annotations.rva" },
	{ 20, 4, FIELD_DECIMAL, .name = "annotation_objects.data_size" },
	{ 24, 4, FIELD_HEX, .name = "annotation_objects.rva" },
};

static const struct meaning annotation_types[] = { { 0, "invalid" }, { 1, "string" } };

/* An array of a u32 count and entries at a location, below the limit on such lists. */
static bool
open_array(struct describe *describe, const char *name, struct location location,
	   uint64_t entry_size, struct describe_list *list)
{
	struct reader window;
	uint32_t count;

	*list = (struct describe_list){ .entry_size = entry_size };
	if (location.rva == 0 || location.size == 0 ||
	    !describe_window(describe, name, location, &window))
		return false;
	if (!reader_u32(&window, 0, &count)) {
		describe_broken(describe, name, reader_place(&window, 0, 0),
				"there is no room for the count");
		return false;
	}
	describe_clip(describe, &window, 4, count, list);
	return true;
}

/* The same as a record of its own, to be ended. */
static bool
begin_array(struct describe *describe, const char *name, struct location location,
	    uint64_t entry_size, struct describe_list *list)
{
	return open_array(describe, name, location, entry_size, list) &&
	       describe_begin(describe, (struct describe_record){
			.name = name, .index = DESCRIBE_NO_INDEX,
			.place = reader_place(&list->entries, 0, (uint32_t)list->entries.size) });
}

/* One annotation: its value under its key, placed where the value lies. */
static void
tell_annotation(struct describe *describe, const struct reader *entry, uint32_t key_rva,
		uint32_t value_rva)
{
	struct place place = reader_place(entry, 0, 8);
	const char *key = describe_utf8_text(describe, key_rva, &place);
	const char *value = describe_utf8_text(describe, value_rva, &place);

	describe_value(describe, (struct describe_value){
		.name = key != NULL ? key : "", .kind = DESCRIBE_TEXT,
		.text = text_of(value != NULL ? value : ""), .place = place });
}

static void
tell_dictionary(struct describe *describe, const char *name, struct location location)
{
	struct describe_list list;

	if (!begin_array(describe, name, location, 8, &list))
		return;
	for (uint64_t i = 0; i < list.count && describe_link(describe, name); i++) {
		struct reader entry = describe_entry(&list, i);
		uint32_t key = 0, value = 0;

		reader_u32(&entry, 0, &key);
		reader_u32(&entry, 4, &value);
		tell_annotation(describe, &entry, key, value);
	}
	describe_end(describe);
}

static void
tell_texts(struct describe *describe, const char *name, struct location location)
{
	struct describe_list list;

	if (!begin_array(describe, name, location, 4, &list))
		return;
	for (uint64_t i = 0; i < list.count && describe_link(describe, name); i++) {
		struct reader entry = describe_entry(&list, i);
		uint32_t rva = 0;
		char index[32];

		reader_u32(&entry, 0, &rva);
		snprintf(index, sizeof(index), "[%" PRIu64 "]", i);
		describe_utf8(describe, index, rva, false);
	}
	describe_end(describe);
}

/* The value of an annotation object: text, or bytes where its type is the writer's own. */
static void
tell_object(struct describe *describe, const struct reader *entry)
{
	const struct reader *file = &describe->crash->reader;
	uint32_t name = 0, value = 0, size = 0;
	uint16_t type = 0;

	reader_u32(entry, 0, &name);
	reader_u16(entry, 4, &type);
	reader_u32(entry, 8, &value);
	if (type == 1) {
		tell_annotation(describe, entry, name, value);
		return;
	}
	struct place place = reader_place(entry, 0, 12);
	const char *key = describe_utf8_text(describe, name, &place);
	const char *meaning = describe_meaning(describe, VALUES(annotation_types), type);
	struct reader bytes;
	if (value == 0 || !reader_u32(file, value, &size) ||
	    !reader_window(file, (uint64_t)value + 4, size, &bytes)) {
		describe_broken(describe, key != NULL ? key : "", reader_place(entry, 8, 4),
				"its value lies outside of the file");
		return;
	}
	describe_value(describe, (struct describe_value){
		.name = key != NULL ? key : "", .kind = DESCRIBE_BYTES,
		.text = { (const char *)bytes.data, (size_t)bytes.size },
		.note = meaning != NULL ? meaning
					: arena_format(&describe->arena, "type 0x%" PRIx16, type),
		.place = reader_place(&bytes, 0, size) });
}

static void
tell_objects(struct describe *describe, const char *name, struct location location)
{
	struct describe_list list;

	if (!begin_array(describe, name, location, 12, &list))
		return;
	for (uint64_t i = 0; i < list.count && describe_link(describe, name); i++) {
		struct reader entry = describe_entry(&list, i);

		tell_object(describe, &entry);
	}
	describe_end(describe);
}

static void
tell_module(struct describe *describe, const struct reader *link)
{
	const struct crash *crash = describe->crash;
	struct location location = { 0 }, texts = { 0 }, dictionary = { 0 }, objects = { 0 };
	struct reader window;
	uint32_t index = 0;

	describe_fields(describe, FIELDS(link_fields), link);
	reader_u32(link, 0, &index);
	minidump_location(link, 4, &location);
	if (index < crash->module_count)
		describe_value(describe, (struct describe_value){
			.name = "code_file", .kind = DESCRIBE_TEXT, .derived = true, .key = true,
			.text = text_of(crash->modules[index].code_file),
			.link = DESCRIBE_LINK_MODULE, .linked = index,
			.place = reader_place(link, 0, 4) });
	else
		describe_broken(describe, "minidump_module_list_index", reader_place(link, 0, 4),
				"there is no such module");
	if (!describe_whole(describe) || !describe_link(describe, "module") ||
	    !describe_window(describe, "location", location, &window))
		return;
	describe_structure(describe, FIELDS(module_fields), &window, 28);
	minidump_location(&window, 4, &texts);
	minidump_location(&window, 12, &dictionary);
	minidump_location(&window, 20, &objects);
	tell_texts(describe, "list_annotations", texts);
	tell_dictionary(describe, "simple_annotations", dictionary);
	tell_objects(describe, "annotation_objects", objects);
}

void
describe_crashpad(struct describe *describe, const struct reader *window)
{
	struct location dictionary = { 0 }, modules = { 0 };
	struct describe_list list;

	describe_structure(describe, FIELDS(info_fields), window, 52);
	minidump_location(window, 36, &dictionary);
	minidump_location(window, 44, &modules);
	tell_dictionary(describe, "simple_annotations", dictionary);
	if (!open_array(describe, "module_list", modules, 12, &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader link = describe_entry(&list, i);

		if (!describe_begin_entry(describe, "module", i, &link))
			continue;
		tell_module(describe, &link);
		describe_end(describe);
	}
}

bool
crashpad_decode_info(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	struct location dictionary;
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
	reader_u64(window, 56, &minidump->crash->address_mask);
	return true;
}
