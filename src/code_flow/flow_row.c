/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_row.h"

#include "base/error.h"

/* The register to try as number `number` in a search for a stack address: sp, fp, then all. */
static int
candidate(const struct arch *arch, int number)
{
	return number == 0 ? arch->sp : number == 1 ? arch->fp : number - 2;
}

/* A register with an address of the stack relative to `base`, preferably callee-saved. */
static int
register_at(const struct arch *arch, const struct flow_state *state, uint32_t base, bool kept)
{
	for (int i = 0; i < arch->register_count + 2; i++) {
		const int reg = candidate(arch, i);

		if (reg >= 0 && arch->registers[reg].name != NULL && reg != arch->pc &&
		    !(reg == arch->sp && state->loose) &&
		    state->registers[reg].kind == FLOW_STACK &&
		    state->registers[reg].base == base &&
		    (!kept || reg == arch->sp || arch->registers[reg].callee_saved))
			return reg;
	}
	return ARCH_NO_REGISTER;
}

static void
set_rule(struct flow_rule *rule, struct claim claim, uint32_t maker)
{
	rule->claim = claim;
	rule->made = maker != 0;
	rule->maker = maker != 0 ? maker - 1 : 0;
}

/* The CFA from a register, else from a word of the stack that holds it. False: unknown. */
static bool
make_cfa(const struct arch *arch, const struct flow_state *state, bool kept, struct flow_rule *rule)
{
	int reg = register_at(arch, state, 0, kept);

	*rule = (struct flow_rule){ .column = CLAIM_CFA };
	if (reg >= 0) {
		const struct flow_value *value = &state->registers[reg];

		set_rule(rule, claim_sum(arch, CLAIM_CFA, reg, -(int64_t)value->offset, false),
			value->maker);
		return true;
	}
	for (size_t i = 0; i < state->slot_count; i++) {
		const struct flow_slot *slot = &state->slots[i];

		if (slot->value.kind != FLOW_STACK || slot->value.base != 0)
			continue;
		reg = register_at(arch, state, slot->base, kept);
		if (reg < 0)
			continue;
		const int64_t at = (int64_t)slot->offset - state->registers[reg].offset;
		set_rule(rule, claim_sum(arch, CLAIM_CFA, reg, at, true), slot->value.maker);
		rule->beyond = -(int64_t)slot->value.offset;
		return true;
	}
	return false;
}

/* A word of the stack that holds the value of register `reg` at the entry; false: none is known. */
static bool
make_saved(const struct arch *arch, const struct flow_state *state, int reg, bool kept,
	struct flow_rule *rule)
{
	for (size_t i = 0; i < state->slot_count; i++) {
		const struct flow_slot *slot = &state->slots[i];
		const int by = slot->base == 0 ? LINEAR_CFA
					       : register_at(arch, state, slot->base, kept);

		if (slot->value.kind != FLOW_INIT || slot->value.reg != reg ||
			by == ARCH_NO_REGISTER)
			continue;
		const int32_t from = by == LINEAR_CFA ? 0 : state->registers[by].offset;
		set_rule(rule,
			claim_sum(arch, rule->column, by, (int64_t)slot->offset - from, true),
			slot->value.maker);
		return true;
	}
	return false;
}

/* The place of the value that register `reg` had at the entry; false: unknown. */
static bool
make_rule(const struct arch *arch, const struct flow_state *state, int reg, bool kept,
	struct flow_rule *rule)
{
	if (make_saved(arch, state, reg, kept, rule))
		return true;
	for (int i = 0; i < arch->register_count + 2; i++) {
		const int by = candidate(arch, i);

		if (by < 0 || arch->registers[by].name == NULL ||
			state->registers[by].kind != FLOW_INIT || state->registers[by].reg != reg ||
			(kept && !arch->registers[by].callee_saved))
			continue;
		set_rule(rule, claim_sum(arch, rule->column, by, 0, false),
			state->registers[by].maker);
		return true;
	}
	return false;
}

const char *
flow_row_make(const struct flow_code *code, const struct flow_state *state, bool kept,
	struct flow_row *row)
{
	const struct arch *arch = code->arch;

	row->count = 2;
	if (!make_cfa(arch, state, kept, &row->rules[0]))
		return state->loose ? "earlier calls may have popped their arguments, so the CFA "
				      "does not follow from the stack pointer"
				    : "no register leads to the CFA";
	row->rules[1] = (struct flow_rule){ .column = CLAIM_RETURN_ADDRESS };
	if (!make_rule(arch, state, flow_return_register(arch), kept, &row->rules[1]))
		return "the place of the return address is unknown";
	for (int reg = 0; reg < arch->register_count; reg++) {
		struct flow_rule rule = { .column = CLAIM_REGISTER + (unsigned)reg };
		const struct flow_value *value = &state->registers[reg];

		if (!claim_is_kept(arch, code->windows, reg) || arch->registers[reg].name == NULL)
			continue;
		/*
		 * A saved register counts as changed even if its value seems unchanged, because a
		 * path that seemed impossible may have changed the register.
		 */
		const bool same = value->kind == FLOW_INIT && value->reg == reg;
		if (same && !make_saved(arch, state, reg, kept, &rule))
			continue;
		if (!same && !make_rule(arch, state, reg, kept, &rule))
			set_rule(&rule, (struct claim){ .kind = CLAIM_UNDEFINED }, value->maker);
		row->rules[row->count++] = rule;
	}
	return NULL;
}

/*
 * Whether the code begins like a function. A cold part does not begin so, even if a symbol file
 * gives it the name of its function.
 */
static bool
begins_frame(const struct flow_module *module, const struct flow_function *function)
{
	const struct arch *arch = module->code.arch;
	struct flow_point first, second;
	const struct flow_value *sp;

	if (!flow_function_point(function, 0, &first) || first.state == NULL)
		return false;
	if (first.instruction->starts)
		return true;
	if (!flow_function_point(function, 1, &second) || second.state == NULL)
		return false;
	sp = &second.state->registers[arch->sp];
	return sp->kind == FLOW_STACK && sp->offset < first.state->registers[arch->sp].offset;
}

/* Run the function around a place; false: its start is unknown. */
static bool
flow_row_run(struct flow_module *module, const struct flow_question *question,
	     struct flow_function *function, uint64_t *start)
{
	uint64_t end;

	module->code.halfwords = question->halfwords;
	if (flow_module_function(module, question->address - !question->exact, start, &end)) {
		flow_function_run(function, *start, end);
		return !flow_module_is_padding(module, function, *start);
	}
	*start = question->start;
	if (question->size == 0 || !flow_module_is_entry(module, *start))
		return false;
	flow_function_run(function, *start, *start + question->size);
	return begins_frame(module, function);
}

const char *
flow_question_run(struct flow_module *module, const struct flow_question *question,
	struct flow_function *function, uint64_t *start, struct flow_point *point)
{
	if (!flow_row_run(module, question, function, start))
		return "the start of the function is unknown";
	const bool there = question->exact
		? flow_function_at(function, question->address, point)
		: flow_function_call(function, question->address, point);
	if (!there && module->code.spend != NULL && !module->code.spend(module))
		return "running the functions of all frames would take too long";
	if (!there)
		return "no known path through the function leads there";
	return NULL;
}

/*
 * Whether the next instruction returns. Then the stack is as at the function's entry, and the
 * callee-saved registers are restored. The function's start may be unknown, as in stubs of system
 * calls, which have only a name.
 */
static bool
is_at_return(struct flow_module *module, const struct flow_question *question,
	struct flow_function *function, struct flow_point *point)
{
	if (!question->exact || !arch_pushes_return(module->code.arch))
		return false;
	flow_function_run(function, question->address, question->address + 1);
	return flow_function_at(function, question->address, point) &&
		point->instruction->way == FLOW_RETURN;
}

static const char *
ask(struct flow_module *module, const struct flow_question *question,
	struct flow_function *function, struct flow_row *row)
{
	struct flow_point point, maker;
	const char *problem = flow_question_run(module, question, function, &row->start, &point);

	if (problem != NULL) {
		if (!is_at_return(module, question, function, &point))
			return problem;
		row->start = question->address;
	}
	row->at = point.instruction->address;
	row->inferred = point.inferred;
	problem = flow_row_make(&module->code, point.state, !question->exact, row);
	for (size_t i = 0; problem == NULL && i < row->count; i++)
		if (row->rules[i].made &&
			flow_function_at(function, row->rules[i].maker, &maker))
			row->rules[i].length = maker.instruction->length;
	return problem;
}

const struct flow_row *
flow_row_find(struct flow_module *module, const struct flow_question *question, struct arena *arena,
	const char **problem)
{
	struct flow_row *row = arena_alloc(arena, sizeof(*row));
	struct flow_function *function = flow_function_create(&module->code);

	if (row == NULL || function == NULL)
		*problem = row == NULL ? OUT_OF_MEMORY : "code of this processor is not analysed";
	else
		*problem = ask(module, question, function, row);
	flow_function_free(function);
	return *problem == NULL ? row : NULL;
}
