/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/contradicted_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "unwind_check/code_judge.h"

/* The contradiction of a row at a place by the code, for all walks of a crash. */
struct code_doubt {
	const char *text; /* NULL: none */
	unsigned column;
};

/* A function's code and its records. */
struct doubted {
	struct flow_module module; /* first, because it is the code's context */
	struct unwind_source source;
	struct rule_module records;
	struct arena arena;
	struct rule_tables tables; /* rows of the function */
	struct flow_function *function;
};

/* The range of the row at an address and the bytes it has pushed; false: no row. */
static bool
row_at(struct doubted *doubted, uint64_t address, struct unwind_row *row)
{
	const struct rule_tables *tables = &doubted->tables;
	const struct rule_row *there =
		tables->count > 0 ? rule_table_at(&tables->tables[0], address) : NULL;

	if (there == NULL || there->kind != RULE_ROW_RULES || there->cells == NULL)
		return false;
	unwind_row_take(&doubted->source, tables, there);
	*row = doubted->source.row;
	return true;
}

static bool
goes_on(void *context, uint64_t address, uint64_t back, const struct flow_state *state,
	struct flow_callee *callee)
{
	struct doubted *doubted = context;
	const struct arch *arch = doubted->module.code.arch;
	struct unwind_row call, next;

	if (!row_at(doubted, address, &call) || !row_at(doubted, back, &next))
		return true;
	const int32_t pushed = unwind_code_pushed(arch, &next);
	if (!callee->settled)
		callee->pops = unwind_code_taken(arch, unwind_code_pushed(arch, &call), pushed);
	const uint64_t from = next.first > back ? next.first : back;
	if (flow_function_is_idle(doubted->function, from, next.last))
		row_at(doubted, next.last + 1, &next);
	return next.first < back ||
		unwind_code_is_for(unwind_code_pushed(arch, &next), state, callee, arch);
}

/* Makes a table of the records of the function around an address. */
static void
lay_out(struct doubted *doubted, const char *name, uint64_t address,
	const struct flow_question *question)
{
	struct rule_source sources[RULE_SOURCES];
	const size_t count = rule_sources(&doubted->records, sources);
	uint64_t start = question->start, end = question->start + question->size;

	if (!flow_module_function(&doubted->module, address, &start, &end) && question->size == 0)
		return;
	rule_tables_init(&doubted->tables, &doubted->arena, doubted->records.arch, start, end - 1);
	doubted->tables.windows = doubted->source.windows;
	for (size_t i = 0; i < count; i++)
		if (strcmp(sources[i].name, name) == 0)
			rule_tables_add(&doubted->tables, &sources[i]);
	rule_tables_finish(&doubted->tables);
}

/* Analyses the function, and compares the source's row with the result. */
static struct code_doubt
ask_code(struct doubted *doubted, const struct walk *walk, const struct frame *frame)
{
	const struct flow_question question = frame_code_question(walk, frame);
	const uint64_t base = walk->crash->modules[frame->module].base;
	const struct unwind_row row = doubted->source.row;
	struct code_doubt doubt = { .text = NULL };
	struct flow_point point;
	uint64_t start;

	doubted->module.code.halfwords = question.halfwords;
	lay_out(doubted, doubted->source.kind->name, frame->lookup - base, &question);
	doubted->function = flow_function_create(&doubted->module.code);
	if (doubted->function != NULL &&
		flow_question_run(&doubted->module, &question, doubted->function, &start, &point) ==
			NULL &&
		!point.inferred) {
		doubted->source.row = row;
		if (unwind_code_judge_row(&doubted->source, point.state, &doubt.column) ==
				FLOW_CONTRADICTS &&
			!unwind_code_is_lost(walk->arch, point.state, doubt.column))
			doubt.text = unwind_code_say(
				&doubted->source, doubt.column, &point, base);
	}
	flow_function_free(doubted->function);
	return doubt;
}

static void
close_doubts(void *slot)
{
	hash_free(slot);
}

/* A cache of ask_code: frames of many threads repeat the question. */
static struct code_doubt
ask_once(struct doubted *doubted, const struct walk *walk, const struct frame *frame)
{
	static const struct binaries_reader_kind kind = { .room = BINARIES_CODE_DOUBTS,
		.slot_size = sizeof(struct hash),
		.close = close_doubts };
	const size_t number = doubted->records.number;
	const struct unwind_row *row = &doubted->source.row;
	struct binaries_reader *reader = binaries_reader(walk->binaries, &kind, number);
	const uint64_t key = frame->registers.value[walk->arch->pc] << 1 | frame->interrupted;
	const uint64_t said = hash_bytes(HASH_START, row->claims, sizeof(row->claims));

	if (reader == NULL)
		return ask_code(doubted, walk, frame);
	struct hash *known = (struct hash *)reader->slots + number;
	pthread_mutex_lock(&reader->mutex);
	const struct code_doubt *there = hash_find(known, key, said);
	pthread_mutex_unlock(&reader->mutex);
	if (there != NULL)
		return *there;
	struct code_doubt doubt = ask_code(doubted, walk, frame);
	pthread_mutex_lock(&reader->mutex);
	struct code_doubt *made = arena_alloc(&reader->arena, sizeof(*made));
	if (made != NULL) {
		made->column = doubt.column;
		if (doubt.text != NULL)
			made->text = arena_copy(&reader->arena, doubt.text, strlen(doubt.text));
		if (doubt.text == NULL || made->text != NULL)
			hash_put(known, key, said, made);
	}
	pthread_mutex_unlock(&reader->mutex);
	return doubt;
}

const char *
contradicted_by_code(const struct walk *walk, const struct frame *frame,
	const struct rule_tables *tables, size_t in_force, uint64_t address,
	struct arena *arena, unsigned *column)
{
	const struct rule_table *table = &tables->tables[in_force];
	const struct rule_row *row = rule_table_at(table, address);
	const char *text = NULL;

	if (!walk_runs_code(walk) || frame->module == MODULE_NONE || row == NULL ||
		row->kind != RULE_ROW_RULES || row->cells == NULL || row->broken)
		return NULL;
	struct doubted *doubted = calloc(1, sizeof(*doubted));
	if (doubted == NULL)
		return NULL;
	doubted->records = frame_rules_module(walk, frame->module);
	unwind_source_init(&doubted->source, unwind_source_kind_named(table->source),
		&doubted->records, tables->windows);
	flow_module_init(&doubted->module, walk->crash, walk->binaries, &walk->memory,
		(size_t)frame->module);
	doubted->module.code.goes_on = goes_on;
	if (doubted->source.kind != NULL) {
		unwind_row_take(&doubted->source, tables, row);
		const struct code_doubt doubt = ask_once(doubted, walk, frame);
		*column = doubt.column;
		if (doubt.text != NULL)
			text = arena_copy(arena, doubt.text, strlen(doubt.text));
	}
	flow_module_free(&doubted->module);
	arena_free(&doubted->source.arena);
	arena_free(&doubted->arena);
	free(doubted);
	return text;
}
