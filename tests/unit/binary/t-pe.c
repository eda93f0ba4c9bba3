/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

static void
test_image(bool wide, const char *kind)
{
	struct binary *binary;
	struct image image;
	struct error error = { 0 };
	struct place place;
	uint8_t bytes[16];

	image_pe(&image, wide, wide ? 0x8664 : 0x14c, 0x5ABCDEF0, 0x5000);
	if (binary_from_memory(&binary, "a.dll", image.bytes, image.size, &error) != ERROR_NONE) {
		ok(false, "%s: the file is opened: %s", kind, error.text);
		return;
	}
	is_str(binary->id, "5ABCDEF05000", "%s: the id is timestamp and size", kind);
	is_u64(binary->word_size, wide ? 8 : 4, "%s: its words", kind);
	is_u64(binary->machine, wide ? 0x8664 : 0x14c, "%s: its machine", kind);
	is_u64(binary->linked_base, wide ? 0x140000000 : 0x400000, "%s: its base", kind);
	is_u64(binary->segment_count, 3, "%s: headers, code and constants are read-only", kind);
	is_u64(binary_read(binary, 0x1004, bytes, 4, &place), 4, "%s: code is read", kind);
	ok(bytes[0] == 4 && bytes[3] == 7 && place.offset == IMAGE_PE_CODE + 4,
	   "%s: from where the section says", kind);
	is_u64(binary_read(binary, 0x117e, bytes, 16, NULL), 2,
	       "%s: padding of the file is none of the section", kind);
	ok(binary_read(binary, 0, bytes, 2, NULL) == 2 && bytes[0] == 'M',
	   "%s: the headers are mapped at the base", kind);
	is_u64(binary_read(binary, 0x2000, bytes, 4, NULL), 0, "%s: data is not read", kind);
	is_u64(binary->section_count, 4, "%s: four sections", kind);
	const struct binary_section *bss = binary_section(binary, 0, ".bss");
	ok(bss != NULL && bss->no_bits && bss->data == NULL && bss->size == 0x100,
	   "%s: .bss has no bytes", kind);
	const struct binary_section *debug = binary_section(binary, 0, ".debug_frames");
	ok(debug != NULL && debug->address == 0x4000 && debug->data != NULL,
	   "%s: long names are in the string table", kind);
	binary_close(binary);
}

static void
test_hostile(void)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, 0xffffffff, 0xffffff00, 0x600 };
	unsigned outside = 0, opened = 0;

	for (unsigned at = 0; at < 0x98 + 0xf0 + 4 * 40; at += 2) {
		struct image image;

		image_pe(&image, true, 0x8664, 1, 0x5000);
		for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
			struct binary *binary = NULL;

			image_put(&image, at, 4, values[i]);
			binary_from_memory(&binary, "bad.dll", image.bytes, image.size, NULL);
			opened += binary != NULL;
			if (binary != NULL)
				pe_relocate(binary, 0x7fff0000);
			for (size_t n = 0; binary != NULL && n < binary->segment_count; n++)
				outside += binary->segments[n].offset >= image.size ||
					   binary->segments[n].size >
						   image.size - binary->segments[n].offset;
			for (size_t n = 0; binary != NULL && n < binary->section_count; n++)
				outside += binary->sections[n].data != NULL &&
					   binary->sections[n].size >
						   image.size - binary->sections[n].offset;
			binary_close(binary);
		}
	}
	/* The relocation table, byte by byte. */
	for (unsigned at = IMAGE_PE_DATA; at < IMAGE_PE_DATA + 0x10; at++) {
		struct binary *binary = NULL;
		struct image image;

		image_pe(&image, true, 0x8664, 1, 0x5000);
		for (unsigned value = 0; value < 256; value++) {
			image.bytes[at] = (uint8_t)value;
			binary_from_memory(&binary, "bad.dll", image.bytes, image.size, NULL);
			pe_relocate(binary, 0x7fff0000);
			binary_close(binary);
		}
	}
	is_u64(outside, 0, "damaged tables never lead outside of the file");
	ok(opened > 100, "%u damaged files open all the same", opened);
}

static void
test_refusals(void)
{
	struct binary *binary;
	struct image image;

	image_pe(&image, false, 0x14c, 1, 0x5000);
	ok(binary_from_memory(&binary, "x", image.bytes, 0x90, NULL) == ERROR_FORMAT,
	   "a file that ends in its header cannot be read");
	ok(binary_from_memory(&binary, "x", image.bytes, 0x60, NULL) == ERROR_NOT_FOUND,
	   "a DOS program is no PE file");
	image_put(&image, 0x86, 2, 0xffff);
	ok(binary_from_memory(&binary, "x", image.bytes, image.size, NULL) == ERROR_FORMAT,
	   "more sections than the file has room for are refused");
}

int
main(void)
{
	test_image(false, "PE32");
	test_image(true, "PE32+");
	test_hostile();
	test_refusals();
	return done_testing();
}
