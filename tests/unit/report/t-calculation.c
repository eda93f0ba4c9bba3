/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "report/step/calculation_write.h"
#include "tests/lib/tap.h"

/*
 * The calculator: what is given (with ';' between), the text, and the answer: its architecture, ! if a rule failed, and the values
 * or the reasons. Values by hand. An argument that gives nothing is answered by its error, or "an expression".
 */
static const struct {
	const char *given, *text, *shown;
	enum arch_id arch;		/* big-endian; 0: guessed */
	bool win;
} cases[] = {
#define ASK(given_, text_, shown_) .given = given_, .text = text_, .shown = shown_
	{ ASK("$esp=4096", "$esp 4097 -", "x86 ffffffff") }, { ASK("$rsp=-1", "$rsp 3 +", "amd64 2") }, { ASK("", "1 2 +", "amd64 3") },
	{ ASK("$rsp=1;$rsp=2", "$rsp", "amd64 2") }, { ASK("rsp=0x10", "$rsp 1 +", "amd64 11") }, { ASK("$rsp=1;rsp=2", "$rsp", "amd64 1") },
	{ ASK("$eip=1;$esp=2", "$eip $esp + $rax", "x86! values are left on the stack at the end") },
	{ ASK("$rax=1", "$rax $eip +", "amd64! '$eip' has no value here") }, { ASK("24:2;16:1;8:4", "16 ^ 24 ^ 16 * + 8 ^ +", "amd64 25") },
	{ ASK("$rsp=8;-8:5", "$rsp 16 - ^", "amd64 5") }, { ASK("", "$eax: 1 .cfa: 2", "x86 .cfa=2 $eax=1") },
	{ ASK("$rsp=0x7ffe0;0x7fff0:0x401234", ".ra: .cfa -8 + ^ $rbx: .cfa -16 + ^ .cfa: $rsp 24 +",
	      "amd64! .cfa=7fff8 .ra=401234 $rbx: memory at 0x7ffe8 is not in the dump") },
	{ ASK("$rsp=0x7ffe0", ".ra: 7 $rbx: .ra .cfa: $rsp 24 +", "amd64! .cfa=7fff8 .ra=7 $rbx: '.ra' has no value here") },
	{ ASK("", ".ra: .cfa .cfa: 1 0 /", "amd64! .cfa: '/' divides by zero .ra: '.cfa' has no value here") },
	{ ASK("16:0x01020304", "16 ^", "ppc 1020304"), .arch = ARCH_PPC }, { ASK("16:1;20:2", "16 ^ 20 ^ +", "ppc 3"), .arch = ARCH_PPC },
	{ ASK("$ebp=8;12:16", "$T0 $ebp = $eip $T0 4 + ^ =", "x86 0"), .win = true },
	{ ASK("$rsp=", "", "an expression") }, { ASK("8:", "", "an expression") }, { ASK("=8", "", "an expression") }, { ASK(".cfa: $rsp 8 +", "", "an expression") },
	{ ASK("$rsp=12ab", "", "'12ab' is not a number") }, { ASK("$rsp=0x", "", "'0x' is not a number") }, { ASK("x:1", "", "'x' is not a number") },
	{ ASK("8:1:2", "", "'1:2' is not a number") }, { ASK("8:-", "", "'-' is not a number") },
	{ ASK("$rsp=99999999999999999999999", "", "'99999999999999999999999' is not a number") },
};

TEST_EACH(answer, cases)
{
	struct calculation calculation;
	struct arena arena = { 0 };
	struct error error = { 0 };
	enum error_code code = ERROR_NONE;
	char *given = arena_string(&arena, cases[i].given);
	const char *shown = "an expression";

	calculation_init(&calculation, cases[i].arch != 0 ? arch_by_id(cases[i].arch) : NULL, cases[i].arch != 0);
	for (char *one; (one = strsep(&given, ";")) != NULL && *one != '\0' && code == ERROR_NONE;)
		code = calculation_give(&calculation, one, &error);
	if (code == ERROR_NONE) {
		const bool good = calculation_run(&calculation, cases[i].text, cases[i].win);
		shown = arena_format(&arena, "%s%s", calculation.arch->name, good ? "" : "!");
		for (size_t part = 0; part < calculation.part_count; part++) {
			const struct calculation_part *at = &calculation.parts[part];
			const char *name = arena_format(&arena, "%s%.*s%s", " ", TEXT_UPTO(at->name, 20),
							at->name.length == 0 ? "" : at->good ? "=" : ": ");
			shown = at->good ? arena_format(&arena, "%s%s%" PRIx64, shown, name, at->value)
					 : arena_format(&arena, "%s%s%s", shown, name, at->failure);
		}
	} else if (code != ERROR_NOT_FOUND) {
		shown = error.text;
	}
	is_str(shown, cases[i].shown, "%s %s", cases[i].given, cases[i].text);
	calculation_free(&calculation);
	arena_free(&arena);
}
