/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/pe.h"

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
	is_u64(binary->word_size, wide ? 8 : 4, "%s: the word size is right", kind);
	is_u64(binary->machine, wide ? 0x8664 : 0x14c, "%s: the machine is right", kind);
	is_u64(binary->linked_base, wide ? 0x140000000 : 0x400000, "%s: the base address is right", kind);
	is_u64(binary->segment_count, 3, "%s: headers, code and constants are read-only", kind);
	is_u64(binary_read(binary, 0x1004, bytes, 4, &place), 4, "%s: code is read", kind);
	ok(bytes[0] == 4 && bytes[3] == 7 && place.offset == IMAGE_PE_CODE + 4, "%s: code is read from the section's place", kind);
	is_u64(binary_read(binary, 0x117e, bytes, 16, NULL), 2, "%s: the file's padding is not part of the section", kind);
	ok(binary_read(binary, 0, bytes, 2, NULL) == 2 && bytes[0] == 'M', "%s: the headers are mapped at the base", kind);
	is_u64(binary_read(binary, 0x2000, bytes, 4, NULL), 0, "%s: data is not read", kind);
	is_u64(binary->section_count, 4, "%s: the file has four sections", kind);
	const struct binary_section *bss = binary_section(binary, 0, ".bss");
	ok(bss != NULL && bss->no_bits && bss->data == NULL && bss->size == 0x100, "%s: .bss has no bytes", kind);
	const struct binary_section *debug = binary_section(binary, 0, ".debug_frames");
	ok(debug != NULL && debug->address == 0x4000 && debug->data != NULL, "%s: long names are in the string table", kind);
	binary_close(binary);
}

TEST(hostile)
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
				outside += binary->segments[n].offset >= image.size || binary->segments[n].size >
						   image.size - binary->segments[n].offset;
			for (size_t n = 0; binary != NULL && n < binary->section_count; n++)
				outside += binary->sections[n].data != NULL && binary->sections[n].size >
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
	ok(opened > 100, "%u damaged files open", opened);
}

TEST(refusals)
{
	struct binary *binary;
	struct image image;

	image_pe(&image, false, 0x14c, 1, 0x5000);
	ok(binary_from_memory(&binary, "x", image.bytes, 0x90, NULL) == ERROR_FORMAT, "a file that ends in its header cannot be read");
	ok(binary_from_memory(&binary, "x", image.bytes, 0x60, NULL) == ERROR_NOT_FOUND, "a DOS program is no PE file");
	image_put(&image, 0x86, 2, 0xffff);
	ok(binary_from_memory(&binary, "x", image.bytes, image.size, NULL) == ERROR_FORMAT,
	   "more sections than the file has room for are refused");
}

#define DIRECTORIES 0x108u		/* their offset in a wide image */
#define SECTIONS 0x188u

/* The parts of the tables that are missing in the file, and where the file refers to them. */
static const struct {
	struct { unsigned at, size; uint64_t value; } changes[4];
	unsigned count;			/* number of problems */
	uint64_t place;			/* place of the last problem */
	const char *what;
} cases[] = {
	{ { { 0 } }, 0, 0, NULL }, { { { SECTIONS + 20, 4, 0x600 } }, 1, 0x666, "section .text ends after" },
	{ { { SECTIONS + 20, 4, 0x600 }, { SECTIONS + 40 + 20, 4, 0x700 } }, 1, 0x666, "section .text and 1 more end after" },
	/* The relocations end with their section, at 0x4010. */
	{ { { DIRECTORIES + 40, 8, 0x1000004001 } }, 1, DIRECTORIES + 40, "base relocation table ends after" },
	{ { { DIRECTORIES + 40, 8, 0xf00004001 } }, 0, 0, NULL },
	{ { { DIRECTORIES + 40, 8, 0x1000005000 } }, 1, DIRECTORIES + 40, "base relocation table is in no read-only section" },
	{ { { DIRECTORIES + 8, 8, 0x1000003000 } }, 1, DIRECTORIES + 8, "import table is in no section" },
	{ { { DIRECTORIES + 8, 8, 0x4000002000 } }, 0, 0, NULL },
	{ { { DIRECTORIES, 8, 0x2800002000 } }, 1, DIRECTORIES, "export table is in no read-only section" },
	/* An export table at 0x1000, its names at 0x1100: the section ends at 0x1180. */
	{ { { DIRECTORIES, 8, 0x2800001000 }, { IMAGE_PE_CODE + 20, 8, 0x2000000020 },
	  { IMAGE_PE_CODE + 28, 8, 0x110000001100 }, { IMAGE_PE_CODE + 36, 4, 0x1140 } }, 0, 0, NULL },
	{ { { DIRECTORIES, 8, 0x2800001000 }, { IMAGE_PE_CODE + 20, 8, 0x2000000020 },
	  { IMAGE_PE_CODE + 28, 8, 0x110000001100 }, { IMAGE_PE_CODE + 36, 4, 0x1141 } }, 1, IMAGE_PE_CODE + 36, "the ordinals of" },
	{ { { DIRECTORIES, 8, 0x2800001000 }, { IMAGE_PE_CODE + 20, 8, 0x2000000021 },
	  { IMAGE_PE_CODE + 28, 8, 0x110000001100 }, { IMAGE_PE_CODE + 36, 4, 0x1140 } }, 1, IMAGE_PE_CODE + 28, "the addresses of" },
	{ { { 0x84 + 12, 4, 3 } }, 1, 0x80 + 12, "COFF symbols" },
	/* The name of the fourth section, after the only symbol. */
	{ { { SECTIONS + 3 * 40, 3, 0x39392f } }, 1, 0x640 + 18, "names of some sections" },
	{ { { SECTIONS + 3 * 40, 3, 0x39392f }, { 0x84 + 8, 4, 0 } }, 0, 0, NULL },
	/* A debug directory among the code, of a CodeView record. */
	{ { { DIRECTORIES + 48, 8, 0x1c00001000 }, { IMAGE_PE_CODE + 12, 4, 2 },
	  { IMAGE_PE_CODE + 16, 4, 0x20 }, { IMAGE_PE_CODE + 24, 4, 0x640 } }, 0, 0, NULL },
	{ { { DIRECTORIES + 48, 8, 0x1c00001000 }, { IMAGE_PE_CODE + 12, 4, 2 },
	  { IMAGE_PE_CODE + 16, 4, 0x21 }, { IMAGE_PE_CODE + 24, 4, 0x647 } }, 1, IMAGE_PE_CODE, "the CodeView record" },
	{ { { DIRECTORIES + 48, 8, 0x1c00001000 }, { IMAGE_PE_CODE + 12, 4, 13 },
	  { IMAGE_PE_CODE + 16, 4, 0x21 }, { IMAGE_PE_CODE + 24, 4, 0x647 } }, 0, 0, NULL },
};

TEST_EACH(problems, cases)
{
	struct binary *binary;
	struct image image;

	image_pe(&image, true, 0x8664, 1, 0x5000);
	for (size_t k = 0; k < ARRAY_COUNT(cases[i].changes); k++)
		image_put(&image, cases[i].changes[k].at, cases[i].changes[k].size, cases[i].changes[k].value);
	if (binary_from_memory(&binary, "a.dll", image.bytes, image.size, NULL) != ERROR_NONE) {
		ok(false, "file %zu is opened", i);
		return;
	}
	is_u64(binary->problem_count, cases[i].count, "file %zu has the expected number of problems", i);
	const struct file_problem *last = &binary->problems[binary->problem_count > 0 ? binary->problem_count - 1 : 0];
	if (cases[i].what != NULL && binary->problem_count > 0)
		ok(strstr(last->what, cases[i].what) != NULL && strchr(last->what, '\n') != NULL &&
			   last->place.offset == cases[i].place,
		   "the last problem of the file is '%s', with its effect", cases[i].what);
	binary_close(binary);
}

int
main(void)
{
	run_tests();
	test_image(false, "PE32");
	test_image(true, "PE32+");
	return done_testing();
}
