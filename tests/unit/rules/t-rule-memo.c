/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"

/* Shared rules equal those of their records, and are made once. */

static const struct arch *amd64;
static struct arena arena;

static struct stack_cfi
record(uint64_t address, uint64_t size, const char *rules)
{
	return (struct stack_cfi){ .init = size != 0, .address = address, .size = size,
				   .rules = text_of(rules) };
}

/* "NAME=EXPRESSION" of each rule, "+" before rules of deltas; "" for no set. */
static const char *
shown(const struct rule_set *set)
{
	static char text[1024];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; set != NULL && i < set->count && used < sizeof(text); i++) {
		const struct rule *rule = &set->rules[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%.*s=%.*s",
					 i > 0 ? "; " : "", rule->delta ? "+" : "",
					 (int)rule->name.length, rule->name.start,
					 (int)rule->program->text.length,
					 rule->program->text.start);
	}
	return text;
}

static const struct {
	const char *title, *init, *deltas[3];
	const char *said;
	int cfa, return_address;
} cases[] = {
	{ "an INIT record alone", ".cfa: $rsp 8 + .ra: .cfa 8 - ^", { NULL },
	  ".cfa=$rsp 8 +; .ra=.cfa 8 - ^", 0, 1 },
	{ "a delta takes the place of a rule", ".cfa: $rsp 8 + .ra: .cfa 8 - ^",
	  { ".cfa: $rsp 16 +" }, "+.cfa=$rsp 16 +; .ra=.cfa 8 - ^", 0, 1 },
	{ "a delta adds a rule", ".cfa: $rsp 8 + .ra: .cfa 8 - ^",
	  { ".cfa: $rsp 16 +", "$rbx: .cfa 16 - ^" },
	  "+.cfa=$rsp 16 +; .ra=.cfa 8 - ^; +$rbx=.cfa 16 - ^", 0, 1 },
	{ "the last of several deltas counts", ".cfa: $rsp 8 + .ra: .cfa 8 - ^",
	  { ".cfa: $rsp 16 +", "$rbx: .cfa 16 - ^", ".cfa: $rbp 16 + $rbx: $rbx" },
	  "+.cfa=$rbp 16 +; .ra=.cfa 8 - ^; +$rbx=$rbx", 0, 1 },
	{ "rules are in the order in which they were first named",
	  "$rbx: $rbx .ra: .cfa 8 - ^ .cfa: $rsp 8 +", { ".ra: $rax" },
	  "$rbx=$rbx; +.ra=$rax; .cfa=$rsp 8 +", 2, 1 },
	{ "a record without a rule for the CFA", ".ra: $rax", { NULL }, ".ra=$rax", -1, 0 },
	{ "a record without a rule for the return address", ".cfa: $rsp", { NULL },
	  ".cfa=$rsp", 0, -1 },
	{ "a text that is not good to its end", ".cfa: $rsp 8 + .ra: .cfa 8 - ^", { ".cfa" },
	  "", -1, -1 },
	{ "an INIT record that is not good", "$rsp 8 +", { NULL }, "", -1, -1 },
};

static void
test_cases(struct rule_memo *memo)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct stack_cfi init = record(0x1000, 0x80, cases[i].init);
		struct stack_cfi deltas[3];
		size_t count = 0;

		for (; count < 3 && cases[i].deltas[count] != NULL; count++)
			deltas[count] = record(0x1010 + count, 0, cases[i].deltas[count]);
		const struct rule_set *set = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &init,
							   deltas, count);
		is_str(shown(set), cases[i].said, "%s", cases[i].title);
		ok((set != NULL) == (cases[i].said[0] != '\0'),
		   "only rules without an error make a set");
		if (set == NULL)
			continue;
		ok(set->cfa == cases[i].cfa && set->return_address == cases[i].return_address,
		   "and it is said where CFA and return address are");
		ok(set->address == 0x1000 && set->size == 0x80 && set->delta_count == count,
		   "and what is covered, by how many deltas");
	}
}

/* Other functions with equal rows share the rules. */
static void
test_sharing(struct rule_memo *memo)
{
	const char *const texts[] = { ".cfa: $rsp 8 + .ra: .cfa 8 - ^", ".cfa: $rsp 24 +" };
	const struct stack_cfi first[] = { record(0x1000, 0x80, texts[0]),
					   record(0x1004, 0, texts[1]) };
	const struct stack_cfi second[] = { record(0x2000, 0x10, strdup(texts[0])),
					    record(0x2004, 0, strdup(texts[1])) };
	const struct rule_set *one = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &first[0],
						   &first[1], 1);
	const struct rule_set *other = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &second[0],
						     &second[1], 1);
	const struct rule_set *before = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &first[0],
						      NULL, 0);

	ok(one != NULL && other != NULL && one->rules == other->rules,
	   "rows with the same texts share their rules, wherever the texts are");
	ok(other != NULL && other->address == 0x2000 && other->size == 0x10,
	   "and each set covers what its own record does");
	ok(before != NULL && before->rules != one->rules && before->rules[0].program !=
	   one->rules[0].program, "rules in force before a delta are unchanged");
	free((char *)second[0].rules.start);
	free((char *)second[1].rules.start);
}

static void
test_many(struct rule_memo *memo)
{
	enum { DELTAS = 1000, RULES = 17 };
	static struct stack_cfi deltas[DELTAS];
	const struct stack_cfi init = record(0x1000, 0x10000, ".cfa: $rsp 8 + .ra: .cfa 8 - ^");
	char text[1024] = "";

	for (size_t i = 0; i < DELTAS; i++)
		deltas[i] = record(0x1000 + i, 0, i % 2 == 0 ? ".cfa: $rsp 16 +" : ".cfa: $rsp");
	for (size_t i = 1; i <= 50; i++) {
		const struct rule_set *set = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &init,
							   deltas, i);
		if (i == 49 || i == 50)
			is_str(shown(set), i == 49 ? "+.cfa=$rsp 16 +; .ra=.cfa 8 - ^"
						   : "+.cfa=$rsp; .ra=.cfa 8 - ^",
			       "the last of %zu deltas counts", i);
	}
	ok(rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &init, deltas, DELTAS) == NULL,
	   "very many deltas are not for a memo");
	for (size_t i = 0; i < RULES; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "$%s: %zu ",
			 amd64->registers[i].label, i);
	const struct stack_cfi wide = record(0x1000, 0x10, text);
	const struct rule_set *set = rule_memo_set(memo, amd64, ARCH_NAMES_EXACT, &wide, NULL, 0);
	is_u64(set != NULL ? set->count : 0, RULES, "rules for all registers are");
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	struct rule_memo *memo = rule_memo_create(&arena);

	test_cases(memo);
	test_cases(memo);
	test_sharing(memo);
	test_many(memo);
	rule_memo_free(memo);
	rule_memo_free(NULL);
	arena_free(&arena);
	return done_testing();
}
