/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_claims.h"

#include "tests/lib/tap.h"

/* The claims of sources about a register: which ones agree in spite of their spelling. */

static const struct arch *amd64, *x86;
static struct arena arena;

enum { RBX = 3, RBP = 6 };

static struct claim
claim_on(const struct arch *arch, unsigned column, const char *expression)
{
	return claim_of_program(arch, column, program_compile(&arena, arch, ARCH_NAMES_EXACT, text_of(expression),
						(struct place){ 0 }));
}

/* Compare two rules for a register, each in a row with its CFA. */
static enum claim_verdict
compare(unsigned column, const char *cfa, const char *one, const char *other_cfa, const char *other)
{
	const struct claim a = claim_on(amd64, column, one),
			   a_cfa = claim_on(amd64, CLAIM_CFA, cfa);
	const struct claim b = claim_on(amd64, column, other);
	const struct claim b_cfa = claim_on(amd64, CLAIM_CFA, other_cfa);

	return claims_compare(amd64, column, &a, &a_cfa, &b, &b_cfa);
}

TEST(compare)
{
	const unsigned ra = CLAIM_RETURN_ADDRESS, rbx = CLAIM_REGISTER + RBX;

	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa 8 - ^"), CLAIMS_AGREE, "a negative offset is a difference");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", "$rsp ^"), CLAIMS_AGREE,
	       "a rule over a register is one from the CFA that counts from it");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rbp 8 +", "$rsp ^"), CLAIMS_AGREE,
	       "a rule over a register agrees if only one of the CFAs counts from it");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 24 +", ".cfa -8 + ^"), CLAIMS_AGREE,
	       "a different CFA alone does not contradict a rule");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -16 + ^"), CLAIMS_DIFFER, "other offsets differ");
	is_u64(compare(ra, "$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -8 +"), CLAIMS_DIFFER, "a sum is not the word there");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "$rsp 8 * ^"), CLAIMS_AGREE, "an expression agrees with the same text");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "8 $rsp * ^"), CLAIMS_CANNOT_SAY,
	       "expressions with different texts cannot be compared");
	is_u64(compare(rbx, "$rsp 8 +", "$rbx", "$rsp 8 +", ".cfa -16 + ^"), CLAIMS_DIFFER, "unchanged is not saved");
	is_u64(claim_on(amd64, rbx, "$rbx").kind, CLAIM_SAME, "a register's own name means unchanged");
	is_u64(claim_on(amd64, rbx, ".undef").kind, CLAIM_UNDEFINED, "a name without a value means undefined");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp .cbCalleeParams + ^", "$rsp 8 +", "$rsp ^"),
	       CLAIMS_CANNOT_SAY, "rules cannot be compared if only one needs the callee's size");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp .cbCalleeParams + 4 +", "$rsp 8 +", "$rsp 4 + .cbCalleeParams +"),
	       CLAIMS_AGREE, "rules agree if both need the callee's size");
	is_u64(compare(ra, "$rsp 16 +", ".cfa -8 + ^", "$rax 2 *", "$rsp 8 + ^"), CLAIMS_AGREE,
	       "a rule from a CFA agrees over its register if the other CFA is unknown");
	is_u64(compare(ra, "$rax 2 *", "$rsp 8 + ^", "$rsp 16 +", ".cfa -8 + ^"), CLAIMS_AGREE,
	       "a rule from a CFA agrees over its register on either side");
	is_u64(compare(ra, "$rsp 16 +", ".cfa -8 + ^", "$rax 2 *", "$rsp 16 + ^"), CLAIMS_DIFFER,
	       "a rule from a CFA differs from a rule for another word");
	is_u64(compare(ra, "$rsp ^", ".cfa -8 + ^", "$rax 2 *", "$rsp -8 + ^"), CLAIMS_DIFFER,
	       "a rule from a CFA that is read from memory is over no register");
	is_u64(compare(CLAIM_CFA, "$rsp 16 +", "$rsp 16 +", "$rsp 8 +", "$rsp 8 +"), CLAIMS_DIFFER, "a CFA is not counted from itself");
	is_u64(compare(rbx, "$rsp 8 +", ".undef", "$rsp 8 +", "$rbx"), CLAIMS_DIFFER, "undefined is not unchanged");
	is_u64(compare(rbx, "$rsp 8 +", ".undef", "$rsp 16 +", ".undef"), CLAIMS_AGREE, "undefined is undefined");
	is_u64(compare(rbx, "$rsp 8 +", "$rsp 2 *", "$rsp 8 +", "$rbx"), CLAIMS_CANNOT_SAY, "an expression may make any value");
	is_u64(compare(rbx, "$rsp 8 +", "$rbx", "$rsp 8 +", "$rsp 2 *"), CLAIMS_CANNOT_SAY,
	       "an expression may make any value on either side");
	const struct claim silent = { 0 }, same = { .kind = CLAIM_SAME };
	is_u64(claims_compare(amd64, rbx, &silent, &same, &same, &same), CLAIMS_CANNOT_SAY,
	       "a rule cannot be compared with a silent claim");
	is_u64(claims_compare(amd64, rbx, &same, &same, &silent, &same), CLAIMS_CANNOT_SAY,
	       "a silent claim cannot be compared with a rule");
	const struct claim wrapped = claim_on(x86, CLAIM_CFA, "$esp 4294967292 +");
	is_u64((uint64_t)wrapped.offset, UINT64_MAX - 3, "offsets of a CPU of 32 bits wrap");
}

TEST(words)
{
	static const struct {
		unsigned column;
		const char *rule, *words, *postfix;
	} cases[] = {
		{ CLAIM_CFA, "$rsp 16 +", "rsp+16", ".cfa: $rsp 16 +" }, { CLAIM_CFA, "$rsp", "rsp+0", ".cfa: $rsp 0 +" },
		{ CLAIM_CFA, "$rbp 8 - ^", "[rbp-8]", ".cfa: $rbp -8 + ^" },
		{ CLAIM_RETURN_ADDRESS, ".cfa 8 - ^", "c-8", ".ra: .cfa -8 + ^" },
		{ CLAIM_REGISTER + RBX, ".cfa 16 -", "v-16", "$rbx: .cfa -16 +" }, { CLAIM_REGISTER + RBX, "$rbp", "rbp", "$rbx: $rbp" },
		{ CLAIM_REGISTER + RBX, "$rbx", "s", "$rbx: $rbx" }, { CLAIM_CFA, "$rax 8 +", "rax+8", ".cfa: $rax 8 +" },
		{ CLAIM_REGISTER + RBX, "$rax", "rax", "$rbx: $rax" }, { CLAIM_REGISTER + RBX, "$rax 8 +", "rax+8", "$rbx: $rax 8 +" },
		{ CLAIM_REGISTER + RBX, "$rax ^", "[rax]", "$rbx: $rax ^" }, { CLAIM_REGISTER, "$rax", "s", "$rax: $rax" },
		{ CLAIM_REGISTER, "$rbx", "rbx", "$rax: $rbx" }, { CLAIM_RETURN_ADDRESS, "$rax", "rax", ".ra: $rax" },
		{ CLAIM_REGISTER + RBX, "16", "16", "" }, { CLAIM_REGISTER + RBX, "16 ^", "[16]", "" },
		{ CLAIM_REGISTER + RBX, ".cfa", "v+0", "$rbx: .cfa" }, { CLAIM_REGISTER + RBX, "$rsp 8 * ^", "exp", "" },
		{ CLAIM_REGISTER + RBX, ".undef", "u", "" },
	};
	char buffer[128];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct claim claim = claim_on(amd64, cases[i].column, cases[i].rule);
		is_str(claim_format(amd64, cases[i].column, &claim, buffer, sizeof(buffer)),
		       cases[i].words, "'%s' is written %s", cases[i].rule, cases[i].words);
		is_str(claim_postfix(amd64, cases[i].column, &claim, buffer, sizeof(buffer)),
		       cases[i].postfix, "'%s' is the rule '%s' in postfix", cases[i].rule, cases[i].postfix);
	}
	is_str(claim_column_name(amd64, CLAIM_REGISTER + RBP), "rbp", "columns have names");
	is_str(claim_column_name(amd64, CLAIM_REGISTER), "rax", "the first register's column has its name");
	is_str(claim_column_name(amd64, CLAIM_RETURN_ADDRESS), "return address", "the return address's column has its name");
	is_str(claim_column_name(amd64, CLAIM_CFA), "CFA", "the CFA's column has its name");
	is_u64(claim_columns(amd64), 2u + (unsigned)amd64->register_count, "a row has two columns and one for each register");
}

/* A rule that counts from the CFA's base register is changed to count from the CFA. */
static const struct {
	unsigned column;
	const char *rule, *cfa, *words;
} from_cfa_cases[] = {
	{ CLAIM_REGISTER + RBX, "$rax 8 +", "$rax 24 +", "v-16" }, { CLAIM_REGISTER + RBX, "$rsp ^", "$rsp 8 +", "c-8" },
	{ CLAIM_REGISTER + RBX, "$rsp 8 +", "$rsp 8 +", "v+0" }, { CLAIM_REGISTER + RBX, "$rbp ^", "$rsp 8 +", "[rbp]" },
	{ CLAIM_REGISTER + RBX, "$rsp ^", "$rsp ^", "[rsp]" }, { CLAIM_REGISTER + RBX, "$rax 8 +", ".undef", "rax+8" },
	{ CLAIM_REGISTER + RBX, "$rax 8 +", "$rax 2 *", "rax+8" },
	{ CLAIM_REGISTER + RBX, "$rax 2 *", "$rax 8 +", "exp" }, { CLAIM_REGISTER + RBX, "8", "8", "8" },
	{ CLAIM_REGISTER + RBX, "$rsp .cbCalleeParams +", "$rsp 8 +", "rsp" }, { CLAIM_CFA, "$rsp 8 +", "$rsp 8 +", "rsp+8" },
};

TEST_EACH(from_cfa, from_cfa_cases)
{
	char buffer[128];
	const struct claim cfa = claim_on(amd64, CLAIM_CFA, from_cfa_cases[i].cfa);
	const struct claim rule = claim_on(amd64, from_cfa_cases[i].column, from_cfa_cases[i].rule);
	const struct claim from = claim_from_cfa(amd64, from_cfa_cases[i].column, &rule, &cfa);

	is_str(claim_format(amd64, from_cfa_cases[i].column, &from, buffer, sizeof(buffer)), from_cfa_cases[i].words,
	       "'%s' is counted from the CFA '%s' if possible", from_cfa_cases[i].rule, from_cfa_cases[i].cfa);
}

TEST(kept)
{
	ok(claim_is_kept(amd64, false, RBX), "calls keep rbx");
	ok(!claim_is_kept(amd64, false, 4), "calls do not keep rsi");
	ok(claim_is_kept(amd64, true, 4), "calls keep rsi on Windows");
	ok(!claim_is_kept(amd64, true, 0), "calls change rax on Windows");
	ok(!claim_is_kept(amd64, false, amd64->sp) && !claim_is_kept(amd64, true, amd64->sp) &&
	   !claim_is_kept(amd64, true, amd64->pc), "a call changes the stack pointer and pc");
}

/* The column of a rule. */
TEST(columns)
{
	static const struct {
		const char *name, *expression;
		int column;	/* -1: none */
	} cases[] = {
		{ ".cfa", "$rsp 8 +", CLAIM_CFA }, { ".cfa", ".cfa", CLAIM_CFA },
		{ ".ra", "$rax", CLAIM_RETURN_ADDRESS }, { "$rbx", ".cfa", CLAIM_REGISTER + RBX },
		{ "$rax", "1", CLAIM_REGISTER }, { "$rsp", ".cfa", -1 }, { "$rip", "$rax", -1 }, { "frob", "1", -1 },
	};
	unsigned column;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct rule_part part = { .name = text_of(cases[i].name), .expression = text_of(cases[i].expression) };
		const struct rule_set *set = rule_set_parts(&arena, amd64, &part, 1);
		const bool found = claim_column_of(amd64, &set->rules[0], &column);

		ok(found == (cases[i].column >= 0) && (!found || (int)column == cases[i].column),
		   "the column of '%s: %s' is found", cases[i].name, cases[i].expression);
	}
	const struct rule_part other = { .name = text_of("$rsp"), .expression = text_of("$rax") };
	const struct rule_set *set = rule_set_parts(&arena, amd64, &other, 1);
	ok(claim_column_of(amd64, &set->rules[0], &column) && column == CLAIM_REGISTER + (unsigned)amd64->sp,
	   "a stack pointer that is not the CFA has its own column");
}

/* Sums as claims: a register with its own value is unchanged, 32-bit offsets wrap. */
TEST(sums)
{
	const struct claim same = claim_sum(amd64, CLAIM_REGISTER + RBX, RBX, 0, false);
	const struct claim read = claim_sum(amd64, CLAIM_REGISTER + RBX, RBX, 0, true);
	const struct claim moved = claim_sum(amd64, CLAIM_REGISTER + RBX, RBX, 8, false);
	const struct claim first = claim_sum(amd64, CLAIM_RETURN_ADDRESS, 0, 0, false);
	const struct claim wide = claim_sum(amd64, CLAIM_CFA, RBX, INT64_C(1) << 32, false);
	const struct claim narrow = claim_sum(x86, CLAIM_CFA, 1, (INT64_C(1) << 32) - 4, true);

	is_u64(same.kind, CLAIM_SAME, "a register that has its own value is unchanged");
	ok(read.kind == CLAIM_RULE && read.base == RBX && read.dereference && read.offset == 0,
	   "the word at a register's value is a rule with a dereference");
	ok(moved.kind == CLAIM_RULE && moved.offset == 8 && !moved.dereference, "a sum of a register and an offset is a rule");
	ok(first.kind == CLAIM_RULE && first.base == 0, "a return address may be in a register");
	is_u64(wide.kind, CLAIM_EXPRESSION, "an offset of 4 GiB is no plain sum");
	ok(narrow.offset == -4 && narrow.dereference, "an offset on a CPU of 32 bits wraps");
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	x86 = arch_by_id(ARCH_X86);
	run_tests();
	arena_free(&arena);
	return done_testing();
}
