/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MODULE_SIZE 108u
#define UNLOADED_SIZE 24u
#define VERSION_SIGNATURE 0xfeef04bdu

/* VS_FIXEDFILEINFO (verrsrc.h) */
static const struct meaning file_flags[] = {
	{ 1, "debug" }, { 2, "prerelease" }, { 4, "patched" }, { 8, "private build" },
	{ 0x10, "info inferred" }, { 0x20, "special build" },
};

static const struct meaning file_systems[] = {
	{ 0, "" }, { 1, "16-bit Windows" }, { 2, "16-bit Presentation Manager" },
	{ 3, "32-bit Presentation Manager" }, { 4, "32-bit Windows" }, { 0x10000, "DOS" },
	{ 0x10001, "DOS, 16-bit Windows" }, { 0x10004, "DOS, 32-bit Windows" },
	{ 0x20000, "16-bit OS/2" }, { 0x30000, "32-bit OS/2" }, { 0x40000, "Windows NT" },
	{ 0x40004, "Windows NT, 32-bit Windows" },
};

static const struct meaning file_types[] = {
	{ 1, "application" }, { 2, "library" }, { 3, "driver" }, { 4, "font" },
	{ 5, "virtual device" }, { 7, "static library" },
};

static const struct field module_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "base_of_image", .key = true },
	{ 8, 4, FIELD_HEX, .name = "size_of_image", .key = true },
	{ 12, 4, FIELD_HEX, .name = "checksum" },
	{ 16, 4, FIELD_SECONDS, .name = "time_date_stamp" },
	{ 20, 4, FIELD_HEX, .name = "module_name_rva" },
	{ 24, 4, FIELD_HEX, .name = "version_info.signature" },
	{ 28, 4, FIELD_HEX, .name = "version_info.struct_version" },
	{ 32, 8, FIELD_PAIR, .name = "version_info.file_version" },
	{ 40, 8, FIELD_PAIR, .name = "version_info.product_version" },
	{ 48, 4, FIELD_HEX, .name = "version_info.file_flags_mask" },
	{ 52, 4, FIELD_HEX, .name = "version_info.file_flags", BITS(file_flags) },
	{ 56, 4, FIELD_HEX, .name = "version_info.file_os", VALUES(file_systems) },
	{ 60, 4, FIELD_HEX, .name = "version_info.file_type", VALUES(file_types) },
	{ 64, 4, FIELD_HEX, .name = "version_info.file_subtype" },
	{ 68, 8, FIELD_PAIR, .name = "version_info.file_date" },
	{ 76, 4, FIELD_DECIMAL, .name = "cv_record.data_size" },
	{ 80, 4, FIELD_HEX, .name = "cv_record.rva" },
	{ 84, 4, FIELD_DECIMAL, .name = "misc_record.data_size" },
	{ 88, 4, FIELD_HEX, .name = "misc_record.rva" },
	{ 92, 8, FIELD_HEX, .name = "reserved0" },
	{ 100, 8, FIELD_HEX, .name = "reserved1" },
};

static const struct field unloaded_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "base_of_image", .key = true },
	{ 8, 4, FIELD_HEX, .name = "size_of_image", .key = true },
	{ 12, 4, FIELD_HEX, .name = "checksum" },
	{ 16, 4, FIELD_SECONDS, .name = "time_date_stamp" },
	{ 20, 4, FIELD_HEX, .name = "module_name_rva" },
};

static const struct meaning codeview_names[] = {
	{ 0x53445352, "RSDS" }, { 0x3031424e, "NB10" }, { 0x4270454c, "ELF build id" },
	{ 0x3930424e, "NB09" }, { 0x3131424e, "NB11" },
};

static const struct field pdb70_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "cv_signature", VALUES(codeview_names) },
	{ 4, 16, FIELD_GUID, .name = "signature" },
	{ 20, 4, FIELD_DECIMAL, .name = "age" },
};

static const struct field pdb20_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "cv_header.signature", VALUES(codeview_names) },
	{ 4, 4, FIELD_HEX, .name = "cv_header.offset" },
	{ 8, 4, FIELD_SECONDS, .name = "signature" },
	{ 12, 4, FIELD_DECIMAL, .name = "age" },
};

static const struct field signature_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "cv_signature", VALUES(codeview_names) },
};

/* How records go on behind their fields: with a path, or with bytes. */
static const struct codeview {
	uint32_t signature;
	struct field_table fields;
	const char *path;
	const char *bytes;
	uint32_t size;		/* of the fields */
} codeviews[] = {
	{ 0x53445352, FIELD_TABLE(pdb70_fields), "pdb_file_name", NULL, 24 },
	{ 0x3031424e, FIELD_TABLE(pdb20_fields), "pdb_file_name", NULL, 16 },
	{ 0x4270454c, { signature_fields, 1 }, NULL, "build_id", 4 },
};

static const struct codeview other_codeview = {
	.fields = { signature_fields, 1 }, .bytes = "data", .size = 4,
};

static const struct meaning misc_types[] = { { 1, "name of the executable" } };

static const struct field misc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "data_type", VALUES(misc_types) },
	{ 4, 4, FIELD_HEX, .name = "length" },
	{ 8, 1, FIELD_DECIMAL, .name = "unicode" },
};

static void
tell_path(struct describe *describe, const char *name, const struct reader *record,
	  uint64_t offset)
{
	struct reader path;

	if (record->size <= offset ||
	    !reader_window(record, offset, record->size - offset, &path) ||
	    !describe_take_text(describe, name, &path))
		return;
	const char *start = (const char *)path.data;
	size_t length = strnlen(start, (size_t)path.size);
	if (length == path.size)
		describe_broken(describe, name, reader_place(&path, 0, 0),
				"the path has no end; the record's end counts");
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_TEXT, .text = { start, length },
		.place = reader_place(&path, 0, (uint32_t)length) });
}

/* Begin the record that a module points to; says when it lies outside of the file. */
static bool
begin_record(struct describe *describe, const char *name, struct location location,
	     struct reader *record)
{
	if (location.size == 0 || !describe_whole(describe) ||
	    !describe_window(describe, name, location, record))
		return false;
	if (record->size < location.size)
		describe_broken(describe, name, reader_place(record, 0, 0),
				"0x%" PRIx64 " of 0x%" PRIx32 " bytes are in the file",
				record->size, location.size);
	return describe_begin(describe, (struct describe_record){
		.name = name, .index = DESCRIBE_NO_INDEX,
		.place = reader_place(record, 0, (uint32_t)record->size) });
}

static void
tell_codeview(struct describe *describe, struct location location)
{
	const struct codeview *codeview = &other_codeview;
	struct reader record;
	uint32_t signature = 0;

	if (!begin_record(describe, "cv_record", location, &record))
		return;
	reader_u32(&record, 0, &signature);
	for (size_t i = 0; i < ARRAY_COUNT(codeviews); i++)
		if (codeviews[i].signature == signature)
			codeview = &codeviews[i];
	describe_structure(describe, codeview->fields, &record, codeview->size);
	if (codeview->path != NULL)
		tell_path(describe, codeview->path, &record, codeview->size);
	else if (record.size > codeview->size)
		describe_bytes(describe, codeview->bytes, &record, codeview->size,
			       record.size - codeview->size);
	describe_end(describe);
}

static void
tell_misc(struct describe *describe, struct location location)
{
	struct reader record, data;
	uint8_t wide = 0;

	if (!begin_record(describe, "misc_record", location, &record))
		return;
	describe_structure(describe, FIELDS(misc_fields), &record, 12);
	reader_u8(&record, 8, &wide);
	if (record.size > 12 && reader_window(&record, 12, record.size - 12, &data) &&
	    describe_take_text(describe, "data", &data)) {
		const char *text = wide == 0 ? NULL
			: text_from_utf16(&describe->arena, data.data, (size_t)data.size / 2,
					  data.big_endian, true);
		struct text bytes = { (const char *)data.data,
				      strnlen((const char *)data.data, (size_t)data.size) };

		describe_value(describe, (struct describe_value){
			.name = "data", .kind = DESCRIBE_TEXT,
			.text = text != NULL ? text_of(text) : bytes,
			.place = reader_place(&data, 0, (uint32_t)data.size) });
	}
	describe_end(describe);
}

static const char *
version_text(struct describe *describe, const uint32_t word[2])
{
	return arena_format(&describe->arena, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32,
			    word[0] >> 16, word[0] & 0xffff, word[1] >> 16, word[1] & 0xffff);
}

/*
 * VS_FIXEDFILEINFO as text: two versions of four halves each. On Linux minidump-writer stores
 * one version as four words; a first half of 0 in front of something tells.
 */
static void
tell_versions(struct describe *describe, const struct reader *entry)
{
	enum crash_os os = describe->crash->system.os;
	uint32_t signature = 0, word[4] = { 0 };

	if (!reader_u32(entry, 24, &signature) || signature != VERSION_SIGNATURE)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(word); i++)
		reader_u32(entry, 32 + 4 * i, &word[i]);
	if ((os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID) && word[0] != 0 &&
	    word[0] <= 0xffff) {
		describe_text(describe, "version", DESCRIBE_TEXT,
			      arena_format(&describe->arena,
					   "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, word[0],
					   word[1], word[2], word[3]),
			      reader_place(entry, 32, 16));
		return;
	}
	describe_text(describe, "version", DESCRIBE_TEXT, version_text(describe, word),
		      reader_place(entry, 32, 8));
	describe_text(describe, "product_version", DESCRIBE_TEXT, version_text(describe, word + 2),
		      reader_place(entry, 40, 8));
}

static void
tell_identity(struct describe *describe, const struct module *module)
{
	describe_text(describe, "code_identifier", DESCRIBE_TEXT, module->code_id,
		      module->identity_place);
	describe_text(describe, "debug_file", DESCRIBE_TEXT, module->debug_file,
		      module->identity_place);
	describe_text(describe, "debug_identifier", DESCRIBE_TEXT, module->debug_id,
		      module->identity_place);
}

static void
tell_module(struct describe *describe, const struct reader *entry, uint64_t index)
{
	const struct crash *crash = describe->crash;
	struct location codeview = { 0 }, misc = { 0 };
	uint32_t name = 0;

	describe_fields(describe, FIELDS(module_fields), entry);
	reader_u32(entry, 20, &name);
	describe_string(describe, "code_file", name, true);
	if (!describe_whole(describe))
		return;
	tell_versions(describe, entry);
	if (index < crash->module_count && crash->modules[index].place.offset == entry->start) {
		tell_identity(describe, &crash->modules[index]);
		describe_value(describe, (struct describe_value){
			.name = "module", .kind = DESCRIBE_DECIMAL, .number = index,
			.derived = true, .link = DESCRIBE_LINK_MODULE, .linked = index });
	}
	minidump_location(entry, 76, &codeview);
	minidump_location(entry, 84, &misc);
	tell_codeview(describe, codeview);
	tell_misc(describe, misc);
}

void
describe_module_list(struct describe *describe, const struct reader *window)
{
	struct describe_list list;

	if (!describe_open_list(describe, window, MODULE_SIZE, "module_count", &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);

		if (!describe_begin_entry(describe, "module", i, &entry))
			continue;
		tell_module(describe, &entry, i);
		describe_end(describe);
	}
}

void
describe_unloaded_modules(struct describe *describe, const struct reader *window)
{
	const struct crash *crash = describe->crash;
	struct describe_list list;

	if (!describe_open_headed(describe, window, false, UNLOADED_SIZE, &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);
		uint32_t name = 0;

		if (!describe_begin_entry(describe, "unloaded_module", i, &entry))
			continue;
		describe_fields(describe, FIELDS(unloaded_fields), &entry);
		reader_u32(&entry, 20, &name);
		describe_string(describe, "code_file", name, true);
		if (i < crash->unloaded_count && crash->unloaded[i].place.offset == entry.start)
			tell_identity(describe, &crash->unloaded[i]);
		describe_bytes(describe, "rest", &entry, UNLOADED_SIZE,
			       entry.size - UNLOADED_SIZE);
		describe_end(describe);
	}
}
