/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframe_field.h"

#include <dirent.h>

#include "tests/lib/tap.h"
#include "tests/unit/binary/section.h"

/* The bytes of sections and their meaning: in every vector of tests/sframe the fields of a header,
 * a descriptor or a row cover all of its bytes without gaps; some are checked by hand. */

/* True if the fields cover a place from its start to its end without gaps, each with a meaning. */
static bool
covers(const struct sframe_field *fields, size_t count, struct place place)
{
	uint64_t at = place.offset;

	for (size_t i = 0; i < count; i++) {
		if (fields[i].place.offset != at || fields[i].meaning[0] == '\0')
			return false;
		at += fields[i].place.length;
	}
	return at == place.offset + place.length;
}

static bool
covers_function(const struct sframe_function *function)
{
	struct sframe_field fields[SFRAME_FIELDS];
	size_t count = sframe_function_fields(function, fields);

	if (function->attribute.length == 0)
		return covers(fields, count, function->place);
	return count > 4 && covers(fields, count - 4, function->place) && covers(fields + count - 4, 4, function->attribute);
}

static void
test_section(const char *name, const struct sframe *sframe)
{
	struct sframe_field fields[SFRAME_FIELDS];
	size_t bad_functions = 0, bad_rows = 0, bad_headers = 0;
	struct sframe_function function;

	for (size_t i = 0; i < sframe->table_count; i++) {
		const struct sframe_table *table = &sframe->tables[i];
		size_t count = sframe_header_fields(table, fields);

		bad_headers += !covers(fields, count, reader_place(&table->reader, 0, SFRAME_HEADER_SIZE + table->auxiliary_size));
	}
	for (size_t i = 0; sframe_function(sframe, i, &function) && i < 5000; i++) {
		struct sframe_cursor cursor;
		struct sframe_row row;

		bad_functions += !covers_function(&function);
		sframe_rows(&function, &cursor);
		while (cursor.number < 5000 && sframe_next_row(&cursor, &row)) {
			size_t count = sframe_row_fields(&function, &row, fields);
			bad_rows += !covers(fields, count, row.place);
		}
	}
	is_u64(bad_headers + bad_functions + bad_rows, 0, "%s: every byte has a meaning", name);
}

static void
test_vector(const char *folder, const char *name)
{
	static uint8_t bytes[1 << 16];
	const struct input input = { name };
	struct error error = { 0 };
	struct sframe sframe;
	char path[1400], text[200];
	size_t unknown = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	size_t size = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (file != NULL)
		fclose(file);
	if (sframe_open(&sframe, &(struct sframe_bytes){ &input, bytes, size, 0x100, 0x402000, NULL }, NULL,
			0, &error) != ERROR_NONE)
		return;
	test_section(name, &sframe);
	for (size_t i = 0; i < size; i++)
		unknown += sframe_describe(&sframe, 0x100 + i, 1, text, sizeof(text)) && strncmp(text, "SFrame ", 7) != 0;
	ok(unknown == 0 && !sframe_describe(&sframe, 0xff, 1, text, sizeof(text)) &&
		   !sframe_describe(&sframe, 0x100 + size, 1, text, sizeof(text)),
	   "%s: the section's bytes are described, bytes around it are not", name);
	sframe_close(&sframe);
}

TEST(vectors)
{
	const char *folder = tap_path("tests/sframe");
	DIR *directory = opendir(folder);
	for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
		size_t length = strlen(entry->d_name);
		if (length > 7 && strcmp(entry->d_name + length - 7, ".sframe") == 0)
			test_vector(folder, entry->d_name);
	}
	if (directory != NULL)
		closedir(directory);
	else
		skip(1, "the vectors are not there");
}

/* One section by hand: header 28, descriptor 20, rows 00 03 08 and 01 03 10. */
TEST(words)
{
	static const struct {
		uint64_t offset, length;
		const char *text;
	} cases[] = {
		{ 0, 2, "SFrame header, magic, little-endian" }, { 2, 1, "SFrame header, version: 2" },
		{ 3, 1, "SFrame header, flags: sorted" }, { 4, 1, "SFrame header, ABI: AMD64 little-endian" },
		{ 6, 1, "SFrame header, fixed offset of the return address: -8" },
		{ 8, 4, "SFrame header, function descriptors: 1" }, { 0, 28, "SFrame header" },
		{ 28, 4, "SFrame function descriptor 0, start: 0x1000, -61440 from the section" },
		{ 32, 4, "SFrame function descriptor 0, size: 64 bytes" },
		{ 44, 1, "SFrame function descriptor 0, info: row addresses of 1 byte, not repeating (PCINC)" },
		{ 45, 1, "SFrame function descriptor 0, repeat block: 0, not used" }, { 28, 20, "SFrame function descriptor 0" },
		{ 51, 1, "SFrame row 1 of function 0, start: 0x1001, 1 byte into the function" },
		{ 52, 1, "SFrame row 1 of function 0, info: CFA from sp, 1 data word of 1 byte" },
		{ 53, 1, "SFrame row 1 of function 0, CFA: sp+16" }, { 51, 3, "SFrame row 1 of function 0" },
	};
	const struct section_function function = {
		.start = 0x1000, .size = 0x40, .rows = { { 0, 8 }, { 1, 16 } }, .row_count = 2 };
	const struct input input = { "section" };
	struct error error = { 0 };
	struct section section;
	struct sframe sframe;
	char text[200], hex[8];

	section_make(&section, 0, 0x10000, &function, 1);
	if (!ok(sframe_open(&sframe, &(struct sframe_bytes){ &input, section.bytes, section.size, 0, 0x10000, NULL },
			    NULL, 0, &error) == ERROR_NONE, "a section opens"))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		sframe_describe(&sframe, cases[i].offset, cases[i].length, text, sizeof(text));
		is_str(text, cases[i].text, "%u bytes at %u are described", (unsigned)cases[i].length, (unsigned)cases[i].offset);
	}
	const struct place row = { &input, 51, 3, 0, 0 };
	is_str(sframe_hex(&sframe.tables[0], row, text, sizeof(text)), "01 03 10", "bytes are written in hexadecimal");
	is_str(sframe_hex(&sframe.tables[0], row, hex, sizeof(hex)), "01 03", "as many bytes are written as there is space for");
	const struct place outside = { &input, 53, 3, 0, 0 };
	is_str(sframe_hex(&sframe.tables[0], outside, text, sizeof(text)), "", "no byte is written for a place outside of the section");
	sframe_close(&sframe);
}
