/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/stack_trust.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "code/call.h"
#include "code/instruction.h"
#include "unwind_check/code_judge.h"
#include "walk/frame_rules.h"
#include "walk/location.h"
#include "walk/step.h"

/* Maximum number of instructions of a function that are searched for a jump out of it. */
#define INSTRUCTIONS 4096u

/* The address of a cell's value, or the value itself. False: unknown. */
static bool
evaluate(const struct rule_row *row, size_t column, const struct registers *registers,
	 uint64_t *value)
{
	const struct linear *linear = &row->cells[column].linear;
	uint64_t base = 0;

	if (row->cells[column].kind != RULE_CELL_RULE || !linear->known || linear->parameters)
		return false;
	if (linear->base == LINEAR_CFA && row->cells[0].linear.base != LINEAR_CFA) {
		if (row->cells[0].linear.dereference || !evaluate(row, 0, registers, &base))
			return false;
	} else if (linear->base < 0 || !registers_known(registers, linear->base)) {
		return false;
	} else {
		base = registers->value[linear->base];
	}
	*value = base + (uint64_t)linear->offset;
	return true;
}

/* Whether two rows give different values for a column in this frame. */
static bool
differs_here(const struct rule_tables *tables, const struct rule_row *one,
	     const struct rule_row *other, size_t column, const struct registers *registers)
{
	uint64_t values[2];

	if (tables->columns[column].kind == RULE_COLUMN_OTHER ||
	    !rule_rows_differ(tables, one, other, column))
		return false;
	return !evaluate(one, column, registers, &values[0]) ||
	       !evaluate(other, column, registers, &values[1]) || values[0] != values[1] ||
	       one->cells[column].linear.dereference != other->cells[column].linear.dereference;
}

/* "STACK CFI (line 172)". */
static const char *
who_says(const struct rule_table *table, const struct rule_row *row, const struct rule_cell *cell,
	 struct arena *arena)
{
	const struct place *place = cell->record.input != NULL ? &cell->record : &row->record;

	return place->line == 0
		       ? table->source
		       : arena_format(arena, "%s (line %" PRIu32 ")", table->source, place->line);
}

/* "STACK CFI (line 172) says rsp+9032". */
static const char *
say(const struct rule_tables *tables, const struct rule_table *table, const struct rule_row *row,
    size_t column, struct arena *arena)
{
	const struct rule_cell *cell = &row->cells[column];
	char value[128];

	if (!rule_cell_is_said(cell))
		return row->record.line == 0
			       ? arena_format(arena, "%s says nothing of it", table->source)
			       : arena_format(arena, "%s has no rule for it up to line %" PRIu32,
					      table->source, row->record.line);
	const char *who = text_or_empty(who_says(table, row, cell, arena));
	return arena_format(arena, "%s says %s", who,
			    rule_cell_format(tables, row, column, value, sizeof(value)));
}

/* A table's row at the frame's address; NULL: it has no rules there that can be compared. */
static const struct rule_row *
row_of(const struct frame_rules *rules, const struct rule_table *table)
{
	const struct rule_row *row = rule_table_at(table, rules->address);

	return row != NULL && row->kind == RULE_ROW_RULES && row->cells != NULL && !row->broken
		       ? row : NULL;
}

/* The row of the table in force; NULL: it cannot be compared. */
static const struct rule_row *
row_in_force(const struct frame_rules *rules)
{
	const struct rule_tables *tables = &rules->tables;

	return tables->failed || rules->in_force == SIZE_MAX ||
			       tables->columns[0].kind != RULE_COLUMN_CFA
		       ? NULL : row_of(rules, &tables->tables[rules->in_force]);
}

/*
 * How another table contradicts the row in force at a frame's address. If `refused`, only tables
 * that the walk tried and refused are compared.
 */
static const char *
by_rules(const struct walk *walk, const struct frame *frame, const struct frame_rules *rules,
	 bool refused, struct arena *arena, struct place *place)
{
	const struct rule_tables *tables = &rules->tables;
	const struct rule_row *row = row_in_force(rules);

	for (size_t i = 0; i < tables->count && row != NULL; i++) {
		const struct rule_table *against = &tables->tables[i];
		const struct rule_row *other = row_of(rules, against);
		const bool tried = i < rules->in_force && walk->policy.method_count == 0;

		/*
		 * Only the first STACK WIN record with rules is compared; the others are less
		 * precise.
		 */
		if (i == rules->in_force || tried != refused || other == NULL ||
		    (row->untracked != 0 && other->untracked != 0 && walk->arch->stack_win))
			continue;
		for (size_t column = 0; column < tables->column_count; column++) {
			if (!differs_here(tables, row, other, column, &frame->registers))
				continue;
			const char *name = text_printable_copy(arena, tables->columns[column].name);
			const char *one = say(tables, &tables->tables[rules->in_force], row, column,
					      arena);
			const char *two = say(tables, against, other, column, arena);
			const struct rule_row *wrong = refused ? other : row;
			*place = wrong->cells[column].record.input != NULL
					 ? wrong->cells[column].record : wrong->record;
			return arena_format(arena, "%s: %s, %s", text_or_empty(name),
					    text_or_empty(one), text_or_empty(two));
		}
	}
	return NULL;
}

static const struct rule_cell *
cell_of(const struct rule_tables *tables, const struct rule_row *row, unsigned claim)
{
	size_t i = 0;

	while (i + 1 < tables->column_count) {
		const struct rule_column *column = &tables->columns[i];

		if (claim == (column->kind == RULE_COLUMN_CFA		    ? CLAIM_CFA
			      : column->kind == RULE_COLUMN_RETURN_ADDRESS ? CLAIM_RETURN_ADDRESS
			      : column->kind == RULE_COLUMN_REGISTER
				      ? CLAIM_REGISTER + (unsigned)column->reg : CLAIM_COLUMNS))
			return &row->cells[i];
		i++;
	}
	return &row->cells[i];
}

/* How the code contradicts a row, cached for all walks of a crash. */
struct code_doubt {
	const char *text; /* NULL: none */
	unsigned column;
};

struct doubted {
	struct flow_module module; /* must be first: callbacks cast a pointer to it */
	struct unwind_source source;
	struct rule_module records;
	struct flow_function *function;
};

static bool
row_at(struct doubted *doubted, uint64_t address, struct unwind_row *row)
{
	struct unwind_source *source = &doubted->source;

	if (!unwind_source_from(source, address) || source->row.first > address)
		return false;
	*row = source->row;
	return true;
}

static bool
goes_on(void *context, uint64_t address, uint64_t back, const struct flow_state *state,
	struct flow_callee *callee)
{
	struct doubted *doubted = context;
	const struct arch *arch = doubted->module.code.arch;
	struct unwind_row call, next, after;

	if (!row_at(doubted, address, &call) || !row_at(doubted, back, &next))
		return true;
	const int32_t pushed = unwind_code_pushed(arch, &next);
	if (!callee->settled)
		callee->pops = unwind_code_taken(arch, unwind_code_pushed(arch, &call), pushed);
	const uint64_t from = next.first > back ? next.first : back;
	if (flow_function_is_idle(doubted->function, from, next.last) &&
		row_at(doubted, next.last + 1, &after) && after.begins == next.begins)
		next = after;
	return next.first < back ||
		unwind_code_is_for(unwind_code_pushed(arch, &next), state, callee, arch);
}

/* Analyses the function, and compares the source's row with the result. */
static struct code_doubt
ask_code(struct doubted *doubted, const struct walk *walk, const struct frame *frame)
{
	const struct flow_question question = frame_code_question(walk, frame);
	const uint64_t base = walk->crash->modules[frame->module].base;
	const struct unwind_row row = doubted->source.row;
	struct flow_code *code = &doubted->module.code;
	struct code_doubt doubt = { .text = NULL };
	struct flow_point point;
	uint64_t start;
	size_t count;

	/* Do not load the disassembler if the bytes of the instruction or its call are missing. */
	if (code->bytes(code->context, question.address - !question.exact, &count) == NULL ||
		count == 0)
		return doubt;
	code->halfwords = question.halfwords;
	doubted->function = flow_function_create(code);
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

/* A cache for ask_code, because frames of many threads repeat the question. */
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
			made->text = arena_string(&reader->arena, doubt.text);
		if (doubt.text == NULL || made->text != NULL)
			hash_put(known, key, said, made);
	}
	pthread_mutex_unlock(&reader->mutex);
	return doubt;
}

/*
 * How the code of a frame's function contradicts the row in force: a sentence in `arena`. `*column`
 * is set to the contradicted claim. NULL: the code agrees, is not conclusive or is missing.
 */
static const char *
contradicted_by_code(const struct walk *walk, const struct frame *frame,
	const struct frame_rules *rules, struct arena *arena, unsigned *column)
{
	const struct rule_row *row = row_in_force(rules);
	const char *text = NULL;

	if (!walk_runs_code(walk) || frame->module == MODULE_NONE || row == NULL)
		return NULL;
	struct doubted *doubted = calloc(1, sizeof(*doubted));
	if (doubted == NULL)
		return NULL;
	doubted->records = frame_rules_module(walk, frame->module);
	flow_module_init(&doubted->module, walk->crash, walk->binaries, &walk->memory,
		(size_t)frame->module);
	flow_module_bound(&doubted->module);
	doubted->module.code.goes_on = goes_on;
	const struct unwind_source_kind *kind = unwind_source_kind_named(
		rules->tables.tables[rules->in_force].source);
	struct unwind_row there;
	if (kind != NULL &&
		unwind_source_open(&doubted->source, kind, &doubted->records,
			rules->tables.windows) &&
		row_at(doubted, rules->address, &there)) {
		const struct code_doubt doubt = ask_once(doubted, walk, frame);
		*column = doubt.column;
		if (doubt.text != NULL)
			text = arena_string(arena, doubt.text);
	}
	flow_module_free(&doubted->module);
	unwind_sources_close(&doubted->source, 1);
	free(doubted);
	return text;
}

static const char *
by_code(const struct walk *walk, const struct frame *frame, const struct frame_rules *rules,
	struct arena *arena, struct place *place)
{
	const struct rule_tables *tables = &rules->tables;
	const struct rule_row *row = row_in_force(rules);
	unsigned column = CLAIM_CFA;

	const char *text = contradicted_by_code(walk, frame, rules, arena, &column);
	if (text == NULL)
		return NULL;
	const struct rule_cell *cell = cell_of(tables, row, column);
	const char *name = claim_column_name(walk->arch, column);
	const char *who = who_says(&tables->tables[rules->in_force], row, cell, arena);
	*place = cell->record.input != NULL ? cell->record : row->record;
	return arena_format(arena, "%s: %s says %s", name, text_or_empty(who),
			    text + strlen(name) + 2);
}

/* Whether a function may leave by a jump, as for a tail call; true if unknown. */
static bool
may_jump_out(const struct walk *walk, uint64_t first, uint64_t end)
{
	struct instruction at;
	unsigned count = 0;

	for (uint64_t address = first; address < end; address += at.length) {
		if (count++ == INSTRUCTIONS ||
		    !instruction_at(&at, walk->arch, &walk->memory, walk->binaries, false, address))
			return true;
		if ((at.kinds & INSTRUCTION_JUMP) != 0 &&
		    (!at.has_target || at.target < first || at.target >= end))
			return true;
	}
	return false;
}

/* The FUNC or the sized symbol around an address of a module; false: none. */
static bool
find_function(const struct walk *walk, uint64_t address, struct arena *arena, uint64_t *first,
	      uint64_t *end, struct text *name)
{
	struct location location;

	location_of(walk, address, arena, &location);
	const struct function *function = &location.symbol.function;
	if (location.module == NULL || location.module->unloaded || !location.symbol.found ||
	    function->kind != SYMBOL_FUNC ||
	    address - location.module->base - function->address >= function->size)
		return false;
	*first = location.module->base + function->address;
	*end = *first + function->size;
	*name = function->name;
	return true;
}

/* A contradiction: the call before the return address calls another function, and this function
 * cannot have jumped to the callee. */
static const char *
by_call(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	const struct frame *callee = &walk->frames[number], *caller = callee + 1;
	uint64_t first, end, callee_first, callee_end;
	struct text called, name;

	if (caller->interrupted)
		return NULL;
	const struct call_site site = call_find(
		walk->arch, &walk->memory, walk->binaries,
		arch_return_address(walk->arch, caller->registers.value[walk->arch->pc]));
	if (site.answer != CALL_YES || !site.direct ||
	    !find_function(walk, callee->lookup, arena, &callee_first, &callee_end, &name) ||
	    !find_function(walk, site.target, arena, &first, &end, &called) ||
	    first == callee_first || site.target != first || may_jump_out(walk, first, end))
		return NULL;
	*place = site.place;
	const char *one = text_printable_copy(arena, called);
	const char *two = text_printable_copy(arena, name);
	return arena_format(arena,
			    "the call at 0x%" PRIx64 ", before its return address, calls %s, "
			    "not %s",
			    site.address, text_or_empty(one), text_or_empty(two));
}

const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	const struct frame *frame = &walk->frames[number];
	const char *text = NULL;
	struct frame_rules rules;
	struct place unused;

	if (number == 0 || number >= CONTRADICTED_FRAMES ||
	    trust_table[frame->trust].certainty == CERTAINTY_GUESSED)
		return NULL;
	place = place != NULL ? place : &unused;
	if (frame_by_record(frame)) {
		frame_rules_here(&rules, walk, number - 1, arena);
		text = by_rules(walk, frame - 1, &rules, false, arena, place);
		text = text != NULL ? text : by_code(walk, frame - 1, &rules, arena, place);
	}
	return text != NULL ? text : by_call(walk, number - 1, arena, place);
}

const char *
frame_refused_record(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	struct frame_rules rules;

	/* On x86, records lack the expressions for realigned frames. */
	if (number == 0 || number >= CONTRADICTED_FRAMES || walk->arch->stack_win ||
	    !frame_by_record(&walk->frames[number]))
		return NULL;
	frame_rules_here(&rules, walk, number - 1, arena);
	return by_rules(walk, &walk->frames[number - 1], &rules, true, arena, place);
}

const char *
frame_contradicted_by_code(struct walk *walk, size_t number, struct arena *arena)
{
	struct frame_rules rules;
	struct place place;

	if (number == 0 || number >= CONTRADICTED_FRAMES || !frame_by_record(&walk->frames[number]))
		return NULL;
	frame_rules_here(&rules, walk, number - 1, arena);
	return by_code(walk, &walk->frames[number - 1], &rules, arena, &place);
}

/* Whether the step from the last frame of a walk tried a method that uses records. */
static bool
was_tried(struct walk *walk)
{
	struct verdict verdict;
	struct frame caller;
	struct trace trace;
	bool tried = false;

	trace_init(&trace);
	unwind_step(walk, walk->count - 1, &trace, &caller, &verdict);
	for (uint32_t at = trace_next(&trace, TRACE_NONE, EVENT_ATTEMPT); at != TRACE_NONE;
	     at = trace_next(&trace, at, EVENT_ATTEMPT))
		tried |= methods[trace.events[at].detail].source == METHOD_BY_RECORDS;
	trace_free(&trace);
	return tried;
}

/* Uses the first table with rules for the address; false: a table says that the stack ends. */
static bool
choose_rules(struct frame_rules *rules)
{
	const struct rule_tables *tables = &rules->tables;

	for (size_t i = tables->count; i-- > 0;) {
		const struct rule_row *row = row_of(rules, &tables->tables[i]);

		for (size_t column = 0; row != NULL && column < tables->column_count; column++)
			if (tables->columns[column].kind == RULE_COLUMN_RETURN_ADDRESS &&
			    row->cells[column].kind == RULE_CELL_UNDEFINED)
				return false;
		rules->in_force = row != NULL ? i : rules->in_force;
	}
	return true;
}

const char *
stack_end_contradicted(struct walk *walk, struct arena *arena, struct place *place)
{
	struct frame_rules rules;
	struct place unused;

	if (!walk->complete || walk->count == 0 || walk->count > CONTRADICTED_FRAMES)
		return NULL;
	const size_t number = walk->count - 1;
	const struct frame *frame = &walk->frames[number];
	if (frame->module == MODULE_NONE || walk_is_blind(walk, number) || !was_tried(walk))
		return NULL;
	place = place != NULL ? place : &unused;
	frame_rules_here(&rules, walk, number, arena);
	if (!choose_rules(&rules))
		return NULL;
	const char *text = by_rules(walk, frame, &rules, false, arena, place);
	return text != NULL ? text : by_code(walk, frame, &rules, arena, place);
}
