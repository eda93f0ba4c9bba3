/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "tests/unit/symbols/symtext.h"

#include "base/limits.h"

/* Lookups of an address: functions, publics, lines and inlined calls. */

struct name_case {
	const char *title;
	const char *text;
	uint64_t address;
	const char *want;	/* name@start, or - */
	bool corrupt;
};

/* The cases at 2170 were observed in Breakpad's walk of linux_null_read_av.dmp. */
static const struct name_case name_cases[] = {
	{ "a function covers its first byte", "FUNC 2170 8 0 c\n", 0x2170, "c@2170", false },
	{ "a function covers its last byte", "FUNC 2170 8 0 c\n", 0x2177, "c@2170", false },
	{ "a function does not cover the byte after it", "FUNC 2170 8 0 c\n", 0x2178, "-", false },
	{ "a function does not cover the byte before it", "FUNC 2170 8 0 c\n", 0x216f, "-", false },
	{ "0x is read", "FUNC 0x2170 0x8 0 c\n", 0x2170, "c@2170", false },
	{ "tabs do not separate fields", "FUNC\t2170\t8\t0\tc\n", 0x2170, "-", true },
	{ "a blank in front spoils a record", " FUNC 2170 8 0 c\n", 0x2170, "-", true },
	{ "CR LF ends records", "FUNC 2170 8 0 c\r\n", 0x2170, "c@2170", false },
	{ "a CR alone ends a record", "FUNC 2170 8 0 c\rFUNC 3000 8 0 d\r", 0x3000, "d@3000", false },
	{ "the last record needs no end", "FUNC 2170 8 0 c", 0x2170, "c@2170", false },
	{ "records may come in any order", "FUNC 3000 8 0 a\nFUNC 2170 8 0 c\n", 0x2170, "c@2170", false },
	{ "the first of overlapping functions in the file counts",
	  "FUNC 2160 20 0 first\nFUNC 2170 8 0 second\n", 0x2170, "first@2160", false },
	{ "the later of overlapping functions is dropped completely", "FUNC 2170 8 0 first\nFUNC 2160 40 0 second\n", 0x2180, "-", false },
	{ "a function that overlaps only a dropped one is stored",
	  "FUNC 10 10 0 a\nFUNC 18 20 0 b\nFUNC 30 10 0 c\n", 0x32, "c@30", false },
	{ "a function of size 0 is not found", "FUNC 2170 0 0 c\n", 0x2170, "-", false },
	{ "a function of size 0 does not end another one", "PUBLIC 2000 0 p\nFUNC 2100 0 0 c\n", 0x2170, "p@2000", false },
	{ "the last address may be in a function", "FUNC fffffffffffffff0 10 0 top\n", UINT64_MAX, "top@fffffffffffffff0", false },
	{ "two functions overlap if the first ends at the last address",
	  "FUNC fffffffffffffff0 10 0 first\nFUNC fffffffffffffff8 8 0 second\n", 0xfffffffffffffff9, "first@fffffffffffffff0", false },
	{ "two functions with the same range up to the last address overlap",
	  "FUNC fffffffffffffff0 10 0 first\nFUNC fffffffffffffff0 10 0 second\n", 0xfffffffffffffff9, "first@fffffffffffffff0", false },
	{ "a function that wraps is not found", "FUNC fffffffffffffff0 11 0 top\n", 0xfffffffffffffff4, "-", false },
	{ "a name keeps its spaces", "FUNC 2170 8 0  a (b) \n", 0x2170, " a (b) @2170", false },
	{ "a name keeps its UTF-8", "FUNC 2170 8 0 \xc3\xa9\xe2\x82\xac\n", 0x2170, "\xc3\xa9\xe2\x82\xac@2170", false },
	{ "the first of two publics at an address is used", "PUBLIC 2000 0 one\nPUBLIC 2000 0 two\n", 0x2170, "one@2000", true },
	{ "the first of two unordered publics at an address is used",
	  "PUBLIC 2000 0 one\nPUBLIC 1000 0 x\nPUBLIC 2000 0 two\n", 0x2170, "one@2000", true },
	{ "a public has no end", "PUBLIC 2000 0 p\n", UINT64_MAX, "p@2000", false },
	{ "a function hides publics before it", "PUBLIC 2050 0 p\nFUNC 2100 10 0 f\n", 0x2170, "-", false },
	{ "a function hides publics at its start", "PUBLIC 2100 0 p\nFUNC 2100 10 0 f\n", 0x2170, "-", false },
	{ "a function does not hide publics inside it", "FUNC 2100 10 0 f\nPUBLIC 2108 0 inside\n", 0x2170, "inside@2108", false },
	{ "a function takes precedence over a public inside it", "FUNC 2100 10 0 f\nPUBLIC 2108 0 inside\n", 0x2109, "f@2100", false },
	{ "a function at a higher address does not hide a public", "PUBLIC 2000 0 p\nFUNC 3000 10 0 f\n", 0x2170, "p@2000", false },
	{ "a public at 0 is ignored", "PUBLIC 0 0 zero\nPUBLIC 0 0 too\n", 0x2170, "-", false },
};

TEST_EACH(names, name_cases)
{
	char got[128];
	const struct name_case *name = &name_cases[i];
	struct symfile *symfile = open_text(name->text);

	is_str(name_of(symfile, &whole_file, name->address, got, sizeof(got)), name->want, "%s", name->title);
	is_str(name_of(symfile, &as_breakpad, name->address, got, sizeof(got)), name->want, "%s, as Breakpad reads", name->title);
	ok(symfile_corrupt(symfile) == name->corrupt, "the file is %s: %s", name->corrupt ? "corrupt" : "sound", name->title);
	symfile_close(symfile);
}

TEST(function)
{
	static const struct policy zero = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct symfile *symfile = open_text("FUNC m 1000 10 1c f(int)\nPUBLIC m 0 8 zero\n");
	struct function function;
	char got[64];

	ok(symfile_function(symfile, &whole_file, 0x1004, &function), "a function is found");
	ok(function.kind == SYMBOL_FUNC && function.address == 0x1000 && function.size == 0x10 &&
	   function.parameter_size == 0x1c && function.multiple &&
	   text_equal(function.name, text_of("f(int)")), "a function has all of its fields");
	ok(function.offset == 0 && function.length == 24, "a function has its place");
	ok(symfile_covering_function(symfile, &whole_file, 0x100f, &function),
	   "a function covers its last byte by the look-up of the covering one");
	ok(!symfile_covering_function(symfile, &zero, 4, &function), "a PUBLIC covers no address");
	is_str(name_of(symfile, &zero, 4, got, sizeof(got)), "zero@0", "a PUBLIC at 0 counts by policy");
	ok(symfile_function(symfile, &zero, 4, &function) && function.kind == SYMBOL_PUBLIC &&
	   function.size == 0 && function.parameter_size == 8 && function.multiple &&
	   function.offset == 25 && function.length == 17, "a PUBLIC at 0 has all of its fields and its place");
	symfile_close(symfile);
}

TEST(shadowed)
{
	struct symfile *symfile = open_text("FUNC 1000 10 0 winner\nFUNC 1008 20 0 crossing\n"
					    "FUNC 100c 1 0 inside\nPUBLIC 1004 0 public\n");
	struct arena arena = { 0 };
	struct symbol symbol;

	symfile_lookup(symfile, &whole_file, 0x100c, &arena, &symbol);
	ok(symbol.shadowed_count == 3 && text_equal(symbol.shadowed[0].name, text_of("public")) &&
	   text_equal(symbol.shadowed[1].name, text_of("crossing")) && text_equal(symbol.shadowed[2].name, text_of("inside")),
	   "the PUBLIC and the FUNCs that the winner shadows are listed");
	symfile_lookup(symfile, &whole_file, 0x1002, &arena, &symbol);
	is_u64(symbol.shadowed_count, 0, "only records that cover the address are listed as shadowed");
	ok(!symfile_lookup(symfile, &whole_file, 0x900, &arena, &symbol) &&
		   symbol.shadowed_count == 0, "nothing is shadowed at an address without records");
	symfile_lookup(symfile, &whole_file, 0x1018, &arena, &symbol);
	ok(symbol.function.kind == SYMBOL_PUBLIC && symbol.shadowed_count == 1 &&
	   text_equal(symbol.shadowed[0].name, text_of("crossing")), "a dropped FUNC is listed where a PUBLIC answers");
	arena_free(&arena);
	symfile_close(symfile);
}

static const char lines_text[] = "FILE 0 a.c\n"
	"FILE 1 b.c\n"
	"FILE 1 never.c\n"
	"FUNC 1000 40 0 f\n"
	"1000 8 10 0\n"
	"1008 8 11 1\n"
	"FILE 2 late.c\n"
	"STACK CFI INIT 1000 40 .cfa: $rsp 8 +\n"
	"100c 8 12 0\n"			/* overlaps: left out */
	"1010 8 0 2\n"			/* line 0 is legal */
	"1018 0 13 0\n"			/* empty */
	"1018 8 x 0\n"			/* malformed */
	"1020 8 14 9\n"			/* no such file */
	"1060 8 15 0\n"			/* outside of the function */
	"INFO anything\n"
	"INLINE_ORIGIN 0 g\n"
	"1028 8 16 0 and more\n"
	"PUBLIC 1030 0 p\n"
	"1030 8 17 0\n"			/* in no function */
	"FUNC 1060 40 0 h\n";

TEST(lines)
{
	struct symfile *symfile = open_text(lines_text);
	struct arena arena = { 0 };
	struct symbol symbol;
	char got[128];
	static const struct {
		const char *title;
		uint64_t address;
		const char *want;
	} cases[] = {
		{ "a line record gives file and line", 0x1007, "f a.c:10" },
		{ "the first FILE record of a number is used", 0x1008, "f b.c:11" },
		{ "a line record that overlaps is left out", 0x100f, "f b.c:11" },
		{ "line 0 is legal, and FILE may be among the lines", 0x1010, "f late.c:0" },
		{ "an empty line record covers nothing", 0x1018, "f" },
		{ "a line with an unknown file keeps its number", 0x1020, "f :14" },
		{ "text after the last field does no harm", 0x1028, "f a.c:16" }, { "lines end at the next PUBLIC", 0x1030, "f" },
		{ "a line belongs to its function only", 0x1060, "h" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(frames_of(symfile, &whole_file, cases[i].address, got, sizeof(got)), cases[i].want, "%s", cases[i].title);
	is_u64(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_LINE).place.line, 19,
	       "a line in no function is a message when the file is opened");
	symfile_lookup(symfile, &whole_file, 0x1009, &arena, &symbol);
	ok(symbol.line.address == 0x1008 && symbol.line.size == 8 &&
	   symfile_place(symfile, symbol.line.offset, symbol.line.length).line == 6, "a line has its range and its place");
	arena_free(&arena);
	symfile_close(symfile);
}

static const char inlines_text[] = "FILE 0 leaf.cpp\n"
	"FILE 1 a.cpp\n"
	"FILE 2 b.cpp\n"
	"INLINE_ORIGIN 0 0 foo\n"	/* old form */
	"INLINE_ORIGIN 1 bar\n"
	"FUNC 1000 100 0 main\n"
	"INLINE 0 42 1 0 1010 40 1080 10\n"
	"INLINE 1 39 2 1 1020 10\n"
	"INLINE 2 7 1 2 1020 10\n"		/* the same range: the child; its origin is late */
	"INLINE 0 50 3 1090 10\n"		/* old form: no file */
	"INLINE 0 51 -1 9 10a0 10\n"		/* no file, no origin */
	"INLINE 2 60 1 1 10b0 10\n"		/* too deep after depth 0 */
	"INLINE 1 61 1 1 10b0 10\n"
	"INLINE 0 62 1 0 1048 10\n"		/* crosses the first */
	"INLINE 0 63 1\n"			/* too short */
	"INLINE 0 64 1 0 10c0 10 10c8 zz\n"	/* one bad range spoils all */
	"1000 100 27 0\n"
	"INLINE_ORIGIN 2 func\n"
	"INLINE_ORIGIN 3 old\n";

TEST(inlines)
{
	struct symfile *symfile = open_text(inlines_text);
	struct arena arena = { 0 };
	struct symbol symbol;
	char got[256];
	static const struct {
		const char *title;
		uint64_t address;
		const char *want;
	} cases[] = {
		{ "an address outside of calls has none", 0x1000, "main leaf.cpp:27" },
		{ "an address in one call has that call", 0x1010, "main leaf.cpp:27 < foo at a.cpp:42" },
		{ "a call covers its second range", 0x1080, "main leaf.cpp:27 < foo at a.cpp:42" },
		{ "a chain has the innermost call first; the later of equal ranges is inside",
		  0x1025, "main leaf.cpp:27 < func at a.cpp:7 < bar at b.cpp:39 < foo at a.cpp:42" },
		{ "the old form has no file", 0x1090, "main leaf.cpp:27 < old at :50" },
		{ "file -1 means no file, and an unknown origin has no name", 0x10a0, "main leaf.cpp:27 < <name omitted> at :51" },
		{ "a depth without its caller is left out", 0x10b0, "main leaf.cpp:27 < bar at a.cpp:61" },
		{ "a range that crosses another is left out", 0x1050, "main leaf.cpp:27" },
		{ "a record with a bad range is left out", 0x10c0, "main leaf.cpp:27" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(frames_of(symfile, &whole_file, cases[i].address, got, sizeof(got)), cases[i].want, "%s", cases[i].title);
	ok(!symfile_corrupt(symfile), "Breakpad does not count bad INLINE records");
	symfile_lookup(symfile, &whole_file, 0x1025, &arena, &symbol);
	ok(symbol.inlines[0].depth == 2 && symbol.inlines[0].address == 0x1020 && symbol.inlines[0].size == 0x10 &&
	   symfile_place(symfile, symbol.inlines[0].offset, 1).line == 9, "a call has its range and its place");
	arena_free(&arena);
	symfile_close(symfile);
}

/* Some dumpers write one record for equal calls: f calls a (1000 to 101f) and b (1020 to 103f),
 * both call c at the same line in adjacent ranges, and the c in b calls d. */
static const char merged_text[] = "FILE 0 f.c\n"
	"INLINE_ORIGIN 0 a\nINLINE_ORIGIN 1 b\nINLINE_ORIGIN 2 c\nINLINE_ORIGIN 3 d\n"
	"FUNC 1000 100 0 f\n"
	"INLINE 0 10 0 0 1000 20\n"
	"INLINE 1 5 0 2 1010 20\n"
	"INLINE 0 20 0 1 1020 20\n"
	"INLINE 2 7 0 3 1028 4\n"		/* after a record of level 0 */
	"INLINE 0 30 0 0 1050 8\n"		/* one level twice, and level 1 missing */
	"INLINE 0 31 0 1 1048 20\n"
	"INLINE 2 32 0 2 1060 4\n"
	"1000 100 27 0\n";

TEST(levels)
{
	static const struct {
		const char *title;
		uint64_t address;
		const char *levels, *ranges, *alone;	/* NULL: as by levels */
	} cases[] = {
		{ "call c begins in a", 0x1010, "f f.c:27 < c at f.c:5 < a at f.c:10", "f f.c:27 < a at f.c:10", NULL },
		{ "the same record of c lies in b as well", 0x1020, "f f.c:27 < c at f.c:5 < b at f.c:20", "f f.c:27 < b at f.c:20", NULL },
		{ "a deep record need not follow its caller's",
		  0x1028, "f f.c:27 < d at f.c:7 < c at f.c:5 < b at f.c:20", "f f.c:27 < b at f.c:20", NULL },
		{ "two calls of one level nest by their ranges",
		  0x1054, "f f.c:27 < a at f.c:30 < b at f.c:31", "f f.c:27 < a at f.c:30 < b at f.c:31", "f f.c:27 < a at f.c:30" },
		{ "calls nest by their ranges if a level is missing", 0x1060,
		  "f f.c:27 < b at f.c:31", "f f.c:27 < b at f.c:31", "f f.c:27" },
	};
	static const struct {
		uint64_t address, size;
		const char *name;
	} parts[] = { { 0x1000, 0x20, "a" }, { 0x1010, 0x10, "c" }, { 0x1020, 0x20, "b" },
		      { 0x1020, 0x10, "c" }, { 0x1028, 4, "d" }, { 0x1048, 0x20, "b" },
		      { 0x1050, 8, "a" } };
	struct symfile *symfile = open_text(merged_text);
	struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	uint32_t *nesting = &policy.value[POLICY_INLINE_LEVELS];
	struct function_body body;
	struct arena arena = { 0 };
	char got[256];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *const want[] = { cases[i].ranges, cases[i].levels, cases[i].alone == NULL ? cases[i].levels : cases[i].alone };
		for (*nesting = 0; *nesting <= NESTING_LEVELS_ALONE; ++*nesting)
			is_str(frames_of(symfile, &policy, cases[i].address, got, sizeof(got)),
			       want[*nesting], "%s: policy %d", cases[i].title, (int)*nesting);
	}
	*nesting = NESTING_BY_LEVELS;
	ok(symfile_function_body(symfile, &policy, 0x1000, &arena, &body) &&
	   body.call_count == ARRAY_COUNT(parts), "the calls of the function are cut into parts");
	for (size_t i = 0; i < body.call_count && i < ARRAY_COUNT(parts); i++)
		ok(body.calls[i].address == parts[i].address && body.calls[i].size == parts[i].size &&
		   text_equal(body.calls[i].name, text_of(parts[i].name)),
		   "part %zu is %s from %" PRIx64, i, parts[i].name, parts[i].address);
	arena_free(&arena);
	symfile_close(symfile);
}

/* If an address has too many calls around it, the inner ones are kept. */
TEST(deep)
{
	enum { DEEP = LIMIT_INLINE_DEPTH + 4 };
	static char text[DEEP * 40];
	static const struct policy policies[] = { { .value = { [POLICY_INLINE_LEVELS] = NESTING_BY_RANGES } },
							  { .value = { [POLICY_INLINE_LEVELS] = NESTING_BY_LEVELS } } };
	size_t used = (size_t)sprintf(text, "FUNC 1000 1000 0 f\n");

	for (unsigned i = 0; i < DEEP; i++)
		used += (size_t)sprintf(text + used, "INLINE %u %u 0 0 %x %x\n", i, i + 1, 0x1000 + i, 0x1000 - 2 * i);
	struct symfile *symfile = open_bytes(text, used);
	for (size_t i = 0; i < ARRAY_COUNT(policies); i++) {
		struct arena arena = { 0 };
		struct symbol symbol;

		symfile_lookup(symfile, &policies[i], 0x1800, &arena, &symbol);
		is_u64(symbol.inline_count, LIMIT_INLINE_DEPTH, "the largest number of calls is kept");
		ok(symbol.inlines[0].depth == DEEP - 1 && symbol.inlines[LIMIT_INLINE_DEPTH - 1].depth == 4,
		  "the kept calls are the inner ones");
		symfile_lookup(symfile, &policies[i], 0x1000 + 100, &arena, &symbol);
		ok(symbol.inline_count == 101 && symbol.inlines[0].depth == 100, "a smaller number of calls is kept completely");
		arena_free(&arena);
	}
	symfile_close(symfile);
}

TEST(first_depth)
{
	struct symfile *symfile = open_text("INLINE 0 1 2 3 10 10\nINLINE_ORIGIN 0 g\n"
					    "FUNC 10 10 0 f\nINLINE 1 5 0 0 10 10\n");
	char got[64];

	is_str(frames_of(symfile, &whole_file, 0x10, got, sizeof(got)), "f < g at :5", "a first call of depth 1 passes");
	is_u64(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_INLINE).place.line, 1, "an INLINE before any function is a message");
	ok(!symfile_corrupt(symfile), "an INLINE before any function does not make the file corrupt");
	symfile_close(symfile);
}
