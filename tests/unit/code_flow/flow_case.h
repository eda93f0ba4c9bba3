/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CODE_FLOW_FLOW_CASE_H
#define TESTS_UNIT_CODE_FLOW_FLOW_CASE_H

#include "code_flow/flow_function.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

/** Functions of a few instructions, and the expected state before some of them. */

struct code_bytes {
	uint8_t data[256];
	size_t size;
	uint64_t begins;		/* another function begins here */
	uint64_t stops;			/* a function that never returns begins here */
	uint16_t pops;			/* bytes that every callee pops */
	uint64_t back;			/* after a call of 5 bytes */
	uint64_t pad;			/* the landing pad of that call */
	uint16_t taken;			/* bytes that the function is said to pop */
	bool ends;			/* the function is said never to return */
	bool halfwords;			/* the code is Thumb */
};

static inline const uint8_t *
bytes(void *context, uint64_t address, size_t *count)
{
	const struct code_bytes *code = context;

	if (address >= code->size)
		return NULL;
	*count = code->size - (size_t)address;
	return code->data + address;
}

static inline bool
begins(void *context, uint64_t address)
{
	const struct code_bytes *code = context;

	return address != 0 && address == code->begins;
}

static inline struct flow_callee
callee(void *context, uint64_t target)
{
	const struct code_bytes *code = context;

	return (struct flow_callee){ .stops = target != 0 && target == code->stops, .settled = code->pops != 0, .pops = code->pops };
}

static inline bool
caught(void *context, uint64_t back, uint64_t *pad, int32_t *dropped)
{
	const struct code_bytes *code = context;

	*pad = code->pad;
	*dropped = 16;
	return code->pad != 0 && back == code->back;
}

static inline bool
goes_on(void *context, uint64_t address, uint64_t back, const struct flow_state *state, struct flow_callee *made)
{
	const struct code_bytes *code = context;

	(void)state;
	if (back != code->back || address + 5 != back)
		return true;
	made->pops = made->settled ? made->pops : code->taken;
	return !code->ends;
}

/* "c-16": CFA - 16; "@4+8": 8 above the result of the instruction at 4; "rbx": the caller's rbx. */
static inline size_t
say(char *text, size_t size, const struct arch *arch, const struct flow_value *value)
{
	const char *const names[] = { [FLOW_UNKNOWN] = "?", [FLOW_OTHER] = "other", [FLOW_CONST] = "number", [FLOW_ENTRY] = "entry",
				      [FLOW_LEAP] = "leap" };

	if (value->kind == FLOW_INIT)
		return (size_t)snprintf(text, size, " %s", arch->registers[value->reg].label);
	if (value->kind == FLOW_STACK && value->base == 0)
		return (size_t)snprintf(text, size, " c%+d", value->offset);
	if (value->kind == FLOW_STACK)
		return (size_t)snprintf(text, size, " @%x%+d", value->base - 1, value->offset);
	return (size_t)snprintf(text, size, " %s", names[value->kind]);
}

/* Stack pointer, frame pointer, a register that calls preserve and, if there is one, the link
 * register; then the contents of slots, except that of the return address on x86. */
static inline const char *
state_text(char *text, size_t size, const struct arch *arch, const struct flow_state *state)
{
	const int kept = arch->id == ARCH_ARM64 ? 19 : arch->id == ARCH_ARM ? 4 : 3;
	const int registers[] = { arch->sp, arch->fp, kept, arch->lr };
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_COUNT(registers); i++)
		if (registers[i] >= 0)
			at += say(text + at, size - at, arch, &state->registers[registers[i]]);
	for (size_t i = 0; i < state->slot_count; i++) {
		const struct flow_slot *slot = &state->slots[i];
		if (slot->base == 0 && slot->offset == -(int32_t)arch->word_size && arch_pushes_return(arch))
			continue;
		at += (size_t)snprintf(text + at, size - at, " %s%d:", slot->base == 0 ? "" : "@", slot->offset);
		at += say(text + at, size - at, arch, &slot->value);
	}
	return text + 1;
}

/** A function, and the expected state before some of its instructions. */
struct flow_case {
	enum arch_id arch;
	const char *title, *hex;
	struct code_bytes facts;
	struct {
		uint32_t address;
		const char *state;
	} points[6];
};

static inline void
run_case(const struct flow_case *flow_case)
{
	struct code_bytes code = flow_case->facts;
	const struct flow_code flow = { .arch = arch_by_id(flow_case->arch), .halfwords = code.halfwords, .linked = 0x400000,
					.context = &code, .bytes = bytes, .begins = begins,
					.callee = callee, .caught = caught, .goes_on = goes_on };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_point point;
	char text[256];

	code.size = bytes_of(flow_case->hex, code.data, sizeof(code.data));
	flow_function_run(function, 0, code.size);
	for (size_t i = 0; i < ARRAY_COUNT(flow_case->points); i++) {
		const uint32_t address = flow_case->points[i].address;
		if (flow_case->points[i].state == NULL)
			break;
		const bool reached = flow_function_at(function, address, &point);
		is_str(reached ? state_text(text, sizeof(text), flow.arch, point.state) : "",
		       flow_case->points[i].state, "%s: the state before %x is right", flow_case->title, address);
	}
	flow_function_free(function);
}

/* Random bytes: no read leaves them, and none takes long. */
static inline void
run_random(enum arch_id arch, bool halfwords)
{
	struct code_bytes code = { .size = sizeof(code.data) };
	const struct flow_code flow = { .arch = arch_by_id(arch), .halfwords = halfwords, .context = &code,
					.bytes = bytes, .begins = begins, .callee = callee };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_point point;
	uint32_t seed = 1;
	size_t points = 0;

	for (unsigned round = 0; round < 2000; round++) {
		for (size_t i = 0; i < code.size; i++)
			code.data[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
		flow_function_run(function, 0, code.size);
		for (size_t i = 0; flow_function_point(function, i, &point); i++)
			points += point.instruction->address + point.instruction->length <= code.size;
	}
	ok(points > 2000, "random bytes are run up to where they end");
	flow_function_free(function);
}

#endif
