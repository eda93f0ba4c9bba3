/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/symbols/symtext.h"

/* The STACK records in force at an address. */

#define INIT "STACK CFI INIT 2170 8 "

/* The cases at 2170 were observed in Breakpad's walk of linux_null_read_av.dmp. */
static const struct {
	const char *title, *text;
	uint64_t address;
	const char *want;
} cfi_cases[] = {
	{ "an INIT record covers its range", INIT ".cfa: $rsp 8 +\n", 0x2177, ".cfa: $rsp 8 +" },
	{ "an INIT record covers no address after its range", INIT ".cfa: $rsp 8 +\n", 0x2178, "-" },
	{ "an overlapping INIT record is refused, its delta applies to the first",
	  "STACK CFI INIT 2100 100 16\nSTACK CFI INIT 2170 8 24\nSTACK CFI 2170 8\n", 0x2170, "16 | 8" },
	{ "a delta may precede its INIT record", "STACK CFI 2170 delta\nSTACK CFI INIT 2170 8 init\n", 0x2170, "init | delta" },
	{ "deltas at higher addresses do not apply", INIT "init\nSTACK CFI 2171 one\nSTACK CFI 2172 two\n", 0x2171, "init | one" },
	{ "deltas are in order of their address", INIT "init\nSTACK CFI 2173 two\nSTACK CFI 2171 one\n", 0x2177, "init | one | two" },
	{ "only the second of two deltas at one address counts",
	  INIT "init\nSTACK CFI 2170 first\nSTACK CFI 2170 second\n", 0x2170, "init | second" },
	{ "other records may separate the two deltas", "STACK CFI 2170 first\nSTACK CFI INIT 2170 8 init\nSTACK CFI 2000 x\n"
	  "STACK CFI 2170 second", 0x2170, "init | second" },
	{ "deltas before the INIT record do not apply",
	  "STACK CFI INIT 2000 8 other\nSTACK CFI 216f delta\nSTACK CFI INIT 2170 8 init\n", 0x2170, "init" },
	{ "an INIT record at 0 takes the deltas from 0", "STACK CFI INIT 0 8 init\nSTACK CFI 0 delta\n", 0, "init | delta" },
	{ "an empty INIT record covers nothing", "STACK CFI INIT 2170 0 init\n", 0x2170, "-" },
	{ "rules are all that is left of the line", INIT " .cfa: $rsp 8 +  .ra: .cfa 8 - ^ \r\n",
	  0x2170, " .cfa: $rsp 8 +  .ra: .cfa 8 - ^ " },
	{ "addresses of STACK are not checked", "STACK CFI INIT 2170zz 8: init\n", 0x2170, "init" },
	{ "addresses of STACK may have 64 bits", "STACK CFI INIT fffffffffffffff0 10 init\n", UINT64_MAX, "init" },
};

TEST_EACH(cfi, cfi_cases)
{
	char got[128];
	struct symfile *symfile = open_text(cfi_cases[i].text);

	is_str(rules_of(symfile, &whole_file, cfi_cases[i].address, got, sizeof(got)), cfi_cases[i].want, "%s", cfi_cases[i].title);
	ok(!symfile_corrupt(symfile), "the file is not corrupt: %s", cfi_cases[i].title);
	symfile_close(symfile);
}

TEST(cfi_fields)
{
	struct symfile *symfile = open_text("STACK CFI INIT 2170 8 .cfa: $rsp 8 +\n"
					    "STACK CFI 2171 .cfa: $rsp 16 +\nSTACK CFI 2171 .cfa: $rsp 24 +\n");
	struct arena arena = { 0 };
	struct stack_cfi_records cfi;

	ok(symfile_stack_cfi(symfile, &whole_file, 0x2172, &arena, &cfi) && cfi.delta_count == 1,
	   "one INIT record and one delta are in force");
	const struct stack_cfi init = cfi.init, *deltas = cfi.deltas;
	ok(init.init && init.address == 0x2170 && init.size == 8 && init.offset == 0 &&
	   init.length == 36, "the INIT record has its range and its place");
	is_u64(init.rules_column, 23, "the INIT record has the column of its rules");
	ok(!deltas[0].init && deltas[0].address == 0x2171 && deltas[0].size == 0 && deltas[0].offset == 68 &&
	   deltas[0].rules_column == 16, "the delta has its address, its place and the column of its rules");
	is_u64(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_SHADOWED).place.line, 2,
	       "a message has the line of the delta that is replaced");
	arena_free(&arena);
	symfile_close(symfile);
}

/* The last delta before Breakpad stops counts, not the last one of the file. */
TEST(cfi_stop)
{
	static const char text[] = "STACK CFI INIT 2170 8 init\nSTACK CFI 2170 first\n"
				   "STACK CFI 2170 second\nFILE 0 \xff\nSTACK CFI 2170 third\n";
	struct symfile *symfile = open_text(text);
	char got[64];

	is_str(rules_of(symfile, &as_breakpad, 0x2170, got, sizeof(got)), "init | second",
	       "the last delta before Breakpad stops counts for Breakpad");
	is_str(rules_of(symfile, &whole_file, 0x2170, got, sizeof(got)), "init | third",
	       "the last delta of the file counts for other readers");
	symfile_close(symfile);
}

/* The line of the record in force, or 0. */
static uint32_t
win_line(const struct symfile *symfile, unsigned type, uint64_t address)
{
	struct stack_win win;

	if (!symfile_stack_win(symfile, &whole_file, type, address, &win))
		return 0;
	return symfile_place(symfile, win.offset, win.length).line;
}

TEST(win_tree)
{
	struct symfile *symfile = open_text("STACK WIN 4 1000 100 0 0 0 0 0 0 1 outer\n"
		"STACK WIN 4 1010 20 0 0 0 0 0 0 1 inner\n"
		"STACK WIN 4 1018 40 0 0 0 0 0 0 1 crossing\n"	/* crosses line 2 */
		"STACK WIN 4 1010 20 0 0 0 0 0 0 1 same\nSTACK WIN 4 800 1000 0 0 0 0 0 0 1 swallowing\n"
		"STACK WIN 4 1014 4 0 0 0 0 0 0 1 innermost\nSTACK WIN 0 1010 4 0 0 0 0 0 0 0 0\n"
		"STACK WIN 4 1080 0 0 0 0 0 0 0 1 empty\nSTACK WIN 4 ffffffffffffff00 200 0 0 0 0 0 0 1 wraps\n");

	is_u64(win_line(symfile, 4, 0x1000), 1, "the only record around an address is in force");
	is_u64(win_line(symfile, 4, 0x1010), 2, "the innermost of nested records is in force");
	is_u64(win_line(symfile, 4, 0x1014), 6, "the innermost of records nested three deep is in force");
	is_u64(win_line(symfile, 4, 0x1018), 2, "the record around another is in force past the inner one's end");
	is_u64(win_line(symfile, 4, 0x1030), 1, "a record that crosses another is refused");
	is_u64(win_line(symfile, 4, 0x1200), 5, "a record that contains others is not refused");
	is_u64(win_line(symfile, 4, 0x1800), 0, "a record that contains others is not in force after its end");
	is_u64(win_line(symfile, 0, 0x1012), 7, "each type has its own tree");
	is_u64(win_line(symfile, 0, 0x1014), 0, "a record of type 0 is not in force after its end");
	is_u64(win_line(symfile, 9, 0x1014), 0, "an unknown type has no record");
	is_u64(win_line(symfile, 4, 0xffffffffffffff80), 0, "a record that wraps is refused");
	is_u64(seen(symfile, MESSAGE_SYMBOL_OVERLAP), 2, "crossing and equal records cause messages");
	is_u64(seen(symfile, MESSAGE_SYMBOL_EMPTY), 2, "empty and wrapping records cause messages");
	is_str(first_message(symfile_messages(symfile), MESSAGE_SYMBOL_OVERLAP).text,
	       "STACK WIN 0x1018+0x40 overlaps 0x1010+0x20 of line 2",
	       "the message about a crossing record names the other record");
	ok(!symfile_corrupt(symfile), "Breakpad does not call the file corrupt");
	symfile_close(symfile);
}

TEST(win_fields)
{
	struct symfile *symfile = open_text("STACK WIN 4 1000 14 1 2 3 4 5 6 1 $eip 4 + ^ =\n"
		"STACK WIN 4 2000 14 a b c d e f 0 1\nSTACK WIN 0 1000 14 0 0 0 0 0 0 1 $T0 $ebp =\n"
		"STACK WIN 0 2000 14 0 0 8 c 4 0 0 0\n");
	struct stack_win win;

	ok(symfile_stack_win(symfile, &whole_file, 4, 0x1000, &win), "a STACK WIN record is found");
	ok(win.type == 4 && win.address == 0x1000 && win.size == 0x14 && win.prologue == 1 &&
	   win.epilogue == 2 && win.parameters == 3 && win.saved_registers == 4 &&
	   win.locals == 5 && win.max_stack == 6, "a STACK WIN record has all its numbers");
	ok(win.has_program && text_equal(win.program, text_of("$eip 4 + ^ =")), "a STACK WIN record has its program");
	ok(win.program_column == 35 && win.offset == 0 && win.length == 46, "the record and its program have their places");
	ok(symfile_stack_win(symfile, &whole_file, 4, 0x2000, &win) && !win.has_program &&
	   win.allocates_base_pointer, "a record of type 4 without a program has the flag instead");
	ok(symfile_stack_win(symfile, &whole_file, 0, 0x1000, &win) && win.has_program &&
	   text_equal(win.program, text_of("$T0 $ebp =")), "a record of type 0 may have a program");
	ok(symfile_stack_win(symfile, &whole_file, 0, 0x2000, &win) && !win.has_program && !win.allocates_base_pointer &&
	   win.saved_registers == 0xc && win.locals == 4, "the flag of a record of type 0 may be off");
	symfile_close(symfile);
}
