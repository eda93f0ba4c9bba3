/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf.h"

#include "base/sorted.h"

/* Unit types (DWARF 5, table 7.2). */
enum { UNIT_TYPE = 2, UNIT_SKELETON = 4, UNIT_SPLIT = 5, UNIT_SPLIT_TYPE = 6 };

/* First word of a header in 64-bit DWARF (7.4). */
#define LONG_FORM 0xffffffffu
#define RESERVED 0xfffffff0u

static const char *const names[DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",
	[DWARF_ABBREV] = "abbrev",
	[DWARF_STR] = "str",
	[DWARF_LINE] = "line",
	[DWARF_LINE_STR] = "line_str",
	[DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",
	[DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists",
	[DWARF_TYPES] = "types",
	[DWARF_LOC] = "loc",
	[DWARF_LOCLISTS] = "loclists",
};

bool
dwarf_file_header(const struct dwarf_file *file, enum dwarf_section section, uint64_t at,
		  struct dwarf_unit *unit)
{
	struct dwarf_cursor cursor = dwarf_file_at(file, section, at);
	const uint8_t *start = cursor.at;
	unsigned type = section == DWARF_TYPES ? UNIT_TYPE : 0;

	*unit = (struct dwarf_unit){ .start = at, .section = (uint8_t)section, .offset_size = 4 };
	uint64_t length = dwarf_number(&cursor, 4);
	if (length == LONG_FORM) {
		unit->offset_size = 8;
		length = dwarf_number(&cursor, 8);
	} else if (length >= RESERVED) {
		return false;
	}
	if (length == 0 || length > dwarf_left(&cursor))
		return false;
	unit->end = at + (uint64_t)(cursor.at - start) + length;
	cursor.end = cursor.at + length;
	const uint64_t version = dwarf_number(&cursor, 2);
	unit->version = version <= 5 ? (uint8_t)version : 0;
	if (unit->version >= 5) {
		type = dwarf_byte(&cursor);
		unit->address_size = dwarf_byte(&cursor);
		unit->abbrevs = dwarf_number(&cursor, unit->offset_size);
	} else {
		unit->abbrevs = dwarf_number(&cursor, unit->offset_size);
		unit->address_size = dwarf_byte(&cursor);
	}
	unit->types = type == UNIT_TYPE || type == UNIT_SPLIT_TYPE;
	if (unit->types || type == UNIT_SKELETON || type == UNIT_SPLIT)
		unit->id = dwarf_number(&cursor, 8);
	if (unit->types)
		unit->type = dwarf_number(&cursor, unit->offset_size);
	unit->partial = unit->types || unit->version < 2 ||
			(unit->address_size != 4 && unit->address_size != 8);
	unit->entries = at + (uint64_t)(cursor.at - start);
	return !cursor.cut;
}

static void
read_units(struct dwarf_file *file, enum dwarf_section section, struct dwarf_unit **units,
	   size_t *count)
{
	struct dwarf_unit unit;
	size_t capacity = 0;

	for (uint64_t at = 0; dwarf_file_header(file, section, at, &unit); at = unit.end) {
		if (!ARENA_ADD(&file->arena, *units, *count, capacity, &unit))
			return;
	}
}

/* The section with a name, even if it begins with .z or ends with .dwo; DWARF_SECTIONS: none. */
static enum dwarf_section
section_of(const char *name)
{
	unsigned i;

	name += strncmp(name, ".z", 2) == 0;
	if (*name == '\0' || strncmp(name + 1, "debug_", 6) != 0)
		return DWARF_SECTIONS;
	for (i = 0; i < DWARF_SECTIONS; i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(name + 7, names[i], length) == 0 &&
		    (name[7 + length] == '\0' || strcmp(name + 7 + length, ".dwo") == 0))
			break;
	}
	return i;
}

static void
open_sections(struct dwarf_file *file, enum dwarf_section first, enum dwarf_section last,
	      struct elf_damage *damage)
{
	const struct binary *binary = file->binary;
	/* Sections may share their compressed bytes, so there is a limit for all, too. */
	const uint64_t most = elf_unpacked_most(binary);

	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		const uint64_t part = elf_unpacked_limit(section->size);
		const enum dwarf_section which = section_of(section->name);

		if (which < first || which > last || section->no_bits ||
		    file->sections[which].data != NULL)
			continue;
		struct elf_bytes *bytes = &file->sections[which];
		const bool good = file->unpacked <= most &&
				  elf_section_bytes(bytes, binary, section);
		const bool plain = good && bytes->mapped == 0;
		file->unpacked += plain ? 0 : bytes->size < part ? bytes->size : part;
		if (plain || (good && file->unpacked <= most))
			continue;
		if (damage->binary == NULL)
			*damage = (struct elf_damage){ binary, section->name, bytes->size };
		elf_bytes_free(bytes);
	}
}

bool
dwarf_file_open(struct dwarf_file *file, const struct binary *binary, struct elf_damage *damage)
{
	*file = (struct dwarf_file){ .binary = binary, .big_endian = binary->big_endian };
	open_sections(file, DWARF_INFO, DWARF_RNGLISTS, damage);
	read_units(file, DWARF_INFO, &file->units, &file->unit_count);
	if (file->unit_count == 0)
		dwarf_file_close(file);
	return file->unit_count > 0;
}

void
dwarf_file_open_more(struct dwarf_file *file, struct elf_damage *damage)
{
	if (file->more || file->binary == NULL)
		return;
	file->more = true;
	open_sections(file, DWARF_TYPES, DWARF_LOCLISTS, damage);
	read_units(file, DWARF_TYPES, &file->types, &file->type_count);
}

void
dwarf_file_close(struct dwarf_file *file)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		elf_bytes_free(&file->sections[i]);
	arena_free(&file->arena);
	file->units = NULL;
	file->unit_count = 0;
}

struct dwarf_cursor
dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	static const uint8_t none[1];
	const struct elf_bytes *bytes = &file->sections[section];
	const uint8_t *data = bytes->data != NULL ? bytes->data : none;
	const uint64_t size = bytes->data != NULL ? bytes->size : 0;

	return (struct dwarf_cursor){ .at = data + (offset < size ? offset : size),
				      .end = data + size, .big_endian = file->big_endian };
}

const char *
dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	struct dwarf_cursor cursor = dwarf_file_at(file, section, offset);

	return dwarf_text(&cursor);
}

uint64_t
dwarf_file_place(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	const struct binary *binary = file->binary;
	const uintptr_t data = (uintptr_t)file->sections[section].data;
	const uintptr_t first = (uintptr_t)binary->file.data;

	if (data >= first && data - first < binary->file.size)
		return data - first + offset;
	for (size_t i = 0; i < binary->section_count; i++)
		if (section_of(binary->sections[i].name) == section)
			return binary->sections[i].offset;
	return 0;
}

const struct dwarf_unit *
dwarf_file_unit(const struct dwarf_file *file, uint64_t offset)
{
	const size_t behind = sorted_upto(SORTED(file->units, file->unit_count, start), offset);

	return behind > 0 && offset < file->units[behind - 1].end ? &file->units[behind - 1] : NULL;
}
