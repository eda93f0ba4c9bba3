/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_dwarf.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

/* DWARF version 4, made by hand from the standard: functions, a line table and inlined calls. */

#define INFO_AT 0x600u
#define ABBREVIATIONS_AT 0x6e0u
#define LINES_AT 0x760u
#define RANGES_AT 0x860u
#define SECTION_NAMES 64u

static const uint8_t abbreviations[] = {
	1, 0x11, 1, 0x03, 0x08, 0x1b, 0x08, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0,
	2, 0x39, 1, 0x03, 0x08, 0, 0, 3, 0x2e, 0, 0x03, 0x08, 0x20, 0x0b, 0, 0,
	4, 0x2e, 1, 0x03, 0x08, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0,
	5, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b, 0, 0,
	6, 0x0b, 1, 0, 0, 7, 0x2e, 0, 0x47, 0x13, 0x11, 0x01, 0x12, 0x06, 0, 0,
	8, 0x0b, 1, 0x01, 0x13, 0, 0, 9, 0x0b, 1, 0x55, 0x17, 0, 0, 0,
};

static void
add_text(struct image *image, const char *text)
{
	memcpy(image->bytes + image->at, text, strlen(text) + 1);
	image->at += (unsigned)strlen(text) + 1;
}

static void
add_code(struct image *image, unsigned relative, unsigned size)
{
	image_field(image, 8, IMAGE_BASE + relative);
	image_field(image, 4, size);
}

static void
add_inlined(struct image *image, unsigned origin, unsigned relative, unsigned size, unsigned line)
{
	image_field(image, 1, 5);
	image_field(image, 4, origin);
	add_code(image, relative, size);
	image_field(image, 1, 1);
	image_field(image, 1, line);
}

enum block { PLAIN, LOOPS, RANGES };

/* In namespace n: inner, inlined twice into outer, and member. The block around the calls has no addresses, or a sibling that is
 * the block itself, or a list of ranges at the first byte of the section. */
static void
add_info(struct image *image, enum block kind)
{
	image->at = INFO_AT + 4;
	image_field(image, 2, 4);
	image_field(image, 4, 0);
	image_field(image, 1, 8);
	image_field(image, 1, 1);
	add_text(image, "a.c");
	add_text(image, "/home");
	add_code(image, 0x200, 0x100);
	image_field(image, 4, 0);
	image_field(image, 1, 2);
	add_text(image, "n");
	const unsigned inner = image->at - INFO_AT;
	image_field(image, 1, 3);
	add_text(image, "inner");
	image_field(image, 1, 1);
	const unsigned member = image->at - INFO_AT;
	image_field(image, 1, 3);
	add_text(image, "member");
	image_field(image, 1, 0);
	image_field(image, 1, 0);
	image_field(image, 1, 4);
	add_text(image, "outer");
	add_text(image, "_Z5outerv");
	add_code(image, 0x200, 0x40);
	const unsigned block = image->at - INFO_AT;
	image_field(image, 1, kind == LOOPS ? 8 : kind == RANGES ? 9 : 6);
	if (kind != PLAIN)
		image_field(image, 4, kind == LOOPS ? block : 0);
	add_inlined(image, inner, 0x210, 0x10, 7);
	add_inlined(image, inner, 0x214, 4, 9);
	image_field(image, 4, 0);		/* ends of both calls, the block and outer */
	image_field(image, 1, 7);
	image_field(image, 4, member);
	add_code(image, 0x260, 0x20);
	image_field(image, 1, 0);
	image_put(image, INFO_AT, 4, image->at - INFO_AT - 4);
}

/* Line 5 from 0x200, line 6 from 0x210 to 0x240. The rows of a dropped function come first: line 90
 * from address 0, line 91 from 8 bytes into `outer` on, then line 92. */
static void
add_lines(struct image *image)
{
	static const uint8_t dropped[] = { 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xd9, 0, 1, 3, 1, 2,
					   0x88, 0x84, 0x80, 2, 1, 3, 1, 2, 0x10, 1, 0, 1, 1 };
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	static const uint8_t program[] = { 3, 4, 1, 2, 0x10, 3, 1, 1, 2, 0x30, 0, 1, 1 };

	image->at = LINES_AT + 4;
	image_field(image, 2, 4);
	const unsigned header = image->at;
	image_field(image, 4, 0);
	image_field(image, 4, 0xfb010101);	/* sizes of 1, statements, lines from -5 */
	image_field(image, 2, 13 << 8 | 14);
	memcpy(image->bytes + image->at, lengths, sizeof(lengths));
	image->at += sizeof(lengths);
	add_text(image, "src");
	image_field(image, 1, 0);
	add_text(image, "a.c");
	/* Directory, time and size are 0; end of the files */
	image_field(image, 4, 1);
	image_put(image, header, 4, image->at - header - 4);
	memcpy(image->bytes + image->at, dropped, sizeof(dropped));
	image->at += sizeof(dropped);
	image_field(image, 3, 2 << 16 | 9 << 8);	/* the address is set */
	image_field(image, 8, IMAGE_BASE + 0x200);
	memcpy(image->bytes + image->at, program, sizeof(program));
	image->at += sizeof(program);
	image_put(image, LINES_AT, 4, image->at - LINES_AT - 4);
}

static void
set_section(struct image *image, unsigned index, unsigned name, unsigned offset, unsigned size)
{
	const unsigned at = IMAGE_TABLE + index * image_section_size(image);

	image_put(image, at, 4, name);
	image_put(image, at + 4, 4, 1);
	image_put(image, at + 8, 8, 0);
	image_put(image, at + 16, 8, 0);
	image_put(image, at + 24, 8, offset);
	image_put(image, at + 32, 8, size);
}

static void
make(struct image *image, enum block kind)
{
	static const char names[] = ".debug_info\0.debug_abbrev\0.debug_line\0.debug_ranges";

	image_elf(image, true, false, 62, NULL, 0, false);
	memcpy(image->bytes + IMAGE_NAMES + SECTION_NAMES, names, sizeof(names));
	image_put(image, IMAGE_TABLE + 6 * image_section_size(image) + 32, 8, SECTION_NAMES + sizeof(names));
	add_info(image, kind);
	set_section(image, 3, SECTION_NAMES, INFO_AT, image->at - INFO_AT);
	memcpy(image->bytes + ABBREVIATIONS_AT, abbreviations, sizeof(abbreviations));
	set_section(image, 4, SECTION_NAMES + 12, ABBREVIATIONS_AT, sizeof(abbreviations));
	add_lines(image);
	set_section(image, 5, SECTION_NAMES + 26, LINES_AT, image->at - LINES_AT);
	/* A pair of zeros, which ends a list, then a range of the calls, relative to the unit's base. */
	image_put(image, RANGES_AT + 16, 8, 0x10);
	image_put(image, RANGES_AT + 24, 8, 0x20);
	set_section(image, 1, SECTION_NAMES + 38, RANGES_AT, 48);
	image->size = sizeof(image->bytes);
}

/* Ask an image for one address; NULL if it has no answer. */
static struct debug_dwarf *
ask(const struct image *image, struct binary **binary, uint64_t relative, struct arena *arena,
    struct debug_answer *answer, bool *found)
{
	struct error error = { 0 };
	struct debug_dwarf *dwarf = NULL;
	struct elf_damage damage;

	*found = false;
	*answer = (struct debug_answer){ 0 };
	*binary = NULL;
	if (binary_from_memory(binary, "test.so", image->bytes, image->size, &error) == ERROR_NONE)
		dwarf = debug_dwarf_open(*binary, NULL, NULL, 0, &damage);
	if (dwarf != NULL)
		*found = debug_dwarf_find(dwarf, relative, arena, answer);
	return dwarf;
}

static void
test_outer(const struct image *image, struct debug_dwarf *dwarf, struct arena *arena)
{
	struct debug_answer answer = { 0 };

	ok(debug_dwarf_find(dwarf, 0x216, arena, &answer), "an address within a function is found");
	is_str(answer.name, "_Z5outerv", "the answer has the function's linkage name");
	is_u64(answer.address, 0x200, "the function begins at the DW_AT_low_pc of its entry");
	is_u64(answer.size, 0x40, "the function has the size of its DW_AT_high_pc");
	ok(answer.line.line == 6, "an address has the line of the last row at or before it");
	is_str(answer.line.file.start, "/home/src/a.c", "a relative path follows the compiler's directory");
	is_u64(answer.line.address, 0x210, "a row begins at the address that the line program computes");
	is_u64(answer.line.size, 0x30, "the last row ends with its sequence");
	ok(answer.line.offset > LINES_AT && answer.line.offset < sizeof(image->bytes) &&
	   image->bytes[answer.line.offset] == 1 && image->bytes[answer.line.offset - 1] == 1 &&
	   image->bytes[answer.line.offset - 2] == 3, "the place of a row is the opcode that appends it");
	is_u64(answer.call_count, 2, "both calls that are inlined at the address are found");
	if (answer.call_count == 2) {
		is_u64(answer.calls[0].address, 0x214, "the innermost inlined call is the first");
		is_str(answer.calls[0].name.start, "n::inner", "an inlined call has its function's name with the namespace");
		is_u64(answer.calls[0].call_line, 9, "an inlined call has the line of the call");
		is_str(answer.calls[0].call_file.start, "/home/src/a.c", "an inlined call has the file of the call");
		is_u64(answer.calls[1].size, 0x10, "the outer inlined call is the second, with its size");
		is_u64(answer.calls[1].call_line, 7, "the outer inlined call has the line of its own call");
	}
	answer = (struct debug_answer){ 0 };
	ok(debug_dwarf_find(dwarf, 0x220, arena, &answer) && answer.call_count == 0,
	   "an address after an inlined call has no inlined call");
	answer = (struct debug_answer){ 0 };
	ok(debug_dwarf_find(dwarf, 0x20a, arena, &answer) && answer.line.line == 5,
	   "rows of a function that the linker dropped do not reach into others");
}

/* The whole function: its rows end with it, and it has both calls, the outer one first. */
static void
test_body(struct debug_dwarf *dwarf, struct arena *arena)
{
	struct debug_body body = { 0 };

	ok(debug_dwarf_body(dwarf, 0x23f, arena, &body), "the last byte of a function belongs to its body");
	is_str(body.function.name, "_Z5outerv", "a body has the linkage name of its function");
	if (is_u64(body.line_count, 2, "a body has both rows of the line program")) {
		ok(body.lines[0].line == 5 && body.lines[1].line == 6, "the rows of a body have their lines");
		is_u64(body.lines[0].address, 0x200, "the first row of a body begins with the function");
		is_u64(body.lines[0].size, 0x10, "a row of a body ends where the next one begins");
		is_u64(body.lines[1].size, 0x30, "the last row of a body ends with the function");
	}
	if (is_u64(body.call_count, 2, "a body has both inlined calls")) {
		is_u64(body.calls[0].address, 0x210, "the outer inlined call of a body is the first");
		is_u64(body.calls[0].depth, 0, "a call inlined into the function itself has depth 0");
		is_u64(body.calls[1].address, 0x214, "the inner inlined call of a body is the second");
		is_u64(body.calls[1].depth, 1, "a call inlined into another one has depth 1");
		is_str(body.calls[1].name.start, "n::inner", "an inlined call of a body has its name with the namespace");
	}
	body = (struct debug_body){ 0 };
	ok(debug_dwarf_body(dwarf, 0x260, arena, &body), "the body of a function after the last line row is found");
	is_u64(body.line_count, 0, "a function after the last line row has no rows");
	body = (struct debug_body){ 0 };
	ok(!debug_dwarf_body(dwarf, 0x250, arena, &body), "an address between functions has no body");
}

TEST(answers)
{
	struct debug_answer answer;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };
	bool found;

	make(&image, PLAIN);
	struct debug_dwarf *dwarf = ask(&image, &binary, 0x265, &arena, &answer, &found);
	if (ok(found, "a function that is declared elsewhere is found")) {
		is_str(answer.name, "n::member", "a function that is declared elsewhere has the name and the scope of its declaration");
		ok(answer.written, "the name of a member is marked as the one in the source");
		ok(answer.line.line == 0, "an address after the end of the sequence has no line");
		ok(answer.offset > INFO_AT && answer.offset < ABBREVIATIONS_AT &&
		   image.bytes[answer.offset] == 7, "the place of a function is its entry");
		test_outer(&image, dwarf, &arena);
		test_body(dwarf, &arena);
		answer = (struct debug_answer){ 0 };
		ok(!debug_dwarf_find(dwarf, 0x250, &arena, &answer), "an address between functions has no function");
		ok(!debug_dwarf_find(dwarf, 0x300, &arena, &answer), "an address after the unit has no function");
	}
	debug_dwarf_close(dwarf);
	binary_close(binary);
	arena_free(&arena);
}

/* Inlined calls count by their own code, independent of the block around them. */
TEST(block)
{
	struct debug_answer answer;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };
	bool found;

	make(&image, RANGES);
	debug_dwarf_close(ask(&image, &binary, 0x216, &arena, &answer, &found));
	ok(found && answer.call_count == 2, "calls in a block whose list of ranges begins with an empty one are found");
	binary_close(binary);
	arena_free(&arena);
}

/* A unit without addresses: its low_pc is changed to an entry_pc, its high_pc to a byte_size. */
TEST(silent)
{
	struct debug_answer answer;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };
	bool found;

	make(&image, PLAIN);
	image.bytes[ABBREVIATIONS_AT + 7] = 0x52;
	image.bytes[ABBREVIATIONS_AT + 9] = 0x0b;
	debug_dwarf_close(ask(&image, &binary, 0x216, &arena, &answer, &found));
	ok(found && strcmp(answer.name, "_Z5outerv") == 0 && answer.line.line == 6, "a function of a unit without addresses is found");
	binary_close(binary);
	arena_free(&arena);
}

/* With damaged bytes each question ends, and each function that is found has a name. */
TEST(hostile)
{
	struct debug_answer answer;
	struct binary *binary;
	struct image image;
	struct arena arena = { 0 };
	size_t nameless = 0;
	bool found;

	make(&image, LOOPS);
	debug_dwarf_close(ask(&image, &binary, 0x216, &arena, &answer, &found));
	binary_close(binary);
	ok(!found || answer.name != NULL, "a sibling that is the entry itself does not hold the reader up");
	for (unsigned at = INFO_AT; at < sizeof(image.bytes); at++) {
		make(&image, PLAIN);
		image.bytes[at] ^= (uint8_t)(at % 2 == 0 ? 0xff : 0x01);
		struct debug_dwarf *dwarf = ask(&image, &binary, 0x216, &arena, &answer, &found);
		struct debug_body body = { 0 };

		if (dwarf != NULL)
			debug_dwarf_body(dwarf, 0x216, &arena, &body);
		debug_dwarf_close(dwarf);
		nameless += found && (answer.name == NULL || *answer.name == '\0');
		binary_close(binary);
		arena_reset(&arena);
	}
	is_u64(nameless, 0, "a function that is found in damaged data has a name");
	arena_free(&arena);
}
