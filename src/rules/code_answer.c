/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/code_answer.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"

/* Most bytes of answers kept for all walks of a crash. */
#define KEPT_MOST ((size_t)16 << 20)

/* The place of the instruction that made a rule, in the module's file or in the dump. */
static struct place
place_of(const struct code_source *source, const struct flow_rule *rule)
{
	const uint64_t address = source->crash->modules[source->module].base + rule->maker;
	struct place place = { 0 };
	uint64_t value;
	uint8_t byte;

	if (!rule->made)
		return place;
	if (binaries_read(source->binaries, address, &byte, 1, &place) == 0 && source->view != NULL)
		memory_read(source->view, address, 1, &value, &place);
	if (place.input != NULL)
		place.length = rule->length;
	return place;
}

static struct rule_part
part_of(const struct code_source *source, const char *name, const struct flow_rule *rule)
{
	return (struct rule_part){ .name = text_of(name),
		.expression = text_of(rule->expression[0] != '\0' ? rule->expression : ".undef"),
		.record = place_of(source, rule) };
}

/* The answer of a row, which lives as long as `arena`. */
static struct code_answer
answer_of(const struct code_source *source, const struct flow_row *row, struct arena *arena)
{
	struct rule_part parts[ARCH_REGISTERS + 2];
	size_t count = 0;

	parts[count++] = part_of(source, ".cfa", &row->cfa);
	parts[count++] = part_of(source, ".ra", &row->return_address);
	for (size_t i = 0; i < row->count; i++)
		parts[count++] = part_of(source,
			source->crash->system.arch->registers[row->rules[i].reg].name,
			&row->rules[i]);
	return (struct code_answer){ .row = row,
		.set = rule_set_parts(arena, source->crash->system.arch, parts, count) };
}

static struct code_answer
ask(const struct code_source *source, const struct flow_question *question, struct arena *arena)
{
	struct code_answer answer = { .row = NULL };
	struct flow_module module;

	flow_module_init(&module, source->crash, source->binaries, source->view, source->module);
	flow_module_bound(&module);
	const struct flow_row *row = flow_row_find(&module, question, arena, &answer.problem);
	flow_module_free(&module);
	return row == NULL ? answer : answer_of(source, row, arena);
}

static bool
copy_rule(struct flow_rule *rule, struct arena *arena)
{
	if (rule->expression != NULL)
		rule->expression = arena_copy(arena, rule->expression, strlen(rule->expression));
	return rule->expression != NULL;
}

static const struct flow_row *
copy_row(const struct flow_row *row, struct arena *arena)
{
	struct flow_row *copy = arena_alloc(arena, sizeof(*copy));

	if (copy == NULL)
		return NULL;
	*copy = *row;
	copy->rules = arena_array(arena, row->count + 1, sizeof(*copy->rules));
	if (copy->rules == NULL)
		return NULL;
	if (row->count > 0)
		memcpy(copy->rules, row->rules, row->count * sizeof(*copy->rules));
	bool whole = copy_rule(&copy->cfa, arena) && copy_rule(&copy->return_address, arena);
	for (size_t i = 0; whole && i < copy->count; i++)
		whole = copy_rule(&copy->rules[i], arena);
	return whole ? copy : NULL;
}

static void
close_answers(void *slot)
{
	hash_free(slot);
}

/* A new file may show other beginnings of functions. */
static void
forget_answers(struct binaries_reader *reader, size_t module)
{
	pthread_mutex_lock(&reader->mutex);
	hash_free((struct hash *)reader->slots + module);
	pthread_mutex_unlock(&reader->mutex);
}

/* Keep an answer for other walks, if there is room; called under the lock. */
static void
keep(struct binaries_reader *reader, const struct code_source *source, uint64_t address,
	uint64_t key, const struct code_answer *answer)
{
	struct arena *arena = &reader->arena;
	struct code_answer *made =
		arena->used < KEPT_MOST ? arena_alloc(arena, sizeof(*made)) : NULL;

	if (made == NULL)
		return;
	*made = *answer;
	if (answer->row != NULL) {
		const struct flow_row *row = copy_row(answer->row, arena);

		if (row == NULL)
			return;
		*made = answer_of(source, row, arena);
		if (made->set == NULL)
			return;
	}
	hash_put((struct hash *)reader->slots + source->module, address, key, made);
}

/*
 * Walks of a crash and repeated steps need the same answers: each function is run once for an
 * address, and the budget is charged once. A copy of the crash, which may lack bytes or record
 * those that are read, and a walk that sees a part of the memory get no shared answers.
 */
struct code_answer
code_answer(
	const struct code_source *source, const struct flow_question *question, struct arena *arena)
{
	static const struct binaries_reader_kind kind = { .room = BINARIES_CODE_ANSWERS,
		.slot_size = sizeof(struct hash),
		.close = close_answers,
		.served = forget_answers };
	struct binaries_reader *reader = binaries_reader(source->binaries, &kind, source->module);
	const uint64_t asked[] = { question->exact, question->halfwords, question->start,
		question->size };
	const uint64_t key = hash_bytes(HASH_START, asked, sizeof(asked));
	const bool whole = source->view != NULL && source->view->runs == source->crash->runs;

	if (reader == NULL || reader->crash != source->crash || !whole)
		return ask(source, question, arena);
	struct hash *known = (struct hash *)reader->slots + source->module;
	pthread_mutex_lock(&reader->mutex);
	const struct code_answer *there = hash_find(known, question->address, key);
	pthread_mutex_unlock(&reader->mutex);
	if (there != NULL)
		return *there;
	const struct code_answer answer = ask(source, question, arena);
	pthread_mutex_lock(&reader->mutex);
	keep(reader, source, question->address, key, &answer);
	pthread_mutex_unlock(&reader->mutex);
	return answer;
}
