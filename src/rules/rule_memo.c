/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_memo.h"

#include <string.h>

#include "base/hash.h"

/* Limits for shared rule sets; larger sets are built anew for each address. */
#define SHAPE_RULES 24u
#define SHAPE_DELTAS 64u

/* The rules of a text without errors. */
struct memo_reading {
	struct text text;
	const struct rule_set *set;
};

/* The rules in force after a sequence of readings. */
struct shape {
	const struct rule *rules;
	size_t count;
	int cfa, return_address;
};

struct rule_memo {
	struct arena *arena;
	struct hash readings;		/* by hash and length of their text */
	struct hash shapes;		/* by their readings */
};

struct rule_memo *
rule_memo_create(struct arena *arena)
{
	struct rule_memo *memo = arena_alloc(arena, sizeof(*memo));

	if (memo != NULL)
		memo->arena = arena;
	return memo;
}

void
rule_memo_free(struct rule_memo *memo)
{
	if (memo == NULL)
		return;
	hash_free(&memo->readings);
	hash_free(&memo->shapes);
}

/* NULL if the text has an error. */
static const struct memo_reading *
read_text(struct rule_memo *memo, const struct arch *arch, enum arch_names names,
	  struct text text)
{
	const uint64_t key = hash_words(0, text.start, text.length);
	const struct memo_reading *known = hash_find(&memo->readings, key, text.length);

	if (known != NULL && text_equal(known->text, text))
		return known;
	struct memo_reading *reading = arena_alloc(memo->arena, sizeof(*reading));
	if (reading == NULL)
		return NULL;
	reading->text = text;
	reading->set = rule_set_of_record(memo->arena, arch, names, text);
	if (reading->set == NULL || !hash_put(&memo->readings, key, text.length, reading))
		return NULL;
	return reading;
}

/* The rules of `before`, replaced or extended by those of the reading. */
static const struct shape *
shape_behind(struct rule_memo *memo, const struct shape *before, const struct memo_reading *reading)
{
	const uint64_t keys[] = { (uint64_t)(uintptr_t)before, (uint64_t)(uintptr_t)reading };

	if (reading == NULL)
		return NULL;
	const struct shape *known = hash_find(&memo->shapes, keys[0], keys[1]);
	if (known != NULL)
		return known;
	const struct rule_set *set = reading->set;
	const size_t most = (before == NULL ? 0 : before->count) + set->count;
	struct shape *shape = most > SHAPE_RULES ? NULL : arena_alloc(memo->arena, sizeof(*shape));
	struct rule *rules = shape == NULL ? NULL : arena_array(memo->arena, most, sizeof(*rules));
	if (rules == NULL)
		return NULL;
	*shape = (struct shape){ .rules = rules, .cfa = -1, .return_address = -1 };
	if (before != NULL) {
		*shape = *before;
		shape->rules = rules;
		memcpy(rules, before->rules, before->count * sizeof(*rules));
	}
	for (size_t i = 0; i < set->count; i++) {
		size_t at = 0;

		while (at < shape->count && !text_equal(rules[at].name, set->rules[i].name))
			at++;
		rules[at] = set->rules[i];
		rules[at].delta = before != NULL;
		shape->count += at == shape->count;
		if (rules[at].target == RULE_CFA)
			shape->cfa = (int)at;
		else if (rules[at].target == RULE_RETURN_ADDRESS)
			shape->return_address = (int)at;
	}
	return hash_put(&memo->shapes, keys[0], keys[1], shape) ? shape : NULL;
}

const struct rule_set *
rule_memo_set(struct rule_memo *memo, const struct arch *arch, enum arch_names names,
	      const struct stack_cfi *init, const struct stack_cfi *deltas, size_t count)
{
	if (count > SHAPE_DELTAS)
		return NULL;
	const struct shape *shape =
		shape_behind(memo, NULL, read_text(memo, arch, names, init->rules));
	for (size_t i = 0; shape != NULL && i < count; i++)
		shape = shape_behind(memo, shape,
				     read_text(memo, arch, names, deltas[i].rules));
	struct rule_set *set =
		shape == NULL ? NULL : arena_alloc(memo->arena, sizeof(*set));
	if (set == NULL)
		return NULL;
	*set = (struct rule_set){ .rules = shape->rules, .count = shape->count,
				  .cfa = shape->cfa, .return_address = shape->return_address,
				  .address = init->address, .size = init->size,
				  .delta_count = count };
	return set;
}
