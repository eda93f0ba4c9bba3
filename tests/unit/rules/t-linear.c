/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/linear.h"

#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"

/* Rules that do the same however they are written, and those that only look alike. */

static const struct arch *amd64;
static struct arena arena;

static void
rules_of(const char *cfa, const char *ra, const char *rbp, struct linear_rule rules[LINEAR_WHATS])
{
	const struct rule_part parts[] = {
		{ .name = text_of(".cfa"), .expression = text_of(cfa) },
		{ .name = text_of(".ra"), .expression = text_of(ra) },
		{ .name = text_of("$rbp"), .expression = text_of(rbp != NULL ? rbp : "") },
	};
	const struct rule_set *set =
		rule_set_parts(&arena, amd64, parts, rbp != NULL ? 3 : 2);

	linear_rules(amd64, set, rules);
}

/* "rsp+8", "[cfa-16]", "12", or "more". */
static const char *
shown(const struct linear *linear)
{
	static char text[64];
	char base[16] = "";

	if (!linear->known)
		return "more";
	if (linear->base >= 0)
		snprintf(base, sizeof(base), "%s", amd64->registers[linear->base].label);
	else if (linear->base == LINEAR_CFA)
		snprintf(base, sizeof(base), "cfa");
	snprintf(text, sizeof(text), "%s%s%+lld%s", linear->dereference ? "[" : "", base,
		 (long long)linear->offset, linear->dereference ? "]" : "");
	return text;
}

static void
test_forms(void)
{
	static const struct {
		const char *expression, *form;
	} cases[] = {
		{ "$rsp", "rsp+0" },
		{ "$rsp 8 +", "rsp+8" },
		{ "8 $rsp +", "rsp+8" },
		{ "$rsp 8 -", "rsp-8" },
		{ "$rsp -8 +", "rsp-8" },
		{ "$rsp 8 + 16 + 4 -", "rsp+20" },
		{ "$rbp 16 - ^", "[rbp-16]" },
		{ "24", "+24" },
		{ "$rsp $rbp +", "more" },
		{ "8 $rsp -", "more" },
		{ "$rsp ^ ^", "more" },
		{ "$rsp ^ 8 +", "more" },
		{ "$rsp 8 *", "more" },
		{ "$rsp 8", "more" },
		{ "+", "more" },
		{ "1 1 1 1 1 1 1 1 1 + + + + + + + +", "more" },
		{ "$rsp 9223372036854775807 + 1 +", "rsp-9223372036854775808" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct linear_rule rules[LINEAR_WHATS];

		rules_of(cases[i].expression, ".cfa 8 - ^", NULL, rules);
		is_str(shown(&rules[LINEAR_OF_CFA].linear), cases[i].form, "'%s' is %s",
		       cases[i].expression, cases[i].form);
	}
}

static void
test_by_cfa(void)
{
	struct linear_rule rules[LINEAR_WHATS];

	rules_of("$rsp 16 +", ".cfa -8 + ^", ".cfa 16 - ^", rules);
	is_str(shown(&rules[LINEAR_OF_RETURN_ADDRESS].linear), "[rsp+8]",
	       "a rule over .cfa is one over the CFA's register");
	is_str(shown(&rules[LINEAR_OF_RETURN_ADDRESS].by_cfa), "[cfa-8]", "and one from the CFA");
	is_str(shown(&rules[LINEAR_OF_FRAME_POINTER].by_cfa), "[cfa-16]",
	       "so is the frame pointer's");
	rules_of("$rsp ^", ".cfa -8 + ^", NULL, rules);
	is_str(shown(&rules[LINEAR_OF_RETURN_ADDRESS].linear), "[cfa-8]",
	       "of a CFA that is read from memory the name stays");
	ok(rules[LINEAR_OF_FRAME_POINTER].implied, "a missing rule is implied");
	is_str(shown(&rules[LINEAR_OF_FRAME_POINTER].linear), "rbp+0", "and means unchanged");
}

static bool
same(const char *cfa, const char *one, const char *other_cfa, const char *other)
{
	struct linear_rule a[LINEAR_WHATS], b[LINEAR_WHATS];

	rules_of(cfa, one, NULL, a);
	rules_of(other_cfa, other, NULL, b);
	return linear_equal(&a[LINEAR_OF_RETURN_ADDRESS], &b[LINEAR_OF_RETURN_ADDRESS]);
}

static void
test_equal(void)
{
	ok(same("$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa 8 - ^"),
	   "a negative offset is a difference");
	ok(same("$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", "$rsp ^"),
	   "a rule over registers is the same");
	ok(same("$rsp 8 +", ".cfa -8 + ^", "$rsp 24 +", ".cfa -8 + ^"),
	   "where the CFAs differ the rules from them are compared");
	ok(!same("$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -16 + ^"), "other offsets differ");
	ok(!same("$rsp 8 +", ".cfa -8 + ^", "$rsp 8 +", ".cfa -8 +"),
	   "a sum is not the word there");
	ok(same("$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "$rsp 8 * ^"),
	   "what has no form is the same with the same text");
	ok(!same("$rsp 8 +", "$rsp 8 * ^", "$rsp 8 +", "8 $rsp * ^"), "and not with another one");
	struct linear_rule one[LINEAR_WHATS], other[LINEAR_WHATS];
	rules_of("$rsp 8 +", ".cfa -8 + ^", NULL, one);
	rules_of("$rsp 8 +", ".cfa -8 + ^", "$rbp", other);
	ok(linear_equal(&one[LINEAR_OF_FRAME_POINTER], &other[LINEAR_OF_FRAME_POINTER]),
	   "a frame pointer that is said to be unchanged is as one that is not named");
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	arena_init(&arena, 0);
	test_forms();
	test_by_cfa();
	test_equal();
	arena_free(&arena);
	return done_testing();
}
