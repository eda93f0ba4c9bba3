/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_tables.h"
#include "tests/unit/binary/image.h"
#include "tests/unit/binary/section.h"
#include "tests/unit/rules/rows.h"

/* Tables of unwind rules of SFrame sections and frame tables, worked out by hand. */

/* SFrame: two functions that overlap, a gap, a PLT whose rows repeat every 16 bytes, and a function
 * without a caller. The module's addresses are lower than those of the section. */
TEST(sframe)
{
	static const struct section_function functions[] = {
		{ .start = 0x9000, .size = 0x20, .rows = { { 0, 8 }, { 1, 16 }, { 0x18, 24 } }, .row_count = 3 },
		{ .start = 0x9010, .size = 0x20, .rows = { { 0, 32 } }, .row_count = 1 },
		{ .start = 0x9050, .size = 0x30, .repeat = 0x10, .rows = { { 0, 8 }, { 6, 16 } }, .row_count = 2 },
		{ .start = 0x9080, .size = 0x10, .rows = { { 0, 0 } }, .row_count = 1 },
		{ .start = 0x90c0, .size = 0x10, .rows = { { 0, 8 }, { 5, 16 }, { 3, 24 } }, .row_count = 3 },
		{ .start = 0x90d0, .size = 0x18, .repeat = 0x10, .rows = { { 0, 8 }, { 6, 16 }, { 9, 24 }, { 16, 32 } }, .row_count = 4 },
		{ .start = 0x90f0, .size = 0x10, .rows = { { 0, 8 } }, .row_count = 1 },
	};
	const struct input input = { "section" };
	const struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1, .sframe_bias = 0x8000 };
	struct symfile *symfile = NULL;
	struct section section;
	struct sframe sframe;
	struct error error;
	uint64_t first, last;

	section_make(&section, 0, 0xa000, functions, ARRAY_COUNT(functions));
	ok(sframe_open(&sframe, &(struct sframe_bytes){ &input, section.bytes, section.size, 0, 0xa000, NULL },
		   NULL, 0, &error) == ERROR_NONE, "a section is read");
	struct rule_module read = module;
	read.sframe = &sframe;
	fill(&read, 0x1000, 0x10bf);
	columns_are("CFA ra", "a stack pointer that becomes the CFA has no column");
	ROWS(0, "SFrame", "1000-1000 :0 rsp+8 c-8", "1001-100f :0 *rsp+16 c-8",
	     "1010-102f :0 *rsp+32 c-8", "1030-104f nothing", "1050-1055 :0 rsp+8 c-8", "1056-105f :0 *rsp+16 c-8",
	     "1060-1065 :0 *rsp+8 c-8", "1066-106f :0 *rsp+16 c-8", "1070-1075 :0 *rsp+8 c-8", "1076-107f :0 *rsp+16 c-8",
	     "1080-108f :0 *- *u (outermost function: its return address is undefined)", "1090-10bf nothing");
	ok(tables.tables[0].rows[0].untracked != 0, "the rows of SFrame do not track all registers");
	fill(&read, 0x10c0, 0x10ef);
	ROWS(0, "SFrame", "10c0-10c4 :0 rsp+8 c-8", "10c5-10cf :0 *rsp+16 c-8",
	     "10c5-10c5 :0 (the addresses of its rows do not ascend)", "10d0-10d5 :0 *rsp+8 c-8", "10d6-10d8 :0 *rsp+16 c-8",
	     "10d9-10df :0 *rsp+24 c-8", "10e0-10e5 :0 *rsp+8 c-8", "10e6-10e7 :0 *rsp+16 c-8", "10e8-10ef nothing");
	fill(&read, 0x10e8, 0x10f0);
	ROWS(0, "SFrame", "10e8-10ef nothing", "10f0-10f0 :0 rsp+8 c-8");
	fill(&read, 0x1000, 0x1010);
	ROWS(0, "SFrame", "1000-1000 :0 rsp+8 c-8", "1001-100f :0 *rsp+16 c-8", "1010-1010 :0 *rsp+32 c-8");
	fill(&read, 0x1064, 0x1071);
	ROWS(0, "SFrame", "1064-1065 :0 rsp+8 c-8", "1066-106f :0 *rsp+16 c-8", "1070-1071 :0 *rsp+8 c-8");
	fill(&read, 0x1030, 0x104f);
	is_u64(tables.count, 0, "a source without rows in the run has no table");
	const struct unwind_source source = { .kind = unwind_source_kind_named("SFrame"), .module = &read };
	ok(unwind_reader_sframe.covers(&source, 0x1005, &first, &last) && first == 0x1000 &&
	   last == 0x101f, "the function around an address is found");
	ok(!unwind_reader_sframe.covers(&source, 0x1030, &first, &last), "no function covers an address between two functions");
	/* Next to a source with rules for other registers; both sources have the frame pointer. */
	for (unsigned fp = 0; fp < 2; fp++) {
		static const char *const records[] = {
			"STACK CFI INIT 1010 20 .cfa: $rsp 32 + .ra: .cfa -8 + ^ "
			"$rbx: .cfa -16 + ^\n", "STACK CFI INIT 1010 20 .cfa: $rsp 32 + .ra: .cfa -8 + ^ "
			"$rbp: .cfa -16 + ^\n",
		};
		symfile_close(symfile);
		symfile_from_memory(&symfile, "x.sym", records[fp], strlen(records[fp]), &error);
		read.symfile = symfile;
		fill(&read, 0x1010, 0x102f);
		is_str(row_text(&tables.tables[0], 0), fp ? "1010-102f :1 rsp+32 c-8 !c-16" : "1010-102f :1 rsp+32 c-8 c-16",
		       "the row of STACK CFI is compared with SFrame");
		is_str(row_text(&tables.tables[1], 0), fp ? "1010-102f :0 rsp+32 c-8 !." : "1010-102f :0 rsp+32 c-8 ?",
		       "the row of SFrame is compared with STACK CFI");
	}
	symfile_close(symfile);
	sframe_close(&sframe);
}

/* Sections of tests/sframe in which a row or a function is refused: the others still count. */
TEST(sframe_refused)
{
	static const struct {
		const char *file, *rows[7];
	} cases[] = {
		{ "bad-v3-flex-cfa-from-cfa", { "1000-100f :0 nothing (the CFA is not computed from a register)", "1010-104f nothing" } },
		{ "bad-v3-flex-one-word", { "1000-100f :0 nothing (a flexible row needs two words for the CFA)", "1010-104f nothing" } },
		{ "bad-v3-fde-type-2", { "1000-100f :0 nothing (it has an unknown type)", "1010-104f nothing" } },
		{ "bad-fre-type-3",
		  { "1000-101f :0 nothing (its rows have an unknown type of address)", "1020-1023 :0 rsp+8 c-8", "1024-102e :0 *rsp+56 c-8",
		  "102f-102f :0 *rsp+8 c-8", "1030-103f nothing", "1040-1047 :0 rsp+8 c-8", "1048-104f nothing" } },
	};
	static const struct input input = { "section" };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint8_t bytes[256];
		struct sframe sframe;
		struct error error;

		const char *path = tap_path("tests/sframe/%s.sframe", cases[i].file);
		FILE *file = fopen(path, "rb");
		if (!ok(file != NULL, "%s is read", cases[i].file))
			continue;
		const size_t size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		sframe_open(&sframe, &(struct sframe_bytes){ &input, bytes, size, 0, 0x402000, NULL }, NULL, 0, &error);
		const struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1,
						    .sframe = &sframe, .sframe_bias = 0x400000 };
		fill(&module, 0x1000, 0x104f);
		for (size_t k = 0; k < 7 && cases[i].rows[k] != NULL; k++)
			is_str(tables.count > 0 && k < tables.tables[0].count ? row_text(&tables.tables[0], k) : "no row",
			       cases[i].rows[k], "%s: row %zu is right", cases[i].file, k);
		sframe_close(&sframe);
	}
}

/* .debug_frame (DWARF 5, 6.4): two entries with 0x10 bytes without an entry between them. */
TEST(frame_table)
{
	static const uint8_t entries[] = {
		/* CIE: version 1, code 1, data -8, return address 16; CFA rsp+8, ra c-8. */
		0x14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0,
		/* 400200 to 400220 */
		0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x40, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0,
		0x41, 0x0e, 16, 0x86, 2,	/* 201: CFA rsp+16, rbp c-16 */
		0x43, 0x0d, 6,			/* 204: CFA rbp+16 */
		0x44,				/* 208: as before */
		0x44, 0x83, 3,			/* 20c: rbx c-24 */
		0x44, 0x09, 12, 3,		/* 210: r12 in rbx */
		0x44, 0x07, 16,			/* 214: no caller */
		0x44, 0x06, 16,			/* 218: there is one after all */
		0, 0,
		/* 400230 to 400240 */
		0x14, 0, 0, 0, 0, 0, 0, 0, 0x30, 2, 0x40, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
		/* CIE at 60: augmentation "zS" (a signal frame) without data */
		0x14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 'z', 'S', 0, 1, 0x78, 16, 0, 0x0c, 7, 8, 0x90, 1, 0, 0, 0,
		/* 400250 to 400260 */
		0x18, 0, 0, 0, 0x60, 0, 0, 0, 0x50, 2, 0x40, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		/* 400260 to 400270, of the first CIE */
		0x34, 0, 0, 0, 0, 0, 0, 0, 0x60, 2, 0x40, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
		0x41, 0x86, 2, 0x83, 3,		/* 261: rbp c-16, rbx c-24 */
		0x41, 0xc6,			/* 262: rbp as it was */
		0x41, 0xc3,			/* 263: rbx as well */
		0x41, 0x83, 4,			/* 264: rbx c-32 */
		0x41, 0x83, 5,			/* 265: rbx c-40 */
		0x41, 0xc3, 0x8c, 5,		/* 266: r12 c-40, no longer rbx */
		0x41, 0x90, 2,			/* 267: the return address c-16 */
		0x41, 0x09, 16, 0,		/* 268: the return address in rax */
		0, 0, 0, 0, 0, 0,
		/* 400270 to 400280: its second instruction is not DWARF */
		0x1c, 0, 0, 0, 0, 0, 0, 0, 0x70, 2, 0x40, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x44, 0x3b, 0, 0, 0, 0, 0, 0,
	};
	static struct image image;
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct crash crash;
	uint64_t first, last;

	image_elf(&image, true, false, 62, NULL, 0, false);
	image_add_section(&image, ".debug_frame", entries, sizeof(entries));
	ok(binary_from_memory(&binary, "program", image.bytes, image.size, &error) == ERROR_NONE &&
	   binary_as_crash(binary, "program", &crash), "a program is read");
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	const struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1, .binaries = binaries };
	fill(&module, 0x200, 0x24f);
	columns_are("CFA ra rbx rbp r12", "registers are in the architecture's order");
	ROWS(0, ".debug_frame", "200-200 :0 rsp+8 c-8 . . .", "201-203 :0 *rsp+16 c-8 . *c-16 .",
	     "204-20b :0 *rbp+16 c-8 . c-16 .", "20c-20f :0 rbp+16 c-8 *c-24 c-16 .", "210-213 :0 rbp+16 c-8 c-24 c-16 *rbx",
	     "214-217 :0 rbp+16 *u c-24 c-16 rbx (outermost function: its return address is undefined)",
	     "218-21f :0 rbp+16 *c-8 c-24 c-16 rbx", "220-22f nothing", "230-23f :0 rsp+8 c-8 . . .", "240-24f nothing");
	is_u64(tables.tables[0].rows[0].untracked, 0, "the rows of a frame table track all registers");
	ok(tables.tables[0].note == NULL, "the table of .debug_frame has no note");
	fill(&module, 0x250, 0x25f);
	ROWS(0, ".debug_frame", "250-25f :0 rsp+8 c-8 (a signal frame: the caller was interrupted)");
	fill(&module, 0x260, 0x26f);
	columns_are("CFA ra rbx rbp r12", "registers that one of several rows names have columns");
	ROWS(0, ".debug_frame", "260-260 :0 rsp+8 c-8 . . .", "261-261 :0 rsp+8 c-8 *c-24 *c-16 .",
	     "262-262 :0 rsp+8 c-8 c-24 *. .", "263-263 :0 rsp+8 c-8 *. . .", "264-264 :0 rsp+8 c-8 *c-32 . .",
	     "265-265 :0 rsp+8 c-8 *c-40 . .", "266-266 :0 rsp+8 c-8 *. . *c-40", "267-267 :0 rsp+8 *c-16 . . c-40",
	     "268-26f :0 rsp+8 *rax . . c-40");
	fill(&module, 0x270, 0x27f);
	ROWS(0, ".debug_frame", "270-273 :0 rsp+8 c-8", "274-27f :0 nothing (cannot follow the instructions of the entry)");
	ok(tables.tables[0].rows[1].broken, "an entry that cannot be followed is a defect");
	fill(&module, 0x202, 0x205);
	ROWS(0, ".debug_frame", "202-203 :0 rsp+16 c-8 c-16", "204-205 :0 *rbp+16 c-8 c-16");
	const struct unwind_source source = { .kind = unwind_source_kind_named(".debug_frame"), .module = &module };
	ok(unwind_reader_dwarf.covers(&source, 0x21f, &first, &last) && first == 0x200 && last == 0x21f, "an entry covers its code");
	ok(!unwind_reader_dwarf.covers(&source, 0x220, &first, &last), "an entry covers no code after its end");
	binaries_free(binaries);
	crash_free(&crash);
}

/* Notes about all rows: .ARM.exidx holds at calls, a debug file is named. */
TEST(notes)
{
	/* A CIE as in the test before, and an entry for 400200 to 400210. */
	static const uint8_t entries[] = {
		0x14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0,
		0x14, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x40, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
	};
	static const char names[] = "\0.ARM.exidx\0.shstrtab";
	static const char *const notes[] = {
		"of program", "correct at calls; prologues and epilogues have no rows" };
	static struct image image;

	for (unsigned arm = 0; arm < 2; arm++) {
		struct binary *binary = NULL;
		struct error error = { 0 };
		struct crash crash;

		if (arm) {
			image = (struct image){ .wide = false };
			image_elf_header(&image, 40, 3);
			image.at = image_headers(&image);
			image_segment(&image, 1, 5, 0, IMAGE_BASE, 0x700, 0x700);
			image_put(&image, 0x280, 4, 0x500 - 0x280);
			image_put(&image, 0x284, 4, 0x80a8b0b0);
			memcpy(image.bytes + IMAGE_NAMES, names, sizeof(names));
			image.at = IMAGE_TABLE;
			image_section(&image, 0, 0, 0, 0, 0, 0);
			image_section(&image, 1, 0x70000001, 2, IMAGE_BASE + 0x280, 0x280, 8);
			image_section(&image, 12, 3, 0, 0, IMAGE_NAMES, sizeof(names));
			image.size = 0x700;
		} else {
			image_elf(&image, true, false, 62, NULL, 0, true);
			image_add_section(&image, ".debug_frame", entries, sizeof(entries));
		}
		ok(binary_from_memory(&binary, "program", image.bytes, image.size, &error) ==
			   ERROR_NONE && binary_as_crash(binary, "program", &crash), "a file is read");
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		binaries_give(binaries, 0, binary);
		const struct rule_module module = {
			.arch = arch_by_id(arm ? ARCH_ARM : ARCH_AMD64), .policy = &policy,
			.parameters = -1, .binaries = binaries };
		fill(&module, arm ? 0x500 : 0x200, arm ? 0x50f : 0x20f);
		is_str(tables.count > 0 ? tables.tables[0].note : "no table", notes[arm],
		       "the note on %s is right", arm ? ".ARM.exidx" : "a debug file");
		binaries_free(binaries);
		crash_free(&crash);
	}
}

/* .pdata of tests/pe/functions.dll, with the entries that objdump -p prints: no entry covers 10f1
 * to 10f3. In Microsoft's x64 ABI functions without an entry are leaf functions. */
TEST(leaf)
{
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct crash crash;

	const char *path = tap_path("tests/pe/functions.dll");
	if (!ok(binary_open(&binary, path, &error) == ERROR_NONE && binary_as_crash(binary, "functions.dll", &crash), "a DLL is read"))
		return;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	const struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1, .binaries = binaries };
	fill(&module, 0x10f0, 0x10f4);
	const struct rule_table *table = &tables.tables[0];
	bool leaf = false;
	for (size_t i = 0; tables.count == 1 && i < table->count; i++)
		leaf = leaf || strstr(row_text(table, i), "10f1-10f3") != NULL;
	ok(leaf, "the code between two entries has a row");
	ok(tables.count == 1 && rule_table_at(table, 0x10f1) != NULL && rule_table_at(table, 0x10f1)->message != NULL &&
	   strcmp(rule_table_at(table, 0x10f1)->message, "no entry: a leaf function, which does not move the stack") == 0,
	   "the row of code between two entries explains its missing entry");
	char text[64];
	ok(strcmp(rule_cell_format(&tables, rule_table_at(table, 0x10f2), 0, text, sizeof(text)),
		  "rsp+8") == 0, "the CFA of code between two entries is above the return address");
	binaries_free(binaries);
	crash_free(&crash);
}

int
main(void)
{
	policy = policy_column(POLICY_UNSPOOL);
	run_tests();
	arena_free(&arena);
	return done_testing();
}
