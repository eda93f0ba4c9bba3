/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The line and the inlined calls around an address of a function in usual or unusual form. */
#include "base/policy_rows.h"
#include "tests/unit/symbols/symtext.h"

#include "symbols/symfile_internal.h"

#define LINE "1000 8 12 1\n"
#define CALL "INLINE 0 5 1 2 1000 8\n"

struct pass_case {
	const char *title, *body;	/* body of the function at 1000 of 40 bytes */
	uint64_t address;
	const char *want;		/* result of describe() */
	const char *by_levels;		/* if levels decide; NULL: the same result */
};

/* Results at the address 1000. */
#define WHOLE_CALL 0x1000, "calls C0:1000-1007", NULL
#define NO_CALL 0x1000, "calls", NULL
#define WHOLE_LINE 0x1000, "L1000-1007", NULL

static const struct pass_case cases[] = {
	{ "an empty body", "", 0x1000, "", NULL },
	/* Lines */
	{ "the first byte of a line", LINE, WHOLE_LINE }, { "the last byte of a line", LINE, 0x1007, "L1000-1007", NULL },
	{ "the byte after a line", LINE, 0x1008, "", NULL }, { "the byte before a line", LINE, 0xfff, "", NULL },
	{ "the second of two lines", LINE "1008 8 13 1\n", 0x1008, "L1008-100f", NULL },
	{ "the first of two lines", LINE "1008 8 13 1\n", 0x1007, "L1000-1007", NULL },
	{ "two lines that overlap", LINE "1007 8 13 1\n", WHOLE_LINE },
	{ "two lines in reverse order", "1008 8 13 1\n" LINE, WHOLE_LINE }, { "an empty line", "1004 0 1 1\n" LINE, WHOLE_LINE },
	{ "an empty line that is out of order", LINE "1000 0 1 1\n", WHOLE_LINE },
	{ "numbers of eight digits", "00001000 00000008 00000012 00000001\n", WHOLE_LINE },
	{ "an address of nine digits", "000001000 8 12 1\n", WHOLE_LINE }, { "a digit in upper case", "ab0 fF 1 1\n", 0xbae, "", NULL },
	{ "a first digit in upper case", "AB0 8 1 1\n", 0x1000, "", NULL },
	{ "a letter g in an address", "100g 8 1 1\n", 0x1000, "", NULL }, { "a letter g in a size", "1000 g 1 1\n", 0x1000, "", NULL },
	{ "a letter a in a line", "1000 8 a 1\n", 0x1000, "", NULL }, { "a letter a in a file", "1000 8 1 a\n", 0x1000, "", NULL },
	{ "a letter after a digit of a file", "1000 8 1 1a\n", 0x1000, "", NULL },
	{ "a sign before the line", "1000 8 -1 1\n", 0x1000, "", NULL }, { "a sign before the address", "+1000 8 1 1\n", WHOLE_LINE },
	{ "a prefix 0x", "0x1000 8 1 1\n", WHOLE_LINE }, { "two blanks", "1000  8 1 1\n", WHOLE_LINE },
	{ "a tab", "1000\t8 1 1\n", 0x1000, "", NULL }, { "a blank in front", " 1000 8 1 1\n", WHOLE_LINE },
	{ "a blank at the end", "1000 8 1 1 \n", WHOLE_LINE },
	{ "three fields", "1000 8 1\n", 0x1000, "", NULL }, { "one field", "1000\n", 0x1000, "", NULL },
	{ "five fields", "1000 8 1 1 1\n", WHOLE_LINE }, { "a carriage return", "1000 8 1 1\r\n", WHOLE_LINE },
	/* Other records */
	{ "a blank line, skipped", "\n" LINE, WHOLE_LINE },
	{ "other records, skipped", "INFO x\nFILE 7 z\nSTACK CFI INIT 1000 8 x\n" LINE, WHOLE_LINE },
	{ "a line that is no record, skipped", "z\n" LINE, WHOLE_LINE },
	{ "a function that ends the function before it", "FUNC 2000 8 0 g\n" LINE, 0x1000, "", NULL },
	{ "a PUBLIC that ends the function before it", "PUBLIC 2000 0 g\n" LINE, 0x1000, "", NULL },
	{ "a line that is no record after a PUBLIC", "PUBLIC 2000 0 g\nz\n", 0x1000, "", NULL },
	/* Calls */
	{ "the first byte of a call", CALL, WHOLE_CALL }, { "the last byte of a call", CALL, 0x1007, "calls C0:1000-1007", NULL },
	{ "the byte after a call", CALL, 0x1008, "calls", NULL }, { "the byte before a call", CALL, 0xfff, "", NULL },
	{ "the second range of a call", "INLINE 0 5 1 2 1000 8 1010 8\n", 0x1010, "calls C0:1010-1017", NULL },
	{ "the first of two ranges of a call", "INLINE 0 5 1 2 1000 8 1010 8\n", WHOLE_CALL },
	{ "an empty range of a call", "INLINE 0 5 1 2 1000 0 1010 8\n", 0x1010, "calls C0:1010-1017", NULL },
	{ "a range without a size, of a call", "INLINE 0 5 1 2 1000 8 1010\n", 0x1000, "calls C0:2-1001", NULL },
	{ "a call without a range", "INLINE 0 5 1 2\n", NO_CALL }, { "a call without a file", "INLINE 0 5 2 1000 8\n", WHOLE_CALL },
	{ "a letter a in the level of a call", "INLINE a 5 1 2 1000 8\n", NO_CALL },
	{ "a letter a in the line of a call", "INLINE 0 a 1 2 1000 8\n", NO_CALL },
	{ "a letter a in the file of a call", "INLINE 0 5 a 2 1000 8\n", NO_CALL },
	{ "a letter a in the origin of a call", "INLINE 0 5 1 a 1000 8\n", NO_CALL },
	{ "a letter g in the address of a call", "INLINE 0 5 1 2 100g 8\n", NO_CALL },
	{ "a letter g in the size of a call", "INLINE 0 5 1 2 1000 8g\n", NO_CALL },
	{ "a negative file of a call", "INLINE 0 5 -1 2 1000 8\n", WHOLE_CALL },
	{ "two blanks before the level of a call", "INLINE  0 5 1 2 1000 8\n", WHOLE_CALL },
	{ "two blanks between the ranges of a call", "INLINE 0 5 1 2 1000 8  1010 8\n", WHOLE_CALL },
	{ "hexadecimal digits in a range of a call", "INLINE 0 5 1 2 100a b\n", 0x1014, "calls C0:100a-1014", NULL },
	{ "an INLINE_ORIGIN before a line", "INLINE_ORIGIN 5 g\n" LINE, WHOLE_LINE },
	/* How calls nest */
	{ "a call in a call", CALL "INLINE 1 6 1 2 1002 2\n", 0x1002, "calls C0:1000-1007 C1:1002-1003", NULL },
	{ "two calls with the same range", CALL "INLINE 1 6 1 2 1000 8\n", 0x1000, "calls C0:1000-1007 C1:1000-1007", NULL },
	{ "a call around the one before it", "INLINE 0 5 1 2 1002 2\nINLINE 0 6 1 2 1000 8\n",
	  0x1002, "calls C0:1000-1007 C0:1002-1003", NULL },
	{ "a call that begins where the call before it ends", CALL "INLINE 0 6 1 2 1008 8\n", 0x1008, "calls C0:1008-100f", NULL },
	{ "a call that crosses the end of another", CALL "INLINE 0 6 1 2 1007 8\n", 0x1008, "calls", "calls C0:1007-100e" },
	{ "an address before a call that crosses the end of another", CALL "INLINE 0 6 1 2 1007 8\n", 0x1006, "calls C0:1000-1007", NULL },
	{ "a call that crosses the start of another",
	  "INLINE 0 5 1 2 1008 8\nINLINE 0 6 1 2 1001 8\n", 0x1001, "calls", "calls C0:1001-1008" },
	{ "a call that begins with another and ends before it",
	  CALL "INLINE 0 6 1 2 1000 7\n", 0x1006, "calls C0:1000-1007 C0:1000-1006", NULL },
	{ "a call that begins after another's start and ends with it",
	  CALL "INLINE 0 6 1 2 1001 7\n", 0x1007, "calls C0:1000-1007 C0:1001-1007", NULL },
	{ "a call that begins before another and ends with it", "INLINE 0 5 1 2 1001 7\nINLINE 0 6 1 2 1000 8\n", WHOLE_CALL },
	{ "a first call of level 1", "INLINE 1 5 1 2 1000 8\n", 0x1000, "calls C1:1000-1007", NULL },
	{ "a call of level 2 without a caller", "INLINE 2 5 1 2 1000 8\n", NO_CALL },
	{ "calls of level 2 and 3 without a caller", "INLINE 2 5 1 2 1000 8\nINLINE 3 5 1 2 1000 8\n", NO_CALL },
	{ "a call two levels deeper, without a caller", CALL "INLINE 2 6 1 2 1000 8\n", WHOLE_CALL },
	{ "a call of level 2 after a call of level 0", CALL "INLINE 1 6 1 2 1000 8\nINLINE 0 7 1 2 1010 8\nINLINE 2 8 1 2 1000 8\n",
	  0x1000, "calls C0:1000-1007 C1:1000-1007", "calls C0:1000-1007 C1:1000-1007 C2:1000-1007" },
	{ "calls and lines", CALL LINE, 0x1001, "calls L1000-1007 C0:1000-1007", NULL },
};

/* Whether there are calls, then the line, and the levels and ranges of calls, outermost first. */
static const char *
describe(const struct symfile *symfile, uint64_t address, enum nesting nesting, char *buffer, size_t size)
{
	const struct policy policy = { .value = { [POLICY_INLINE_LEVELS] = nesting } };
	struct arena arena = { 0 };
	struct symbol symbol;

	buffer[0] = '\0';
	symfile_lookup(symfile, &policy, address, &arena, &symbol);
	append(buffer, size, "%s", symbol.has_inline ? " calls" : "");
	if (symbol.has_line)
		append(buffer, size, " L%" PRIx64 "-%" PRIx64, symbol.line.address, symbol.line.address + symbol.line.size - 1);
	for (size_t i = symbol.inline_count; i > 0; i--)
		append(buffer, size, " C%" PRIu32 ":%" PRIx64 "-%" PRIx64, symbol.inlines[i - 1].depth,
		       symbol.inlines[i - 1].address, symbol.inlines[i - 1].address + symbol.inlines[i - 1].size - 1);
	arena_free(&arena);
	return buffer[0] == '\0' ? buffer : buffer + 1;
}

TEST_EACH(cases, cases)
{
	char text[1024], got[256];

	snprintf(text, sizeof(text), "FUNC 1000 40 0 f\n%s", cases[i].body);
	struct symfile *symfile = open_text(text);
	is_str(describe(symfile, cases[i].address, NESTING_BY_RANGES, got, sizeof(got)),
	       cases[i].want, "case %zu has the expected line and calls: %s", i, cases[i].title);
	is_str(describe(symfile, cases[i].address, NESTING_BY_LEVELS, got, sizeof(got)),
	       cases[i].by_levels != NULL ? cases[i].by_levels : cases[i].want,
	       "case %zu has the expected line and calls if levels decide: %s", i, cases[i].title);
	symfile_close(symfile);
}

/* Lines and calls have the places of their records. */
TEST(places)
{
	const struct policy policy = { .value = { [POLICY_INLINE_LEVELS] = NESTING_BY_RANGES } };
	struct arena arena = { 0 };
	struct symbol symbol;
	struct symfile *symfile = open_text("FUNC 1000 40 0 f\n" CALL LINE);

	symfile_lookup(symfile, &policy, 0x1000, &arena, &symbol);
	ok(symbol.line.offset == strlen("FUNC 1000 40 0 f\n" CALL) &&
	   symbol.line.length == strlen(LINE) - 1, "a line has the place of its record");
	ok(symbol.inline_count == 1 && symbol.inlines[0].offset == strlen("FUNC 1000 40 0 f\n") &&
	   symbol.inlines[0].length == strlen(CALL) - 1, "a call has the place of its record");
	arena_free(&arena);
	symfile_close(symfile);
}
