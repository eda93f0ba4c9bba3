/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_state.h"

#include <string.h>

int
flow_return_register(const struct arch *arch)
{
	return arch_pushes_return(arch) ? arch->pc : arch->lr;
}

/* The number of a FLOW_CONST. */
static uint64_t
number_in(const struct flow_value *value)
{
	return (uint64_t)value->base << 32 | (uint32_t)value->offset;
}

static bool
same_value(const struct flow_value *a, const struct flow_value *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->count == b->count &&
		a->base == b->base && a->offset == b->offset;
}

static struct flow_value
number_of(const struct flow_machine *machine, uint64_t number)
{
	number = arch_wrap(machine->arch, number);
	return (struct flow_value){ .kind = FLOW_CONST,
		.base = (uint32_t)(number >> 32),
		.offset = (int32_t)(uint32_t)number };
}

/* Whether a value is certainly not one that a caller's register had. */
static bool
is_other(const struct flow_value *value)
{
	return value->kind == FLOW_OTHER || value->kind == FLOW_CONST ||
		value->kind == FLOW_ENTRY || value->kind == FLOW_LEAP;
}

static struct flow_value
common_of(struct flow_value a, struct flow_value b)
{
	if (same_value(&a, &b)) {
		a.maker = a.maker == b.maker ? a.maker : 0;
		return a;
	}
	return (struct flow_value){ .kind = is_other(&a) && is_other(&b) ? FLOW_OTHER
									 : FLOW_UNKNOWN };
}

void
flow_state_enter(struct flow_machine *machine, struct flow_state *state)
{
	const struct arch *arch = machine->arch;
	const bool pushed = arch_pushes_return(arch);
	const int32_t word = (int32_t)arch->word_size;

	*state = (struct flow_state){ .compared = ARCH_NO_REGISTER };
	for (int reg = 0; reg < arch->register_count; reg++)
		state->registers[reg] =
			(struct flow_value){ .kind = FLOW_INIT, .reg = (int8_t)reg };
	state->registers[arch->sp] =
		(struct flow_value){ .kind = FLOW_STACK, .offset = pushed ? -word : 0 };
	if (!pushed)
		return;
	struct flow_slot *slot = arena_alloc(machine->arena, sizeof(*slot));
	machine->failed = machine->failed || slot == NULL;
	if (slot == NULL)
		return;
	*slot = (struct flow_slot){ .offset = -word,
		.value = { .kind = FLOW_INIT, .reg = (int8_t)arch->pc } };
	state->slots = slot;
	state->slot_count = 1;
}

/* Slots ---------------------------------------------------------------------------------------- */

static struct flow_value
flow_state_slot(const struct flow_state *state, uint32_t base, int32_t offset)
{
	for (size_t i = 0; i < state->slot_count; i++)
		if (state->slots[i].base == base && state->slots[i].offset == offset)
			return state->slots[i].value;
	return (struct flow_value){ .kind = base == 0 && !state->full ? FLOW_OTHER : FLOW_UNKNOWN };
}

/* Keep the slots of a state for which `keep` is true, and add one (NULL: none). */
static void
change_slots(struct flow_machine *machine, struct flow_state *state, const bool *keep,
	const struct flow_slot *more)
{
	size_t count = 0;

	for (size_t i = 0; i < state->slot_count; i++)
		count += keep[i];
	if (more == NULL && count == state->slot_count)
		return;
	struct flow_slot *slots = arena_array(machine->arena, count + 1, sizeof(*slots));
	machine->failed = machine->failed || slots == NULL;
	if (slots == NULL)
		return;
	count = 0;
	for (size_t i = 0; i < state->slot_count; i++)
		if (keep[i])
			slots[count++] = state->slots[i];
	if (more != NULL && count < FLOW_SLOTS)
		slots[count++] = *more;
	else if (more != NULL)
		state->full = true;
	state->slots = slots;
	state->slot_count = (uint16_t)count;
}

/* Whether a value in memory must be remembered: a callee-saved register, a stack address. */
static bool
is_worth_keeping(const struct arch *arch, const struct flow_value *value)
{
	if (value->kind == FLOW_INIT)
		return claim_is_kept(arch, true, value->reg) ||
			value->reg == flow_return_register(arch);
	return value->kind == FLOW_STACK || value->kind == FLOW_UNKNOWN;
}

/*
 * Whether a slot has the only copy of a value that must be restored for the caller. The return
 * address on top of the stack does not count: code overwrites it to jump by a return.
 */
static bool
is_owed(const struct arch *arch, const struct flow_state *state, const struct flow_slot *slot)
{
	const struct flow_value *sp = &state->registers[arch->sp];
	const int reg = slot->value.reg;

	return slot->value.kind == FLOW_INIT && reg != arch->lr && sp->kind == FLOW_STACK &&
		sp->base == slot->base &&
		slot->offset >= sp->offset + (reg == arch->pc) &&
		(reg == arch->pc || state->registers[reg].kind != FLOW_INIT ||
			state->registers[reg].reg != reg);
}

static void
store(struct flow_machine *machine, struct flow_state *state,
	const struct flow_operation *operation, struct flow_value value)
{
	const struct arch *arch = machine->arch;
	const struct flow_value *to = &state->registers[operation->dst];
	const int64_t offset = operation->value, size = operation->size;
	const bool framed = operation->dst == arch->sp || operation->dst == arch->fp;
	const int64_t at = to->offset + offset, word = arch->word_size;
	bool keep[FLOW_SLOTS], there = false;

	/* If a return address is stored elsewhere, the frame may be there. */
	if (to->kind != FLOW_STACK && value.kind == FLOW_INIT && arch_pushes_return(arch) &&
		value.reg == arch->pc)
		state->moved = true;
	/*
	 * A store to an address that may not be in this function's stack is assumed to be
	 * elsewhere.
	 */
	if (to->kind != FLOW_STACK || to->reg != 0 || at != (int32_t)at)
		return;
	for (size_t i = 0; i < state->slot_count; i++) {
		const struct flow_slot *slot = &state->slots[i];

		keep[i] = slot->base != to->base || slot->offset >= at + size ||
			slot->offset + word <= at;
		/*
		 * No function overwrites the only copy of a value that it must restore: this path
		 * is impossible.
		 */
		if (!keep[i] && is_owed(arch, state, slot))
			return;
		there = there || !keep[i];
		/*
		 * A store through a pointer, or of less than a word, can overwrite a saved value
		 * only on an impossible path. Functions that return elsewhere on purpose
		 * (_Unwind_Resume) overwrite their return address.
		 */
		if (!keep[i] && slot->value.kind == FLOW_INIT &&
			(!framed || size < word || slot->value.reg == flow_return_register(arch)))
			state->full = true;
	}
	const bool kept = size == word && is_worth_keeping(arch, &value);
	const struct flow_slot slot = { to->base, (int32_t)at, value };
	if (kept || there)
		change_slots(machine, state, keep, kept ? &slot : NULL);
}

/* Operations ----------------------------------------------------------------------------------- */

static struct flow_value
plus(const struct flow_machine *machine, struct flow_value value, int64_t number)
{
	const int64_t sum = (int64_t)((uint64_t)value.offset + (uint64_t)number);

	if (number == 0)
		return value;
	if (value.kind == FLOW_CONST)
		return number_of(machine, number_in(&value) + (uint64_t)number);
	if (value.kind == FLOW_STACK && sum == (int32_t)sum) {
		value.offset = (int32_t)sum;
		return value;
	}
	return (struct flow_value){ .kind = value.kind == FLOW_UNKNOWN ? FLOW_UNKNOWN
								       : FLOW_OTHER };
}

/* dst + src, or dst - src. */
static struct flow_value
combine(const struct flow_machine *machine, struct flow_value a, struct flow_value b, bool minus)
{
	if (b.kind == FLOW_CONST)
		a = a.kind == FLOW_ENTRY || a.kind == FLOW_LEAP
			? a
			: plus(machine, a,
				  (int64_t)(minus ? 0 - number_in(&b) : number_in(&b)));
	else if (a.kind == FLOW_CONST && !minus && b.kind != FLOW_ENTRY)
		return plus(machine, b, (int64_t)number_in(&a));
	else if (!(a.kind == FLOW_CONST && b.kind == FLOW_ENTRY))
		return (struct flow_value){ .kind = a.kind == FLOW_UNKNOWN || b.kind == FLOW_UNKNOWN
				? FLOW_UNKNOWN
				: FLOW_OTHER };
	/*
	 * The sum of a table entry and the address that entries are relative to, in either order.
	 */
	if ((a.kind == FLOW_ENTRY && b.kind == FLOW_CONST) ||
		(a.kind == FLOW_CONST && b.kind == FLOW_ENTRY)) {
		const struct flow_value *entry = a.kind == FLOW_ENTRY ? &a : &b;
		const struct flow_value *from = a.kind == FLOW_ENTRY ? &b : &a;
		const uint64_t distance = number_in(from) - machine->linked - entry->base;
		struct flow_value leap = *entry;

		leap.kind = (uint64_t)(int64_t)(int32_t)distance == distance && !minus ? FLOW_LEAP
										       : FLOW_OTHER;
		leap.offset = (int32_t)distance;
		return leap;
	}
	return a;
}

static struct flow_value
load(const struct flow_machine *machine, const struct flow_state *state,
	const struct flow_operation *operation)
{
	const struct flow_value *from = &state->registers[operation->src];
	const int64_t at = from->offset + operation->value;

	if (from->kind == FLOW_STACK && at == (int32_t)at &&
		operation->size == machine->arch->word_size) {
		struct flow_value value = flow_state_slot(state, from->base, (int32_t)at);

		/*
		 * A callee may have changed a variable in memory. No callee changes a realigned
		 * frame's CFA or the value from which the stack pointer is restored.
		 */
		if (value.kind == FLOW_STACK && operation->dst != machine->arch->sp &&
			(value.base != 0 || value.offset != 0))
			value.reg = 1;
		return value;
	}
	return (struct flow_value){ .kind = from->kind == FLOW_UNKNOWN ? FLOW_UNKNOWN
								       : FLOW_OTHER };
}

/* The entry of a table at a known address, for an index with a bound. */
static struct flow_value
load_entry(const struct flow_machine *machine, const struct flow_state *state,
	const struct flow_operation *operation)
{
	const struct flow_value *from =
		operation->src >= 0 ? &state->registers[operation->src] : NULL;
	const struct flow_value *index = &state->registers[operation->other];
	uint64_t at = (uint64_t)operation->value - machine->linked;

	if (index->kind != FLOW_OTHER || index->count == 0 ||
		(from != NULL && from->kind != FLOW_CONST))
		return (struct flow_value){ .kind = FLOW_OTHER };
	at = arch_wrap(machine->arch, at + (from != NULL ? number_in(from) : 0));
	if (at > UINT32_MAX)
		return (struct flow_value){ .kind = FLOW_OTHER };
	const unsigned size = operation->size & ~FLOW_SIGNED;
	return (struct flow_value){ .kind = FLOW_ENTRY,
		.reg = (int8_t)(__builtin_ctz(size) |
			((operation->size & FLOW_SIGNED) != 0 ? FLOW_ENTRY_SIGN : 0)),
		.count = index->count,
		.base = (uint32_t)at };
}

/* The value of a shifted register; a shifted entry of a table stays an entry. */
static struct flow_value
scale(const struct flow_machine *machine, struct flow_value value,
	const struct flow_operation *operation)
{
	const unsigned size = operation->size & ~FLOW_SIGNED;
	const bool is_signed = (operation->size & FLOW_SIGNED) != 0;

	if (value.kind == FLOW_CONST && size == 0)
		return number_of(machine, number_in(&value) << operation->value);
	if (value.kind == FLOW_ENTRY && FLOW_ENTRY_SHIFT(value.reg) == 0 && operation->value <= 4 &&
		(size == 0 || size >= FLOW_ENTRY_SIZE(value.reg))) {
		if (is_signed && size == FLOW_ENTRY_SIZE(value.reg))
			value.reg |= FLOW_ENTRY_SIGN;
		value.reg = (int8_t)(value.reg | operation->value << 3);
		return value;
	}
	if (value.kind == FLOW_OTHER && operation->value == 0)
		return value;
	return (struct flow_value){ .kind = value.kind == FLOW_UNKNOWN ? FLOW_UNKNOWN
								       : FLOW_OTHER };
}

static struct flow_value
result_of(const struct flow_machine *machine, const struct flow_state *state,
	const struct flow_operation *operation)
{
	const struct flow_value *registers = state->registers;
	const struct flow_value other = { .kind = FLOW_OTHER };
	struct flow_value value;

	switch ((enum flow_operation_kind)operation->kind) {
	case FLOW_NUMBER:
		return number_of(machine, (uint64_t)operation->value);
	case FLOW_COPY:
		return plus(machine, registers[operation->src], operation->value);
	case FLOW_SUM:
	case FLOW_DIFFERENCE:
		return combine(machine, registers[operation->dst], registers[operation->src],
			operation->kind == FLOW_DIFFERENCE);
	case FLOW_SCALE:
		return scale(machine, registers[operation->src], operation);
	case FLOW_MASK:
		/* A mask is not a table's bound: the table may end before the mask's maximum. */
		value = registers[operation->dst];
		if (value.kind == FLOW_CONST)
			return number_of(machine, number_in(&value) & (uint64_t)operation->value);
		return value.kind == FLOW_STACK || value.kind == FLOW_UNKNOWN
			? (struct flow_value){ .kind = FLOW_UNKNOWN }
			: other;
	case FLOW_EXTEND:
		value = registers[operation->src];
		return value.kind == FLOW_OTHER ? value : other;
	case FLOW_CHOICE:
		return common_of(registers[operation->dst], registers[operation->src]);
	case FLOW_LOAD:
		return load(machine, state, operation);
	case FLOW_LOAD_ENTRY:
		return load_entry(machine, state, operation);
	case FLOW_FORGET:
		return (struct flow_value){ .kind = FLOW_UNKNOWN };
	default:
		return other;
	}
}

static void
apply(struct flow_machine *machine, struct flow_state *state, uint32_t address,
	const struct flow_operation *operation)
{
	const struct flow_value other = { .kind = FLOW_OTHER };
	struct flow_value *registers = state->registers, result;

	switch ((enum flow_operation_kind)operation->kind) {
	case FLOW_STORE:
		result = operation->src >= 0 ? registers[operation->src] : other;
		result.maker = address + 1;
		store(machine, state, operation, result);
		return;
	case FLOW_SWAP:
		result = registers[operation->dst];
		registers[operation->dst] = registers[operation->src];
		registers[operation->src] = result;
		return;
	case FLOW_COMPARE:
	case FLOW_COMPARE_NUMBER:
		state->compared = operation->dst;
		state->compared_with =
			operation->kind == FLOW_COMPARE ? operation->src : ARCH_NO_REGISTER;
		state->number = (uint64_t)operation->value < UINT32_MAX ? (uint32_t)operation->value
									: UINT32_MAX;
		return;
	default:
		break;
	}
	result = result_of(machine, state, operation);
	const bool computes = operation->kind == FLOW_SUM || operation->kind == FLOW_DIFFERENCE ||
		operation->kind == FLOW_MASK || operation->kind == FLOW_SET;
	/* Arithmetic with an unknown result makes the stack pointer a new base. */
	if (operation->dst == machine->arch->sp && computes &&
		(result.kind == FLOW_OTHER || result.kind == FLOW_UNKNOWN))
		result = (struct flow_value){ .kind = FLOW_STACK, .base = address + 1 };
	if (operation->dst == machine->arch->sp && result.kind == FLOW_STACK)
		result.reg = 0;
	result.maker = address + 1;
	registers[operation->dst] = result;
	if (state->compared == operation->dst || state->compared_with == operation->dst)
		state->compared = ARCH_NO_REGISTER;
}

void
flow_state_apply(struct flow_machine *machine, struct flow_state *state, uint32_t address,
	const struct flow_operation *operations, size_t count)
{
	const int sp = machine->arch->sp;

	for (size_t i = 0; i < count; i++) {
		apply(machine, state, address, &operations[i]);
		if (operations[i].kind == FLOW_COPY && operations[i].dst == sp &&
			operations[i].src != sp)
			state->loose = false;
	}
}

void
flow_state_call(
	struct flow_machine *machine, struct flow_state *state, uint32_t address, bool local)
{
	const struct arch *arch = machine->arch;
	struct flow_value *sp = &state->registers[arch->sp];
	bool keep[FLOW_SLOTS];

	/* Compilers may keep values in any register that a function of the same file preserves. */
	for (int reg = 0; reg < arch->register_count; reg++) {
		struct flow_value *value = &state->registers[reg];
		const bool told = local && (value->kind == FLOW_STACK ||
			(value->kind == FLOW_INIT && value->reg != reg));

		if (!claim_is_kept(arch, machine->windows, reg) && reg != arch->sp)
			*value = (struct flow_value){ .kind = told ? FLOW_UNKNOWN : FLOW_OTHER,
				.maker = address + 1 };
	}
	for (size_t i = 0; i < state->slot_count; i++)
		keep[i] = sp->kind != FLOW_STACK || state->slots[i].base != sp->base ||
			state->slots[i].offset >= sp->offset;
	change_slots(machine, state, keep, NULL);
	state->compared = ARCH_NO_REGISTER;
}

/* Joining -------------------------------------------------------------------------------------- */

/* Joins the slots of both states; a missing slot has the value of flow_state_slot(). */
static bool
join_slots(struct flow_machine *machine, struct flow_state *into, const struct flow_state *from)
{
	struct flow_slot joined[2 * FLOW_SLOTS];
	size_t count = 0;
	bool changed = false;

	if (into->slots == from->slots && into->slot_count == from->slot_count)
		return false;
	for (size_t i = 0; i < into->slot_count; i++) {
		joined[count] = into->slots[i];
		joined[count].value = common_of(joined[count].value,
			flow_state_slot(from, joined[count].base, joined[count].offset));
		changed = changed || !same_value(&joined[count].value, &into->slots[i].value);
		count++;
	}
	for (size_t i = 0; i < from->slot_count; i++) {
		const struct flow_slot *slot = &from->slots[i];
		bool there = false;

		for (size_t j = 0; j < into->slot_count && !there; j++)
			there = into->slots[j].base == slot->base &&
				into->slots[j].offset == slot->offset;
		/* If the base is not the CFA, a missing slot is unknown; so is the joined slot. */
		if (there || slot->base != 0)
			continue;
		joined[count] = *slot;
		joined[count++].value = (struct flow_value){ .kind = FLOW_UNKNOWN };
		changed = true;
	}
	if (!changed)
		return false;
	into->full = into->full || count > FLOW_SLOTS;
	count = count < FLOW_SLOTS ? count : FLOW_SLOTS;
	struct flow_slot *slots = arena_array(machine->arena, count, sizeof(*slots));
	machine->failed = machine->failed || slots == NULL;
	if (slots == NULL)
		return false;
	memcpy(slots, joined, count * sizeof(*slots));
	into->slots = slots;
	into->slot_count = (uint16_t)count;
	return true;
}

bool
flow_state_join(
	struct flow_machine *machine, struct flow_state *into, const struct flow_state *from)
{
	bool changed = false;

	changed = (from->full && !into->full) || (from->moved && !into->moved) ||
		(from->loose && !into->loose);
	into->full = into->full || from->full;
	into->moved = into->moved || from->moved;
	into->loose = into->loose || from->loose;
	changed = join_slots(machine, into, from) || changed;
	for (int reg = 0; reg < machine->arch->register_count; reg++) {
		struct flow_value *value = &into->registers[reg];

		if (same_value(value, &from->registers[reg]))
			continue;
		const struct flow_value joined = common_of(*value, from->registers[reg]);
		changed = changed || !same_value(value, &joined);
		*value = joined;
	}
	if (into->weak != 0 && from->weak == 0) {
		into->weak = 0;
		changed = true;
	}
	if (into->compared != from->compared || into->compared_with != from->compared_with ||
		into->number != from->number) {
		changed = changed || into->compared != ARCH_NO_REGISTER;
		into->compared = ARCH_NO_REGISTER;
	}
	return changed;
}

static bool
is_unchanged(const struct flow_state *state, int reg)
{
	return state->registers[reg].kind == FLOW_INIT && state->registers[reg].reg == reg;
}

/* Whether a register has the caller's value and no slot has a copy of that value. */
static bool
is_untouched(const struct flow_state *state, int reg)
{
	if (!is_unchanged(state, reg))
		return false;
	for (size_t i = 0; i < state->slot_count; i++)
		if (state->slots[i].value.kind == FLOW_INIT && state->slots[i].value.reg == reg)
			return false;
	return true;
}

bool
flow_state_conflict(const struct arch *arch, const struct flow_state *a, const struct flow_state *b)
{
	const struct flow_value *one = &a->registers[arch->sp], *other = &b->registers[arch->sp];

	if (one->kind == FLOW_STACK && other->kind == FLOW_STACK && one->base == other->base &&
		one->offset != other->offset)
		return true;
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved &&
			a->registers[reg].kind != FLOW_UNKNOWN &&
			b->registers[reg].kind != FLOW_UNKNOWN &&
			is_unchanged(a, reg) != is_unchanged(b, reg) &&
			(is_untouched(a, reg) || is_untouched(b, reg)))
			return true;
	return false;
}

bool
flow_state_is_entry(const struct arch *arch, const struct flow_state *state)
{
	const bool pushed = arch_pushes_return(arch);
	const struct flow_value *sp = &state->registers[arch->sp];
	const int32_t word = (int32_t)arch->word_size;

	if (sp->kind != FLOW_STACK || sp->base != 0 || sp->offset != (pushed ? -word : 0))
		return false;
	const struct flow_value back =
		pushed ? flow_state_slot(state, 0, -word) : state->registers[arch->lr];
	return back.kind == FLOW_INIT && back.reg == flow_return_register(arch);
}

/* Claims --------------------------------------------------------------------------------------- */

/* The value that a claim gives a register. */
static struct flow_value
value_of(const struct arch *arch, const struct flow_state *state, const struct claim *claim)
{
	const struct flow_value unknown = { .kind = FLOW_UNKNOWN };
	struct flow_value value = { .kind = FLOW_STACK };

	if (claim->base >= 0 && claim->base < arch->register_count)
		value = state->registers[claim->base];
	else if (claim->base != LINEAR_CFA)
		return unknown;
	const int64_t sum = (int64_t)value.offset + claim->offset;
	if (claim->offset == 0 && !claim->dereference)
		return value;
	/* Only words of this function's stack are known. */
	if (value.kind != FLOW_STACK)
		return (struct flow_value){ .kind = value.kind == FLOW_UNKNOWN || claim->dereference
				? FLOW_UNKNOWN
				: FLOW_OTHER };
	if (sum != (int32_t)sum)
		return unknown;
	value.offset = (int32_t)sum;
	return claim->dereference ? flow_state_slot(state, value.base, value.offset) : value;
}

static enum flow_verdict
judge_cfa(const struct arch *arch, const struct flow_state *state, const struct claim *claim)
{
	const struct flow_value value = value_of(arch, state, claim);
	const struct flow_value *sp = &state->registers[arch->sp];
	/* A CFA from an argument or another stack is intended: longjmp and similar functions. */
	const bool by_design = (claim->base >= 0 && claim->base != arch->sp &&
				       claim->base != arch->fp &&
				       !arch->registers[claim->base].callee_saved) ||
		(sp->kind != FLOW_STACK && sp->kind != FLOW_UNKNOWN);

	if (value.kind == FLOW_STACK && value.base == 0)
		return value.offset == 0 ? FLOW_AGREES : FLOW_CONTRADICTS;
	if (value.kind == FLOW_STACK || value.kind == FLOW_UNKNOWN || by_design ||
	    (state->moved && value.kind == FLOW_OTHER))
		return FLOW_CANNOT_SAY;
	return FLOW_CONTRADICTS;
}

enum flow_verdict
flow_judge(const struct arch *arch, bool windows, const struct flow_state *state, unsigned column,
	const struct claim *claim)
{
	const int back = flow_return_register(arch);
	const int reg = column == CLAIM_RETURN_ADDRESS ? back : (int)column - CLAIM_REGISTER;
	struct claim says = *claim;

	if (claim->kind == CLAIM_SILENT ||
	    (column >= CLAIM_REGISTER && !claim_is_kept(arch, windows, reg)))
		return FLOW_AGREES;
	if (claim->kind == CLAIM_SAME)
		says = (struct claim){ .base = (int8_t)reg };
	else if (claim->kind != CLAIM_RULE || claim->parameters || claim->base == LINEAR_NONE)
		return FLOW_CANNOT_SAY;
	if (column == CLAIM_CFA)
		return judge_cfa(arch, state, &says);
	const struct flow_value value = value_of(arch, state, &says);
	/* A function of i386 may give its caller the pc in a register on purpose. */
	if (value.kind == FLOW_UNKNOWN ||
	    (value.kind == FLOW_INIT && value.reg == back && says.base == reg && reg != back))
		return FLOW_CANNOT_SAY;
	return value.kind == FLOW_INIT && value.reg == reg ? FLOW_AGREES : FLOW_CONTRADICTS;
}
