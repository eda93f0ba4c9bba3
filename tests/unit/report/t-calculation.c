/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "report/step/calculation_write.h"
#include "tests/lib/tap.h"

/* The calculator: its inputs, its questions and its answers. Values by hand. */

static bool
gives(struct calculation *calculation, const char *argument)
{
	struct error error;

	return calculation_give(calculation, argument, &error) == ERROR_NONE;
}

TEST(an_expression)
{
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	ok(gives(&calculation, "$rsp=0x1000") && gives(&calculation, "0x1008:-2"),
	   "names and words of memory are taken");
	ok(calculation_run(&calculation, "$rsp 8 + ^ 3 +", false), "an expression is evaluated");
	ok(calculation.arch->id == ARCH_AMD64, "$rsp says that the architecture is amd64");
	is_u64(calculation.parts[0].value, 1, "-2 in 64 bits and 3 are 1");
	calculation_free(&calculation);
}

TEST(a_narrow_one)
{
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	ok(gives(&calculation, "$esp=4096"), "a decimal number is taken");
	ok(calculation_run(&calculation, "$esp 4097 -", false) &&
	   calculation.arch->id == ARCH_X86, "$esp says that the architecture is x86");
	is_u64(calculation.parts[0].value, UINT32_MAX, "4096 less 4097 in 32 bits is 0xffffffff");
	calculation_free(&calculation);
}

TEST(rules_in_any_order)
{
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	gives(&calculation, "$rsp=0x7ffe0");
	gives(&calculation, "0x7fff0:0x401234");
	ok(!calculation_run(&calculation,
			    ".ra: .cfa -8 + ^ $rbx: .cfa -16 + ^ .cfa: $rsp 24 +", false),
	   "one rule that fails makes all rules fail");
	is_u64(calculation.part_count, 3, "every rule is evaluated all the same");
	is_u64(calculation.parts[0].value, 0x7fff8, ".cfa is evaluated first at any position");
	is_u64(calculation.parts[1].value, 0x401234, ".ra is read below it");
	ok(!calculation.parts[2].good &&
	   strcmp(calculation.parts[2].failure, "memory at 0x7ffe8 is not in the dump") == 0,
	   "a missing word is reported with its address");
	calculation_free(&calculation);
	calculation_init(&calculation, NULL, false);
	gives(&calculation, "$rsp=0x7ffe0");
	ok(!calculation_run(&calculation, ".ra: 7 $rbx: .ra .cfa: $rsp 24 +", false) &&
	   !calculation.parts[2].good, "only .cfa has a value in other rules");
	calculation_free(&calculation);
}

TEST(a_program)
{
	static const char text[] = "$T0 $ebp = $eip $T0 4 + ^ = $esp $T0 8 + =";
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	gives(&calculation, "$ebp=0x12fe88");
	gives(&calculation, "0x12fe8c:0x404200");
	ok(calculation_run(&calculation, text, true), "a STACK WIN program runs");
	const struct program *program = calculation.parts[0].program;
	for (size_t i = 0; i < program->name_count; i++) {
		const struct variable *variable = &calculation.variables[i];

		if (text_equal(program->names[i].text, text_of("$eip")))
			is_u64(variable->value, 0x404200, "$eip is the word at 0x12fe8c");
		if (text_equal(program->names[i].text, text_of("$esp")))
			is_u64(variable->value, 0x12fe90, "$esp is 8 above");
	}
	calculation_free(&calculation);
}

TEST(a_big_endian_word)
{
	struct calculation calculation;

	calculation_init(&calculation, arch_by_id(ARCH_PPC), true);
	gives(&calculation, "16:0x01020304");
	ok(calculation_run(&calculation, "16 ^", false), "a word of a big-endian machine is read");
	is_u64(calculation.parts[0].value, 0x01020304, "the word has the value that was given");
	calculation_free(&calculation);
}

TEST(what_makes_no_sense)
{
	static const char *const bad[] = { "$rsp=", "$rsp=12ab", "$rsp=0x", "x:1", "8:", "8:1:2",
					   "$rsp=99999999999999999999999" };
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		ok(!gives(&calculation, bad[i]), "'%s' gives nothing", bad[i]);
	ok(calculation_give(&calculation, ".cfa: $rsp 8 +", NULL) == ERROR_NOT_FOUND,
	   "rules are no value of a name");
	calculation_free(&calculation);
}

/* Columns are as wide as their widest cell; results and reasons by hand from the rules of postfix. */
TEST(whole_outputs)
{
	static const struct {
		enum arch_id arch;	/* ARCH_COUNT: guessed */
		bool win;
		const char *values, *text, *output;
	} cases[] = {
		{ ARCH_AMD64, false, "$rsp=0x10 8:1", "$rsp 8 - ^ 3 +",
		  "  tok  token  stack after    why (amd64)\n    1  $rsp   $rsp (0x10)    given\n    2  8      $rsp (0x10) 8\n"
		  "    3  -      0x8\n    4  ^      0x1            the word at 0x8\n    5  3      0x1 3\n    6  +      0x4\n"
		  "= 0x4  4\n" },
		{ ARCH_COUNT, true, "$ebp=0x12fe88 0x12fe8c:0x404200", "$T0 $ebp = $eip $T0 4 + ^ = $esp $T0 8 + =",
		  "  tok  token  stack after                why (x86, guessed)\n"
		  "    1  $T0    $T0 (?)                    no value yet\n    2  $ebp   $T0 (?) $ebp (0x12fe88)    given\n"
		  "    3  =                                 $T0 := 0x12fe88\n"
		  "    4  $eip   $eip (?)                   no value yet\n"
		  "    5  $T0    $eip (?) $T0 (0x12fe88)    set by the program\n    6  4      $eip (?) $T0 (0x12fe88) 4\n"
		  "    7  +      $eip (?) 0x12fe8c\n    8  ^      $eip (?) 0x404200          the word at 0x12fe8c\n"
		  "    9  =                                 $eip := 0x404200\n"
		  "   10  $esp   $esp (?)                   no value yet\n"
		  "   11  $T0    $esp (?) $T0 (0x12fe88)    set by the program\n   12  8      $esp (?) $T0 (0x12fe88) 8\n"
		  "   13  +      $esp (?) 0x12fe90\n   14  =                                 $esp := 0x12fe90\n"
		  "$T0 = 0x12fe88  1244808\n$eip = 0x404200  4211200\n$esp = 0x12fe90  1244816\n" },
		{ ARCH_AMD64, false, "$rsp=0x7ffe0 0x7fff0:0x401234", ".ra: .cfa -8 + ^ $rbx: .cfa -16 + ^ .cfa: $rsp 24 +",
		  "  tok  token  stack after         why (amd64)\nrule .cfa\n    1  $rsp   $rsp (0x7ffe0)      given\n"
		  "    2  24     $rsp (0x7ffe0) 24\n    3  +      0x7fff8\nrule .ra\n"
		  "    1  .cfa   .cfa (0x7fff8)      the result of its rule\n    2  -8     .cfa (0x7fff8) -8\n"
		  "    3  +      0x7fff0\n    4  ^      0x401234            the word at 0x7fff0\nrule $rbx\n"
		  "    1  .cfa   .cfa (0x7fff8)      the result of its rule\n    2  -16    .cfa (0x7fff8) -16\n"
		  "    3  +      0x7ffe8\n    4  ^                          ! memory at 0x7ffe8 is not in the dump\n"
		  ".cfa = 0x7fff8  524280\n.ra = 0x401234  4198964\n$rbx = ? memory at 0x7ffe8 is not in the dump\n" },
		{ ARCH_AMD64, false, "", "$rbx 1 + 2",
		  "  tok  token  stack after  why (amd64)\n    1  $rbx   $rbx (?)     no value yet\n    2  1      $rbx (?) 1\n"
		  "    3  +                   ! '$rbx' has no value here\n= ? '$rbx' has no value here\n" },
		{ ARCH_X86, false, "", "2147483647 1 + 1 @",
		  "  tok  token       stack after   why (x86)\n    1  2147483647  2147483647\n    2  1           2147483647 1\n"
		  "    3  +           0x80000000\n    4  1           0x80000000 1\n    5  @           0x80000000\n"
		  "= 0x80000000  2147483648  -2147483648\n" },
		{ ARCH_AMD64, false, "16:2", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 16 1311768467463790320 + ^",
		  "  tok  token                stack after                                              why (amd64)\n"
		  "    1  1                    1\n    2  2                    1 2\n    3  3                    1 2 3\n"
		  "    4  4                    1 2 3 4\n    5  5                    1 2 3 4 5\n"
		  "    6  6                    1 2 3 4 5 6\n    7  7                    1 2 3 4 5 6 7\n"
		  "    8  8                    1 2 3 4 5 6 7 8\n    9  9                    1 2 3 4 5 6 7 8 9\n"
		  "   10  10                   1 2 3 4 5 6 7 8 9 10\n   11  11                   1 2 3 4 5 6 7 8 9 10 11\n"
		  "   12  12                   1 2 3 4 5 6 7 8 9 10 11 12\n"
		  "   13  13                   1 2 3 4 5 6 7 8 9 10 11 12 13\n"
		  "   14  14                   1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"
		  "   15  16                   1 2 3 4 5 6 7 8 9 10 11 12 13 14 16\n"
		  "   16  1311768467463790320  1 2 3 4 5 6 7 8 9 10 11 12 13 14 16 1311768467463790320\n"
		  "   17  +                    1 2 3 4 5 6 7 8 9 10 11 12 13 14 0x123456789abcdf00\n"
		  "   18  ^                    1 2 3 4 5 6 7 8 9 10 11 12 13 14                         ! memory at 0x123456789abcdf00 is not in the dump\n"
		  "= ? memory at 0x123456789abcdf00 is not in the dump\n" },
	};
	struct arena arena = { 0 };
	struct output_string made;
	struct calculation calculation;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char *rest = arena_string(&arena, cases[i].values);

		calculation_init(&calculation, cases[i].arch != ARCH_COUNT ? arch_by_id(cases[i].arch) : NULL, false);
		for (char *value; (value = strsep(&rest, " ")) != NULL && *value != '\0';)
			ok(gives(&calculation, value), "%s is given", value);
		calculation_run(&calculation, cases[i].text, cases[i].win);
		output_string_init(&made, &arena);
		calculation_write(&calculation, &made.output);
		is_text(made.text, cases[i].output, "the output for '%s'", cases[i].text);
		calculation_free(&calculation);
	}
	/* A stack of more than 64 cells shows the top ones. */
	char many[2 * 65 + 1] = "";
	for (size_t i = 0; i < 65; i++)
		memcpy(many + 2 * i, i == 64 ? "2" : "1 ", i == 64 ? 2 : 3);
	calculation_init(&calculation, arch_by_id(ARCH_X86), false);
	calculation_run(&calculation, many, false);
	output_string_init(&made, &arena);
	calculation_write(&calculation, &made.output);
	ok(strstr(made.text, "\n   64  1      1 1 1 ") != NULL && strstr(made.text, "\n   65  2      .. 1 1 ") != NULL &&
	   strstr(made.text, " 1 1 2\n= ") != NULL, "65 cells begin with dots");
	calculation_free(&calculation);
	arena_free(&arena);
}
