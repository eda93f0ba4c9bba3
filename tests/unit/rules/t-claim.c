/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/claim.h"

#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"

/* What sources say of a register: what agrees however it is written, and what does not. */

static const struct arch *amd64, *x86;
static struct arena arena;

enum { RBX = 3, RBP = 6 };

static struct claim
claim_on(const struct arch *arch, unsigned column, const char *expression)
{
	return claim_of_program(arch, column,
				program_compile(&arena, arch, ARCH_NAMES_EXACT, text_of(expression),
						(struct place){ 0 }));
}

/* How two rules for a register compare, each in a row with its CFA. */
static enum claim_verdict
compare(unsigned column, const char *cfa, const char *one, const char *other_cfa, const char *other)
{
	const struct claim a = claim_on(amd64, column, one),
			   a_cfa = claim_on(amd64, CLAIM_CFA, cfa);
	const struct claim b = claim_on(amd64, column, other);
	const struct claim b_cfa = claim_on(amd64, CLAIM_CFA, other_cfa);

	return claims_compare(amd64, column, &a, &a_cfa, &b, &b_cfa);
}

static void
test_compare(void)
{
	const unsigned ra = CLAIM_RETURN_ADDRESS, rbx = CLAIM_REGISTER + RBX;

	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa 8 - ^"), CLAIMS_AGREE,
	       "a negative offset is a difference");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", "$rsp ^"), CLAIMS_AGREE,
	       "a rule over a register is one from the CFA that counts from it");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rbp 8 +", "$rsp ^"), CLAIMS_AGREE,
	       "also where only one of the CFAs counts from it");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 24 +", ".cfa -8 + ^"), CLAIMS_AGREE,
	       "where the CFAs differ they alone do");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -16 + ^"), CLAIMS_DIFFER,
	       "other offsets differ");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -8 +"), CLAIMS_DIFFER,
	       "a sum is not the word there");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "$rsp 8 * ^"), CLAIMS_AGREE,
	       "an expression agrees with the same text");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "8 $rsp * ^"), CLAIMS_CANNOT_SAY,
	       "of another one nothing is known");
	is_u64(compare(rbx, "$rsp 8 +", "$rbx", "$rsp 8 +", ".cfa -16 + ^"), CLAIMS_DIFFER,
	       "unchanged is not saved");
	is_u64(claim_on(amd64, rbx, "$rbx").kind, CLAIM_SAME,
	       "a register's own name is: unchanged");
	is_u64(claim_on(amd64, rbx, ".undef").kind, CLAIM_UNDEFINED,
	       "a name without a value is: undefined");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp .cbCalleeParams + ^", "$rsp 8 +", "$rsp ^"),
	       CLAIMS_CANNOT_SAY, "a size that only the callee says is not known");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp .cbCalleeParams + 4 +", "$rsp 8 +",
		       "$rsp 4 + .cbCalleeParams +"),
	       CLAIMS_AGREE, "but the same on both sides");
	const struct claim silent = { 0 }, same = { .kind = CLAIM_SAME };
	is_u64(claims_compare(amd64, rbx, &silent, &same, &same, &same), CLAIMS_CANNOT_SAY,
	       "silence says nothing");
	const struct claim wrapped = claim_on(x86, CLAIM_CFA, "$esp 4294967292 +");
	is_u64((uint64_t)wrapped.offset, UINT64_MAX - 3, "offsets of 32 bits wrap there");
}

static void
test_words(void)
{
	static const struct {
		unsigned column;
		const char *rule, *words, *postfix;
	} cases[] = {
		{ CLAIM_CFA, "$rsp 16 +", "rsp+16", ".cfa: $rsp 16 +" },
		{ CLAIM_CFA, "$rsp", "rsp+0", ".cfa: $rsp 0 +" },
		{ CLAIM_CFA, "$rbp 8 - ^", "[rbp-8]", ".cfa: $rbp -8 + ^" },
		{ CLAIM_RETURN_ADDRESS, ".cfa 8 - ^", "c-8", ".ra: .cfa -8 + ^" },
		{ CLAIM_REGISTER + RBX, ".cfa 16 -", "v-16", "$rbx: .cfa -16 +" },
		{ CLAIM_REGISTER + RBX, "$rbp", "rbp", "$rbx: $rbp" },
		{ CLAIM_REGISTER + RBX, "$rbx", "s", "$rbx: $rbx" },
		{ CLAIM_CFA, "$rax 8 +", "rax+8", ".cfa: $rax 8 +" },
		{ CLAIM_REGISTER + RBX, "$rax", "rax", "$rbx: $rax" },
		{ CLAIM_REGISTER + RBX, "$rax 8 +", "rax+8", "$rbx: $rax 8 +" },
		{ CLAIM_REGISTER + RBX, "$rax ^", "[rax]", "$rbx: $rax ^" },
		{ CLAIM_REGISTER, "$rax", "s", "$rax: $rax" },
		{ CLAIM_REGISTER, "$rbx", "rbx", "$rax: $rbx" },
		{ CLAIM_RETURN_ADDRESS, "$rax", "rax", ".ra: $rax" },
		{ CLAIM_REGISTER + RBX, "16", "16", "" },
		{ CLAIM_REGISTER + RBX, "16 ^", "[16]", "" },
		{ CLAIM_REGISTER + RBX, ".cfa", "v+0", "$rbx: .cfa" },
		{ CLAIM_REGISTER + RBX, "$rsp 8 * ^", "exp", "" },
		{ CLAIM_REGISTER + RBX, ".undef", "u", "" },
	};
	char buffer[128];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct claim claim = claim_on(amd64, cases[i].column, cases[i].rule);

		is_str(claim_format(amd64, cases[i].column, &claim, buffer, sizeof(buffer)),
		       cases[i].words, "'%s' is written %s", cases[i].rule, cases[i].words);
		is_str(claim_postfix(amd64, cases[i].column, &claim, buffer, sizeof(buffer)),
		       cases[i].postfix, "and as a rule '%s'", cases[i].postfix);
	}
	is_str(claim_column_name(amd64, CLAIM_REGISTER + RBP), "rbp", "columns have names");
}

/* A rule over the register that the CFA counts from is one from the CFA. */
static void
test_from_cfa(void)
{
	static const struct {
		unsigned column;
		const char *rule, *cfa, *words;
	} cases[] = {
		{ CLAIM_REGISTER + RBX, "$rax 8 +", "$rax 24 +", "v-16" },
		{ CLAIM_REGISTER + RBX, "$rsp ^", "$rsp 8 +", "c-8" },
		{ CLAIM_REGISTER + RBX, "$rsp 8 +", "$rsp 8 +", "v+0" },
		{ CLAIM_REGISTER + RBX, "$rbp ^", "$rsp 8 +", "[rbp]" },
		{ CLAIM_REGISTER + RBX, "$rsp ^", "$rsp ^", "[rsp]" },
		{ CLAIM_REGISTER + RBX, "$rax 8 +", ".undef", "rax+8" },
		{ CLAIM_REGISTER + RBX, "$rax 8 +", "$rax 2 *", "rax+8" },
		{ CLAIM_REGISTER + RBX, "$rax 2 *", "$rax 8 +", "exp" },
		{ CLAIM_REGISTER + RBX, "8", "8", "8" },
		{ CLAIM_REGISTER + RBX, "$rsp .cbCalleeParams +", "$rsp 8 +", "rsp" },
		{ CLAIM_CFA, "$rsp 8 +", "$rsp 8 +", "rsp+8" },
	};
	char buffer[128];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct claim cfa = claim_on(amd64, CLAIM_CFA, cases[i].cfa);
		const struct claim rule = claim_on(amd64, cases[i].column, cases[i].rule);
		const struct claim from = claim_from_cfa(amd64, cases[i].column, &rule, &cfa);

		is_str(claim_format(amd64, cases[i].column, &from, buffer, sizeof(buffer)),
		       cases[i].words, "'%s' where the CFA is '%s'", cases[i].rule, cases[i].cfa);
	}
}

static void
test_kept(void)
{
	ok(claim_is_kept(amd64, false, RBX), "calls keep rbx");
	ok(!claim_is_kept(amd64, false, 4), "and not rsi");
	ok(claim_is_kept(amd64, true, 4), "but on Windows");
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	x86 = arch_by_id(ARCH_X86);
	arena_init(&arena, 0);
	test_compare();
	test_words();
	test_from_cfa();
	test_kept();
	arena_free(&arena);
	return done_testing();
}
