/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_function.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/reader.h"
#include "dwarf/grown.h"

/* Limit on the changes of a state by joins; code with more changes is refused. */
#define VISITS 60u
/* Maximum number of runs of a function. Each run marks further calls as never returning. */
#define RUNS 8u
#define CUTS 64u
/* Maximum number of entries of a jump table that are followed. */
#define ENTRIES 4096u

struct point {
	struct flow_instruction instruction;
	struct flow_state *state; /* NULL: no path reaches it */
	uint8_t visits;
	bool queued, inferred;
	bool data; /* not executed: an instruction reads it */
};

struct flow_function {
	const struct flow_code *code;
	struct flow_lifter lifter;
	struct flow_machine machine;
	struct arena arena; /* states and slots of one run */
	uint64_t start, end;
	struct point *points; /* in the order in which they were reached */
	size_t count, capacity;
	struct flow_operation *operations;
	size_t operation_count, operation_capacity;
	uint32_t *index; /* number of a point plus 1, by a hash of its address */
	size_t index_size;
	uint32_t *queue;
	size_t queued, queue_capacity;
	/* Calls found not to return, because the code after them has another state */
	uint32_t cuts[CUTS];
	size_t cut_count;
	struct flow_state astray; /* state common to all jumps with an unknown target */
	bool has_astray;
	bool inferring;
	bool stale; /* bytes that were executed turned out to be data */
	bool failed; /* a limit was reached: the results must not be used */
};

#define NONE SIZE_MAX

/* Charge an instruction to the budget; false if the budget is used up or the run has failed. */
static bool
spend(struct flow_function *function)
{
	const struct flow_code *code = function->code;

	if (code->spend != NULL && !code->spend(code->context))
		function->failed = true;
	return !function->failed;
}

struct flow_function *
flow_function_create(const struct flow_code *code)
{
	struct flow_function *function = calloc(1, sizeof(*function));

	if (function == NULL)
		return NULL;
	if (!flow_lifter_open(&function->lifter, code->arch, code->big_endian)) {
		free(function);
		return NULL;
	}
	function->code = code;
	arena_init(&function->arena, LIMIT_CODE_STATES);
	function->machine = (struct flow_machine){
		.arch = code->arch, .windows = code->windows, .arena = &function->arena,
		.linked = code->linked
	};
	return function;
}

void
flow_function_free(struct flow_function *function)
{
	if (function == NULL)
		return;
	flow_lifter_close(&function->lifter);
	arena_free(&function->arena);
	free(function->points);
	free(function->operations);
	free(function->index);
	free(function->queue);
	free(function);
}

/* Points --------------------------------------------------------------------------------------- */

static size_t
place_of(const struct flow_function *function, uint32_t address)
{
	const size_t mask = function->index_size - 1;
	size_t at = (address * UINT32_C(0x9e3779b1)) >> 7 & mask;

	while (function->index[at] != 0 &&
		function->points[function->index[at] - 1].instruction.address != address)
		at = (at + 1) & mask;
	return at;
}

static size_t
find(const struct flow_function *function, uint64_t address)
{
	if (function->index_size == 0 || address > UINT32_MAX)
		return NONE;
	const uint32_t number = function->index[place_of(function, (uint32_t)address)];
	return number != 0 ? number - 1 : NONE;
}

static bool
grow_index(struct flow_function *function)
{
	const size_t size = function->index_size == 0 ? 1024 : function->index_size * 2;
	uint32_t *index = calloc(size, sizeof(*index));

	if (index == NULL)
		return false;
	free(function->index);
	function->index = index;
	function->index_size = size;
	for (size_t i = 0; i < function->count; i++)
		index[place_of(function, function->points[i].instruction.address)] =
			(uint32_t)i + 1;
	return true;
}

/* Add a point, and return its number, or NONE. */
static size_t
add_point(struct flow_function *function, const struct point *point)
{
	if (function->count == FLOW_INSTRUCTIONS ||
		(2 * function->count >= function->index_size && !grow_index(function)) ||
		!grown_has_room(&function->points, function->count, &function->capacity,
			sizeof(*point))) {
		function->failed = true;
		return NONE;
	}
	const uint32_t address = point->instruction.address;
	function->points[function->count] = *point;
	function->index[place_of(function, address)] = (uint32_t)function->count + 1;
	return function->count++;
}

/* Mark an address as data, because an instruction reads it. */
static void
add_data(struct flow_function *function, uint32_t address)
{
	const struct point point = { .instruction = { .address = address }, .data = true };
	const size_t known = find(function, address);

	if (address < function->start || address >= function->end)
		return;
	if (known == NONE) {
		add_point(function, &point);
	} else if (!function->points[known].data) {
		function->points[known].data = true;
		function->stale = function->stale || function->points[known].state != NULL;
	}
}

/* Decode the instruction at an address; false if that is impossible. */
static bool
lift(struct flow_function *function, uint64_t address, struct flow_instruction *instruction)
{
	const struct flow_code *code = function->code;
	uint8_t window[FLOW_WINDOW] = { 0 };
	size_t count;

	const uint8_t *bytes = code->bytes(code->context, address, &count);
	if (bytes == NULL || count == 0)
		return false;
	if (count < sizeof(window)) {
		memcpy(window, bytes, count);
		bytes = window;
	}
	return flow_lift(&function->lifter, bytes, sizeof(window), (uint32_t)address,
		       code->linked + address, instruction) &&
		instruction->length <= count;
}

bool
flow_function_is_idle(struct flow_function *function, uint64_t first, uint64_t last)
{
	struct flow_instruction instruction;
	uint64_t at = first;

	while (at <= last && at <= UINT32_MAX && lift(function, at, &instruction) &&
		instruction.idle)
		at += instruction.length;
	return at > last;
}

/* Decode an instruction once. Returns the number of its point, or NONE. */
static size_t
decode(struct flow_function *function, uint64_t address)
{
	struct point point = { .visits = 0 };
	const size_t known = find(function, address);

	if (known != NONE || address > UINT32_MAX)
		return known != NONE && function->points[known].data ? NONE : known;
	if (!lift(function, address, &point.instruction))
		return NONE;
	const size_t operations = function->operation_count, more = function->lifter.count;
	struct flow_operation *all = grown_room(function->operations, operations, more,
		&function->operation_capacity, sizeof(*all));
	if (all == NULL) {
		function->failed = true;
		return NONE;
	}
	memcpy(all + operations, function->lifter.operations, more * sizeof(*all));
	function->operations = all;
	function->operation_count += more;
	point.instruction.first = (uint32_t)operations;
	const size_t number = add_point(function, &point);
	if (point.instruction.literal != 0)
		add_data(function, point.instruction.literal);
	return number;
}

/* States --------------------------------------------------------------------------------------- */

static size_t
state_size(const struct flow_function *function)
{
	const size_t count = (size_t)function->code->arch->register_count + 1;

	return offsetof(struct flow_state, registers) + count * sizeof(struct flow_value);
}

static bool
is_cut(const struct flow_function *function, uint32_t call)
{
	for (size_t i = 0; i < function->cut_count; i++)
		if (function->cuts[i] == call)
			return true;
	return false;
}

/*
 * Merge a state into the point at an address. Returns the point's number if its state has changed,
 * else NONE.
 */
static size_t
arrive(struct flow_function *function, uint64_t address, const struct flow_state *state)
{
	const struct arch *arch = function->code->arch;
	const size_t number = decode(function, address);

	if (number == NONE)
		return NONE;
	struct point *point = &function->points[number];
	if (point->state == NULL) {
		point->state = arena_alloc(&function->arena, state_size(function));
		if (point->state == NULL) {
			function->failed = true;
			return NONE;
		}
		memcpy(point->state, state, state_size(function));
		point->inferred = function->inferring;
		return number;
	}
	if (function->inferring && !point->inferred)
		return NONE;
	if ((point->state->weak == 0) != (state->weak == 0) &&
		flow_state_conflict(arch, point->state, state)) {
		const uint32_t weak = (point->state->weak != 0 ? point->state : state)->weak - 1;

		/*
		 * The paths disagree about the stack: the call at the end of one of them never
		 * returns.
		 */
		if (function->cut_count < CUTS && !is_cut(function, weak))
			function->cuts[function->cut_count++] = weak;
		if (state->weak != 0)
			return NONE;
		memcpy(point->state, state, state_size(function));
	} else if (!flow_state_join(&function->machine, point->state, state)) {
		return NONE;
	}
	if (++point->visits == VISITS)
		function->failed = true;
	return number;
}

static void
enqueue(struct flow_function *function, size_t number)
{
	if (number == NONE || function->points[number].queued)
		return;
	if (!grown_has_room(&function->queue, function->queued, &function->queue_capacity,
		    sizeof(*function->queue))) {
		function->failed = true;
		return;
	}
	function->points[number].queued = true;
	function->queue[function->queued++] = (uint32_t)number;
}

/* Control flow --------------------------------------------------------------------------------- */

static bool
begins(const struct flow_function *function, uint64_t address)
{
	const struct flow_code *code = function->code;

	return code->begins != NULL && code->begins(code->context, address);
}

/* Follow a jump, unless it leaves the function with an empty stack (a tail call). */
static void
jump(struct flow_function *function, uint64_t target, const struct flow_state *state)
{
	const struct arch *arch = function->code->arch;
	const uint64_t address =
		arch_wrap(arch, arch_code(arch, target) - function->code->linked);

	if ((address <= function->start || address >= function->end) &&
		flow_state_is_entry(arch, state))
		return;
	enqueue(function, arrive(function, address, state));
}

/* The word of `size` bytes at an address of the module. */
static bool
read_entry(const struct flow_function *function, uint64_t address, unsigned size, uint64_t *value)
{
	const struct flow_code *code = function->code;
	struct reader bytes = { .big_endian = code->big_endian };
	size_t count = 0;

	bytes.data = code->bytes(code->context, address, &count);
	bytes.size = bytes.data != NULL ? count : 0;
	return reader_unsigned(&bytes, 0, size, value);
}

/* Add all targets of a jump through a table; false if the table is unknown. */
static bool
jump_by_table(struct flow_function *function, const struct flow_value *value,
	const struct flow_state *state)
{
	const bool relative = value->kind == FLOW_LEAP;
	const unsigned size = FLOW_ENTRY_SIZE(value->reg), shift = FLOW_ENTRY_SHIFT(value->reg);
	uint64_t entry;

	if (value->count == 0 ||
		(!relative &&
			(value->kind != FLOW_ENTRY || size != function->code->arch->word_size)))
		return false;
	for (unsigned i = 0; i < value->count && i < ENTRIES; i++) {
		if (!read_entry(function, value->base + (uint64_t)i * size, size, &entry))
			return i > 0;
		if (relative && (size == 4 || (value->reg & FLOW_ENTRY_SIGN) != 0))
			entry = checked_extend(entry, 8 * size);
		if (relative)
			entry = (entry << shift) + value->base +
				(uint64_t)(int64_t)value->offset + function->code->linked;
		jump(function, entry, state);
	}
	return true;
}

static void
jump_somewhere(struct flow_function *function, const struct flow_instruction *at,
	const struct flow_state *state)
{
	const struct flow_value *to = at->jumps >= 0 ? &state->registers[at->jumps] : NULL;

	if (to != NULL && to->kind == FLOW_INIT &&
		to->reg == flow_return_register(function->code->arch))
		return;
	if (at->direct)
		jump(function, at->target, state);
	else if (to != NULL && jump_by_table(function, to, state))
		return;
	else if (flow_state_is_entry(function->code->arch, state))
		return;
	else if (function->has_astray)
		flow_state_join(&function->machine, &function->astray, state);
	else
		memcpy(&function->astray, state, state_size(function));
	function->has_astray = function->has_astray || !at->direct;
}

/* Narrow the state by the comparison before a branch; false: the branch cannot be taken. */
static bool
refine(const struct flow_function *function, const struct flow_instruction *at,
	struct flow_state *state, bool taken)
{
	const struct arch *arch = function->code->arch;
	const enum flow_condition condition = (enum flow_condition)at->condition;
	const bool below = taken ? condition == FLOW_BELOW : condition == FLOW_NOT_BELOW;
	const bool upto = taken ? condition == FLOW_NOT_ABOVE : condition == FLOW_ABOVE;

	if (state->compared < 0)
		return true;
	struct flow_value *one = &state->registers[state->compared];
	if (condition == FLOW_NOT_EQUAL && !taken && state->compared_with >= 0) {
		struct flow_value *other = &state->registers[state->compared_with];

		if (one->kind == FLOW_STACK && other->kind == FLOW_STACK &&
			one->base == other->base)
			return one->offset == other->offset;
		if (one->kind == FLOW_UNKNOWN && other->kind == FLOW_STACK)
			*one = *other;
		else if (one->kind == FLOW_STACK && other->kind == FLOW_UNKNOWN)
			*other = *one;
		return true;
	}
	const uint64_t bound = (uint64_t)state->number + upto;
	if (state->compared_with >= 0 || (!below && !upto) || bound > ENTRIES ||
		(one->kind != FLOW_OTHER &&
			(one->kind != FLOW_INIT || arch->registers[one->reg].callee_saved ||
				one->reg == flow_return_register(arch))))
		return true;
	*one = (struct flow_value){ .kind = FLOW_OTHER, .count = (uint16_t)bound };
	return true;
}

/* Execute a call; false if it does not return. */
static bool
call(struct flow_function *function, const struct flow_instruction *at, struct flow_state *state)
{
	const struct flow_code *code = function->code;
	const struct flow_family *family = function->lifter.family;
	const uint64_t target = arch_wrap(code->arch, at->target - code->linked);
	const uint64_t back = (uint64_t)at->address + at->length;
	struct flow_callee callee = { .stops = false };
	int32_t dropped = 0;
	uint64_t pad;
	size_t count;

	if (at->direct && family->thunk != NULL) {
		const uint8_t *bytes = code->bytes(code->context, target, &count);
		const int reg = bytes != NULL ? family->thunk(&function->lifter, bytes, count)
					      : ARCH_NO_REGISTER;
		const struct flow_operation operation = { FLOW_NUMBER, (int8_t)reg,
			.value = (int64_t)(back + code->linked) };

		if (reg >= 0) {
			flow_state_apply(&function->machine, state, at->address, &operation, 1);
			return true;
		}
	}
	if (at->direct && code->callee != NULL)
		callee = code->callee(code->context, target);
	else if (at->imported && code->imported != NULL)
		callee = code->imported(code->context, target);
	flow_state_call(&function->machine, state, at->address, at->direct);
	if (code->caught != NULL && code->caught(code->context, back, &pad, &dropped)) {
		const struct flow_operation operation = { FLOW_COPY, (int8_t)code->arch->sp,
			(int8_t)code->arch->sp, .value = dropped };
		struct flow_state caught = *state;

		flow_state_apply(&function->machine, &caught, at->address, &operation, 1);
		caught.weak = 0;
		enqueue(function, arrive(function, pad, &caught));
	}
	if (callee.stops || is_cut(function, at->address))
		return false;
	if (!callee.returns && code->goes_on != NULL &&
		!code->goes_on(code->context, at->address, back, state, &callee))
		return false;
	flow_state_apply(&function->machine, state, at->address,
		&(struct flow_operation){ FLOW_COPY, (int8_t)code->arch->sp, (int8_t)code->arch->sp,
			.value = callee.pops },
		callee.pops != 0);
	/* A stdcall function pops its arguments; only its code shows how many bytes. */
	state->loose = state->loose ||
		(!callee.settled && code->windows && code->goes_on == NULL &&
			arch_pushes_return(code->arch) && code->arch->word_size == 4);
	state->weak = callee.returns ? 0 : at->address + 1;
	return true;
}

/* Execute one instruction. Returns the next point if its state has changed, else NONE. */
static size_t
advance(struct flow_function *function, size_t number, struct flow_state *state)
{
	const struct flow_instruction at = function->points[number].instruction;
	const struct flow_operation *operations = function->operations + at.first;
	const uint64_t next = (uint64_t)at.address + at.length;
	/* State if a branch is taken, or if a conditional instruction is skipped */
	struct flow_state other;
	bool goes_on = true;

	if (at.perhaps) {
		other = *state;
		refine(function, &at, &other, false);
		refine(function, &at, state, true);
	}
	flow_state_apply(&function->machine, state, at.address, operations, at.operation_count);
	state->weak = at.idle ? state->weak : 0;
	switch ((enum flow_way)at.way) {
	case FLOW_NEXT:
		break;
	case FLOW_BRANCH:
		other = *state;
		if (refine(function, &at, &other, true))
			jump_somewhere(function, &at, &other);
		goes_on = refine(function, &at, state, false);
		break;
	case FLOW_CALL:
		goes_on = call(function, &at, state);
		break;
	case FLOW_JUMP:
		jump_somewhere(function, &at, state);
		goes_on = false;
		break;
	case FLOW_RETURN:
	case FLOW_STOP:
		goes_on = false;
		break;
	}
	if (at.perhaps && goes_on)
		flow_state_join(&function->machine, state, &other);
	else if (at.perhaps)
		*state = other;
	goes_on = goes_on || at.perhaps;
	/* After a call that never returns, another function or a cold part may begin. */
	if (!goes_on ||
		((next >= function->end || (next <= function->start && state->weak != 0)) &&
			begins(function, next)))
		return NONE;
	function->lifter.it = at.it;
	const size_t there = decode(function, next);
	function->lifter.it = 0;
	if (there != NONE && state->weak != 0 && function->points[there].instruction.starts)
		return NONE;
	return arrive(function, next, state);
}

static void
drain(struct flow_function *function)
{
	struct flow_state state;

	while (function->queued > 0 && !function->failed && !function->machine.failed) {
		size_t number = function->queue[--function->queued];

		while (number != NONE && spend(function)) {
			function->points[number].queued = false;
			memcpy(&state, function->points[number].state, state_size(function));
			number = advance(function, number, &state);
		}
	}
}

static uint64_t
after_padding(struct flow_function *function, uint64_t address)
{
	size_t number;

	while (address < function->end && spend(function) &&
		(number = decode(function, address)) != NONE &&
		function->points[number].instruction.idle)
		address += function->points[number].instruction.length;
	return address;
}

/* Run the code after points without a successor, if no known jump reaches it. */
static void
infer(struct flow_function *function)
{
	function->inferring = true;
	for (size_t i = 0; i < function->count && !function->failed; i++) {
		const struct flow_instruction *at = &function->points[i].instruction;

		if (function->points[i].state == NULL)
			continue;
		const uint64_t behind =
			after_padding(function, (uint64_t)at->address + at->length);
		const size_t number = find(function, behind);
		if (behind < function->end && behind > function->start &&
			!begins(function, behind) &&
			(number == NONE || function->points[number].state == NULL)) {
			enqueue(function, arrive(function, behind, &function->astray));
			drain(function);
		}
	}
	function->inferring = false;
}

static void
run_once(struct flow_function *function)
{
	struct flow_state state;

	arena_reset(&function->arena);
	for (size_t i = 0; i < function->count; i++) {
		function->points[i].state = NULL;
		function->points[i].visits = 0;
		function->points[i].queued = false;
	}
	function->queued = 0;
	function->has_astray = false;
	flow_state_enter(&function->machine, &state);
	enqueue(function, arrive(function, function->start, &state));
	drain(function);
	if (function->has_astray)
		infer(function);
}

/* The entry point of the function at `start`: the hook prologue directly before it, or `start`. */
static uint64_t
entry_of(struct flow_function *function, uint64_t start)
{
	const struct flow_code *code = function->code;
	const uint64_t entry = code->enters != NULL ? code->enters(code->context, start) : start;
	struct flow_instruction instruction;

	for (uint64_t at = entry; at < start; at += instruction.length)
		if (!lift(function, at, &instruction) || instruction.way != FLOW_NEXT ||
			instruction.length > start - at)
			return start;
	return entry;
}

void
flow_function_run(struct flow_function *function, uint64_t start, uint64_t end)
{
	size_t before;

	/* After a short function, clearing the index of a long one would take too long. */
	if (function->index_size / 64 > function->count + 64) {
		free(function->index);
		function->index = NULL;
		function->index_size = 0;
	} else if (function->index_size > 0) {
		memset(function->index, 0, function->index_size * sizeof(*function->index));
	}
	function->count = 0;
	function->operation_count = 0;
	function->cut_count = 0;
	function->failed = false;
	function->machine.failed = false;
	function->lifter.halfwords = function->code->halfwords;
	function->start = entry_of(function, start);
	function->end = end;
	for (unsigned i = 0; i < RUNS; i++) {
		before = function->cut_count;
		function->stale = false;
		run_once(function);
		if (function->cut_count == before && !function->stale)
			break;
	}
}

/* Answers -------------------------------------------------------------------------------------- */

bool
flow_function_point(const struct flow_function *function, size_t number, struct flow_point *point)
{
	if (number >= function->count || function->failed || function->machine.failed)
		return false;
	*point = (struct flow_point){ &function->points[number].instruction,
		function->points[number].state, function->points[number].inferred };
	return true;
}

bool
flow_function_at(const struct flow_function *function, uint64_t address, struct flow_point *point)
{
	return flow_function_point(function, find(function, address), point) &&
		point->state != NULL;
}

bool
flow_function_call(const struct flow_function *function, uint64_t back, struct flow_point *point)
{
	for (uint64_t length = 1; length < FLOW_WINDOW && length <= back; length++)
		if (flow_function_at(function, back - length, point) &&
			point->instruction->length == length &&
			point->instruction->way == FLOW_CALL)
			return true;
	return false;
}
