/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "tests/unit/symbols/symtext.h"

#include "symbols/strict.h"

/* Symbol files as rust-minidump reads them. Every verdict, line and look-up is that of its parser
 * for the same bytes; some cases are from its own unit tests. */

#define M "MODULE Linux x86 ABC1 m\n"
#define F "FUNC 1000 30 0 f\n"
#define LINE "1000 10 7 1\n"
#define INIT "STACK CFI INIT 1000 10 .cfa: 1\n"

static const struct {
	const char *text;
	unsigned line;		/* the refused line; 0: the file is accepted */
} files[] = {
	{ "", 1 }, { "\n", 0 }, { "MODULE", 1 }, { "this is not a symbol file\n", 1 },
	{ M, 0 }, { "MODULE Linux x86 xxxxxx\nFILE 0 foo.c\n", 1 }, { F M, 2 }, { "\n" M, 2 },
	{ M M, 2 }, { "MODULE Linux\tx86 64 ABC1 \n", 0 }, { "MODULE Linux x86 AXC m\n", 1 },
	{ "MODULE Linux x86 ABC\n", 1 }, { "MODULE \xc3 x86 ABC m\n", 1 },
	{ "\xef\xbb\xbf" M, 1 }, { M "this is some junk\n", 2 }, { M "FILE 0 foo.c\nFILE", 3 },
	{ M "FILE x foo.c\n", 2 }, { M "FILE 1 \n", 0 }, { M "FILE 1\n", 2 },
	{ M "FILE 4294967295 a\n", 0 }, { M "FILE 4294967296 a\n", 2 }, { M "FILE -1 a\n", 2 },
	{ M "FILE  1\t \ta b\n", 0 }, { M "FILE 1 a\xff\n", 2 }, { M "FILE 1 \xed\xa0\x80\n", 2 },
	{ M "FILE 1 a\r\n", 0 }, { M "FILE 1 a\r\r\n", 0 }, { M "FILE 1 a\rb\n", 2 },
	{ M "INFO x\xff\n", 0 }, { M "INFO\n", 2 }, { M "INFO URL http://x\n", 0 },
	{ M "INFO URL \xff\n", 2 }, { M "INFO  URL \xff\n", 0 }, { M "INFO URL\n", 0 },
	{ M "FUNC xx 1 2 foo\n", 2 }, { M "FUNC 1000\n1000 10 42 7\n", 2 },
	{ M "FUNC 10 10 0\n", 2 }, { M "FUNC 10 10 0 \n", 0 }, { M "FUNC m 10 10 0 f\n", 0 },
	{ M "FUNC\t10\t10 0 f\n", 0 }, { M " FUNC 10 10 0 f\n", 2 }, { M "FUNC 0x10 1 0 f\n", 2 },
	{ M "FUNC 10 ffffffff 0 f\n", 0 }, { M "FUNC 10 100000000 0 f\n", 2 },
	{ M "FUNC 10 1 000000000 f\n", 2 }, { M "FUNC 10000000000000000 1 0 f\n", 2 },
	{ M F LINE "1010 0 8 1\n", 0 }, { M LINE, 2 }, { M F "\n", 0 }, { M F "\r\n" F, 0 },
	{ M F "\n" LINE, 4 }, { M F LINE "\n" LINE, 5 }, { M F LINE " \n", 4 },
	{ M F "1000 10 7 1 \n", 3 }, { M F "1000 10 7 1 x\n", 3 }, { M F "1000  10\t7 1\n", 0 },
	{ M F "1000 10 -7 1\n", 3 }, { M F "1000 10 7\n", 3 }, { M F "FILE 1 a\n" LINE, 4 },
	{ M F "INLINE 0 1 1 1 1000 8\n", 0 }, { M F "INLINE 0 1 1 1 1000 8 1010 8\n" LINE, 0 },
	{ M F "INLINE 0 1 1 1000 8\n", 3 }, { M F "INLINE 0 1 1 1 1000 8 1010\n", 3 },
	{ M F "INLINE\t0 1 1 1 1000 8\n", 3 }, { M "INLINE 0 1 1 1 1000 8\n", 2 },
	{ M F "INLINE_ORIGIN 1 a\n" LINE, 0 }, { M F "INLINE_ORIGIN\t1 a\n" LINE, 4 },
	{ M "PUBLIC 0 0 a\nPUBLIC 0 0 a\n", 0 }, { M "PUBLIC m 10 0 a\n", 0 },
	{ M "PUBLIC 10 a\n", 2 }, { M INIT "STACK CFI 1001 .cfa: 2\n", 0 },
	{ M INIT "\nSTACK CFI 1001 .cfa: 2\n", 4 }, { M "STACK CFI 1001 .cfa: 2\n", 2 },
	{ M INIT "FILE 1 a\nSTACK CFI 1001 .cfa: 2\n", 4 }, { M INIT "STACK CFI 1001\n", 3 },
	{ M "STACK  CFI INIT 10 4 x\n", 2 }, { M "STACK CFI INIT 10 4\n", 2 },
	{ M "STACK FOO 1\n", 2 }, { M "STACK WIN 4 2170 14 a1 b2 c3 d4 e5 f6 1 $eip 4 + ^ =\n", 0 },
	{ M "STACK WIN 4 10 4 0 0 0 0 0 0 1\n", 2 }, { M "STACK WIN 3 10 4 0 0 0 0 0 0 1 x\n", 0 },
	{ M "STACK WIN 04 10 4 0 0 0 0 0 0 1 x\n", 2 }, { M "STACK WIN 4 10 4 0 0 0 0 0 0 a x\n", 2 },
	{ M "STACK WIN 4 10 123456789 0 0 0 0 0 0 1 x\n", 2 },
};

TEST_EACH(files, files)
{
	struct strict_refusal refusal;
	const char *text = files[i].text;
	unsigned line = 1;

	if (strict_read(text, strlen(text), NULL, NULL, &refusal))
		line = 0;
	for (uint64_t at = 0; line > 0 && at < refusal.offset; at++)
		line += text[at] == '\n';
	is_u64(line, files[i].line, "file %zu is refused at the expected line or accepted", i);
}

/* A file whose second line has this many bytes, and a third line without a line feed. */
static bool
reads_long_line(size_t length, const char *start, const char *rest)
{
	const size_t head = strlen(M) + strlen(start), size = head + length + 1 + strlen(rest);
	char *text = malloc(size);
	struct strict_refusal refusal;

	memcpy(text, M, strlen(M));
	memcpy(text + strlen(M), start, strlen(start));
	memset(text + head, 'x', length);
	text[head + length] = '\n';
	memcpy(text + head + length + 1, rest, strlen(rest));
	const bool good = strict_read(text, size, NULL, NULL, &refusal);
	free(text);
	return good;
}

TEST(long_lines)
{
	ok(!reads_long_line(70000, "JUNK ", ""), "a bad line that fits into the buffer is refused");
	ok(reads_long_line(170000, "JUNK ", ""), "a bad line that does not fit into the buffer is left out");
	ok(reads_long_line(170000, "JUNK ", "FILE 1 a\n"), "reading continues after a line that is left out");
	ok(!reads_long_line(170000, "JUNK ", "JUNK\n"), "a bad line after a line that is left out is refused");
	ok(reads_long_line(70000, "FILE 1 ", "FILE 2 a\n"), "long names are read");
}

static const struct {
	const char *title, *text;
	uint64_t address;
	const char *want;
} lookups[] = {
	{ "the function that begins first is used", "FUNC 10 10 0 b\nFUNC 8 10 0 a\n", 0x14, "a" },
	{ "no function is found at an address of the other one alone", "FUNC 10 10 0 b\nFUNC 8 10 0 a\n", 0x1c, "" },
	{ "the shorter function of a start is used", "FUNC 8 10 0 a\nFUNC 8 8 0 b\n", 0xc, "b" },
	{ "the first of two equal functions in the file is used", "FUNC 8 8 0 b\nFUNC 8 8 0 a\n", 0xc, "b" },
	{ "the last PUBLIC of an address by name is used", "PUBLIC 8 0 a\nPUBLIC 8 0 c\nPUBLIC 8 0 b\n", 0xc, "c" },
	{ "blanks before a name do not belong to it", "PUBLIC 8 0  \t a\n", 8, "a" },
	{ "the line that begins first is used", "FUNC 8 10 0 a\nc 4 2 0\n8 8 1 0\n", 0xd, "a :1" },
	{ "the first of two equal lines is used", "FUNC 8 10 0 a\n8 8 3 0\n8 8 1 0\n", 0xd, "a :3" },
	{ "the call of a level that begins last is used, even if it has ended",
	  "FUNC 8 10 0 a\nINLINE 0 1 0 0 8 10\nINLINE 0 2 0 0 9 1\n", 0xa, "a" },
	{ "the longer call of a start is used",
	  "FUNC 8 10 0 a\nINLINE 0 1 0 0 8 10\nINLINE 0 2 0 0 8 4\n", 0xa, "a < <name omitted> at :1" },
	{ "the later line of equal calls is used",
	  "FUNC 8 10 0 a\nINLINE 0 9 0 0 8 8\nINLINE 0 2 0 0 8 8\n", 0xa, "a < <name omitted> at :9" },
	{ "the later file of equal calls is used before the line",
	  "FILE 1 one\nFILE 2 two\nFUNC 8 10 0 a\nINLINE 0 1 2 0 8 8\nINLINE 0 9 1 0 8 8\n", 0xa, "a < <name omitted> at two:1" },
	{ "the later file of equal calls is used in any order",
	  "FILE 1 one\nFILE 2 two\nFUNC 8 10 0 a\nINLINE 0 9 1 0 8 8\nINLINE 0 1 2 0 8 8\n", 0xa, "a < <name omitted> at two:1" },
	{ "the later origin of equal lines is used", "INLINE_ORIGIN 4 x\nINLINE_ORIGIN 5 y\nFUNC 8 10 0 a\nINLINE 0 1 0 5 8 8\n"
	  "INLINE 0 1 0 4 8 8\n", 0xa, "a < y at :1" },
	{ "the later origin is used if its record comes last", "INLINE_ORIGIN 4 x\nINLINE_ORIGIN 5 y\nFUNC 8 10 0 a\nINLINE 0 1 0 4 8 8\n"
	  "INLINE 0 1 0 5 8 8\n", 0xa, "a < y at :1" },
	{ "a call of size 0 hides those before it", "FUNC 8 10 0 a\nINLINE 0 1 0 0 8 10\nINLINE 0 2 0 0 9 0\n", 0xa, "a" },
	{ "tabs separate fields", "FUNC\t8 10\t0 a\n8\t8 1\t0\n", 0xa, "a :1" },
	{ "names may be empty", "FUNC 8 10 0 \n8 8 1 0\n", 0xa, " :1" },
};

TEST(lookups)
{
	const struct policy levels = {
		.value = { [POLICY_PUBLIC_AT_ZERO] = 1, [POLICY_INLINE_LEVELS] = NESTING_LEVELS_ALONE } };
	char got[128];

	for (size_t i = 0; i < ARRAY_COUNT(lookups); i++) {
		struct symfile *symfile = open_text(lookups[i].text);
		const struct symfile *strict = symfile_strict(symfile);

		is_str(strict == NULL ? "refused" : frames_of(strict, &levels, lookups[i].address, got, sizeof(got)),
		       lookups[i].want, "%s", lookups[i].title);
		symfile_close(symfile);
	}
}

TEST(stack_records)
{
	static const char text[] = "STACK CFI INIT 10 10 init\nSTACK CFI 18 c\nSTACK CFI 8 a\nSTACK CFI 14 zz\nSTACK "
		"CFI 14 z\r\r\n"
		"STACK CFI 14 b\nSTACK WIN 4 20 10 0 0 0 0 0 0 1 p\nSTACK WIN 4 24 c 0 0 0 0 0 0 1 q\n"
		"STACK WIN 4 22 4 0 0 0 0 0 0 1 r\nSTACK WIN 4 40 4 0 0 0 0 0 0 0 s\n"
		"STACK WIN 0 40 4 0 0 0 0 0 0 7 1\n";
	struct symfile *symfile = open_text(text);
	const struct symfile *strict = symfile_strict(symfile);
	const struct policy policy = { 0 };
	struct stack_win win;
	char got[128];

	is_str(rules_of(strict, &policy, 0x16, got, sizeof(got)), "init | a | b | z | zz",
	       "all deltas of the INIT record up to the address count, by address and text");
	is_str(rules_of(strict, &policy, 0x18, got, sizeof(got)), "init | a | b | z | zz | c",
	       "the deltas after the INIT record count in any order of the file");
	ok(symfile_stack_win(strict, &policy, 4, 0x23, &win) && win.address == 0x20, "a STACK WIN record ends where the next one begins");
	ok(symfile_stack_win(strict, &policy, 4, 0x2f, &win) && win.address == 0x24,
	   "the next STACK WIN record covers the rest, and a third is dropped");
	ok(!symfile_stack_win(strict, &policy, 4, 0x40, &win), "a record whose type and last field differ does not count");
	ok(symfile_stack_win(strict, &policy, 0, 0x40, &win) && win.allocates_base_pointer,
	   "a record of type 0 counts with a number before the last other than 1");
	symfile_close(symfile);
}

/* If several have one address, the last by name, then by parameter size counts, in any order. */
TEST(publics)
{
	static const struct {
		const char *name;
		unsigned parameters;
	} publics[] = {			/* in ascending order */
		{ "a", 9 }, { "ab", 0 }, { "ab", 8 }, { "b", 4 }, { "ba", 4 }, { "c", 0 },
	};
	char text[200];

	for (size_t i = 0; i < ARRAY_COUNT(publics); i++)
		for (size_t j = 0; j < ARRAY_COUNT(publics); j++) {
			const size_t last = i > j ? i : j;
			struct function function = { .kind = SYMBOL_FUNC };

			snprintf(text, sizeof(text), M "PUBLIC 8 %x %s\nPUBLIC 8 %x %s\n",
				 publics[i].parameters, publics[i].name, publics[j].parameters, publics[j].name);
			struct symfile *symfile = open_text(text);
			ok(symfile_function(symfile_strict(symfile), &whole_file, 8, &function) &&
			   text_equal(function.name, text_of(publics[last].name)) &&
			   function.parameter_size == publics[last].parameters, "%s with %u bytes counts less than %s with %u",
			   publics[last == i ? j : i].name, publics[last == i ? j : i].parameters,
			   publics[last].name, publics[last].parameters);
			symfile_close(symfile);
		}
}

/* Deltas have the same effect in each of many orders. */
TEST(deltas)
{
	static const char *const deltas[] = { "10 ab", "10 b", "11 a", "11 aa", "12 \xc3\xa9", };
	const size_t count = ARRAY_COUNT(deltas);
	char text[300], got[128];

	for (size_t turn = 0; turn < count * (count - 1); turn++) {
		snprintf(text, sizeof(text), M "STACK CFI INIT 10 10 init\n");
		for (size_t i = 0; i < count; i++)
			append(text, sizeof(text), "STACK CFI %s\n", deltas[(turn / (count - 1) + i * (1 + turn % (count - 1))) % count]);
		struct symfile *symfile = open_text(text);
		is_str(rules_of(symfile_strict(symfile), &whole_file, 0x11, got, sizeof(got)), "init | ab | b | a | aa",
		       "deltas in order %zu are sorted by address, then by text", turn);
		symfile_close(symfile);
	}
}

/* A record that begins at or before one that it crosses is dropped, and an equal one is ignored. */
TEST(crossing_records)
{
	struct symfile *symfile = open_text("STACK WIN 4 20 10 0 0 0 0 0 0 1 p\n"
					    "STACK WIN 4 18 10 0 0 0 0 0 0 1 q\nSTACK WIN 4 20 10 0 0 0 0 0 0 1 r\n");
	const struct symfile *strict = symfile_strict(symfile);
	const struct policy policy = { 0 };
	struct stack_win win;

	ok(!symfile_stack_win(strict, &policy, 4, 0x18, &win), "a record that crosses is dropped");
	ok(symfile_stack_win(strict, &policy, 4, 0x20, &win) &&
	   text_equal(win.program, text_of("p")), "the record before a crossing record stays");
	symfile_close(symfile);
	symfile = open_text("FUNC 10 10 0 b\nFUNC 8 10 0 a\nFUNC 20 0 0 c\n");
	ok(symfile_strict(symfile) != NULL && symfile_strict_messages(symfile)->count == 0,
	   "rust-minidump reports no functions that it drops");
	symfile_close(symfile);
}

TEST(refusal)
{
	struct symfile *symfile = open_text(M F LINE "\n" LINE);
	const struct message_list *none = symfile_strict_messages(symfile);

	ok(none == NULL, "a file that was not read strictly has no strict messages");
	ok(symfile_strict(symfile) == NULL, "a refused file has no strict reading");
	const struct message_list *list = symfile_strict_messages(symfile);
	is_u64(list->count, 1, "a refused file has one message");
	is_u64(list->messages[0].place.line, 5, "the message has the line that is refused");
	ok(list->messages[0].place.input == &symfile_file(symfile)->input, "the message has the place in the file itself");
	symfile_close(symfile);
}
