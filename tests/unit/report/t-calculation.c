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
	ok(!calculation_run(&calculation, ".ra: .cfa -8 + ^ $rbx: .cfa -16 + ^ .cfa: $rsp 24 +", false),
	   "one rule that fails makes all rules fail");
	is_u64(calculation.part_count, 3, "every rule is evaluated all the same");
	is_u64(calculation.parts[0].value, 0x7fff8, ".cfa is evaluated first at any position");
	is_u64(calculation.parts[1].value, 0x401234, ".ra is read below it");
	ok(!calculation.parts[2].good && strcmp(calculation.parts[2].failure, "memory at 0x7ffe8 is not in the dump") == 0,
	   "a missing word is reported with its address");
	calculation_free(&calculation);
	calculation_init(&calculation, NULL, false);
	gives(&calculation, "$rsp=0x7ffe0");
	ok(!calculation_run(&calculation, ".ra: 7 $rbx: .ra .cfa: $rsp 24 +", false) &&
	   !calculation.parts[2].good, "only .cfa has a value in other rules");
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
	static const char *const bad[] = { "$rsp=", "$rsp=12ab", "$rsp=0x", "x:1", "8:", "8:1:2", "$rsp=99999999999999999999999" };
	struct calculation calculation;

	calculation_init(&calculation, NULL, false);
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		ok(!gives(&calculation, bad[i]), "'%s' gives nothing", bad[i]);
	ok(calculation_give(&calculation, ".cfa: $rsp 8 +", NULL) == ERROR_NOT_FOUND, "rules are no value of a name");
	calculation_free(&calculation);
}
