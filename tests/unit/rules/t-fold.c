/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/fold.h"

#include "tests/lib/tap.h"

/* Rules that are equal in spite of their spelling, and rules that only look alike. */

static const struct arch *amd64;
static struct arena arena;

static struct linear
form_of(const char *expression, const struct linear *cfa)
{
	const struct program *program =
		program_compile(&arena, amd64, ARCH_NAMES_EXACT, text_of(expression), (struct place){ 0 });

	return linear_of(program, cfa);
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
	snprintf(text, sizeof(text), "%s%s%+lld%s%s", linear->dereference ? "[" : "", base,
		 (long long)linear->offset, linear->parameters ? "+p" : "", linear->dereference ? "]" : "");
	return text;
}

static const struct {
	const char *expression, *form;
} forms_rows[] = {
	{ "$rsp", "rsp+0" }, { "$rsp 8 +", "rsp+8" }, { "8 $rsp +", "rsp+8" }, { "$rsp 8 -", "rsp-8" },
	{ "$rsp -8 +", "rsp-8" }, { "$rsp 8 + 16 + 4 -", "rsp+20" }, { "$rbp 16 - ^", "[rbp-16]" },
	{ "24", "+24" }, { "$rsp $rbp +", "more" }, { "8 $rsp -", "more" }, { "$rsp ^ ^", "more" },
	{ "$rsp ^ 8 +", "more" }, { "$rsp 8 *", "more" }, { "$rsp 7 2 * +", "rsp+14" }, { "7 2 /", "+3" },
	{ "7 4 %", "+3" }, { "7 0 /", "more" }, { "7 0 %", "more" }, { "-7 4 %", "more" },
	{ "4294967296 4 /", "more" }, { "7 4 @", "more" }, { "$rsp 8", "more" }, { "+", "more" },
	{ "1 1 1 1 1 1 1 1 + + + + + + +", "+8" }, { "", "more" }, { "^", "more" },
	{ "$rsp 8 + ^", "[rsp+8]" }, { "16 ^", "[+16]" }, { "$rsp $rbp -", "more" },
	{ "$rsp $rsp -", "more" }, { "8 16 -", "-8" }, { "8 $rsp ^ +", "more" }, { "8 +", "more" },
	{ "$rsp + 8", "more" }, { "$rax", "rax+0" }, { "8 $rax +", "rax+8" }, { "$rax $rax +", "more" },
	{ "$rsp frob +", "more" }, { "frob ^", "more" }, { ".cfa 8 +", "more" }, { "$T0 8 =", "more" },
	{ ".cbCalleeParams", "+0+p" }, { "$rsp .cbCalleeParams + 4 +", "rsp+4+p" },
	{ ".cbCalleeParams $rsp + ^", "[rsp+0+p]" }, { "$rsp .cbCalleeParams -", "more" }, { "$rsp .cbCalleeParams 4 - +", "rsp-4+p" },
	{ "$rsp .cbCalleeParams + .cbCalleeParams +", "more" }, { "$rsp 9223372036854775807 + 1 +", "rsp-9223372036854775808" },
};

TEST_EACH(forms, forms_rows)
{
	const struct linear form = form_of(forms_rows[i].expression, NULL);

	is_str(shown(&form), forms_rows[i].form, "'%s' is %s", forms_rows[i].expression, forms_rows[i].form);
}

/* The entries of a PLT: breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus. */
static const struct {
	const char *expression;
	uint64_t pc;
	const char *form;
} by_address[] = {
	{ "$rsp 8 + $rip 16 % 5 + 16 / 8 * +", 0x1030, "rsp+8" }, { "$rsp 8 + $rip 16 % 5 + 16 / 8 * +", 0x103a, "rsp+8" },
	{ "$rsp 8 + $rip 16 % 5 + 16 / 8 * +", 0x103b, "rsp+16" },
	{ "$rsp 8 + $rip 16 % 5 + 16 / 8 * +", 0x103f, "rsp+16" }, { "$rsp $rip 5000 % +", 0x1030, "more" },
	{ "$rip 16 +", 0x1030, "more" },
};

TEST_EACH(by_address, by_address)
{
	const struct program *program =
		program_compile(&arena, amd64, ARCH_NAMES_EXACT, text_of(by_address[i].expression), (struct place){ 0 });
	const struct linear form = linear_at(program, amd64->pc, by_address[i].pc);

	is_str(shown(&form), by_address[i].form, "'%s' at 0x%" PRIx64 " is %s",
	       by_address[i].expression, by_address[i].pc, by_address[i].form);
}

TEST(by_cfa)
{
	const struct linear cfa = form_of("$rsp 16 +", NULL), read = form_of("$rsp ^", NULL);
	struct linear form = form_of(".cfa -8 + ^", &cfa);

	is_str(shown(&form), "[rsp+8]", "a rule over .cfa becomes a rule over the CFA's register");
	form = form_of(".cfa -8 + ^", &read);
	is_str(shown(&form), "[cfa-8]", "a CFA that is read from memory keeps its name");
	ok(linear_same(&form, &form), "a form is the same as itself");
	form.known = false;
	ok(!linear_same(&form, &form), "an unknown form is not the same as itself");
}

/* Two forms are equal if all their parts are. */
TEST(same)
{
	static const char *const forms[] = {
		"$rsp", "$rax", "$rsp 8 +", "$rsp 16 +", "$rsp ^", "$rsp 8 + ^", "8", ".cfa", ".cfa 8 +", "$rsp .cbCalleeParams +",
		"$rsp 8 + .cbCalleeParams +", ".cbCalleeParams", "$rsp 2 *",
	};
	const struct linear read = form_of("$rsp ^", NULL);

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++)
		for (size_t k = 0; k < ARRAY_COUNT(forms); k++) {
			const struct linear one = form_of(forms[i], &read);
			const struct linear other = form_of(forms[k], &read);

			is_u64(linear_same(&one, &other), i == k && one.known,
			       "'%s' and '%s' are the same form or not, as expected", forms[i], forms[k]);
		}
}

/* Expressions that fail with any registers and any memory. */
static const struct {
	const char *text;
	bool fails;
} expressions[] = {
	{ "$rsp 8 +", false }, { ".cfa 8 - ^", false }, { ".ra", false }, { "8", false }, { "$rsp ^", false },
	{ "$rsp ^ ^ 8 +", false }, { "1 2 + 3 *", false }, { "$rsp 8", true }, { "8 +", true }, { "+", true },
	{ "", true }, { "^", true }, { "$rsp 8 + +", true }, { "frob 8 +", true }, { "$rsp frob +", true },
	{ "$rsp 8 + 1", true }, { "1 2 3 +", true }, { "1 2 3 + +", false },
	/* No verdict about programs. */
	{ "$rsp 8 =", false }, { "$rsp 1 = 2", false }, { "$T0 8 =", false },
};

TEST_EACH(always_fails, expressions)
{
	const struct place place = { 0 };
	const struct program *program = program_compile(&arena, amd64, ARCH_NAMES_EXACT, text_of(expressions[i].text), place);

	is_u64(fold_always_fails(program), expressions[i].fails, "'%s' always fails or may succeed, as expected", expressions[i].text);
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	run_tests();
	arena_free(&arena);
	return done_testing();
}
