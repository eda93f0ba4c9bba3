/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframes.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"
#include "tests/unit/binary/section.h"

/* How SFrame sections are found in ELF files: by type, by name, by PT_GNU_SFRAME. */

#define SECTION_AT 0x600u

static const struct section_function function = {
	.start = IMAGE_BASE + IMAGE_CODE, .size = 0x40, .rows = { { 0, 8 }, { 1, 16 } },
	.row_count = 2,
};

static struct section section;

/* An image with the bytes of a section after its tables; nothing refers to them yet. */
static void
make(struct image *image, bool wide, bool big)
{
	image_elf(image, wide, big, big ? 22 : 62, NULL, 0, false);
	section_make(&section, big, IMAGE_BASE + SECTION_AT, &function, 1);
	memcpy(image->bytes + SECTION_AT, section.bytes, section.size);
	image->size = SECTION_AT + section.size;
}

static void
name_section(struct image *image, uint32_t type, uint32_t flags, uint64_t size)
{
	const unsigned at = IMAGE_TABLE + 5 * image_section_size(image);
	const unsigned word = image->wide ? 8 : 4;

	image_put(image, at + 4, 4, type);
	image_put(image, at + 8, word, flags);
	image_put(image, at + 8 + word, word, IMAGE_BASE + SECTION_AT);
	image_put(image, at + 8 + 2 * word, word, SECTION_AT);
	image_put(image, at + 8 + 3 * word, word, size);
}

static void
set_name(struct image *image, const char *name)
{
	memcpy(image->bytes + IMAGE_NAMES + 37, name, strlen(name) + 1);
}

static void
set_segment(struct image *image, uint32_t type, uint64_t offset, uint64_t size)
{
	image->at = image_headers(image) + 2 * image_header_size(image);
	image_segment(image, type, 4, (uint32_t)offset, IMAGE_BASE + SECTION_AT, (uint32_t)size, (uint32_t)size);
}

static void
drop_sections(struct image *image)
{
	image_put(image, image->wide ? 60 : 48, 2, 0);
	image_put(image, image->wide ? 40 : 32, image->wide ? 8 : 4, 0);
	image_put(image, image->wide ? 62 : 50, 2, 0);
}

/* Open the file and search; "" if a section is found, otherwise the error. */
static const char *
find(const struct image *image, struct binary **binary, struct sframe_bytes *bytes)
{
	struct error error = { 0 };
	const char *why_not = "";

	*bytes = (struct sframe_bytes){ .how = "nothing" };
	if (binary_from_memory(binary, "test.so", image->bytes, image->size, &error) != ERROR_NONE)
		return "the file does not open";
	return sframe_in_binary(*binary, bytes, &why_not) ? "" : why_not;
}

static void
is_whole(const struct image *image, const char *how, const char *title)
{
	struct sframe_function found;
	struct sframe_bytes bytes;
	struct binary *binary;
	struct sframe sframe;
	struct error error = { 0 };
	struct sframe_row row;

	is_str(find(image, &binary, &bytes), "", "%s", title);
	is_str(bytes.how, how, "the section is found by %s", how);
	is_u64(bytes.offset, SECTION_AT, "the section found by %s has its offset", how);
	is_u64(bytes.address, IMAGE_BASE + SECTION_AT, "the section found by %s has its address", how);
	if (ok(bytes.data != NULL && sframe_open_binary(&sframe, binary, &bytes, 0x1000, &error) ==
					     ERROR_NONE, "the section found by %s opens", how)) {
		is_u64(message_total(&sframe.messages), 0, "the section found by %s causes no message", how);
		ok(sframe_lookup(&sframe, function.start + 0x1004, &found, &row, NULL) == SFRAME_ROW && row.number == 1,
		   "a row of the section found by %s is looked up at its address in the process", how);
		sframe_close(&sframe);
	}
	binary_close(binary);
}

static void
test_class(bool wide, bool big)
{
	struct image image;

	tap_diag("%s, %s-endian", wide ? "ELF64" : "ELF32", big ? "big" : "little");
	make(&image, wide, big);
	name_section(&image, SFRAME_SECTION_TYPE, 2, section.size);
	set_name(&image, ".other");
	is_whole(&image, "section .sframe", "a section is known by its type");
	name_section(&image, 1, 2, section.size);
	set_name(&image, ".sframe");
	is_whole(&image, "section .sframe", "a section is known by its name");
	make(&image, wide, big);
	set_segment(&image, SFRAME_SEGMENT_TYPE, SECTION_AT, section.size);
	drop_sections(&image);
	is_whole(&image, "PT_GNU_SFRAME", "the program header is used without a section table");
	image.size += 100;
	set_segment(&image, SFRAME_SEGMENT_TYPE, SECTION_AT, section.size + 100);
	is_whole(&image, "PT_GNU_SFRAME", "the program header may be longer than the section");
}

static void
is_refused(const struct image *image, const char *why, const char *title)
{
	struct sframe_bytes bytes;
	struct binary *binary;
	const char *said = find(image, &binary, &bytes);

	if (!ok(strstr(said, why) != NULL, "%s", title))
		tap_diag("got '%s'", said);
	ok(bytes.data == NULL, "a refused section has no bytes: %s", title);
	binary_close(binary);
}

TEST(refusals)
{
	struct image image;

	make(&image, true, false);
	is_refused(&image, "no section .sframe", "a missing section is reported");
	name_section(&image, 8, 2, section.size);
	set_name(&image, ".sframe");
	is_refused(&image, "NOBITS", "a section without bytes is refused");
	name_section(&image, SFRAME_SECTION_TYPE, 0x802, section.size);
	is_refused(&image, "compressed", "a compressed section is not read");
	name_section(&image, SFRAME_SECTION_TYPE, 2, section.size + 1);
	is_refused(&image, "past the end", "a section that is cut off is not read");
	name_section(&image, SFRAME_SECTION_TYPE, 2, UINT32_MAX);
	is_refused(&image, "past the end", "a section of a huge size is not read");
	make(&image, true, false);
	set_segment(&image, SFRAME_SEGMENT_TYPE, SECTION_AT, 0);
	is_refused(&image, "is empty", "a program header without a size is refused");
	image.at = image_headers(&image) + 2 * image_header_size(&image);
	image_segment(&image, SFRAME_SEGMENT_TYPE, 4, SECTION_AT, IMAGE_BASE + SECTION_AT, 0, 8);
	is_refused(&image, "no bytes", "a program header with memory, but without bytes, is refused");
	set_segment(&image, SFRAME_SEGMENT_TYPE, 0xfffffff0, section.size);
	is_refused(&image, "past the end", "a program header past the end is not read");
	set_segment(&image, SFRAME_SEGMENT_TYPE, SECTION_AT, section.size + 1);
	is_refused(&image, "past the end", "a program header that is cut off is not read");
	image_pe(&image, true, 0x8664, 1, 0x5000);
	is_refused(&image, "not an ELF file", "a PE file has no SFrame section");
}

/* Start addresses without a flag count from the section, unless only the other base has code. */
TEST(field_relative)
{
	struct sframe_function found;
	struct sframe_bytes bytes;
	struct error error = { 0 };
	struct binary *binary;
	struct sframe sframe;
	struct image image;

	make(&image, true, false);
	name_section(&image, SFRAME_SECTION_TYPE, 2, section.size);
	set_name(&image, ".sframe");
	image.bytes[SECTION_AT + 3] = 0;
	image_put(&image, SECTION_AT + SECTION_HEADER, 4, (uint32_t)(IMAGE_CODE - SECTION_AT - SECTION_HEADER));
	is_str(find(&image, &binary, &bytes), "", "a section without flags is found");
	if (ok(sframe_open_binary(&sframe, binary, &bytes, 0, &error) == ERROR_NONE, "the section without flags opens")) {
		sframe_function(&sframe, 0, &found);
		is_u64(found.address, IMAGE_BASE + IMAGE_CODE - SECTION_HEADER,
		       "addresses count from the section if both readings are code");
		sframe_close(&sframe);
	}
	binary_close(binary);
}

int
main(void)
{
	struct sframe_bytes bytes;
	struct binary *binary;
	struct image image;

	make(&image, true, false);
	if (strcmp(find(&image, &binary, &bytes), "the file does not open") == 0) {
		skip(1, "no ELF reader was built in");
		return done_testing();
	}
	binary_close(binary);
	test_class(true, false);
	test_class(true, true);
	test_class(false, false);
	test_class(false, true);
	run_tests();
	return done_testing();
}
