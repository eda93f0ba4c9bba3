/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/import_stubs.h"
#include "tests/fault/damage.h"
#include "tests/unit/binary/mach_image.h"
#include "tests/unit/binary/pe_bytes.h"

/* A PE file by Microsoft's "PE Format": code at 1000, imports at 2000 in a writable section. Function "Sleep" and ordinal 17 of
 * A.dll are in slots 2080 and 2088, "late" of B.dll, which is loaded on demand, is in slot 20c0. A slot has 8 bytes, or 4 on x86. */
enum { CODE = 0x1000, IMPORTS = 0x2000, FILE_SIZE = 0x600, BASE = 0x400000 };

static void
put_imports(uint8_t *bytes, unsigned word)
{
	uint8_t *at = bytes + 2 * RAW;

	put(at, 0, 4, IMPORTS + 0x40);
	put(at, 12, 4, IMPORTS + 0x100);
	put(at, 16, 4, IMPORTS + 0x80);
	put(at, 0x40, word, IMPORTS + 0x120);
	put(at, 0x40 + word, word, (uint64_t)1 << (8 * word - 1) | 17);
	memcpy(at + 0x100, "A.dll", 6);
	memcpy(at + 0x122, "Sleep", 6);
	/* Delay-Load Directory Table at 2160. */
	put(at, 0x160, 4, 1);
	put(at, 0x164, 4, IMPORTS + 0x1a0);
	put(at, 0x16c, 4, IMPORTS + 0xc0);
	put(at, 0x170, 4, IMPORTS + 0xe0);
	put(at, 0xe0, word, IMPORTS + 0x1b0);
	memcpy(at + 0x1a0, "B.dll", 6);
	memcpy(at + 0x1b2, "late", 5);
}

/* Write a jump through a slot whose address counts from the base. */
static void
put_jump(uint8_t *bytes, unsigned machine, unsigned at, uint32_t slot)
{
	const uint32_t relative = slot - (CODE + at + 6);

	put(bytes, RAW + at, 2, 0x25ff);
	put(bytes, RAW + at + 2, 4, machine == X64 ? relative : BASE + slot);
}

static void
make_file(uint8_t bytes[FILE_SIZE], unsigned machine)
{
	const bool wide = machine == X64;
	const unsigned word = wide ? 8 : 4;

	memset(bytes, 0, FILE_SIZE);
	const size_t directories = put_headers(bytes, machine, 2, BASE, 0x3000);
	put(bytes, directories + 8, 4, IMPORTS);
	put(bytes, directories + 12, 4, 40);
	put(bytes, directories + 13 * 8, 4, IMPORTS + 0x160);
	put(bytes, directories + 13 * 8 + 4, 4, 64);
	put_section(bytes, 0, "", CODE, 0x60000020);
	put_section(bytes, 1, "", IMPORTS, 0xc0000040);
	put_imports(bytes, word);
	memset(bytes + RAW, 0xcc, 0x100);
	put_jump(bytes, machine, 0x10, IMPORTS + 0x80);
	put_jump(bytes, machine, 0x16, IMPORTS + 0x80 + word);
	put_jump(bytes, machine, 0x1c, IMPORTS + 0xc0);
	put_jump(bytes, machine, 0x30, IMPORTS + 0x90);
	bytes[RAW + 0x3e] = 0x5d;
	bytes[RAW + 0x3f] = wide ? 0x48 : 0x5d;
	put_jump(bytes, machine, 0x40, IMPORTS + 0x80);
}

static const struct {
	const char *title;
	unsigned at;			/* in the code */
	const char *name;
} cases[] = {
	{ "a jump through the slot of a name", 0x10, "A.dll!Sleep (import thunk)" },
	{ "its last byte", 0x15, "A.dll!Sleep (import thunk)" }, { "through that of an ordinal", 0x16, "A.dll!#17 (import thunk)" },
	{ "through one of a library that is loaded later", 0x1c, "B.dll!late (import thunk)" },
	{ "after all jumps", 0x22, "none" }, { "through what is no slot", 0x30, "none" }, { "from the end of a function", 0x40, "none" },
	{ "an instruction other than a jump", 0x00, "none" },
};

static const char *
name_of(struct import_stubs *stubs, const struct binary *binary, unsigned at)
{
	struct debug_answer answer;
	const struct import_slot *slot = import_stub_find(stubs, binary, binary->linked_base + CODE + at, &answer);

	return slot == NULL ? "none" : slot->name == NULL ? "chosen" : slot->name;
}

static void
test_imports(unsigned machine)
{
	const char *title = machine == X64 ? "x64" : "x86";
	struct import_stubs stubs = { .read = false };
	uint8_t bytes[FILE_SIZE];
	struct binary *binary;

	make_file(bytes, machine);
	if (!ok(binary_from_memory(&binary, "a.exe", bytes, sizeof(bytes), NULL) == ERROR_NONE, "%s: the file is opened", title))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(name_of(&stubs, binary, cases[i].at), cases[i].name, "%s: %s", title, cases[i].title);
	arena_free(&stubs.arena);
	binary_close(binary);
}

/* Damaged files may give any answer, but no read leaves them. */
static void
test_damage(const char *title, const uint8_t *bytes, size_t size, unsigned code)
{
	uint64_t seed = 15;
	unsigned opened = 0;

	for (unsigned round = 0; round < 4000; round++) {
		struct import_stubs stubs = { .read = false };
		uint8_t *copy = damage_copy(bytes, size);
		struct binary *binary;

		for (unsigned changes = 1 + round % 4; copy != NULL && changes > 0; changes--)
			copy[damage_random(&seed) % (round % 2 == 0 ? size : RAW)] = (uint8_t)damage_random(&seed);
		const size_t left = round % 5 == 0 ? damage_random(&seed) % size : size;
		if (copy != NULL && binary_from_memory(&binary, "a", copy, left, NULL) == ERROR_NONE) {
			for (unsigned at = 0; at < 0x60; at++)
				name_of(&stubs, binary, at + code);
			arena_free(&stubs.arena);
			binary_close(binary);
			opened++;
		}
		free(copy);
	}
	ok(opened > 100, "%s: %u damaged files are read", title, opened);
}

/* A Mach-O library whose .eh_frame is a section of stubs instead, of 12 bytes, and whose .bss has a
 * slot: their symbols in the indirect symbol table are two, none (of the library itself), one. */
enum { STUBS_HEADER = 336, SLOTS_HEADER = 488, INDIRECT = MACH_LINKEDIT + 0xc0 };

static void
test_mach(void)
{
	static const uint32_t numbers[] = { 1, 0x80000000, 2 };
	static const struct {
		const char *title;
		uint64_t address;
		const char *name;	/* NULL: no stub */
	} places[] = {
		{ "before the stubs", MACH_EH - 1, NULL }, { "the first byte of a stub", MACH_EH, "two (stub)" },
		{ "its last byte", MACH_EH + 11, "two (stub)" },
		{ "a stub without a symbol", MACH_EH + 12, NULL }, { "a slot is no stub", 0x1000, NULL },
	};
	struct mach_image image = { .processor = 0x1000007, .type = 6 };
	struct import_stubs stubs = { 0 };
	struct debug_answer answer;

	mach_image_make(&image);
	mach_put(&image, STUBS_HEADER + 40, 8, 24);
	mach_put(&image, STUBS_HEADER + 64, 4, 0x80000408);
	mach_put(&image, STUBS_HEADER + 72, 4, 12);
	mach_put(&image, SLOTS_HEADER + 40, 8, 8);
	mach_put(&image, SLOTS_HEADER + 64, 4, 7);
	mach_put(&image, SLOTS_HEADER + 68, 4, 2);
	const size_t at = mach_command(&image, 0xb, 80);
	mach_put(&image, at + 56, 4, INDIRECT);
	mach_put(&image, at + 60, 4, ARRAY_COUNT(numbers));
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		mach_put(&image, INDIRECT + 4 * i, 4, numbers[i]);
	struct binary *binary = mach_image_open(&image);
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		const struct import_slot *slot = import_stub_find(&stubs, binary, MACH_BASE + places[i].address, &answer);

		is_str(slot != NULL ? slot->name : "none", places[i].name != NULL ? places[i].name : "none", "Mach-O: %s", places[i].title);
	}
	const struct import_slot *slot = import_slot_at(&stubs, binary, MACH_BASE + 0x1000);
	is_str(slot != NULL ? slot->name : "none", "one (stub)", "Mach-O: the slot has the name of its stub");
	ok(import_slot_at(&stubs, binary, MACH_BASE + MACH_EH) == NULL, "Mach-O: a stub is no slot");
	arena_free(&stubs.arena);
	binary_close(binary);
	test_damage("Mach-O", image.bytes, sizeof(image.bytes), MACH_EH);
}

int
main(void)
{
	uint8_t bytes[FILE_SIZE], *program;
	size_t size;

	test_imports(X64);
	test_imports(X86);
	make_file(bytes, X64);
	test_damage("PE of x64", bytes, sizeof(bytes), 0);
	make_file(bytes, X86);
	test_damage("PE of x86", bytes, sizeof(bytes), 0);
	const char *path = tap_path("data/crashes/sframe-amd64/binaries/parcel");
	program = damage_read(path, &size);
	if (program != NULL)
		test_damage("ELF", program, size, 0x20);
	free(program);
	test_mach();
	return done_testing();
}
