/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/code_answer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"

/* Maximum bytes of the answers cached for all walks of a crash. */
#define KEPT_MOST ((size_t)16 << 20)

/* The place of the instruction that caused a rule, in the module's file or in the dump. */
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

/* The answer of a row, which lives as long as `arena`. */
static struct code_answer
answer_of(const struct code_source *source, const struct flow_row *row, struct arena *arena)
{
	const struct arch *arch = source->crash->system.arch;
	struct code_answer answer = { .row = row };
	struct rule_part parts[CLAIM_COLUMNS];
	char sum[64];

	for (size_t i = 0; i < row->count; i++) {
		const struct flow_rule *rule = &row->rules[i];
		const char *text = claim_expression(arch, &rule->claim, sum, sizeof(sum));

		text = rule->beyond != 0
			       ? arena_format(arena, "%s %" PRId64 " +", text, rule->beyond)
			       : arena_string(arena, text);
		if (text == NULL)
			return answer;
		parts[i] = (struct rule_part){
			.name = text_of(claim_rule_name(arch, rule->column)),
			.expression = text_of(text[0] != '\0' ? text : ".undef"),
			.record = place_of(source, rule)
		};
	}
	answer.set = rule_set_parts(arena, arch, parts, row->count);
	return answer;
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

static void
close_answers(void *slot)
{
	hash_free(slot);
}

/* Forget the answers, because a new file may show other beginnings of functions. */
static void
forget_answers(struct binaries_reader *reader, size_t module)
{
	pthread_mutex_lock(&reader->mutex);
	hash_free((struct hash *)reader->slots + module);
	pthread_mutex_unlock(&reader->mutex);
}

/* Cache an answer for other walks, if the limit allows it; the caller holds the lock. */
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
		const size_t size = offsetof(struct flow_row, rules) +
			answer->row->count * sizeof(answer->row->rules[0]);
		struct flow_row *row = arena_alloc(arena, size);

		if (row == NULL)
			return;
		memcpy(row, answer->row, size);
		*made = answer_of(source, row, arena);
		if (made->set == NULL)
			return;
	}
	hash_put((struct hash *)reader->slots + source->module, address, key, made);
}

/*
 * Walks of a crash and repeated steps need the same answers, so each function is run once for an
 * address. The budget is charged once, too. Walks that see only a part of the memory share
 * no answers. Neither do walks of a copy of the crash: a copy may lack bytes or log reads.
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
