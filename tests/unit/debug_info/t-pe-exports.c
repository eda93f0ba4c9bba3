/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/file_symbols.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/pe_bytes.h"

/* A PE file by Microsoft's "PE Format": code at 1000, the export table at 2000, functions of x64 at
 * 3000. Exports of ordinals 5 to 9: function "two" at 1040, a nameless one at 1080, data, one that
 * is forwarded to another DLL, and "one" at 1000, which is also named "uno". */
enum { CODE = 0x1000, EXPORTS = 0x2000, TABLE = 0x3000, FILE_SIZE = 0x800 };

static void
put_words(uint8_t *bytes, size_t at, unsigned size, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(bytes, at + i * size, size, words[i]);
}

static void
put_exports(uint8_t *bytes)
{
	static const uint32_t directory[] = { 0, 0, 0, EXPORTS + 0x100, 5, 5, 3, EXPORTS + 0x40, EXPORTS + 0x60, EXPORTS + 0x70 };
	static const uint32_t addresses[] = { CODE + 0x40, CODE + 0x80, TABLE + 0x100, EXPORTS + 0x90, CODE };
	static const uint32_t names[] = { EXPORTS + 0x80, EXPORTS + 0x84, EXPORTS + 0x88 };
	static const uint32_t indexes[] = { 4, 0, 4 };

	put_words(bytes, 2 * RAW, 4, directory, ARRAY_COUNT(directory));
	put_words(bytes, 2 * RAW + 0x40, 4, addresses, ARRAY_COUNT(addresses));
	put_words(bytes, 2 * RAW + 0x60, 4, names, ARRAY_COUNT(names));
	put_words(bytes, 2 * RAW + 0x70, 2, indexes, ARRAY_COUNT(indexes));
	memcpy(bytes + 2 * RAW + 0x80, "one\0two\0uno\0\0\0\0\0OTHER.three", 28);
}

/* Functions: 1000 to 1020, a part of it at 1030, and 1060, which is not exported. */
static void
put_functions(uint8_t *bytes)
{
	static const uint32_t entries[] = { CODE,	 CODE + 0x20, TABLE + 0x80, CODE + 0x30, CODE + 0x38, TABLE + 0x90,
					    CODE + 0x60, CODE + 0x70, TABLE + 0x80 };
	static const uint32_t part[] = { 0x21, CODE, CODE + 0x20, TABLE + 0x80 };

	put_words(bytes, 3 * RAW, 4, entries, ARRAY_COUNT(entries));
	put(bytes, 3 * RAW + 0x80, 4, 1);
	put_words(bytes, 3 * RAW + 0x90, 4, part, ARRAY_COUNT(part));
}

static void
make_file(uint8_t bytes[FILE_SIZE], unsigned machine)
{
	memset(bytes, 0, FILE_SIZE);
	const size_t directories = put_headers(bytes, machine, 3, 0, 0x5000);
	put(bytes, directories, 4, EXPORTS);
	put(bytes, directories + 4, 4, 0xc0);
	put(bytes, directories + 24, 4, machine == X64 ? TABLE : 0);
	put(bytes, directories + 28, 4, machine == X64 ? 36 : 0);
	put_section(bytes, 0, "", CODE, 0x60000020);
	put_section(bytes, 1, "", EXPORTS, 0x40000040);
	put_section(bytes, 2, "", TABLE, 0x40000040);
	put_exports(bytes);
	put_functions(bytes);
}

static const struct {
	const char *title;
	unsigned machine;
	uint32_t relative;
	const char *name;		/* NULL: none */
	uint32_t address;
} cases[] = {
	{ "the first byte of a function", X64, CODE, "one", CODE }, { "within it", X64, CODE + 0x1f, "one", CODE },
	{ "a leaf after it that is not exported", X64, CODE + 0x28, NULL, 0 },
	{ "a part of it elsewhere", X64, CODE + 0x34, "one", CODE }, { "an exported leaf", X64, CODE + 0x40, "two", CODE + 0x40 },
	{ "within the leaf", X64, CODE + 0x50, "two", CODE + 0x40 }, { "a function that is not exported", X64, CODE + 0x64, NULL, 0 },
	{ "an export without a name", X64, CODE + 0x88, "Ordinal6", CODE + 0x80 }, { "before all code", X64, 0x10, NULL, 0 },
	{ "without .pdata, an address after a function", X86, CODE + 0x28, "one", CODE },
	{ "without .pdata, an address after the next one", X86, CODE + 0x64, "two", CODE + 0x40 },
	{ "a megabyte after all exports", X86, CODE + 0x80 + (1 << 20), NULL, 0 },
};

TEST_EACH(case, cases)
{
	uint8_t bytes[FILE_SIZE];
	struct binary *binary;
	struct file_symbols exports;

	make_file(bytes, cases[i].machine);
	if (!ok(binary_from_memory(&binary, "a.dll", bytes, sizeof(bytes), NULL) == ERROR_NONE, "%s: the file is opened", cases[i].title))
		return;
	file_symbols_read(&exports, binary);
	is_u64(exports.count, 3, "%s: data and other DLLs' functions are no exports", cases[i].title);
	const struct file_symbol *export = file_symbols_at(&exports, binary->linked_base + cases[i].relative);
	is_str(export != NULL ? export->name : "none",
	       cases[i].name != NULL ? cases[i].name : "none", "%s: the name is right", cases[i].title);
	is_u64(export != NULL ? export->address - binary->linked_base : 0, cases[i].address, "%s: the address is right", cases[i].title);
	file_symbols_free(&exports);
	binary_close(binary);
}

TEST(damage)
{
	uint64_t seed = 11;
	size_t bad = 0;

	for (unsigned round = 0; round < 20000; round++) {
		uint8_t bytes[FILE_SIZE];
		struct binary *binary;
		struct file_symbols exports;

		make_file(bytes, round % 3 == 0 ? X86 : X64);
		for (unsigned changes = 1 + round % 4; changes > 0; changes--) {
			const uint32_t where = damage_random(&seed);
			const size_t at = where % 8 == 0 ? damage_random(&seed) % RAW
					  : (2 + where % 2) * RAW + damage_random(&seed) % 0xa0;

			bytes[at] = (uint8_t)damage_random(&seed);
		}
		const size_t size = round % 5 == 0 ? damage_random(&seed) % FILE_SIZE : FILE_SIZE;
		if (binary_from_memory(&binary, "a.dll", bytes, size, NULL) != ERROR_NONE)
			continue;
		file_symbols_read(&exports, binary);
		const struct file_symbol *export = file_symbols_at(&exports, binary->linked_base + CODE + damage_random(&seed) % 0x100);
		bad += export != NULL && (export->name == NULL || *export->name == '\0');
		file_symbols_free(&exports);
		binary_close(binary);
	}
	is_u64(bad, 0, "damaged tables give names or none");
}
