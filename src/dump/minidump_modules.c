/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

#define MODULE_SIZE 108u
#define UNLOADED_SIZE 24u

#define VERSION_SIGNATURE 0xfeef04bdu
#define VERSION_STRUCT 0x10000u

static bool
is_windows(const struct minidump *minidump)
{
	return minidump->crash->system.os == CRASH_OS_WINDOWS;
}

static const char *
or_empty(const char *text)
{
	return text != NULL ? text : "";
}

/* The GUID in the byte order of `reader` as Breakpad writes debug identifiers. */
static const char *
guid_id(struct minidump *minidump, const struct reader *reader, uint64_t offset, uint32_t age,
	bool with_age)
{
	uint32_t data1 = 0;
	uint16_t data2 = 0, data3 = 0;
	uint8_t rest[8] = { 0 };
	char text[48];

	reader_u32(reader, offset, &data1);
	reader_u16(reader, offset + 4, &data2);
	reader_u16(reader, offset + 6, &data3);
	for (size_t i = 0; i < sizeof(rest); i++)
		reader_u8(reader, offset + 8 + i, &rest[i]);
	int used = snprintf(text, sizeof(text),
			    "%08" PRIX32 "%04" PRIX16 "%04" PRIX16
			    "%02X%02X%02X%02X%02X%02X%02X%02X",
			    data1, data2, data3, rest[0], rest[1], rest[2], rest[3], rest[4],
			    rest[5], rest[6], rest[7]);
	if (with_age)
		snprintf(text + used, sizeof(text) - (size_t)used, "%" PRIx32, age);
	return or_empty(arena_copy(&minidump->crash->arena, text, strlen(text)));
}

/* The path that ends a CodeView record; false where its NUL is not the record's last byte. */
static bool
record_path(struct minidump *minidump, const struct reader *record, uint64_t offset,
	    struct module *module)
{
	const char *path = (const char *)record->data + offset;

	if (record->size <= offset || record->data[record->size - 1] != '\0')
		return false;
	module->debug_file = or_empty(arena_copy(&minidump->crash->arena, path, strlen(path)));
	return true;
}

static bool
read_pdb70(struct minidump *minidump, const struct reader *record, struct module *module)
{
	enum crash_os os = minidump->crash->system.os;
	uint32_t age = 0;

	if (!record_path(minidump, record, 24, module))
		return false;
	reader_u32(record, 20, &age);
	module->debug_id = guid_id(minidump, record, 4, age, true);
	if (os == CRASH_OS_MAC || os == CRASH_OS_IOS)
		module->code_id = guid_id(minidump, record, 4, 0, false);
	return true;
}

static bool
read_pdb20(struct minidump *minidump, const struct reader *record, struct module *module)
{
	uint32_t timestamp = 0, age = 0;

	if (!record_path(minidump, record, 16, module))
		return false;
	reader_u32(record, 8, &timestamp);
	reader_u32(record, 12, &age);
	module->debug_id = or_empty(arena_format(&minidump->crash->arena, "%08" PRIX32 "%" PRIx32,
						 timestamp, age));
	return true;
}

/*
 * The build id, cut or padded to a GUID. Its fields are read as little endian
 * whatever the dump's byte order: Breakpad on today's hosts does so, and so do the
 * tools that name symbol files.
 */
static bool
read_elf(struct minidump *minidump, const struct reader *record, struct module *module)
{
	uint8_t bytes[16] = { 0 };
	uint64_t length = record->size - 4;
	char *hex = arena_array(&minidump->crash->arena, (size_t)length * 2 + 1, 1);

	memcpy(bytes, record->data + 4, length < sizeof(bytes) ? (size_t)length : sizeof(bytes));
	const struct reader guid = { .data = bytes, .size = sizeof(bytes) };
	module->debug_id = guid_id(minidump, &guid, 0, 0, true);
	module->debug_file = module->code_file;
	for (uint64_t i = 0; hex != NULL && i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", record->data[4 + i]);
	module->code_id = or_empty(hex);
	return true;
}

/* Records that name a module's symbols (Breakpad, minidump_format.h, MDCVInfo...). */
static const struct codeview {
	uint32_t signature;
	const char *name;
	bool (*read)(struct minidump *minidump, const struct reader *record,
		     struct module *module);
} codeviews[] = {
	{ 0x53445352, "RSDS", read_pdb70 },
	{ 0x3031424e, "NB10", read_pdb20 },
	{ 0x4270454c, "build id", read_elf },
};

static void
read_codeview(struct minidump *minidump, struct location location, size_t index,
	      struct module *module)
{
	struct reader record;
	uint32_t signature;

	if (location.size == 0)
		return;
	module->identity_place = reader_place(&minidump->crash->reader, location.rva,
					      location.size);
	if (location.size > LIMIT_CODEVIEW ||
	    !minidump_bytes(minidump, location.rva, location.size, &record) ||
	    record.size < location.size || !reader_u32(&record, 0, &signature)) {
		minidump_message(minidump, ENTRY_BROKEN, module->place,
				 "the CodeView record of module %zu (0x%" PRIx32
				 " bytes at 0x%" PRIx32 ") cannot be read"
				 "\nthe module has no debug identifier",
				 index, location.size, location.rva);
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(codeviews); i++) {
		if (codeviews[i].signature != signature)
			continue;
		if (!codeviews[i].read(minidump, &record, module))
			minidump_message(minidump, ENTRY_BROKEN, module->identity_place,
					 "the %s record of module %zu has no terminated path"
					 "\nthe module has no debug identifier",
					 codeviews[i].name, index);
		return;
	}
}

/* IMAGE_DEBUG_MISC names the debug file of modules without a CodeView record. */
static void
read_misc(struct minidump *minidump, struct location location, size_t index,
	  struct module *module)
{
	struct arena *arena = &minidump->crash->arena;
	struct reader record;
	uint32_t length;
	uint8_t wide;

	if (location.size == 0)
		return;
	struct place place = reader_place(&minidump->crash->reader, location.rva, location.size);
	if (location.size > LIMIT_CODEVIEW ||
	    !minidump_bytes(minidump, location.rva, location.size, &record) ||
	    record.size < location.size || record.size < 12 || !reader_u32(&record, 4, &length) ||
	    length != location.size || !reader_u8(&record, 8, &wide)) {
		minidump_message(minidump, ENTRY_BROKEN, place,
				 "the misc record of module %zu is no debug record", index);
		return;
	}
	if (*module->debug_file != '\0')
		return;
	size_t room = (size_t)record.size - 12;
	const char *name = (const char *)record.data + 12;
	module->debug_file = or_empty(
		wide != 0 ? text_from_utf16(arena, record.data + 12, room / 2, record.big_endian,
					    true)
			  : arena_copy(arena, name, strnlen(name, room)));
}

/* VS_FIXEDFILEINFO as four halves on every system, as Breakpad prints it. */
static const char *
read_version(struct minidump *minidump, const struct reader *entry)
{
	uint32_t signature = 0, layout = 0, high = 0, low = 0;

	reader_u32(entry, 24, &signature);
	reader_u32(entry, 28, &layout);
	reader_u32(entry, 32, &high);
	reader_u32(entry, 36, &low);
	if (signature != VERSION_SIGNATURE || (layout & VERSION_STRUCT) == 0)
		return "";
	return or_empty(arena_format(&minidump->crash->arena,
				     "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, high >> 16,
				     high & 0xffff, low >> 16, low & 0xffff));
}

/* What loaded and unloaded modules have in common: the first 24 bytes. */
static void
read_common(struct minidump *minidump, const struct reader *entry, const char *kind,
	    size_t index, struct module *module)
{
	struct arena *arena = &minidump->crash->arena;
	uint32_t size = 0, name = 0;

	*module = (struct module){ .code_id = "", .debug_file = "", .debug_id = "", .version = "",
				   .place = reader_place(entry, 0, (uint32_t)entry->size) };
	reader_u64(entry, 0, &module->base);
	reader_u32(entry, 8, &size);
	reader_u32(entry, 12, &module->checksum);
	reader_u32(entry, 16, &module->timestamp);
	reader_u32(entry, 20, &name);
	module->size = size;
	module->code_file = or_empty(minidump_string(
		minidump, name, arena_format(arena, "name of %s %zu", kind, index)));
	if (is_windows(minidump))
		module->code_id = or_empty(arena_format(arena, "%08" PRIX32 "%" PRIx32,
							module->timestamp, size));
	if (size == 0 || size - 1 > UINT64_MAX - module->base)
		minidump_message(minidump, ENTRY_BROKEN, module->place,
				 "%s %zu claims 0x%" PRIx32 " bytes at 0x%" PRIx64
				 "\nno address lies in it", kind, index, size, module->base);
}

bool
modules_decode_list(struct minidump *minidump, const struct stream *stream,
		    const struct reader *window)
{
	struct crash *crash = minidump->crash;
	struct list list;

	if (!minidump_list(minidump, stream, window, MODULE_SIZE, LIMIT_MODULES, &list))
		return false;
	crash->modules = arena_array(&crash->arena, list.count, sizeof(*crash->modules));
	if (crash->modules == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);
		struct module *module = &crash->modules[crash->module_count++];
		struct location codeview = { 0 }, misc = { 0 };

		read_common(minidump, &entry, "module", i, module);
		module->version = read_version(minidump, &entry);
		minidump_location(&entry, 76, &codeview);
		minidump_location(&entry, 84, &misc);
		read_codeview(minidump, codeview, i, module);
		read_misc(minidump, misc, i, module);
	}
	return true;
}

bool
modules_decode_unloaded(struct minidump *minidump, const struct stream *stream,
			const struct reader *window)
{
	struct crash *crash = minidump->crash;
	struct list list;

	if (!minidump_headed_list(minidump, stream, window, false, UNLOADED_SIZE, LIMIT_MODULES,
				  &list))
		return false;
	crash->unloaded = arena_array(&crash->arena, list.count, sizeof(*crash->unloaded));
	if (crash->unloaded == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);
		struct module *module = &crash->unloaded[crash->unloaded_count++];

		read_common(minidump, &entry, "unloaded module", i, module);
		module->unloaded = true;
	}
	return true;
}
