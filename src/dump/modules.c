/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

#define VERSION_SIGNATURE 0xfeef04bdu
#define VERSION_STRUCT 0x10000u
#define MISC_SIZE 12u

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

#define MODULE(member) INTO(struct module_entry, member)

static const struct field module_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "base_of_image", .key = true, MODULE(base) },
	{ 8, 4, FIELD_HEX, .name = "size_of_image", .key = true, MODULE(size) },
	{ 12, 4, FIELD_HEX, .name = "checksum", MODULE(checksum) },
	{ 16, 4, FIELD_SECONDS, .name = "time_date_stamp", MODULE(timestamp) },
	{ 20, 4, FIELD_HEX, .name = "module_name_rva", .string = "code_file", MODULE(name) },
	{ 24, 4, FIELD_HEX, .name = "version_info.signature", MODULE(signature) },
	{ 28, 4, FIELD_HEX, .name = "version_info.struct_version", MODULE(struct_version) },
	{ 32, 8, FIELD_PAIR, .name = "version_info.file_version", MODULE(version[0]) },
	{ 40, 8, FIELD_PAIR, .name = "version_info.product_version", MODULE(version[2]) },
	{ 48, 4, FIELD_HEX, .name = "version_info.file_flags_mask" },
	{ 52, 4, FIELD_HEX, .name = "version_info.file_flags", BITS(file_flags) },
	{ 56, 4, FIELD_HEX, .name = "version_info.file_os", VALUES(file_systems) },
	{ 60, 4, FIELD_HEX, .name = "version_info.file_type", VALUES(file_types) },
	{ 64, 4, FIELD_HEX, .name = "version_info.file_subtype" },
	{ 68, 8, FIELD_PAIR, .name = "version_info.file_date" },
	LOCATION(76, FIELD_DECIMAL, "cv_record", struct module_entry, codeview),
	LOCATION(84, FIELD_DECIMAL, "misc_record", struct module_entry, misc),
	{ 92, 8, FIELD_HEX, .name = "reserved0" },
	{ 100, 8, FIELD_HEX, .name = "reserved1" },
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

/* The GUID as Breakpad writes debug identifiers: capitals, no dashes, then the age. */
static const char *
guid_id(struct minidump *minidump, const struct reader *reader, uint64_t offset, const char *age)
{
	char guid[GUID_TEXT], id[GUID_TEXT] = "";
	size_t used = 0;

	field_guid(reader, offset, guid);
	for (const char *c = guid; *c != '\0'; c++)
		if (*c != '-')
			id[used++] = (char)toupper((unsigned char)*c);
	return text_or_empty(arena_format(&minidump->crash->arena, "%s%s", id, age));
}

/* The path that ends a CodeView record; false if its NUL is not the record's last byte. */
static bool
read_path(struct minidump *minidump, const struct reader *record,
	  const struct structure *structure, struct module *module)
{
	const char *path = (const char *)record->data + structure->size;

	if (record->size <= structure->size || record->data[record->size - 1] != '\0')
		return false;
	module->debug_file = text_or_empty(arena_string(&minidump->crash->arena, path));
	return true;
}

static bool
read_pdb70(struct minidump *minidump, const struct reader *record,
	   const struct structure *structure, struct module *module)
{
	enum crash_os os = minidump->crash->system.os;
	char age[24];

	if (!read_path(minidump, record, structure, module))
		return false;
	snprintf(age, sizeof(age), "%" PRIx64, fields_number(*structure, "age", record));
	module->debug_id = guid_id(minidump, record, 4, age);
	if (os == CRASH_OS_MAC || os == CRASH_OS_IOS)
		module->code_id = guid_id(minidump, record, 4, "");
	return true;
}

static bool
read_pdb20(struct minidump *minidump, const struct reader *record,
	   const struct structure *structure, struct module *module)
{
	if (!read_path(minidump, record, structure, module))
		return false;
	module->debug_id = text_or_empty(arena_format(
		&minidump->crash->arena, "%08" PRIX64 "%" PRIx64,
		fields_number(*structure, "signature", record),
		fields_number(*structure, "age", record)));
	return true;
}

/*
 * The build ID, cut or padded to a GUID. The GUID's fields are little-endian even in a big-endian
 * dump, because Breakpad and the tools that name symbol files read them so.
 */
void
modules_set_build_id(struct minidump *minidump, const uint8_t *id, size_t length,
		     struct module *module)
{
	uint8_t bytes[16] = { 0 };
	char *hex = arena_array(&minidump->crash->arena, length * 2 + 1, 1);

	memcpy(bytes, id, length < sizeof(bytes) ? length : sizeof(bytes));
	const struct reader guid = { .data = bytes, .size = sizeof(bytes) };
	module->debug_id = guid_id(minidump, &guid, 0, "0");
	module->debug_file = module->code_file;
	module->code_id = text_or_empty(text_hex(id, length, hex));
}

size_t
modules_build_id(const struct module *module, uint8_t id[LIMIT_BUILD_ID])
{
	const char *hex = module->code_id;
	const size_t digits = strlen(hex);

	if (digits % 2 != 0 || digits > 2 * LIMIT_BUILD_ID ||
	    strspn(hex, "0123456789abcdefABCDEF") != digits)
		return 0;
	for (size_t i = 0; i < digits / 2; i++) {
		uint64_t byte = 0;

		text_number((struct text){ hex + 2 * i, 2 }, 16, &byte);
		id[i] = (uint8_t)byte;
	}
	return digits / 2;
}

static bool
read_elf(struct minidump *minidump, const struct reader *record,
	 const struct structure *structure, struct module *module)
{
	(void)structure;
	modules_set_build_id(minidump, record->data + 4, (size_t)record->size - 4, module);
	return true;
}

/*
 * Records that name a module's symbols (Breakpad, minidump_format.h, MDCVInfo...). A path
 * or bytes follow their fields.
 */
static const struct codeview {
	uint32_t signature;
	const char *name, *path, *bytes;
	struct structure structure;
	bool (*read)(struct minidump *minidump, const struct reader *record,
		     const struct structure *structure, struct module *module);
} codeviews[] = {
	{ 0x53445352, "RSDS", "pdb_file_name", NULL, STRUCTURE(pdb70_fields, 24), read_pdb70 },
	{ 0x3031424e, "NB10", "pdb_file_name", NULL, STRUCTURE(pdb20_fields, 16), read_pdb20 },
	{ 0x4270454c, "build id", NULL, "build_id", STRUCTURE(signature_fields, 4), read_elf },
};

static const struct codeview other_codeview = {
	.bytes = "data", .structure = STRUCTURE(signature_fields, 4),
};

static const struct codeview *
codeview_of(const struct reader *record)
{
	uint32_t signature = 0;

	reader_u32(record, 0, &signature);
	for (size_t i = 0; i < ARRAY_COUNT(codeviews); i++)
		if (codeviews[i].signature == signature)
			return &codeviews[i];
	return &other_codeview;
}

static const struct meaning misc_types[] = { { 1, "name of the executable" } };

static const struct field misc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "data_type", VALUES(misc_types) },
	{ 4, 4, FIELD_HEX, .name = "length" },
	{ 8, 1, FIELD_DECIMAL, .name = "unicode" },
};

/* The path after the first `offset` bytes of a record. */
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
				"the path is not terminated; it ends with the record");
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_TEXT, .text = { start, length },
		.place = reader_place(&path, 0, length) });
}

/* Begin the record that a module points to, with a defect if it is outside of the file. */
static bool
begin_record(struct describe *describe, const char *name, struct descriptor location,
	     struct reader *record)
{
	return location.size != 0 && describe_whole(describe) &&
	       describe_window(describe, name, location, record) &&
	       describe_begin_clipped(describe, name, NULL, record, location.size);
}

/* The name in IMAGE_DEBUG_MISC. */
static const char *
misc_text(struct arena *arena, const struct reader *data, bool wide)
{
	const char *name = (const char *)data->data;

	return wide ? text_from_utf16(arena, data->data, (size_t)data->size / 2, data->big_endian,
				      true)
		    : arena_copy(arena, name, strnlen(name, (size_t)data->size));
}

static void
tell_records(struct describe *describe, const struct module_entry *entry)
{
	struct reader record, data;
	uint8_t wide = 0;

	if (begin_record(describe, "cv_record", entry->codeview, &record)) {
		const struct codeview *codeview = codeview_of(&record);
		const uint32_t size = codeview->structure.size;

		describe_structure(describe, codeview->structure, &record, size);
		if (codeview->path != NULL)
			tell_path(describe, codeview->path, &record, size);
		else if (record.size > size)
			describe_bytes(describe, codeview->bytes, &record, size,
				       record.size - size);
		describe_end(describe);
	}
	if (!begin_record(describe, "misc_record", entry->misc, &record))
		return;
	describe_structure(describe, FIELDS(misc_fields), &record, MISC_SIZE);
	reader_u8(&record, 8, &wide);
	if (record.size > MISC_SIZE &&
	    reader_window(&record, MISC_SIZE, record.size - MISC_SIZE, &data) &&
	    describe_take_text(describe, "data", &data)) {
		const char *text = misc_text(&describe->arena, &data, wide != 0);

		describe_value(describe, (struct describe_value){
			.name = "data", .kind = DESCRIBE_TEXT, .text = text_of(text_or_empty(text)),
			.place = reader_place(&data, 0, data.size) });
	}
	describe_end(describe);
}

/* VS_FIXEDFILEINFO as four halves, as Breakpad prints it on every system. */
static const char *
version_text(struct arena *arena, const uint32_t word[2])
{
	return arena_format(arena, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, word[0] >> 16,
			    word[0] & 0xffff, word[1] >> 16, word[1] & 0xffff);
}

/*
 * VS_FIXEDFILEINFO as text: two versions of four halves each. On Linux minidump-writer stores one
 * version as four words. Only then the first word has an upper half of 0 and a nonzero lower half.
 */
static void
tell_versions(struct describe *describe, const struct module_entry *entry, struct place place)
{
	enum crash_os os = describe->crash->system.os;
	const uint32_t *word = entry->version;

	if (entry->signature != VERSION_SIGNATURE)
		return;
	if ((os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID) && word[0] != 0 &&
	    word[0] <= 0xffff) {
		place.length = 16;
		describe_text(describe, "version", DESCRIBE_TEXT,
			      arena_format(&describe->arena,
					   "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, word[0],
					   word[1], word[2], word[3]),
			      place);
		return;
	}
	describe_text(describe, "version", DESCRIBE_TEXT, version_text(&describe->arena, word),
		      place);
	place.offset += place.length;
	describe_text(describe, "product_version", DESCRIBE_TEXT,
		      version_text(&describe->arena, word + 2), place);
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
tell_module(struct describe *describe, const struct reader *bytes, uint64_t index)
{
	const struct crash *crash = describe->crash;
	struct module_entry entry = { 0 };

	if (!describe_whole(describe))
		return;
	fields_read(&modules_layout.entry, bytes, &entry);
	tell_versions(describe, &entry, reader_place(bytes, 32, 8));
	if (index < crash->module_count && crash->modules[index].place.offset == bytes->start) {
		tell_identity(describe, &crash->modules[index]);
		describe_value(describe, (struct describe_value){
			.name = "module", .kind = DESCRIBE_DECIMAL, .number = index,
			.derived = true, .link = DESCRIBE_LINK_MODULE, .linked = index });
	}
	tell_records(describe, &entry);
}

const struct list_layout modules_layout = {
	LIST_COUNTED, "module", "module_count", STRUCTURE(module_fields, 108), LIMIT_MODULES,
	tell_module,
};

static void
tell_unloaded(struct describe *describe, const struct reader *bytes, uint64_t index)
{
	const struct crash *crash = describe->crash;

	if (index < crash->unloaded_count && crash->unloaded[index].place.offset == bytes->start)
		tell_identity(describe, &crash->unloaded[index]);
}

/* An unloaded module has the first five fields of a loaded one. */
const struct list_layout modules_unloaded_layout = {
	LIST_HEADED, "unloaded_module", NULL, { module_fields, 5, 24 }, LIMIT_MODULES,
	tell_unloaded,
};

static void
read_codeview(struct minidump *minidump, struct descriptor location, size_t index,
	      struct module *module)
{
	struct reader record;

	if (location.size == 0)
		return;
	module->identity_place = reader_place(&minidump->crash->reader, location.rva,
					      location.size);
	if (location.size > LIMIT_CODEVIEW ||
	    !crash_bytes(minidump->crash, location.rva, location.size, &record) ||
	    record.size < location.size || record.size < 4) {
		minidump_message(minidump, ENTRY_BROKEN, module->place,
				 "the CodeView record of module %zu (0x%" PRIx32
				 " bytes at 0x%" PRIx32 ") cannot be read"
				 "\nthe module has no debug identifier",
				 index, location.size, location.rva);
		return;
	}
	const struct codeview *codeview = codeview_of(&record);
	if (codeview->read != NULL &&
	    !codeview->read(minidump, &record, &codeview->structure, module))
		minidump_message(minidump, ENTRY_BROKEN, module->identity_place,
				 "the %s record of module %zu has no terminated path"
				 "\nthe module has no debug identifier",
				 codeview->name, index);
}

/* IMAGE_DEBUG_MISC names the debug file of modules without a CodeView record. */
static void
read_misc(struct minidump *minidump, struct descriptor location, size_t index,
	  struct module *module)
{
	struct arena *arena = &minidump->crash->arena;
	struct reader record, data;
	uint32_t length;
	uint8_t wide;

	if (location.size == 0)
		return;
	struct place place = reader_place(&minidump->crash->reader, location.rva, location.size);
	if (location.size > LIMIT_CODEVIEW ||
	    !crash_bytes(minidump->crash, location.rva, location.size, &record) ||
	    record.size < location.size || record.size < MISC_SIZE ||
	    !reader_u32(&record, 4, &length) ||
	    length != location.size || !reader_u8(&record, 8, &wide)) {
		minidump_message(minidump, ENTRY_BROKEN, place,
				 "the misc record of module %zu is not a debug record", index);
		return;
	}
	if (*module->debug_file != '\0')
		return;
	reader_window(&record, MISC_SIZE, record.size - MISC_SIZE, &data);
	module->debug_file = text_or_empty(misc_text(arena, &data, wide != 0));
}

/* Cut a file name that is too long for any file system, because every frame shows it. */
static const char *
cut_name(struct minidump *minidump, const char *name, struct place place)
{
	const char *base = name != NULL ? place_base_name(name) : "";
	const size_t length = strlen(base);

	if (length <= LIMIT_MODULE_NAME)
		return name;
	minidump_message(minidump, STRING_BROKEN, place,
			 "the name of a module has %zu bytes\nit is cut to %u", length,
			 LIMIT_MODULE_NAME);
	return arena_copy(&minidump->crash->arena, name,
			  (size_t)(base - name) + LIMIT_MODULE_NAME);
}

static bool
decode_modules(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	       bool unloaded, struct module **modules, size_t *count)
{
	const struct list_layout *layout = unloaded ? &modules_unloaded_layout : &modules_layout;
	const char *kind = unloaded ? "unloaded module" : "module";
	struct crash *crash = minidump->crash;
	struct arena *arena = &crash->arena;
	struct list list;

	*modules = minidump_entries(minidump, stream, window, layout, sizeof(**modules), &list);
	for (size_t i = 0; *modules != NULL && i < list.count; i++) {
		const struct reader bytes = list_entry(&list, i);
		struct module *module = &(*modules)[(*count)++];
		struct module_entry entry = { 0 };

		fields_read(&layout->entry, &bytes, &entry);
		*module = (struct module){
			.base = entry.base, .size = entry.size, .checksum = entry.checksum,
			.timestamp = entry.timestamp, .code_id = "", .debug_file = "",
			.debug_id = "", .version = "", .unloaded = unloaded,
			.place = reader_place(&bytes, 0, bytes.size),
		};
		module->code_file = text_or_empty(cut_name(
			minidump, minidump_string(minidump, entry.name,
						  arena_format(arena, "name of %s %zu", kind, i)),
			module->place));
		if (crash->system.os == CRASH_OS_WINDOWS)
			module->code_id = text_or_empty(arena_format(arena, "%08" PRIX32 "%" PRIx32,
								entry.timestamp, entry.size));
		if (entry.size == 0 || entry.size - 1 > UINT64_MAX - entry.base)
			minidump_message(minidump, ENTRY_BROKEN, module->place,
					 "%s %zu at 0x%" PRIx64 " claims 0x%" PRIx32 " bytes, %s"
					 "\nit contains no address", kind, i, entry.base,
					 entry.size, entry.size == 0
							     ? "an empty range"
							     : "more than the address space");
		if (unloaded)
			continue;
		if (entry.signature == VERSION_SIGNATURE &&
		    (entry.struct_version & VERSION_STRUCT) != 0)
			module->version = text_or_empty(version_text(arena, entry.version));
		read_codeview(minidump, entry.codeview, i, module);
		read_misc(minidump, entry.misc, i, module);
	}
	return *modules != NULL;
}

bool
modules_decode(struct minidump *minidump, const struct stream *stream,
	       const struct reader *window)
{
	uint32_t count = 0;

	/* A writer may align the entries to 8 bytes. */
	reader_u32(window, 0, &count);
	const uint64_t needed = 4 + (uint64_t)count * modules_layout.entry.size;
	minidump->crash->modules_misfit = stream->size != needed && stream->size != needed + 4;
	return decode_modules(minidump, stream, window, false, &minidump->crash->modules,
			      &minidump->crash->module_count);
}

bool
modules_unloaded_decode(struct minidump *minidump, const struct stream *stream,
			const struct reader *window)
{
	return decode_modules(minidump, stream, window, true, &minidump->crash->unloaded,
			      &minidump->crash->unloaded_count);
}
