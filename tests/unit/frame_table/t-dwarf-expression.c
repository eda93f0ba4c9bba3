/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "tests/lib/tap.h"

#ifdef HAVE_DWARF

#include <string.h>

#include "base/compiler.h"
#include "frame_table/dwarf_expression.h"

/* DWARF expressions as postfix: what compilers and linkers write. By hand from DWARF 5, 2.5.1. */

#define OP(atom, number) { atom, number, 0, 0 }

static const struct {
	const char *title;
	enum arch_id arch;
	bool is_value;
	Dwarf_Op operations[16];
	size_t count;
	const char *want;	/* NULL: it can't be written */
} cases[] = {
	{ "a register and an offset", ARCH_AMD64, true, { OP(0x77, 16) }, 1, "$rsp 16 +" },
	{ "the word below the CFA", ARCH_AMD64, false,
	  { OP(0x9c, 0), OP(0x23, (uint64_t)-8) }, 2, ".cfa -8 + ^" },
	{ "a value at a distance from the CFA", ARCH_AMD64, false,
	  { OP(0x9c, 0), OP(0x23, 16), OP(0x9f, 0) }, 3, ".cfa 16 +" },
	{ "another register has the value", ARCH_AMD64, false, { OP(0x90, 3) }, 1, "$rbx" },
	{ "the CFA of a realigned main of i386", ARCH_X86, true,
	  { OP(0x75, (uint64_t)-4), OP(0x06, 0) }, 2, "$ebp -4 + ^" },
	{ "what a linker writes for x86-64's procedure linkage table", ARCH_AMD64, true,
	  { OP(0x77, 8), OP(0x80, 0), OP(0x3f, 0), OP(0x1a, 0), OP(0x3b, 0),
	    OP(0x2a, 0), OP(0x33, 0), OP(0x24, 0), OP(0x22, 0) }, 9,
	  "$rsp 8 + $rip 16 % 5 + 16 / 8 * +" },
	{ "a stack that is aligned by a mask", ARCH_AMD64, true,
	  { OP(0x77, 0), OP(0x11, (uint64_t)-16), OP(0x1a, 0) }, 3, "$rsp 16 @" },
	{ "a value that is used twice", ARCH_AMD64, true,
	  { OP(0x76, 0), OP(0x12, 0), OP(0x06, 0), OP(0x1c, 0) }, 4,
	  "$rbp $rbp ^ -" },
	{ "two values that change places", ARCH_AMD64, true,
	  { OP(0x31, 0), OP(0x76, 0), OP(0x16, 0), OP(0x1c, 0) }, 4, "$rbp 1 -" },
	{ "rot: the topmost goes below two", ARCH_AMD64, true,
	  { OP(0x31, 0), OP(0x32, 0), OP(0x33, 0), OP(0x17, 0), OP(0x1c, 0),
	    OP(0x1c, 0) }, 6, "3 1 2 - -" },
	{ "an arbitrary mask", ARCH_AMD64, true,
	  { OP(0x77, 0), OP(0x3a, 0), OP(0x1a, 0) }, 3, NULL },
	{ "a register that is not followed", ARCH_AMD64, true, { OP(0x92, 17) }, 1, NULL },
	{ "an operator without values", ARCH_AMD64, true, { OP(0x22, 0) }, 1, NULL },
	{ "nothing at all", ARCH_AMD64, true, { OP(0, 0) }, 0, NULL },
	{ "an unknown operation", ARCH_AMD64, true, { OP(0x31, 0), OP(0x19, 0) }, 2, NULL },
};

/* Each copy doubles the text: it has to end somewhere. */
static void
what_grows_without_end(void)
{
	Dwarf_Op operations[64] = { OP(0x77, 0) };
	struct arena arena;
	const char *cannot = NULL;

	for (size_t i = 1; i + 1 < ARRAY_COUNT(operations); i += 2) {
		operations[i].atom = 0x12;
		operations[i + 1].atom = 0x22;
	}
	arena_init(&arena, 0);
	ok(dwarf_expression_postfix(arch_by_id(ARCH_AMD64), operations, 63, true, &arena,
				    &cannot) == NULL && cannot != NULL,
	   "an expression that grows without end is refused");
	arena_free(&arena);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct arena arena;
		const char *cannot = NULL;

		arena_init(&arena, 0);
		const char *got = dwarf_expression_postfix(
			arch_by_id(cases[i].arch), cases[i].operations, cases[i].count,
			cases[i].is_value, &arena, &cannot);
		if (cases[i].want != NULL)
			is_str(got, cases[i].want, "%s", cases[i].title);
		else
			ok(got == NULL && cannot != NULL, "%s: %s", cases[i].title,
			   cannot != NULL ? cannot : "");
		arena_free(&arena);
	}
	what_grows_without_end();
	return done_testing();
}

#else

int
main(void)
{
	skip(1, "libdw was left out");
	return done_testing();
}

#endif
