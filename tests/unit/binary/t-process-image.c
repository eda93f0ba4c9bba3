/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "crash/memory.h"
#include "tests/unit/binary/image.h"
#include "tests/unit/binary/mach_image.h"

/* Images in the memory of a process, and ELF files without a section table: their program headers
 * and dynamic section lead to what is needed (gABI, Program Header, Dynamic Section, Hash Table). */

#define PROCESS_BASE 0x50000000u
#define DYNAMIC_AT 0x180u
#define SYMBOLS_AT 0x200u
#define STRINGS_AT 0x250u
#define HASH_AT 0x268u
#define SYMBOLS 3u

static const uint8_t id[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

/* Open the image at PROCESS_BASE in some runs of memory, in ascending order. */
static enum error_code
open_process(struct binary **binary, const struct memory_run *runs, size_t count, bool big, uint64_t budget)
{
	static const struct input input = { .name = "core" };
	const struct memory_view memory = { .input = &input, .big_endian = big, .runs = runs, .count = count };
	struct error error = { 0 };

	return binary_from_process(binary, "a.so (in the dump)", &memory, PROCESS_BASE, &budget, &error);
}

enum hash_form { HASH_NONE, HASH_SYSV, HASH_GNU };

static void
put_dynamic(struct image *image, uint64_t tag, uint64_t value)
{
	image_word(image, tag);
	image_word(image, value);
}

/* Give an image symbols that only its dynamic section leads to, at `base`; no section table. */
static void
make_dynamic(struct image *image, bool wide, bool big, enum hash_form form, uint64_t base)
{
	const unsigned word = wide ? 8 : 4, entry = wide ? 24 : 16;

	image_elf(image, wide, big, wide ? 62 : 3, id, sizeof(id), false);
	/* The writable segment's place in the table becomes that of the dynamic section. */
	image->at = image_headers(image) + image_header_size(image);
	image_segment(image, 2, 6, DYNAMIC_AT, IMAGE_BASE + DYNAMIC_AT, 5 * 2 * word, 5 * 2 * word);
	image_put(image, wide ? 40 : 32, word, 0);	/* e_shoff */
	image_put(image, wide ? 60 : 48, 2, 0);		/* e_shnum */
	memset(image->bytes + SYMBOLS_AT, 0, IMAGE_DATA - SYMBOLS_AT);
	image->at = DYNAMIC_AT;
	put_dynamic(image, 6, base + SYMBOLS_AT);			/* DT_SYMTAB */
	put_dynamic(image, 5, base + SYMBOLS_AT + SYMBOLS * entry);	/* DT_STRTAB */
	put_dynamic(image, 10, 8);					/* DT_STRSZ */
	if (form != HASH_NONE)
		put_dynamic(image, form == HASH_GNU ? 0x6ffffef5 : 4, base + HASH_AT);
	put_dynamic(image, 0, 0);
	image->at = HASH_AT;
	image_field(image, 4, 1);			/* buckets */
	image_field(image, 4, form == HASH_GNU ? 1 : SYMBOLS);	/* first symbol; chains */
	if (form != HASH_GNU)
		return;
	image_field(image, 4, 1);			/* words of the filter */
	image_field(image, 4, 0);
	image_word(image, 0);
	image_field(image, 4, 1);			/* the bucket: symbols from 1 on */
	image_field(image, 4, 0x10);
	image_field(image, 4, 0x11);			/* the last one */
}

static void
check_dynamic(const struct binary *binary, const char *title)
{
	const struct binary_section *symbols = binary_section(binary, 11, NULL);
	const struct binary_section *strings = binary_section(binary, 0, ".dynstr");
	const unsigned entry = binary->word_size == 8 ? 24 : 16;

	ok(symbols != NULL && symbols->size == SYMBOLS * entry && symbols->offset == SYMBOLS_AT &&
		   symbols->address == IMAGE_BASE + SYMBOLS_AT, "%s: all symbols are found", title);
	ok(strings != NULL && strings->size == 8 && strings->offset == SYMBOLS_AT + SYMBOLS * entry,
	   "%s: the names of all symbols are found", title);
}

static void
test_dynamic(bool wide, bool big)
{
	static const char *const forms[] = { "without a hash table", "with DT_HASH", "with DT_GNU_HASH" };
	struct image image;

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		struct binary *binary = NULL;
		struct memory_run run = { .base = PROCESS_BASE, .size = IMAGE_DATA, .data = image.bytes };
		struct error error = { 0 };

		make_dynamic(&image, wide, big, (enum hash_form)i, IMAGE_BASE);
		binary_from_memory(&binary, "a.so", image.bytes, image.size, &error);
		if (binary == NULL) {
			ok(false, "%s", error.text);
			return;
		}
		ok(binary->sections_inferred && !binary_is_whole(binary), "a file without a section table may be truncated");
		check_dynamic(binary, forms[i]);
		binary_close(binary);
		/* The dynamic linker replaces the addresses by those of the process. */
		make_dynamic(&image, wide, big, (enum hash_form)i, PROCESS_BASE);
		is_u64(open_process(&binary, &run, 1, big, 1 << 20), ERROR_NONE, "an image in memory is opened %s", forms[i]);
		check_dynamic(binary, "in memory");
		binary_close(binary);
	}
}

/* The end of the code ranges of a file, relative to its base. */
static uint64_t
code_end(const struct binary *binary)
{
	struct arena arena = { 0 };
	struct code_ranges ranges;

	code_ranges_read(&ranges, binary, &arena);
	const uint64_t end = ranges.count > 0 ? ranges.items[ranges.count - 1].high - binary->linked_base : 0;
	arena_free(&arena);
	return end;
}

static void
test_elf(bool wide, bool big)
{
	struct image image;
	struct binary *binary;
	struct place place;
	uint8_t bytes[4], changed[0x40] = { 0 };

	image_elf(&image, wide, big, wide ? 62 : 3, id, sizeof(id), false);
	/* Two runs without a gap, and the data that the program changed. */
	struct memory_run runs[] = {
		{ .base = PROCESS_BASE, .size = 0x280, .data = image.bytes },
		{ .base = PROCESS_BASE + 0x280, .size = 0x80, .data = image.bytes + 0x280 },
		{ .base = PROCESS_BASE + 0x1300, .size = 0x40, .data = changed },
	};
	is_u64(open_process(&binary, runs, 3, big, 1 << 20), ERROR_NONE, "%d bits: the image is found", wide ? 64 : 32);
	is_str(binary->id, "0123456789abcdef", "the build ID of an image is in its note");
	is_u64(binary->linked_base, IMAGE_BASE, "the addresses of an image are those of its file");
	ok(binary_read(binary, IMAGE_CODE + 0x7e, bytes, 4, &place) == 4 && bytes[0] == 0x7e &&
		   bytes[3] == 0x81 && place.offset == IMAGE_CODE + 0x7e, "code of an image is at its address in the file");
	is_u64(binary_read(binary, 0x1300, bytes, 4, NULL), 0, "data of an image that may have changed are not read");
	is_u64(code_end(binary), IMAGE_DATA, "code of an image reaches to the end of its segment");
	binary_close(binary);
	is_u64(open_process(&binary, runs, 2, big, 1 << 20), ERROR_NONE, "data may be missing in the dump");
	binary_close(binary);
	runs[1].size--;
	is_u64(open_process(&binary, runs, 3, big, 1 << 20), ERROR_NOT_FOUND, "an image without all of its code is not used");
	runs[1].size++;
	is_u64(open_process(&binary, runs, 3, big, 0x100), ERROR_FORMAT, "no more than the budget is copied");
	ok(binary == NULL, "no image is opened above the budget");
}

TEST_BOTH(pe, wide)
{
	struct image image;
	struct binary *binary;
	struct place place;
	uint8_t bytes[8];

	image_pe(&image, wide, wide ? 0x8664 : 0x14c, 0x5ABCDEF0, 0x5000);
	const struct memory_run runs[] = {
		{ .base = PROCESS_BASE, .size = 0x400, .data = image.bytes },
		{ .base = PROCESS_BASE + 0x1000, .size = 0x180, .data = image.bytes + IMAGE_PE_CODE },
		{ .base = PROCESS_BASE + 0x4000, .size = 0x10, .data = image.bytes + IMAGE_PE_DATA },
	};
	is_u64(open_process(&binary, runs, 3, false, 1 << 20), ERROR_NONE, "PE32%s: the image is found", wide ? "+" : "");
	is_str(binary->id, "5ABCDEF05000", "the ID of a PE image is timestamp and size");
	is_u64(binary->linked_base, PROCESS_BASE, "a PE image has the base of the process");
	ok(binary_read(binary, 0x1020, bytes, 8, &place) == 8 && bytes[0] == 0x20 &&
		   place.offset == IMAGE_PE_CODE + 0x20, "code of a PE image is at its address in the file");
	is_u64(binary->problem_count, 0, "parts of a PE image that no loader maps cause no problem");
	binary_close(binary);
	is_u64(open_process(&binary, runs, 1, false, 1 << 20), ERROR_NOT_FOUND, "headers alone are no image");
}

static void
test_mach(uint32_t processor)
{
	struct mach_image image = { .processor = processor, .type = 6 };
	struct binary *binary;
	struct place place;
	uint8_t bytes[4];

	mach_image_make(&image);
	mach_put(&image, MACH_CODE + 8, 4, 0x12345678);
	/* The loader moved the library; of its data, the symbols are in the dump. */
	struct memory_run runs[] = {
		{ .base = PROCESS_BASE, .size = MACH_LINKEDIT, .data = image.bytes },
		{ .base = PROCESS_BASE + 0x1000, .size = MACH_SIZE - MACH_LINKEDIT, .data = image.bytes + MACH_LINKEDIT },
	};
	is_u64(open_process(&binary, runs, 2, false, 1 << 20), ERROR_NONE, "Mach-O, %x: the image is found", processor);
	is_str(binary->debug_id, "0A1A2A3A4A5A6A7A8A9AAABACADAEAFA0", "its UUID is known");
	is_u64(binary->linked_base, MACH_BASE, "its addresses are those of its file");
	ok(binary_read(binary, MACH_CODE + 8, bytes, 4, &place) == 4 && bytes[0] == 0x78 &&
		   place.offset == MACH_CODE + 8, "its code is at its address in the file");
	const struct binary_section *unwind = binary_section(binary, 0, "__unwind_info");
	const struct binary_section *symbols = binary_section(binary, 0, "symbol table");
	ok(unwind != NULL && unwind->data != NULL && symbols != NULL && symbols->data != NULL,
	   "its unwind information and its symbols are read");
	binary_close(binary);
	runs[0].size--;
	is_u64(open_process(&binary, runs, 2, false, 1 << 20), ERROR_NOT_FOUND, "without all of its code it is not used");
	runs[0].size++;
	mach_put(&image, mach_word(&image) == 8 ? 144 : 116, mach_word(&image), 0x1000);
	is_u64(open_process(&binary, runs, 2, false, 1 << 20), ERROR_NOT_FOUND,
	       "a library of a shared cache, whose tables are elsewhere, is not used");
}

int
main(void)
{
	struct binary *binary;
	const struct memory_run text = { .base = PROCESS_BASE, .size = 4, .data = (const uint8_t *)"text" };

	for (unsigned i = 0; i < 4; i++) {
		test_elf((i & 1) != 0, (i & 2) != 0);
		test_dynamic((i & 1) != 0, (i & 2) != 0);
	}
	test_mach(0x1000007);
	test_mach(7);
	is_u64(open_process(&binary, &text, 1, false, 1 << 20), ERROR_NOT_FOUND, "other bytes are no image");
	run_tests();
	return done_testing();
}
