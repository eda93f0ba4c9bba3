/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/symbols/symtext.h"

/* Reading: the accepted records, the defects of the others, and the places of all. */

#define LONGEST 8192u

/* A line that is valid or invalid by the rules of Breakpad's parser. */
struct line_case {
	const char *line;
	enum symbol_record_kind kind;
	bool good;
	bool corrupts;		/* Breakpad counts it as an error */
};

static const struct line_case line_cases[] = {
	{ "FUNC 1000 10 0 name", SYMBOL_FUNC, true, false }, { "FUNC m 1000 10 0 name", SYMBOL_FUNC, true, false },
	{ "FUNC m 1000 10 0", SYMBOL_FUNC, false, true }, { "FUNC  1000   10  0 name of <many>, words", SYMBOL_FUNC, true, false },
	{ "FUNC 0x1000 0x10 0x0 name", SYMBOL_FUNC, true, false }, { "FUNC fffffffffffffffe 1 0 name", SYMBOL_FUNC, true, false },
	{ "FUNC ffffffffffffffff 1 0 name", SYMBOL_FUNC, false, true },
	{ "FUNC 1000 10 -1 name", SYMBOL_FUNC, false, true }, { "FUNC 1000 10 0 ", SYMBOL_FUNC, false, true },
	{ "FUNC 1000 10 0", SYMBOL_FUNC, false, true }, { "FUNC 1000 10 name", SYMBOL_FUNC, false, true },
	{ "FUNC\t1000\t10\t0\tname", SYMBOL_FUNC, false, true },
	{ " FUNC 1000 10 0 name", SYMBOL_FUNC, false, true }, { "FUNC", SYMBOL_FUNC, false, true },
	{ "PUBLIC 1000 0 name", SYMBOL_PUBLIC, true, false }, { "PUBLIC m 1000 0 name", SYMBOL_PUBLIC, true, false },
	{ "PUBLIC 0 0 name", SYMBOL_PUBLIC, true, false }, { "PUBLIC 1000 0", SYMBOL_PUBLIC, false, true },
	{ "PUBLIC 1000 zz name", SYMBOL_PUBLIC, false, true }, { "FILE 0 a.c", SYMBOL_FILE, true, false },
	{ "FILE 12 c:\\dir with spaces\\a.c", SYMBOL_FILE, true, false },
	{ "FILE -1 a.c", SYMBOL_FILE, false, true }, { "FILE 1f a.c", SYMBOL_FILE, false, true },
	{ "FILE 1", SYMBOL_FILE, false, true }, { "FILE 1 ", SYMBOL_FILE, false, true },
	{ "INLINE_ORIGIN 0 f(int)", SYMBOL_INLINE_ORIGIN, true, false },
	{ "INLINE_ORIGIN 0 3 f(int)", SYMBOL_INLINE_ORIGIN, true, false },
	{ "INLINE_ORIGIN 0 -1 f(int)", SYMBOL_INLINE_ORIGIN, true, false },
	{ "INLINE_ORIGIN 0 -2 f(int)", SYMBOL_INLINE_ORIGIN, false, false }, { "INLINE_ORIGIN 0", SYMBOL_INLINE_ORIGIN, false, false },
	{ "INLINE_ORIGIN x f", SYMBOL_INLINE_ORIGIN, false, false },
	{ "STACK WIN 4 2170 14 1 0 0 0 0 0 1 $eip 4 + ^ =", SYMBOL_STACK_WIN, true, false },
	{ "STACK WIN 0 2170 14 1 0 0 0 0 0 0 1", SYMBOL_STACK_WIN, true, false },
	{ "STACK WIN 3 2170 14 1 0 0 0 0 0 0 1", SYMBOL_STACK_WIN, true, false },
	{ "STACK WIN 4 zz 14 q q q q q q 0 q", SYMBOL_STACK_WIN, true, false },
	{ "STACK WIN 5 2170 14 1 0 0 0 0 0 0 1", SYMBOL_STACK_WIN, false, true },
	{ "STACK WIN 4 2170 14 1 0 0 0 0 0 1", SYMBOL_STACK_WIN, false, true }, { "STACK WIN", SYMBOL_STACK_WIN, false, true },
	{ "STACK CFI INIT 1000 10 .cfa: $rsp 8 +", SYMBOL_STACK_CFI_INIT, true, false },
	{ "STACK  CFI  INIT  1000  10  .cfa: $rsp 8 +", SYMBOL_STACK_CFI_INIT, true, false },
	{ "STACK CFI INIT 1000 10", SYMBOL_STACK_CFI_INIT, false, true }, { "STACK CFI INIT", SYMBOL_STACK_CFI_INIT, false, true },
	{ "STACK CFI 1000 .cfa: $rsp 8 +", SYMBOL_STACK_CFI, true, false },
	{ "STACK CFI 1000", SYMBOL_STACK_CFI, false, true }, { "STACK CFI", SYMBOL_STACK_CFI, false, true },
	{ "STACK SFRAME 1000 10", SYMBOL_STACK_CFI, false, true }, { "INFO CODE_ID 123 a.exe", SYMBOL_INFO, true, false },
	{ "MODULE Linux x86 0 a", SYMBOL_MODULE, true, false }, { "MODULE", SYMBOL_MODULE, false, true },
	{ "1000 10 5 1", SYMBOL_LINE, false, true },		/* in no function */
	{ "INLINE 0 1 2 3 1000 10", SYMBOL_INLINE, false, false },
	{ "func 1000 10 0 name", SYMBOL_FUNC, false, true }, { "", SYMBOL_FUNC, false, false },
};

static void
test_line(const struct line_case *line, const char *end)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", line->line, end);
	struct symfile *symfile = open_text(text);
	uint64_t total = 0;

	for (int kind = SYMBOL_MODULE; kind <= SYMBOL_STACK_CFI; kind++)
		total += symfile_count(symfile, (enum symbol_record_kind)kind);
	ok(symfile_count(symfile, line->kind) == line->good && total == line->good,
	   "'%s' is %s record", line->line, line->good ? "a good" : "no good");
	ok(symfile_corrupt(symfile) == line->corrupts, "Breakpad calls a file with '%s' %s",
	   line->line, line->corrupts ? "corrupt" : "sound");
	uint64_t cut = symfile_messages(symfile)->seen[MESSAGE_TRUNCATED];
	ok(line->good || line->line[0] == '\0' || message_total(symfile_messages(symfile)) - cut == 1,
	   "a file with '%s' has one message if the record is bad", line->line);
	is_u64(cut, *end == '\0' && line->line[0] != '\0', "a file with '%s' has a message if its line has no end", line->line);
	symfile_close(symfile);
}

TEST(identity)
{
	struct symfile *symfile = open_text("MODULE windows x86_64 ABC1 my program.pdb\r\n"
					    "MODULE Linux x86 DEF other\n");
	struct symfile_identity identity = symfile_identity(symfile);

	ok(text_equal(identity.os, text_of("windows")) && text_equal(identity.arch, text_of("x86_64")) &&
	   text_equal(identity.id, text_of("ABC1")) && text_equal(identity.name, text_of("my program.pdb")),
	   "the first MODULE record is the identity");
	symfile_close(symfile);
	symfile = open_text("MODULE Linux x86\n");
	ok(symfile_identity(symfile).id.length == 0 && symfile_identity(symfile).name.length == 0 &&
	   text_equal(symfile_identity(symfile).arch, text_of("x86")), "the fields that a MODULE record lacks are empty");
	symfile_close(symfile);
	symfile = open_text("");
	ok(symfile_identity(symfile).id.length == 0 && symfile_line_count(symfile) == 0 && !symfile_corrupt(symfile),
	   "an empty file is a symbol file without an identity or lines");
	is_u64(symfile_place(symfile, 0, 0).line, 1, "the only place of an empty file is line 1");
	symfile_close(symfile);
}

/* Line and column of an offset, and the way back, for all kinds of line ends. */
static const struct {
	const char *name, *text;
	uint32_t lines;
	uint64_t offset;
	uint32_t line, column;
} cases[] = {
	{ "LF", "FILE 0 a\n\nFILE 1 b\nFILE 2 c", 4, 10, 3, 1 }, { "CR LF", "FILE 0 a\r\n\r\nFILE 1 b\r\nFILE 2 c\r\n", 4, 12, 3, 1 },
	{ "CR", "FILE 0 a\r\rFILE 1 b\rFILE 2 c\r", 4, 12, 3, 3 },
	{ "CR LF, LF and CR", "FILE 0 a\r\nFILE 1 b\nFILE 2 c\r", 3, 19, 3, 1 }, { "an end of line", "FILE 0 a\nFILE 1 b\n", 2, 8, 1, 9 },
};

TEST_EACH(places, cases)
{
	struct symfile *symfile = open_text(cases[i].text);
	struct place place = symfile_place(symfile, cases[i].offset, 3);
	uint64_t offset = 99;

	is_u64(symfile_line_count(symfile), cases[i].lines, "the lines of a text are counted: %s", cases[i].name);
	is_u64(place.line, cases[i].line, "a place has its line: %s", cases[i].name);
	is_u64(place.column, cases[i].column, "a place has its column: %s", cases[i].name);
	is_u64(place.length, 3, "a place has its length: %s", cases[i].name);
	ok(symfile_line_offset(symfile, place.line, &offset) && offset == cases[i].offset - (place.column - 1),
	   "the offset of a place's line is found: %s", cases[i].name);
	ok(!symfile_line_offset(symfile, cases[i].lines + 1, &offset) && !symfile_line_offset(symfile, 0, &offset),
	   "line 0 and a line after the last have no offset: %s", cases[i].name);
	symfile_close(symfile);
}

/* Places far into a file, on both sides of every multiple of a possible block size. */
TEST(far_places)
{
	const size_t size = 400000;
	char *text = malloc(size + 1);
	size_t used = 0, bad = 0, line = 0;

	if (text == NULL) {
		skip(1, "no memory for a file");
		return;
	}
	while (used + 100 < size) {
		size_t length = (line * 37) % 90;
		memset(text + used, 'x', length);
		memcpy(text + used + length, line % 3 == 0 ? "\r\n" : "\n\n", 2);
		used += length + (line % 3 == 1 ? 1 : 2);
		line++;
	}
	text[used] = '\0';
	struct symfile *symfile = open_text(text);
	uint32_t number = 1;
	uint64_t start = 0;

	for (uint64_t offset = 0; offset < used; offset++) {
		struct place place = symfile_place(symfile, offset, 0);
		uint64_t found = 0;

		bad += place.line != number || place.column != offset - start + 1;
		if (offset == start)
			bad += !symfile_line_offset(symfile, number, &found) || found != start;
		if (text[offset] == '\n') {
			number++;
			start = offset + 1;
		}
	}
	is_u64(bad, 0, "all %zu places of a long file are right", used);
	symfile_close(symfile);
	free(text);
}

TEST(messages)
{
	struct symfile *symfile = open_text("MODULE Linux x86 0 a\n"
					    "FUNC 1000 10 0 first\nFUNC 100f 10 0 second\nFUNC 3000 0 0 empty\n"
					    "\n"
					    "FUNC oops\nPUBLIC 5000 0 one\nPUBLIC 5000 0 two\n"
					    "STACK CFI INIT 10 10 .cfa: 1\nSTACK CFI INIT 10 10 .cfa: 2\n"
					    "STACK CFI 10 .ra: 1\nSTACK CFI 10 .ra: 2\nFILE 0 a\nFILE 0 b\n");
	struct message message = first_message(symfile_messages(symfile), MESSAGE_SYMBOL_OVERLAP);

	is_u64(message.place.line, 3, "the message about an overlap has the line that is left out");
	is_u64(message.place.column, 1, "the message about an overlap has the first column");
	is_u64(message.place.length, 21, "the message about an overlap has the length of the line");
	is_str(message.text, "FUNC 0x100f+0x10 overlaps 0x1000+0x10 of line 2", "the message about an overlap names the other line");
	is_str(message.hint, "skipped, the first in the file is used", "the hint of the message says that the line is skipped");
	is_u64(seen(symfile, MESSAGE_SYMBOL_OVERLAP), 2, "the second INIT record causes another message about an overlap");
	message = first_message(symfile_messages(symfile), MESSAGE_SYMBOL_EMPTY);
	is_u64(message.place.line, 4, "an empty function causes a message");
	message = first_message(symfile_messages(symfile), MESSAGE_SYMBOL_LINE);
	is_u64(message.place.line, 6, "the message about a bad record has its line, blank lines counted");
	is_str(message.text, "malformed record, expected 'FUNC [m] address size parameter_size name', found 'FUNC oops'",
	       "the message about a bad record says what was expected and found");
	is_u64(seen(symfile, MESSAGE_SYMBOL_SHADOWED), 3, "a second PUBLIC, a replaced delta and a second FILE are shadowed");
	message = first_message(symfile_messages(symfile), MESSAGE_SYMBOL_SHADOWED);
	is_u64(message.place.line, 8, "the later of two PUBLIC records is left out");
	ok(symfile_corrupt(symfile), "Breakpad calls a file with such messages corrupt");
	is_u64(symfile_count(symfile, SYMBOL_FUNC), 3, "every good record is kept");
	symfile_close(symfile);
}

TEST(record)
{
	struct symfile *symfile = open_text("STACK WIN 4 10 1 0 0 0 0 0 0 0 0\nFUNC 1 1 0 a\n"
					    "STACK WIN 0 10 1 0 0 0 0 0 0 0 0\n");
	uint64_t offset = 0;
	uint32_t length = 0;

	ok(symfile_record(symfile, SYMBOL_FUNC, 0, &offset, &length) && offset == 33 &&
	   length == 12, "a record is found by its kind and number");
	ok(symfile_record(symfile, SYMBOL_STACK_WIN, 0, &offset, &length) && offset == 46, "STACK WIN records of type 0 come first");
	ok(symfile_record(symfile, SYMBOL_STACK_WIN, 1, &offset, &length) && offset == 0, "STACK WIN records of type 4 come second");
	ok(!symfile_record(symfile, SYMBOL_STACK_WIN, 2, &offset, &length) &&
	   !symfile_record(symfile, SYMBOL_LINE, 0, &offset, &length), "records of other numbers and kinds are not found");
	symfile_close(symfile);
}

/* `count` bad lines, then a function. */
static struct symfile *
open_behind_bad(char *text, unsigned count, const char *bad)
{
	strcpy(text, "MODULE Linux x86_64 0 a\n");
	for (unsigned line = 0; line < count; line++)
		append(text, LONGEST, "%s\n", bad);
	append(text, LONGEST, "FUNC 2170 8 0 c\nFILE 0 late\n"
	       "STACK CFI INIT 2170 8 .cfa: $rsp 8 +\nSTACK WIN 4 2170 8 0 0 0 0 0 0 0 0\n");
	return open_text(text);
}

TEST(stop)
{
	char text[LONGEST], name[64];
	struct stack_win win;
	struct symfile *symfile = open_behind_bad(text, 100, "bad line");

	is_str(name_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "c@2170", "Breakpad continues after 100 bad lines");
	ok(symfile_corrupt(symfile), "Breakpad calls a file with 100 bad lines corrupt");
	is_u64(seen(symfile, MESSAGE_SYMBOL_STOP), 0, "no message says that Breakpad stops after 100 bad lines");
	symfile_close(symfile);

	symfile = open_behind_bad(text, 101, "bad line");
	is_str(name_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "-", "Breakpad stops reading functions at the 101st bad line");
	is_str(rules_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "-", "Breakpad stops reading CFI at the 101st bad line");
	ok(!symfile_stack_win(symfile, &as_breakpad, 4, 0x2170, &win), "Breakpad stops reading STACK WIN at the 101st bad line");
	is_str(name_of(symfile, &whole_file, 0x2170, name, sizeof(name)), "c@2170",
	       "the policy 'whole file' reads functions after 101 bad lines");
	ok(symfile_stack_win(symfile, &whole_file, 4, 0x2170, &win), "the policy 'whole file' reads STACK WIN after 101 bad lines");
	is_u64(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_STOP).place.line, 102,
	       "a message has the line at which Breakpad stops");
	is_u64(seen(symfile, MESSAGE_SYMBOL_LINE), 101, "all bad lines are counted");
	symfile_close(symfile);

	symfile = open_behind_bad(text, 150, "INLINE_ORIGIN bad");
	is_str(name_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "c@2170", "bad INLINE_ORIGIN records do not count");
	ok(!symfile_corrupt(symfile), "bad INLINE_ORIGIN records do not make a file corrupt");
	symfile_close(symfile);

	symfile = open_behind_bad(text, 102, "PUBLIC 10 0 p");
	is_str(name_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "p@10", "repeated PUBLIC records count");
	is_str(name_of(symfile, &whole_file, 0x2170, name, sizeof(name)), "c@2170",
	       "repeated PUBLIC records do not end the policy 'whole file'");
	symfile_close(symfile);

	symfile = open_behind_bad(text, 150, "PUBLIC 0 0 p");
	is_str(name_of(symfile, &as_breakpad, 0x2170, name, sizeof(name)), "c@2170", "repeated PUBLIC records at address 0 do not count");
	symfile_close(symfile);
}

TEST(odd_bytes)
{
	static const char with_ff[] = "FUNC 1000 8 0 a\nFILE 0 \xff\nFUNC 2000 8 0 b\n";
	static const char with_nul[] = "FUNC 1000 8 0 a\0b\nFUNC 2000 8 0 c\n\0\0\0";
	char name[64];
	struct symfile *symfile = open_text(with_ff);

	is_str(name_of(symfile, &as_breakpad, 0x1000, name, sizeof(name)), "a@1000", "Breakpad reads up to a byte 0xff");
	is_str(name_of(symfile, &as_breakpad, 0x2000, name, sizeof(name)), "-", "Breakpad does not read after a byte 0xff");
	is_str(name_of(symfile, &whole_file, 0x2000, name, sizeof(name)), "b@2000", "the policy 'whole file' reads after a byte 0xff");
	is_u64(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_STOP).place.line, 2, "a message has the line of the byte 0xff");
	symfile_close(symfile);

	symfile = open_bytes(with_nul, sizeof(with_nul) - 1);
	struct function function;
	ok(symfile_function(symfile, &as_breakpad, 0x1000, &function) &&
	   function.name.length == 3 && memcmp(function.name.start, "a\0b", 3) == 0, "a NUL byte is part of a name");
	ok(symfile_corrupt(symfile), "a NUL byte makes the file corrupt");
	is_str(name_of(symfile, &as_breakpad, 0x2000, name, sizeof(name)), "c@2000", "a NUL byte does not end the file");
	is_u64(symfile_line_count(symfile), 2, "NUL bytes at the end are not counted as a line");
	is_u64(seen(symfile, MESSAGE_SYMBOL_LINE), 1, "all NUL bytes together cause one message");
	symfile_close(symfile);

	symfile = open_bytes("FUNC 1000 8 0 a\n\0\0", 18);
	ok(!symfile_corrupt(symfile), "NUL bytes at the end alone corrupt nothing");
	symfile_close(symfile);
}

int
main(void)
{
	static const char *const ends[] = { "", "\n", "\r\n", "\r", "\n\n\r\r\n" };

	for (size_t i = 0; i < ARRAY_COUNT(line_cases); i++)
		test_line(&line_cases[i], ends[i % ARRAY_COUNT(ends)]);
	run_tests();
	return done_testing();
}
