/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary.h"

#include "base/limits.h"
#include "debug_info/file_symbols.h"
#include "tests/unit/binary/mach_image.h"

static void
test_tables(const struct binary *binary, const char *kind)
{
	const struct binary_section *text = binary_section(binary, 0, "__text");
	const struct binary_section *frames = binary_section(binary, 0, ".eh_frame");
	const struct binary_section *bss = binary_section(binary, 0, "__bss");

	ok(binary->format == BINARY_MACH && binary->linked_base == MACH_BASE, "%s: the base is the address of __TEXT", kind);
	is_str(binary->id, "0A1A2A3A4A5A6A7A8A9AAABACADAEAFA", "%s: the UUID", kind);
	is_str(binary->debug_id, "0A1A2A3A4A5A6A7A8A9AAABACADAEAFA0", "%s: the debug ID", kind);
	ok(binary->segment_count == 1 && binary->segments[0].executable && binary->segments[0].size == MACH_LINKEDIT,
	   "%s: what can be written is no segment, nor is __PAGEZERO", kind);
	is_u64(binary->extent, 0x2000, "%s: the module ends with its last segment", kind);
	ok(text != NULL && text->address == MACH_BASE + MACH_CODE &&
	   text->data == binary->file.data + MACH_CODE, "%s: a section has its bytes", kind);
	ok(frames != NULL && frames->size == MACH_EH_SIZE, "%s: sections have ELF's names", kind);
	ok(bss != NULL && bss->no_bits && bss->data == NULL, "%s: zeros have no bytes", kind);
	ok(binary_is_whole(binary), "%s: the file is whole", kind);
}

static void
test_symbols(const struct binary *binary, const char *kind)
{
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = { { 0x3ff, NULL }, { 0x400, "one" }, { 0x47f, "one" }, { 0x480, "two" },
		      { 0x57f, "two" }, { 0x580, NULL }, { MACH_EH, NULL } };
	struct file_symbols symbols;

	file_symbols_read(&symbols, binary);
	is_u64(symbols.count, 2, "%s: stabs, data and other files' symbols are no functions", kind);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct file_symbol *symbol = file_symbols_at(&symbols, MACH_BASE + cases[i].address);
		is_str(symbol != NULL ? symbol->name : "none", cases[i].name != NULL ? cases[i].name : "none",
		       "%s: the function at %x, up to the next begin of one", kind, (unsigned)cases[i].address);
	}
	file_symbols_free(&symbols);
}

TEST(kinds)
{
	static const struct {
		uint32_t processor;
		bool big;
		const char *arch;
	} kinds[] = { { 0x1000007, false, "amd64" }, { 7, false, "x86" },
		      { 0x100000c, false, "arm64" }, { 12, false, "arm" },
		      { 18, true, "ppc" }, { 0x1000012, true, "ppc64" } };

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct mach_image image = { .processor = kinds[i].processor, .big = kinds[i].big, .type = 6 };
		mach_image_make(&image);
		struct binary *binary = mach_image_open(&image);
		is_str(binary_arch(binary)->name, kinds[i].arch, "%s: the processor", kinds[i].arch);
		test_tables(binary, kinds[i].arch);
		test_symbols(binary, kinds[i].arch);
		ok(!binary->debug_only && !binary->arm64e, "%s: a library", kinds[i].arch);
		binary_close(binary);
	}
	struct mach_image image = { .processor = 0x100000c, .type = 10 };
	mach_image_make(&image);
	mach_put(&image, 8, 4, 0x80000002);
	struct binary *binary = mach_image_open(&image);
	ok(binary->debug_only && binary->segment_count == 0, "a dSYM has no code");
	ok(binary->arm64e, "arm64e: pointers are signed");
	binary_close(binary);
}

/* A fat file with a slice for x86_64 at 0x40 and one for arm64 after it. */
TEST(fat)
{
	static uint8_t bytes[0x40 + 2 * MACH_SIZE];
	static const uint32_t processors[] = { 0x1000007, 0x100000c };
	struct file_symbols symbols;
	struct binary *binary;

	reader_put_number(bytes, 4, true, 0xcafebabe);
	reader_put_number(bytes + 4, 4, true, 2);
	for (size_t i = 0; i < 2; i++) {
		struct mach_image image = { .processor = processors[i], .type = 6 };
		const size_t offset = 0x40 + i * MACH_SIZE;

		mach_image_make(&image);
		reader_put_number(bytes + 8 + 20 * i, 4, true, processors[i]);
		reader_put_number(bytes + 16 + 20 * i, 4, true, offset);
		memcpy(bytes + offset, image.bytes, sizeof(image.bytes));
	}
	ok(binary_from_memory(&binary, "fat", bytes, sizeof(bytes), NULL) == ERROR_NONE, "a fat file is read");
	is_str(binary_arch(binary)->name, "amd64", "the first part of a fat file");
	binary_close(binary);
	reader_put_number(bytes + 8, 4, true, 0x100000c);
	reader_put_number(bytes + 16, 4, true, 0x40 + MACH_SIZE);
	ok(binary_from_memory(&binary, "fat", bytes, sizeof(bytes), NULL) == ERROR_NONE, "another part is read");
	is_str(binary_arch(binary)->name, "arm64", "the other part of a fat file");
	is_u64(binary_section(binary, 0, "__text")->offset, 0x40 + MACH_SIZE + MACH_CODE,
	       "offsets are counted from the begin of the fat file");
	file_symbols_read(&symbols, binary);
	is_u64(symbols.count, 2, "a part of a fat file has its symbols");
	file_symbols_free(&symbols);
	binary_close(binary);
}

/* Files with many Mach-O files are refused with the way to read one of them. */
TEST(refused)
{
	static const char cache[64] = "dyld_v1  arm64e";
	struct mach_image image = { .processor = 0x100000c, .type = 12 };
	struct binary *binary;
	struct error error = { 0 };

	mach_image_make(&image);
	is_u64(binary_from_memory(&binary, "kernelcache", image.bytes, sizeof(image.bytes), &error),
	       ERROR_FORMAT, "a kernel cache is refused");
	ok(strstr(error.text, "a kernel cache") != NULL && strstr(error.text, "extract") != NULL, "%s", error.text);
	is_u64(binary_from_memory(&binary, "cache", cache, sizeof(cache), &error), ERROR_FORMAT, "a shared cache of dyld is refused");
	ok(strstr(error.text, "a shared cache") != NULL && strstr(error.text, "extract") != NULL, "%s", error.text);
}

/* Files that end early, and each byte of the load commands changed: nothing is read outside. */
TEST(damage)
{
	struct mach_image image = { .processor = 0x1000007, .type = 6 };
	struct binary *binary;
	unsigned opened = 0;

	mach_image_make(&image);
	for (size_t size = 0; size < sizeof(image.bytes); size++) {
		opened += binary_from_memory(&binary, "cut", image.bytes, size, NULL) == ERROR_NONE;
		binary_close(binary);
	}
	for (size_t at = 0; at < image.at; at++) {
		struct mach_image changed = image;
		struct file_symbols symbols;

		changed.bytes[at] ^= 0xff;
		if (binary_from_memory(&binary, "bad", changed.bytes, sizeof(changed.bytes), NULL) != ERROR_NONE)
			continue;
		file_symbols_read(&symbols, binary);
		file_symbols_free(&symbols);
		binary_close(binary);
		opened++;
	}
	ok(opened > 0, "%u damaged files are read", opened);
}

/* The UUID is the last load command that is read, or the first one that is not. */
TEST(commands)
{
	static uint8_t bytes[32 + 8 * LIMIT_LOAD_COMMANDS + 24];

	for (unsigned more = 0; more < 2; more++) {
		struct binary *binary = NULL;
		size_t at = 32;

		memset(bytes, 0, sizeof(bytes));
		reader_put_number(bytes, 4, false, 0xfeedfacf);
		reader_put_number(bytes + 4, 4, false, 0x1000007);
		reader_put_number(bytes + 12, 4, false, 6);
		reader_put_number(bytes + 16, 4, false, LIMIT_LOAD_COMMANDS + more);
		for (unsigned i = 0; i + 1 < LIMIT_LOAD_COMMANDS + more; i++, at += 8)
			reader_put_number(bytes + at + 4, 4, false, 8);
		reader_put_number(bytes + at, 4, false, 0x1b);
		reader_put_number(bytes + at + 4, 4, false, 24);
		bytes[at + 8] = 0xab;
		const bool found = binary_from_memory(&binary, "many", bytes, sizeof(bytes), NULL) == ERROR_NONE && binary->id[0] == 'A';
		is_u64(found, more == 0, "%u load commands are read", LIMIT_LOAD_COMMANDS);
		binary_close(binary);
	}
}

/* A library without symbols has the names of its exports, by a trie as loader.h describes it. */
TEST(exports)
{
	static const uint8_t trie[] = "\0\1_\0\5"			/* 0: an edge "_" */
				      "\0\2one\0\x11two\0\x16"	/* 5: two edges */
				      "\3\0\x80\x8\0"		/* 0x11: an export at 0x400 */
				      "\3\0\x80\x9\0";		/* 0x16: one at 0x480 */
	struct mach_image image = { .processor = 0x100000c, .type = 6 };

	mach_image_make(&image);
	const size_t symbols = image.at - 16 - 24;
	mach_put(&image, symbols + 12, 4, 0);
	const size_t at = mach_command(&image, 0x80000033, 16), data = MACH_LINKEDIT + 0xc0;
	unsigned invented = 0;

	mach_put(&image, at + 8, 4, data);
	mach_put(&image, at + 12, 4, sizeof(trie) - 1);
	memcpy(image.bytes + data, trie, sizeof(trie) - 1);
	struct binary *binary = mach_image_open(&image);
	test_symbols(binary, "exports");
	binary_close(binary);
	/* Damage, such as an edge back to the root, makes no other names. */
	for (size_t i = 0; i < sizeof(trie) - 1; i++) {
		struct mach_image changed = image;
		struct file_symbols read;

		changed.bytes[data + i] = 0;
		binary = mach_image_open(&changed);
		file_symbols_read(&read, binary);
		for (size_t j = 0; j < read.count; j++)
			invented += read.items[j].name != NULL && i != 7 && i != 12 && strcmp(read.items[j].name, "one") != 0 &&
				    strcmp(read.items[j].name, "two") != 0;
		file_symbols_free(&read);
		binary_close(binary);
	}
	is_u64(invented, 0, "a damaged trie has no names of its own");
}
