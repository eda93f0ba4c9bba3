/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

static const uint8_t id[20] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x10, 0x32,
				0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xa0, 0xb1, 0xc2, 0xd3 };

static struct binary *
open_image(const struct image *image)
{
	struct binary *binary;
	struct error error = { 0 };

	if (binary_from_memory(&binary, "test.so", image->bytes, image->size, &error) != ERROR_NONE)
		tap_diag("%s", error.text);
	return binary;
}

static void
test_segments(const struct binary *binary, const char *kind)
{
	uint8_t bytes[512];
	struct place place;

	is_u64(binary->segment_count, 1, "%s: what can be written is no segment", kind);
	is_u64(binary_read(binary, IMAGE_CODE + 1, bytes, 3, &place), 3, "%s: code is read", kind);
	ok(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3, "%s: the bytes are the file's", kind);
	ok(place.offset == IMAGE_CODE + 1 && place.length == 3 &&
	   place.input == &binary->file.input, "%s: the bytes have their place", kind);
	is_u64(binary_read(binary, IMAGE_DATA - 2, bytes, 8, NULL), 2, "%s: a read stops where the segment ends", kind);
	is_u64(binary_read(binary, 0x1300, bytes, 8, NULL), 0, "%s: data is not read", kind);
	is_u64(binary_read(binary, UINT64_MAX, bytes, 8, NULL), 0, "%s: nothing is read below the base", kind);
}

static void
test_sections(const struct binary *binary, const char *kind)
{
	const struct binary_section *text = binary_section(binary, 0, ".text");
	const struct binary_section *bss = binary_section(binary, 8, NULL);
	const struct binary_section *debug = binary_section(binary, 1, ".zdebug_info");

	is_u64(binary->section_count, 6, "%s: six sections, number 0 is not counted", kind);
	ok(text != NULL && text->address == IMAGE_BASE + IMAGE_CODE && text->size == IMAGE_CODE_SIZE &&
	   text->data == binary->file.data + IMAGE_CODE, "%s: .text is found by name, with its bytes", kind);
	ok(bss != NULL && bss->no_bits && bss->data == NULL && bss->size == 0x40, "%s: .bss is found by type, without bytes", kind);
	ok(debug != NULL && debug->compressed, "%s: a compressed section is marked", kind);
	ok(binary_section(binary, 8, ".text") == NULL, "%s: type and name must both fit", kind);
}

static const struct {
	bool wide, big;
	uint16_t machine;
	const char *title;
} kinds[] = {
	{ false, false, 3, "32 bits, little endian" }, { false, true, 8, "32 bits, big endian" },
	{ true, false, 62, "64 bits, little endian" }, { true, true, 21, "64 bits, big endian" },
};

TEST_EACH(kinds, kinds)
{
	struct image image;

	image_elf(&image, kinds[i].wide, kinds[i].big, kinds[i].machine, id, sizeof(id), false);
	struct binary *binary = open_image(&image);

	if (binary == NULL) {
		ok(false, "%s: the file is opened", kinds[i].title);
		return;
	}
	is_str(binary->id, "0123456789abcdef1032547698badcfea0b1c2d3", "%s: the build id is in the note", kinds[i].title);
	is_u64(binary->word_size, kinds[i].wide ? 8 : 4, "%s: the word size is right", kinds[i].title);
	is_u64(binary->machine, kinds[i].machine, "%s: the machine is right", kinds[i].title);
	ok(binary->big_endian == kinds[i].big, "%s: the byte order is right", kinds[i].title);
	is_u64(binary->linked_base, IMAGE_BASE, "%s: the base address is right", kinds[i].title);
	test_segments(binary, kinds[i].title);
	test_sections(binary, kinds[i].title);
	binary_close(binary);
}

/* Set a field of a program header; its offset depends on the class. */
static void
set_segment(struct image *image, unsigned index, unsigned wide_at, unsigned narrow_at, uint64_t value)
{
	unsigned at = image_headers(image) + index * image_header_size(image) + (image->wide ? wide_at : narrow_at);

	image_put(image, at, image->wide ? 8 : 4, value);
}

TEST(variants)
{
	struct image image;
	uint8_t byte;

	image_elf(&image, true, false, 62, id, sizeof(id), true);
	struct binary *binary = open_image(&image);
	ok(binary->debug_only && binary->segment_count == 0, "a file whose code was stripped away has no segments");
	is_u64(strlen(binary->id), 40, "a file whose code was stripped has its ID");
	binary_close(binary);

	image_elf(&image, true, false, 62, NULL, 0, false);
	binary = open_image(&image);
	/* Breakpad combines bytes 16 apart: of 0..255 each place gets all 16 upper digits. */
	is_str(binary->id, "00000000000000000000000000000000", "the ID of a file without a build ID is Breakpad's sum of the code");
	binary_close(binary);
	image.bytes[IMAGE_CODE + 16] = 0xff;
	binary = open_image(&image);
	is_str(binary->id, "ef000000000000000000000000000000", "the ID of a file without a build ID is a sum of all of .text");
	binary_close(binary);

	image_elf(&image, true, false, 62, id, 8, false);
	image_put(&image, 60, 2, 0);	/* e_shnum */
	image_put(&image, 40, 8, 0);	/* e_shoff */
	binary = open_image(&image);
	is_str(binary->id, "0123456789abcdef", "the note segment has the id of a file without sections");
	is_u64(binary_read(binary, IMAGE_CODE, &byte, 1, NULL), 1, "the code of a file without sections is read");
	binary_close(binary);

	image_elf(&image, true, false, 62, id, 20, false);
	set_segment(&image, 0, 16, 8, IMAGE_BASE + 0x10200);
	set_segment(&image, 0, 8, 4, 0x200);
	set_segment(&image, 0, 32, 16, 0x100);
	set_segment(&image, 1, 16, 8, IMAGE_BASE + 0x20000);
	binary = open_image(&image);
	is_u64(binary->linked_base, IMAGE_BASE + 0x10000, "the base is the page of the first segment");
	ok(binary_read(binary, 0x203, &byte, 1, NULL) == 1 && byte == 3, "addresses count from the base of the first segment");
	binary_close(binary);

	/* gABI, ELF Header: e_shnum, e_shstrndx and e_phnum in sh_size, sh_link and sh_info. */
	image_elf(&image, true, false, 62, id, 20, false);
	const unsigned table = image.bytes[40] | (unsigned)image.bytes[41] << 8;
	image_put(&image, table + 32, 8, image.bytes[60]);
	image_put(&image, table + 40, 4, image.bytes[62]);
	image_put(&image, table + 44, 4, image.bytes[56]);
	image_put(&image, 60, 2, 0);
	image_put(&image, 62, 2, 0xffff);
	image_put(&image, 56, 2, 0xffff);
	binary = open_image(&image);
	ok(binary_section(binary, 0, ".text") != NULL && binary_read(binary, IMAGE_CODE, &byte, 1, NULL) == 1,
	   "section 0 has the numbers that are too large for the header");
	binary_close(binary);
}

/* How many entries of the tables point outside of the file. */
static unsigned
count_outside(const struct binary *binary, uint64_t size)
{
	unsigned outside = 0;

	for (size_t i = 0; i < binary->segment_count; i++)
		outside += binary->segments[i].offset >= size || binary->segments[i].size > size - binary->segments[i].offset;
	for (size_t i = 0; i < binary->section_count; i++)
		outside += binary->sections[i].data != NULL &&
			   (binary->sections[i].offset >= size || binary->sections[i].size > size - binary->sections[i].offset);
	return outside;
}

/* Every header field gets extreme values; nothing may be read outside of the file. */
TEST(hostile)
{
	static const uint64_t values[] = { 0, 1, 0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_MAX - 0xff, 0x400 };
	unsigned opened = 0, refused = 0, outside = 0;

	for (unsigned at = 0; at < 4 * (IMAGE_TABLE + 7 * 64); at += 4) {
		unsigned kind = at / (IMAGE_TABLE + 7 * 64);
		struct image image;

		image_elf(&image, kind & 1, kind >> 1, 62, id, sizeof(id), false);
		for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
			struct binary *binary = NULL;
			image_put(&image, at % (IMAGE_TABLE + 7 * 64), i % 2 == 0 ? 4 : 8, values[i]);
			binary_from_memory(&binary, "bad", image.bytes, image.size, NULL);
			opened += binary != NULL;
			refused += binary == NULL;
			if (binary != NULL)
				outside += count_outside(binary, image.size);
			binary_close(binary);
		}
	}
	is_u64(outside, 0, "damaged tables never lead outside of the file");
	ok(opened > 1000 && refused > 10, "some of %u such files open, some do not", opened + refused);
}

TEST(cuts)
{
	struct image image;
	unsigned outside = 0;

	image_elf(&image, true, false, 62, id, sizeof(id), false);
	for (size_t size = 0; size < image.size; size++) {
		struct binary *binary = NULL;
		uint8_t byte;

		binary_from_memory(&binary, "cut.so", image.bytes, size, NULL);
		if (binary == NULL)
			continue;
		outside += size <= IMAGE_CODE && binary_read(binary, IMAGE_CODE, &byte, 1, NULL) != 0;
		binary_close(binary);
	}
	is_u64(outside, 0, "a file that is cut anywhere has the bytes that are left");
}

TEST(refusals)
{
	struct binary *binary;
	struct error error = { 0 };

	ok(binary_from_memory(&binary, "x", "hello", 5, &error) == ERROR_NOT_FOUND && binary == NULL, "text is no binary");
	ok(binary_from_memory(&binary, "x", "", 0, &error) == ERROR_NOT_FOUND, "an empty file is no binary");
	ok(binary_from_memory(&binary, "x", "\177ELF", 4, &error) == ERROR_FORMAT, "an ELF file of four bytes cannot be read");
	ok(binary_open(&binary, "/nowhere/at/all", &error) == ERROR_IO, "a missing file cannot be read");
}
