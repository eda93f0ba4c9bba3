/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/tap.h"

#include "frame_table/dwarf_fold.h"

/* DWARF expressions of compilers and linkers, as sums and as postfix. Bytes and values by hand from DWARF 5, 2.5.1 and 7.7.1. */

/* Registers by number: 3 is rbx, 6 rbp, 7 rsp, 16 rip of x86-64; 5 is ebp of i386. */
#define LIT(n) (0x30 + (n))
#define BREG(n) (0x70 + (n))
enum { DEREF = 0x06, CONSTS = 0x11, DUP = 0x12, SWAP = 0x16, ROT = 0x17, ABS = 0x19, AND = 0x1a,
       MINUS = 0x1c, PLUS = 0x22, PLUS_UCONST = 0x23, SHL = 0x24, GE = 0x2a, REGX = 0x90,
       BREGX = 0x92, DEREF_SIZE = 0x94, CFA = 0x9c, STACK_VALUE = 0x9f };

#define CODE(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define VALUE ARCH_AMD64, false
#define PLACE ARCH_AMD64, true
#define NO_SUM NULL, 0, false

static const struct {
	const char *title;
	enum arch_id arch;
	bool is_address;
	uint8_t code[16];
	size_t size;
	const char *text;	/* NULL: it cannot be written */
	const char *base;	/* register, ".cfa" or "" for a number; NULL: not a sum */
	int64_t offset;
	bool dereference;
} cases[] = {
	{ "a register and an offset", VALUE, CODE(BREG(7), 16), "$rsp 16 +", "$rsp", 16, false },
	{ "the word below the CFA", PLACE, CODE(CFA, PLUS_UCONST, 8), ".cfa 8 + ^", ".cfa", 8, true },
	{ "a value at a distance from the CFA", PLACE, CODE(CFA, PLUS_UCONST, 16, STACK_VALUE), ".cfa 16 +", ".cfa", 16, false },
	{ "the value of another register", PLACE, CODE(REGX, 3), "$rbx", "$rbx", 0, false },
	{ "the CFA of a realigned main of i386", ARCH_X86, false, CODE(BREG(5), 0x7c, DEREF), "$ebp -4 + ^", "$ebp", -4, true },
	{ "a word at a word", VALUE, CODE(BREG(6), 0x78, DEREF, DEREF), "$rbp -8 + ^ ^", NO_SUM },
	{ "the CFA of x86-64's procedure linkage table, as linkers write it",
	  VALUE, CODE(BREG(7), 8, BREG(16), 0, LIT(15), AND, LIT(11), GE, LIT(3), SHL, PLUS), "$rsp 8 + $rip 16 % 5 + 16 / 8 * +", NO_SUM },
	{ "a stack that is aligned by a mask", VALUE, CODE(BREG(7), 0, CONSTS, 0x70, AND), "$rsp 16 @", NO_SUM },
	{ "a value that is used twice", VALUE, CODE(BREG(6), 0, DUP, DEREF, MINUS), "$rbp $rbp ^ -", NO_SUM },
	{ "two values that change places", VALUE, CODE(LIT(1), BREG(6), 0, SWAP, MINUS), "$rbp 1 -", "$rbp", -1, false },
	{ "a topmost value that rot puts below two", VALUE, CODE(LIT(1), LIT(2), LIT(3), ROT, MINUS, MINUS), "3 1 2 - -", "", 4, false },
	{ "a word of fewer bytes than an address", VALUE, CODE(BREG(7), 0, DEREF_SIZE, 4), NULL, NO_SUM },
	{ "an arbitrary mask", VALUE, CODE(BREG(7), 0, LIT(10), AND), NULL, NO_SUM },
	{ "a register that is not followed", VALUE, CODE(BREGX, 17, 0), NULL, NO_SUM },
	{ "an operator without values", VALUE, CODE(PLUS), NULL, NO_SUM },
	{ "an operation that is cut off", VALUE, CODE(BREG(7)), NULL, NO_SUM },
	{ "an operation without a word", VALUE, CODE(LIT(1), ABS), NULL, NO_SUM },
	{ "an unknown operation", VALUE, CODE(0xe5), NULL, NO_SUM },
};

static struct dwarf_folded
fold(enum arch_id id, const uint8_t *code, size_t size, struct dwarf_fold_start start)
{
	const struct arch *arch = arch_by_id(id);
	const struct dwarf_expression expression = { .code = { .data = code, .size = size }, .word = arch->word_size };
	struct dwarf_folded folded;

	dwarf_fold(&expression, arch, &start, &folded);
	return folded;
}

TEST_EACH(case, cases)
{
	const struct arch *arch = arch_by_id(cases[i].arch);
	const char *base = cases[i].base, *title = cases[i].title;
	struct arena arena = { 0 };

	const struct dwarf_folded folded = fold(cases[i].arch, cases[i].code, cases[i].size,
		     (struct dwarf_fold_start){ .is_address = cases[i].is_address, .arena = &arena });
	if (cases[i].text != NULL)
		is_str(folded.text, cases[i].text, "%s: the text is right", title);
	else
		ok(folded.text == NULL && folded.cannot != NULL, "%s: no text is made: %s", title,
		   folded.cannot != NULL ? folded.cannot : "");
	if (base == NULL) {
		ok(!folded.value.known, "%s: the value is no sum", title);
	} else {
		const struct linear want = {
			true, *base == '\0' ? LINEAR_NONE : *base == '.' ? LINEAR_CFA
				      : arch_register(arch, text_of(base), ARCH_NAMES_EXACT),
			cases[i].offset, false, cases[i].dereference };
		ok(linear_same(&folded.value, &want), "%s: the sum is right", title);
	}
	arena_free(&arena);
}

/* The CFA in a PLT (System V ABI of x86-64): the last bytes of an entry have another one. */
TEST(program_counter)
{
	static const uint8_t plt[] = { BREG(7), 8, BREG(16), 0, LIT(15), AND, LIT(11), GE, LIT(3), SHL, PLUS };
	static const struct { uint64_t pc; int64_t offset; } rows[] = { { 0x102a, 8 },
									 { 0x102b, 16 } };

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct dwarf_folded folded = fold(ARCH_AMD64, plt, sizeof(plt),
			(struct dwarf_fold_start){ .pc = &rows[i].pc });
		const struct linear want = { true, arch_by_id(ARCH_AMD64)->sp, rows[i].offset, false, false };

		ok(folded.uses_pc && linear_same(&folded.value, &want),
		   "the CFA of a PLT at 0x%x is rsp plus %d", (unsigned)rows[i].pc, (int)rows[i].offset);
	}
}

TEST(start)
{
	static const uint8_t code[] = { PLUS_UCONST, 8 };
	const struct linear want = { true, LINEAR_CFA, 8, false, true };
	const struct dwarf_folded folded = fold(ARCH_AMD64, code, sizeof(code),
		     (struct dwarf_fold_start){ .cfa = true, .is_address = true });

	ok(linear_same(&folded.value, &want), "the rule of a register begins with the CFA");
	ok(!fold(ARCH_AMD64, code, 0, (struct dwarf_fold_start){ .cfa = true }).value.known,
	   "an expression without operations has no value");
}

/* Each copy doubles the text. */
TEST(growth)
{
	uint8_t code[64] = { BREG(7), 0 };
	struct arena arena = { 0 };

	for (size_t i = 2; i < sizeof(code); i += 2) {
		code[i] = DUP;
		code[i + 1] = PLUS;
	}
	const struct dwarf_folded folded = fold(ARCH_AMD64, code, sizeof(code), (struct dwarf_fold_start){ .arena = &arena });
	ok(folded.text == NULL && folded.cannot != NULL, "an expression that grows without end is refused");
	arena_free(&arena);
}
