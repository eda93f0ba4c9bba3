/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fault/damage.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"
#define ROW_ARCH ARCH_ARM
#include "tests/unit/frame_table/row_text.h"

/* Unwind codes of 32-bit ARM, by hand from the Exception Handling ABI, section 10.3: a function at
 * 500 in a file that this test makes, and the first function of the program at 600. */
enum { INDEX = 0x200, EXTAB = 0x280, FUNCTION = 0x500, START = 0x600 };

static const struct {
	const char *title;
	uint32_t word;			/* the entry's second word; 0: it refers to `extab` */
	const char *extab;		/* words, the highest byte first */
	const char *cfa, *return_address, *registers;	/* a NULL cfa: no rule */
	bool in_register;
} cases[] = {
	{ "an adjustment and lr", 0x80048400, "", "sp 24 +", "sp 20 + ^", "lr=sp 20 + ^;", false },
	{ "r4 and lr", 0x80a8b0b0, "", "sp 8 +", "sp 4 + ^", "r4=sp ^;lr=sp 4 + ^;", false },
	{ "a leaf", 0x80b0b0b0, "", "sp", "lr", "", true },
	{ "personality 1: the frame by fp", 0, "81019b40 8480b0b0", "r11 4 +", "r11 ^", "fp=r11 -4 + ^;lr=r11 ^;", false },
	{ "personality 2", 0, "8200a8b0", "sp 8 +", "sp 4 + ^", "r4=sp ^;lr=sp 4 + ^;", false },
	{ "personality 0 in .ARM.extab", 0, "80a8b0b0", "sp 8 +", "sp 4 + ^", "r4=sp ^;lr=sp 4 + ^;", false },
	{ "a personality of a language", 0, "00000100 00a8b0b0", "sp 8 +", "sp 4 + ^", "r4=sp ^;lr=sp 4 + ^;", false },
	{ "a personality of a language with one more word", 0, "00000100 01010101 a8b0b0b0",
	  "sp 32 +", "sp 28 + ^", "r4=sp 24 + ^;lr=sp 28 + ^;", false },
	{ "one of the lowest four registers", 0, "8101b108 8400b0b0", "sp 8 +", "sp 4 + ^", "r3=sp ^;lr=sp 4 + ^;", false },
	{ "a large frame", 0x80b204b0, "", "sp 532 +", "lr", "", true },
	{ "a frame that shrinks", 0x804102b0, "", "sp 4 +", "lr", "", true },
	{ "r4 to r7", 0x80a3b0b0, "", "sp 16 +", "lr", "r4=sp ^;r5=sp 4 + ^;r6=sp 8 + ^;r7=sp 12 + ^;", true },
	{ "pc itself", 0x808801b0, "", "sp 8 +", "sp 4 + ^", "r4=sp ^;", false }, { "sp itself", 0x808200b0, "", "sp ^", "lr", "", true },
	{ "all registers after a signal", 0, "810127b1 0f8fffb0",
	  "sp 212 + ^", "sp 220 + ^", "r0=sp 160 + ^;r1=sp 164 + ^;r2=sp 168 + ^;r3=sp 172 + ^;r4=sp 176 + ^;r5=sp 180 + ^;"
	  "r6=sp 184 + ^;r7=sp 188 + ^;r8=sp 192 + ^;r9=sp 196 + ^;r10=sp 200 + ^;fp=sp 204 + ^;r12=sp 208 + ^;lr=sp 216 + ^;", false },
	{ "an authentication code", 0x80b48400, "", "sp 8 +", "sp 4 + ^", "lr=sp 4 + ^;", false },
	{ "d8 and d9", 0x80c981b0, "", "sp 16 +", "lr", "", true }, { "d16 and d17", 0x80c801b0, "", "sp 16 +", "lr", "", true },
	{ "d8 and d9 in the short form", 0x80d1b0b0, "", "sp 16 +", "lr", "", true },
	{ "d8 and d9 with a word more", 0x80b381b0, "", "sp 20 +", "lr", "", true },
	{ "d8 and d9 with a word more, in the short form", 0x80b9b0b0, "", "sp 20 +", "lr", "", true },
	{ "wR10", 0x80c0b0b0, "", "sp 8 +", "lr", "", true }, { "wR0 and wR1", 0x80c601b0, "", "sp 16 +", "lr", "", true },
	{ "wCGR0 and wCGR2", 0x80c705b0, "", "sp 8 +", "lr", "", true }, { "without a table", 1, "", NULL, NULL, NULL, false },
	{ "refused", 0x808000b0, "", NULL, NULL, NULL, false }, { "reserved: vsp is sp", 0x809db0b0, "", NULL, NULL, NULL, false },
	{ "spare: none of the lowest four registers", 0x80b100b0, "", NULL, NULL, NULL, false },
	{ "spare: b6", 0x80b6b0b0, "", NULL, NULL, NULL, false }, { "spare: ca", 0x80cab0b0, "", NULL, NULL, NULL, false },
	{ "spare: e0", 0x80e0b0b0, "", NULL, NULL, NULL, false }, { "personality 3", 0, "83a8b0b0", NULL, NULL, NULL, false },
	{ "personality 1 in the table itself", 0x8100a8b0, "", NULL, NULL, NULL, false },
};

static uint32_t
lead(uint32_t from, uint32_t to)
{
	return (to - from) & 0x7fffffff;
}

static void
make_file(struct image *image, uint32_t word, const char *extab)
{
	static const char names[] = "\0.ARM.exidx\0.shstrtab";
	uint8_t bytes[64];
	const size_t size = bytes_of(extab, bytes, sizeof(bytes));

	*image = (struct image){ .wide = false };
	image_elf_header(image, 40, 3);
	image->at = image_headers(image);
	image_segment(image, 1, 5, 0, IMAGE_BASE, 0x700, 0x700);
	image_segment(image, 0, 0, 0, 0, 0, 0);
	image_segment(image, 0, 0, 0, 0, 0, 0);
	image_put(image, 24, 4, IMAGE_BASE + START + 8 + 1);	/* e_entry, in Thumb */
	image_put(image, INDEX, 4, lead(INDEX, FUNCTION));
	image_put(image, INDEX + 4, 4, word != 0 ? word : lead(INDEX + 4, EXTAB));
	image_put(image, INDEX + 8, 4, lead(INDEX + 8, START));
	image_put(image, INDEX + 12, 4, 1);
	for (unsigned i = 0; i < size; i++)
		image->bytes[EXTAB + (i ^ 3)] = bytes[i];
	memcpy(image->bytes + IMAGE_NAMES, names, sizeof(names));
	image->at = IMAGE_TABLE;
	image_section(image, 0, 0, 0, 0, 0, 0);
	image_section(image, 1, 0x70000001, 2, IMAGE_BASE + INDEX, INDEX, 16);
	image_section(image, 12, 3, 0, 0, IMAGE_NAMES, sizeof(names));
	image->size = 0x700;
}

static const struct unwind_row *
find_wide(const struct binary *binary, uint64_t relative, struct arch_wide wide, struct arena *arena, const char **problem)
{
	const struct frame_table_question question = { .relative = relative, .wide = wide };
	void *frames = arm_frames_reader.open(binary, NULL);

	*problem = NULL;
	if (frames == NULL)
		return NULL;
	const struct unwind_row *row = arm_frames_reader.find(frames, arch_by_id(ARCH_ARM), &question, arena, problem);
	arm_frames_reader.close(frames);
	return row;
}

static const struct unwind_row *
find(const struct binary *binary, uint64_t relative, struct arena *arena, const char **problem)
{
	return find_wide(binary, relative, (struct arch_wide){ 0 }, arena, problem);
}

TEST_EACH(case, cases)
{
	const char *title = cases[i].title, *problem;
	struct error error = { 0 };
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };

	make_file(&image, cases[i].word, cases[i].extab);
	if (binary_from_memory(&binary, "a.so", image.bytes, image.size, &error) != ERROR_NONE) {
		skip(1, "%s", error.text);
		return;
	}
	const struct unwind_row *row = find(binary, FUNCTION + 0x10, &arena, &problem);
	if (cases[i].cfa == NULL) {
		ok(row == NULL && problem != NULL, "%s: the entry is refused with a reason: %s",
		   title, problem != NULL ? problem : "no reason");
	} else if (ok(row != NULL, "%s: there is a row", title)) {
		is_str(expression_of(row, CLAIM_CFA, &arena), cases[i].cfa, "%s: the CFA is right", title);
		is_str(expression_of(row, CLAIM_RETURN_ADDRESS, &arena), cases[i].return_address, "%s: the return address is right", title);
		is_str(registers_of(row, &arena), cases[i].registers, "%s: the rules of saved registers are right", title);
		ok(row->in_register == cases[i].in_register, "%s: the mark of a return address in lr is right", title);
		ok(row->signal == (strncmp(cases[i].registers, "r0=", 3) == 0), "%s: the mark of an interrupted caller is right", title);
		ok(row->first == FUNCTION && row->last == START - 1, "%s: the row covers the function", title);
	}
	arena_free(&arena);
	binary_close(binary);
}

/* The place of a saved vector register, relative to the CFA; 1: the row has no rule for it. */
static const struct {
	uint32_t word;
	uint64_t number;	/* DWARF's register number */
	int64_t offset;
} vectors[] = {
	{ 0x80c981b0, 256 + 8, -16 }, { 0x80c981b0, 256 + 9, -8 }, { 0x80c981b0, 256 + 10, 1 },
	{ 0x80c981b0, 256 + 7, 1 }, { 0x80c981b0, 64 + 19, -8 }, { 0x80c801b0, 256 + 17, -8 },
	{ 0x80c801b0, 256 + 1, 1 }, { 0x80d100b0, 256 + 8, -20 }, { 0x80b381b0, 256 + 8, -20 },
	{ 0x80b900b0, 256 + 9, -16 }, { 0x80c0b0b0, 256 + 8, 1 },
};

TEST_EACH(vectors, vectors)
{
	const struct arch_wide wide = arch_wide(arch_by_id(ARCH_ARM), vectors[i].number);
	const char *problem;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };

	make_file(&image, vectors[i].word, "");
	if (binary_from_memory(&binary, "a.so", image.bytes, image.size, NULL) != ERROR_NONE)
		return;
	const struct unwind_row *row = find_wide(binary, FUNCTION + 0x10, wide, &arena, &problem);
	ok(row != NULL && (row->wide.kind == CLAIM_RULE ? row->wide.offset
			   : row->wide.kind == CLAIM_SAME ? 1 : 2) == vectors[i].offset,
	   "the rule of vector register %u is right for %x", wide.index, vectors[i].word);
	arena_free(&arena);
	binary_close(binary);
}

TEST(entries)
{
	const char *problem;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };

	make_file(&image, 0x80a8b0b0, "");
	if (binary_from_memory(&binary, "a.so", image.bytes, image.size, NULL) != ERROR_NONE)
		return;
	const struct unwind_row *row = find(binary, START + 8 + 63, &arena, &problem);
	ok(row != NULL && unwind_row_outermost(row) && row->first == START + 8 && row->last == START + 8 + 63,
	   "the code that the program begins with has no caller");
	ok(find(binary, START + 8, &arena, &problem) != NULL, "the first instruction of the program has a row");
	ok(find(binary, START + 7, &arena, &problem) == NULL && problem != NULL, "functions before the start are refused");
	ok(find(binary, START + 8 + 64, &arena, &problem) == NULL && problem != NULL,
	   "functions after the start are refused, although they have the same entry");
	ok(row != NULL && row->place.offset == INDEX + 8 && row->place.length == 8, "the row has the place of its entry");
	ok(find(binary, FUNCTION - 2, &arena, &problem) == NULL && problem == NULL, "an address before the first function has no row");
	arena_free(&arena);
	binary_close(binary);
}

/* A table has no rules before its first entry and none for data. */
TEST(extents)
{
	static const struct {
		uint64_t at;
		bool entry;
		uint64_t first, last;
	} wanted[] = {
		{ FUNCTION - 2, false, FUNCTION - 2, FUNCTION - 1 },
		{ FUNCTION + 4, true, FUNCTION, START - 1 }, { START, true, START, 0x6ff }, { 0x700, false, 0x700, UINT64_MAX },
	};
	const char *problem;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };

	make_file(&image, 0x80a8b0b0, "");
	image_put(&image, INDEX + 12, 4, 0x80a8b0b0);
	if (binary_from_memory(&binary, "a.so", image.bytes, image.size, NULL) != ERROR_NONE)
		return;
	void *frames = arm_frames_reader.open(binary, NULL);
	for (size_t i = 0; frames != NULL && i < ARRAY_COUNT(wanted); i++) {
		struct frame_extent extent;
		arm_frames_reader.extent(frames, wanted[i].at, &extent);
		ok(extent.entry == wanted[i].entry && extent.first == wanted[i].first &&
		   extent.last == wanted[i].last, "the table's entry around %x has its range", (unsigned)wanted[i].at);
		ok((find(binary, wanted[i].at, &arena, &problem) != NULL) == wanted[i].entry,
		   "%x has a row only if an entry covers it", (unsigned)wanted[i].at);
	}
	arena_free(&arena);
	if (frames != NULL)
		arm_frames_reader.close(frames);
	binary_close(binary);
}

TEST(damage)
{
	uint64_t seed = 11;
	size_t bad = 0;

	for (unsigned round = 0; round < 20000; round++) {
		const size_t i = damage_random(&seed) % ARRAY_COUNT(cases);
		const char *problem;
		struct binary *binary;
		struct image image;
		struct arena arena = { 0 };

		make_file(&image, cases[i].word, cases[i].extab);
		for (unsigned changes = 1 + round % 4; changes > 0; changes--) {
			const uint32_t where = damage_random(&seed);
			const size_t at = where % 8 == 0 ? where / 8 % image.size : INDEX + where / 8 % 0xc0;

			image.bytes[at] = (uint8_t)damage_random(&seed);
		}
		const size_t size = round % 5 == 0 ? damage_random(&seed) % image.size : image.size;
		if (binary_from_memory(&binary, "a.so", image.bytes, size, NULL) != ERROR_NONE)
			continue;
		const struct unwind_row *row = find(binary, FUNCTION + damage_random(&seed) % 0x180, &arena, &problem);
		bad += row != NULL && !unwind_row_outermost(row) && (expression_of(row, CLAIM_CFA, &arena) == NULL ||
			expression_of(row, CLAIM_RETURN_ADDRESS, &arena) == NULL);
		arena_free(&arena);
		binary_close(binary);
	}
	is_u64(bad, 0, "damaged tables give complete rows or no row");
}
