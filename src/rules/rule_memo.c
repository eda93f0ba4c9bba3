/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_memo.h"

#include <string.h>

#include "system/checksum.h"

/* More rules, or more deltas, are put together anew for each address. */
#define SHAPE_RULES 24u
#define SHAPE_DELTAS 64u

/* What a text says that is good to its end. */
struct memo_reading {
	struct text text;
	const struct rule_set *set;
};

/* The rules in force behind a row of readings: that of `before`, then one more. */
struct shape {
	const struct shape *before;	/* NULL: `reading` is an INIT record's */
	const struct memo_reading *reading;
	const struct rule *rules;
	size_t count;
	int cfa, return_address;
};

/* Open addressing; the size is a power of two, or 0. */
struct memo_table {
	const void **elements;
	size_t size, count;
	uint64_t (*key)(const void *element);
	bool (*same)(const void *left, const void *right);
};

struct rule_memo {
	struct arena *arena;
	struct memo_table readings, shapes;
};

static uint64_t
reading_key(const void *element)
{
	const struct memo_reading *reading = element;

	return checksum(reading->text.start, reading->text.length, 0);
}

static bool
same_reading(const void *left, const void *right)
{
	const struct memo_reading *a = left, *b = right;

	return text_equal(a->text, b->text);
}

static uint64_t
shape_key(const void *element)
{
	const struct shape *shape = element;
	const uintptr_t key[] = { (uintptr_t)shape->before, (uintptr_t)shape->reading };

	return checksum(key, sizeof(key), 0);
}

static bool
same_shape(const void *left, const void *right)
{
	const struct shape *a = left, *b = right;

	return a->before == b->before && a->reading == b->reading;
}

struct rule_memo *
rule_memo_create(struct arena *arena)
{
	struct rule_memo *memo = arena_alloc(arena, sizeof(*memo));

	if (memo == NULL)
		return NULL;
	memo->arena = arena;
	memo->readings = (struct memo_table){ .key = reading_key, .same = same_reading };
	memo->shapes = (struct memo_table){ .key = shape_key, .same = same_shape };
	return memo;
}

/* Where an element is, or belongs. */
static const void **
place_of(const struct memo_table *table, const void *wanted)
{
	size_t at = (size_t)table->key(wanted) & (table->size - 1);

	while (table->elements[at] != NULL && !table->same(table->elements[at], wanted))
		at = (at + 1) & (table->size - 1);
	return &table->elements[at];
}

/* Have room for one more element; false when out of memory. */
static bool
make_room(struct memo_table *table, struct arena *arena)
{
	struct memo_table larger = *table;

	if (table->count < table->size / 2)
		return true;
	larger.size = table->size == 0 ? 64 : table->size * 2;
	larger.elements = arena_array(arena, larger.size, sizeof(*larger.elements));
	if (larger.elements == NULL)
		return false;
	for (size_t i = 0; i < table->size; i++)
		if (table->elements[i] != NULL)
			*place_of(&larger, table->elements[i]) = table->elements[i];
	*table = larger;
	return true;
}

/* NULL where the text is not good to its end. */
static const struct memo_reading *
read_text(struct rule_memo *memo, const struct arch *arch, enum arch_names names,
	  struct text text)
{
	const struct memo_reading wanted = { .text = text };

	if (!make_room(&memo->readings, memo->arena))
		return NULL;
	const void **place = place_of(&memo->readings, &wanted);
	if (*place == NULL) {
		struct memo_reading *reading = arena_alloc(memo->arena, sizeof(*reading));

		if (reading == NULL)
			return NULL;
		*reading = wanted;
		reading->set = rule_set_of_record(memo->arena, arch, names, text);
		if (reading->set == NULL)
			return NULL;
		*place = reading;
		memo->readings.count++;
	}
	return *place;
}

/* The rules of `shape->before`, with those of the reading in their place or behind them. */
static bool
put_together(struct shape *shape, struct arena *arena)
{
	const struct shape *before = shape->before;
	const struct rule_set *set = shape->reading->set;
	const size_t most = (before == NULL ? 0 : before->count) + set->count;
	struct rule *rules = most > SHAPE_RULES ? NULL : arena_array(arena, most, sizeof(*rules));

	if (rules == NULL)
		return false;
	shape->cfa = shape->return_address = -1;
	if (before != NULL) {
		memcpy(rules, before->rules, before->count * sizeof(*rules));
		shape->count = before->count;
		shape->cfa = before->cfa;
		shape->return_address = before->return_address;
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
	shape->rules = rules;
	return true;
}

static const struct shape *
shape_behind(struct rule_memo *memo, const struct shape *before, const struct memo_reading *reading)
{
	const struct shape wanted = { .before = before, .reading = reading };

	if (reading == NULL || !make_room(&memo->shapes, memo->arena))
		return NULL;
	const void **place = place_of(&memo->shapes, &wanted);
	if (*place == NULL) {
		struct shape *shape = arena_alloc(memo->arena, sizeof(*shape));

		if (shape == NULL)
			return NULL;
		*shape = wanted;
		if (!put_together(shape, memo->arena))
			return NULL;
		*place = shape;
		memo->shapes.count++;
	}
	return *place;
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
