/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Layouts: Crashpad, minidump/minidump_extensions.h. */

struct crashpad_info {
	uint32_t version;
	struct descriptor dictionary, modules;
};

static const struct field info_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "version", INTO(struct crashpad_info, version) },
	{ 4, 16, FIELD_GUID, .name = "report_id" },
	{ 20, 16, FIELD_GUID, .name = "client_id" },
	LOCATION(36, FIELD_DECIMAL, "simple_annotations", struct crashpad_info, dictionary),
	LOCATION(44, FIELD_DECIMAL, "module_list", struct crashpad_info, modules),
	{ 52, 4, FIELD_HEX, .name = "reserved" },
	{ 56, 8, FIELD_HEX, .name = "address_mask" },
};
static const struct structure info_structure = STRUCTURE(info_fields, 52);

struct crashpad_link {
	uint32_t index;
	struct descriptor location;
};

static const struct field link_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "minidump_module_list_index", .key = true,
	  INTO(struct crashpad_link, index) },
	LOCATION(4, FIELD_DECIMAL, "location", struct crashpad_link, location),
};

struct crashpad_module {
	struct descriptor texts, dictionary, objects;
};

static const struct field module_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "version" },
	LOCATION(4, FIELD_DECIMAL, "list_annotations", struct crashpad_module, texts),
	LOCATION(12, FIELD_DECIMAL, "simple_annotations", struct crashpad_module, dictionary),
	LOCATION(20, FIELD_DECIMAL, "annotation_objects", struct crashpad_module, objects),
};
static const struct structure module_structure = STRUCTURE(module_fields, 28);

static const struct meaning annotation_types[] = { { 0, "invalid" }, { 1, "string" } };

/* Open the array at a location: a u32 count, then the entries. */
static bool
open_array(struct describe *describe, const char *name, struct descriptor location,
	   uint64_t entry_size, struct list *list)
{
	struct reader window;
	uint32_t count;

	*list = (struct list){ .entry_size = entry_size };
	if (location.rva == 0 || location.size == 0 ||
	    !describe_window(describe, name, location, &window))
		return false;
	if (!reader_u32(&window, 0, &count)) {
		describe_broken(describe, name, reader_place(&window, 0, 0),
				"there is no room for the count");
		return false;
	}
	list->claimed = count;
	describe_clip(describe, &window, 4, list);
	return true;
}

/* Describe an annotation: its value under its key, with the value's place. */
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

/* Describe the entries of an array at a location as one record. */
static void
tell_array(struct describe *describe, const char *name, struct descriptor location,
	   uint64_t entry_size, describe_tell *tell)
{
	struct list list;

	if (!open_array(describe, name, location, entry_size, &list) ||
	    !describe_begin_clipped(describe, name, NULL, &list.entries, 0))
		return;
	for (uint64_t i = 0; i < list.count && describe_link(describe, name); i++) {
		const struct reader entry = list_entry(&list, i);

		tell(describe, &entry, i);
	}
	describe_end(describe);
}

static void
tell_pair(struct describe *describe, const struct reader *entry, uint64_t index)
{
	uint32_t key = 0, value = 0;

	(void)index;
	reader_u32(entry, 0, &key);
	reader_u32(entry, 4, &value);
	tell_annotation(describe, entry, key, value);
}

static void
tell_listed(struct describe *describe, const struct reader *entry, uint64_t index)
{
	uint32_t rva = 0;
	char name[32];

	reader_u32(entry, 0, &rva);
	snprintf(name, sizeof(name), "[%" PRIu64 "]", index);
	describe_string(describe, name, rva, 1, false);
}

/* Describe the value of an annotation object: text, or bytes if the writer defined the type. */
static void
tell_object(struct describe *describe, const struct reader *entry, uint64_t index)
{
	const struct reader *file = &describe->crash->reader;
	uint32_t name = 0, value = 0, size = 0;
	uint16_t type = 0;

	(void)index;
	reader_u32(entry, 0, &name);
	reader_u16(entry, 4, &type);
	reader_u32(entry, 8, &value);
	if (type == 1) {
		tell_annotation(describe, entry, name, value);
		return;
	}
	struct place place = reader_place(entry, 0, 12);
	const char *key = describe_utf8_text(describe, name, &place);
	const char *meaning = meaning_text(VALUES(annotation_types), type);
	struct reader bytes;
	if (value == 0 || !reader_u32(file, value, &size) ||
	    !reader_window(file, (uint64_t)value + 4, size, &bytes)) {
		describe_broken(describe, key != NULL ? key : "", reader_place(entry, 8, 4),
				"its value lies outside the file");
		return;
	}
	describe_value(describe, (struct describe_value){
		.name = key != NULL ? key : "", .kind = DESCRIBE_BYTES,
		.text = { (const char *)bytes.data, (size_t)bytes.size },
		.note = meaning != NULL ? meaning
					: arena_format(&describe->arena, "type 0x%" PRIx16, type),
		.place = reader_place(&bytes, 0, size) });
}

/* Describe a module's name. It counts toward the budget, because many links may name one module. */
static void
tell_code_file(struct describe *describe, const struct reader *bytes, uint32_t module)
{
	const char *name = describe->crash->modules[module].code_file;
	struct reader text = { .input = bytes->input, .data = (const uint8_t *)name,
			       .size = strlen(name), .start = bytes->start };

	if (describe_take_text(describe, "code_file", &text))
		describe_value(describe, (struct describe_value){
			.name = "code_file", .kind = DESCRIBE_TEXT, .derived = true, .key = true,
			.text = { name, (size_t)text.size },
			.link = DESCRIBE_LINK_MODULE, .linked = module,
			.place = reader_place(bytes, 0, 4) });
}

static void
tell_module(struct describe *describe, const struct reader *bytes, uint64_t number)
{
	const struct crash *crash = describe->crash;
	struct crashpad_module module = { 0 };
	struct crashpad_link link = { 0 };
	struct reader window;

	(void)number;
	fields_read(&FIELDS(link_fields), bytes, &link);
	if (link.index < crash->module_count)
		tell_code_file(describe, bytes, link.index);
	else
		describe_broken(describe, "minidump_module_list_index", reader_place(bytes, 0, 4),
				"no such module");
	if (!describe_whole(describe) || !describe_link(describe, "module") ||
	    !describe_window(describe, "location", link.location, &window))
		return;
	describe_structure(describe, module_structure, &window, module_structure.size);
	fields_read(&module_structure, &window, &module);
	tell_array(describe, "list_annotations", module.texts, 4, tell_listed);
	tell_array(describe, "simple_annotations", module.dictionary, 8, tell_pair);
	tell_array(describe, "annotation_objects", module.objects, 12, tell_object);
}

void
crashpad_info_describe(struct describe *describe, const struct reader *window)
{
	static const struct list_layout links = {
		.name = "module", .entry = STRUCTURE(link_fields, 12), .tell = tell_module,
	};
	struct crashpad_info info = { 0 };
	struct list list;

	describe_structure(describe, info_structure, window, info_structure.size);
	fields_read(&info_structure, window, &info);
	tell_array(describe, "simple_annotations", info.dictionary, 8, tell_pair);
	if (open_array(describe, "module_list", info.modules, links.entry.size, &list))
		describe_entries(describe, &list, &links);
}

bool
crashpad_info_decode(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	struct crashpad_info info = { 0 };

	if (window->size < 44) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has %" PRIu64 " bytes, expected at least %" PRIu32,
				 stream->name, window->size, info_structure.size);
		return false;
	}
	fields_read(&info_structure, window, &info);
	if (info.version == 0)
		minidump_message(minidump, ENTRY_BROKEN, reader_place(window, 0, 4),
				 "stream %s has version 0\nit is read as version 1", stream->name);
	reader_u64(window, 56, &minidump->crash->address_mask);
	return true;
}
