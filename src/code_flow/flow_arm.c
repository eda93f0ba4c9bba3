/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_arm.h"

#include "base/reader.h"

/*
 * Instructions of A32 (Arm ARM, F4.1), and the parts that T32 encodes in the same way: loads and
 * stores, lists of registers, coprocessors, data processing.
 */

void
flow_arm_set(struct flow_lifter *lifter, unsigned reg)
{
	if (reg == ARM_PC)
		lifter->out->way = FLOW_JUMP;
	else
		flow_add(lifter, FLOW_SET, (int)reg, 0, 0);
}

/* The pc that the instruction reads: its own address + 8, in Thumb code + 4. */
static uint64_t
pc_of(const struct flow_lifter *lifter)
{
	return lifter->linked + (lifter->halfwords ? 4 : 8);
}

void
flow_arm_read_pc(struct flow_lifter *lifter, bool aligned)
{
	flow_add(lifter, FLOW_NUMBER, ARM_PC, 0,
		(int64_t)(aligned ? pc_of(lifter) & ~UINT64_C(3) : pc_of(lifter)));
}

void
flow_arm_condition(struct flow_lifter *lifter, unsigned condition)
{
	lifter->out->condition = flow_arm_conditions[condition];
}

void
flow_arm_branch(struct flow_lifter *lifter, enum flow_way way, unsigned condition, int64_t by)
{
	lifter->out->way = (uint8_t)way;
	lifter->out->direct = true;
	flow_arm_condition(lifter, condition);
	lifter->out->target = (pc_of(lifter) + (uint64_t)by) & UINT32_MAX;
}

void
flow_arm_jump(struct flow_lifter *lifter, unsigned reg)
{
	lifter->out->way = reg == ARM_LR ? FLOW_RETURN : reg == ARM_PC ? FLOW_STOP : FLOW_JUMP;
	lifter->out->jumps = (int8_t)reg;
}

/* Data processing ------------------------------------------------------------------------------ */

/* rd = rn + rm, or rn - rm; rd may be rn or rm. */
static void
sum(struct flow_lifter *lifter, unsigned to, unsigned one, int other, bool minus)
{
	flow_add(lifter, FLOW_COPY, flow_scratch(lifter), other, 0);
	if (to != one)
		flow_add(lifter, FLOW_COPY, (int)to, (int)one, 0);
	flow_add(lifter, minus ? FLOW_DIFFERENCE : FLOW_SUM, (int)to, flow_scratch(lifter), 0);
}

static void
data_number(struct flow_lifter *lifter, const struct arm_data *data)
{
	const int to = (int)data->to, from = (int)data->from;

	switch (data->kind) {
	case ARM_MOVE:
		flow_add(lifter, FLOW_NUMBER, to, 0, (int64_t)data->number);
		break;
	case ARM_NOT:
		flow_add(lifter, FLOW_NUMBER, to, 0, (int64_t)~data->number);
		break;
	case ARM_ADD:
		flow_add(lifter, FLOW_COPY, to, from, (int64_t)data->number);
		break;
	case ARM_SUBTRACT:
		flow_add(lifter, FLOW_COPY, to, from, -(int64_t)data->number);
		break;
	case ARM_AND:
	case ARM_CLEAR:
		flow_add(lifter, FLOW_COPY, to, from, 0);
		flow_add(lifter, FLOW_MASK, to, 0,
			(int64_t)(data->kind == ARM_AND ? data->number : ~data->number));
		break;
	default:
		flow_add(lifter, FLOW_SET, to, 0, 0);
	}
}

static void
data_register(struct flow_lifter *lifter, const struct arm_data *data)
{
	const int to = (int)data->to, other = (int)data->other;
	const bool adds = data->kind == ARM_ADD || data->kind == ARM_SUBTRACT;

	/* orr r10, r10, r10 changes nothing; it is a request to Valgrind. */
	const bool same = (data->kind == ARM_OR || data->kind == ARM_AND) &&
		data->from == data->other;

	if ((data->kind == ARM_MOVE || same) && data->plain) {
		flow_add(lifter, FLOW_COPY, to, other, 0);
	} else if (adds && data->plain) {
		sum(lifter, data->to, data->from, other, data->kind == ARM_SUBTRACT);
	} else if (adds && data->left != 0 && data->kind == ARM_ADD) {
		/* The register may hold an entry of a jump table. */
		flow_add(lifter, FLOW_SCALE, flow_scratch(lifter), other, data->left);
		flow_add(lifter, FLOW_SUM, flow_scratch(lifter), (int)data->from, 0);
		flow_add(lifter, FLOW_COPY, to, flow_scratch(lifter), 0);
		if (data->to == ARM_SP)
			flow_add(lifter, FLOW_SET, to, 0, 0);
	} else if (data->kind == ARM_MOVE && data->left != 0) {
		flow_add(lifter, FLOW_SCALE, to, other, data->left);
	} else {
		flow_add(lifter, FLOW_SET, to, 0, 0);
	}
}

void
flow_arm_lift_data(struct flow_lifter *lifter, const struct arm_data *data)
{
	const bool compares = data->kind >= ARM_TEST && data->kind <= ARM_COMPARE_SUM;
	const bool by_register = data->other != ARM_NONE;

	if (data->from == ARM_PC || data->other == ARM_PC)
		flow_arm_read_pc(lifter, lifter->halfwords && !by_register);
	if (data->kind == ARM_COMPARE && !by_register)
		flow_add(lifter, FLOW_COMPARE_NUMBER, (int)data->from, 0, (int64_t)data->number);
	else if (data->kind == ARM_COMPARE && data->plain)
		flow_add(lifter, FLOW_COMPARE, (int)data->from, (int)data->other, 0);
	else if (compares || data->flags)
		flow_forget_flags(lifter);
	if (compares)
		return;
	if (by_register)
		data_register(lifter, data);
	else
		data_number(lifter, data);
	if (data->to != ARM_PC)
		return;
	if (data->kind == ARM_MOVE && data->plain && by_register)
		flow_arm_jump(lifter, data->other);
	else
		lifter->out->way = FLOW_JUMP;
	lifter->out->jumps = lifter->out->way == FLOW_JUMP ? ARM_PC : ARCH_NO_REGISTER;
}

/* Memory --------------------------------------------------------------------------------------- */

static void
move_base(struct flow_lifter *lifter, unsigned base, int64_t by)
{
	if (by != 0)
		flow_add(lifter, FLOW_COPY, (int)base, (int)base, by);
}

/* A word loaded into the pc: a return if it is from the stack, else a jump. */
static void
load_pc(struct flow_lifter *lifter, unsigned base)
{
	lifter->out->way = base == ARM_SP ? FLOW_RETURN : FLOW_JUMP;
	lifter->out->jumps = ARM_PC;
}

/* Record that the instruction reads data in the code, `at` bytes after the pc. */
static void
note_literal(struct flow_lifter *lifter, int64_t at)
{
	lifter->out->literal = (uint32_t)((pc_of(lifter) & ~UINT64_C(3)) + (uint64_t)at -
		lifter->linked + lifter->out->address);
}

struct flow_transfer
flow_arm_transfer(uint32_t word, int64_t number)
{
	const bool before = flow_bits(word, 24, 1) != 0, up = flow_bits(word, 23, 1) != 0;
	struct flow_transfer words = { .load = flow_bits(word, 20, 1) != 0,
		.registers = { (int)flow_bits(word, 12, 4) },
		.count = 1,
		.size = 4,
		.base = (int)flow_bits(word, 16, 4) };

	flow_place(&words, up ? number : -number, !before,
		before && flow_bits(word, 21, 1) != 0);
	return words;
}

void
flow_arm_lift_transfer(struct flow_lifter *lifter, struct flow_transfer words)
{
	const bool may_jump = words.load && words.size == 4;
	const bool jumps = may_jump && words.registers[0] == ARM_PC;

	if (words.base == ARM_PC)
		flow_arm_read_pc(lifter, true);
	if (words.base == ARM_PC && words.load)
		note_literal(lifter, words.at);
	for (unsigned i = 0; i < words.count; i++)
		if (words.registers[i] == ARM_PC && !may_jump)
			words.registers[i] = ARCH_NO_REGISTER;
	flow_lift_transfer(lifter, &words);
	if (jumps)
		load_pc(lifter, (unsigned)words.base);
}

void
flow_arm_lift_indexed(struct flow_lifter *lifter, const struct flow_transfer *words, unsigned index,
	unsigned shift, bool moves)
{
	const int reg = words->registers[0], base = words->base;
	const unsigned size = words->size;

	if (base == ARM_PC || index == ARM_PC)
		flow_arm_read_pc(lifter, true);
	if (words->load && !moves && 1u << shift == size)
		flow_add_entry(lifter, reg, base, (int)index, size, 0);
	else if (words->load && (reg != ARM_PC || size == 4))
		flow_add(lifter, FLOW_SET, reg, 0, 0);
	if (moves && (!words->load || reg != base))
		flow_add(lifter, base == ARM_SP ? FLOW_SET : FLOW_FORGET, base, 0, 0);
	if (words->load && reg == ARM_PC && size == 4) {
		lifter->out->way = FLOW_JUMP;
		lifter->out->jumps = ARM_PC;
	}
}

/* ldm, stm, push, pop: the lowest register is at the lowest address. */
void
flow_arm_lift_list(struct flow_lifter *lifter, const struct arm_list *list)
{
	const int64_t size = 4 * (int64_t)__builtin_popcount(list->registers);
	int64_t at = list->up ? (list->before ? 4 : 0) : (list->before ? -size : 4 - size);
	const bool has_base = (list->registers >> list->base & 1) != 0;
	int base = (int)list->base;

	if (has_base && list->load) {
		flow_add(lifter, FLOW_COPY, flow_scratch(lifter), base, 0);
		base = flow_scratch(lifter);
	}
	for (unsigned reg = 0; reg < 16; reg++) {
		if ((list->registers >> reg & 1) == 0)
			continue;
		if (list->load)
			flow_add_memory(lifter, FLOW_LOAD, (int)reg, base, 4, at);
		else
			flow_add_memory(lifter, FLOW_STORE, base,
				reg == ARM_PC || (has_base && list->moves) ? ARCH_NO_REGISTER
									   : (int)reg,
				4, at);
		at += 4;
	}
	if (list->moves && !(has_base && list->load))
		move_base(lifter, list->base, list->up ? size : -size);
	if (list->load && (list->registers >> ARM_PC & 1) != 0)
		load_pc(lifter, list->base);
}

void
flow_arm_lift_multiple(struct flow_lifter *lifter, uint32_t word)
{
	flow_arm_lift_list(lifter,
		&(struct arm_list){ .registers = word & 0xffff,
			.base = flow_bits(word, 16, 4),
			.load = flow_bits(word, 20, 1) != 0,
			.moves = flow_bits(word, 21, 1) != 0,
			.up = flow_bits(word, 23, 1) != 0,
			.before = flow_bits(word, 24, 1) != 0 });
}

/* Loads and stores of vector structures (vld1), which may change their base. */
bool
flow_arm_lift_structures(struct flow_lifter *lifter, uint32_t word)
{
	static const uint8_t counts[16] = { 4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2 };
	const unsigned base = flow_bits(word, 16, 4), by = flow_bits(word, 0, 4);
	const bool single = flow_bits(word, 23, 1) != 0, load = flow_bits(word, 21, 1) != 0;
	const unsigned size = single ? 0 : 8u * counts[flow_bits(word, 8, 4)];

	if (!load && size != 0)
		flow_add_memory(lifter, FLOW_STORE, (int)base, ARCH_NO_REGISTER, size, 0);
	if (by == ARM_PC)
		return true;
	if (by == ARM_SP && size != 0)
		move_base(lifter, base, size);
	else if (base == ARM_SP)
		return false;
	else
		flow_add(lifter, FLOW_FORGET, (int)base, 0, 0);
	return true;
}

/* Loads and stores of vector registers, with an offset or as a list. */
static void
lift_vector_memory(struct flow_lifter *lifter, uint32_t word)
{
	const bool before = flow_bits(word, 24, 1) != 0, up = flow_bits(word, 23, 1) != 0;
	const bool moves = flow_bits(word, 21, 1) != 0, load = flow_bits(word, 20, 1) != 0;
	const unsigned base = flow_bits(word, 16, 4), number = flow_bits(word, 0, 8);
	const bool wide = flow_bits(word, 8, 1) != 0;
	/* `number` counts words; fldmx and fstmx count one word more than their registers have. */
	const int64_t distance = 4 * (int64_t)number;
	const int64_t at = before && !moves ? (up ? distance : -distance) : up ? 0 : -distance;
	const unsigned size = before && !moves ? (wide ? 8 : 4) : 4 * number;

	if (!load)
		flow_add_memory(lifter, FLOW_STORE, (int)base, ARCH_NO_REGISTER, size, at);
	else if (base == ARM_PC)
		note_literal(lifter, at);
	if (moves)
		move_base(lifter, base, up ? distance : -distance);
}

/* Bits 27 to 0 have the same meaning in A32 and T32. */
bool
flow_arm_lift_coprocessor(struct flow_lifter *lifter, uint32_t word)
{
	const bool vectors = flow_bits(word, 9, 3) == 5;
	const bool reads = flow_bits(word, 20, 1) != 0;
	const unsigned to = flow_bits(word, 12, 4);

	if (flow_bits(word, 24, 4) == 0xf)
		return true; /* NEON in T32; a system call in A32 */
	if (flow_bits(word, 25, 3) == 7) {
		/* Moves a word from or to a vector register; other encodings are computations. */
		if (flow_bits(word, 4, 1) != 0 && reads && to == ARM_PC)
			flow_forget_flags(lifter);
		else if (flow_bits(word, 4, 1) != 0 && reads)
			flow_arm_set(lifter, to);
		return true;
	}
	if (flow_bits(word, 21, 4) == 2) {
		/* The instruction moves two words. */
		if (reads) {
			flow_arm_set(lifter, to);
			flow_arm_set(lifter, flow_bits(word, 16, 4));
		}
		return true;
	}
	if (vectors)
		lift_vector_memory(lifter, word);
	else if (flow_bits(word, 21, 1) != 0)
		flow_add(lifter, FLOW_FORGET, (int)flow_bits(word, 16, 4), 0, 0);
	return vectors || flow_bits(word, 16, 4) != ARM_SP || flow_bits(word, 21, 1) == 0;
}

/* A32 ------------------------------------------------------------------------------------------ */

static void
lift_multiply(struct flow_lifter *lifter, uint32_t word)
{
	flow_arm_set(lifter, flow_bits(word, 16, 4));
	/* The lower half of a 64-bit product. */
	if (flow_bits(word, 23, 1) != 0 || flow_bits(word, 21, 3) == 2)
		flow_arm_set(lifter, flow_bits(word, 12, 4));
	if (flow_bits(word, 20, 1) != 0)
		flow_forget_flags(lifter);
}

/* ldrex, strex, swp and similar instructions. */
static void
lift_exclusive(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned to = flow_bits(word, 12, 4);

	if (to == ARM_PC)
		return;
	flow_arm_set(lifter, to);
	if (flow_bits(word, 20, 4) == 0xb)
		flow_arm_set(lifter, to + 1);
}

/* Whether the base changes or the offset is subtracted: bit P or U is clear, or W is set. */
static bool
moves(uint32_t word)
{
	return flow_bits(word, 23, 2) != 3 || flow_bits(word, 21, 1) != 0;
}

/* Loads and stores of halfwords, signed bytes and pairs of words. */
static void
lift_extra(struct flow_lifter *lifter, uint32_t word)
{
	struct flow_transfer words =
		flow_arm_transfer(word, flow_bits(word, 8, 4) << 4 | flow_bits(word, 0, 4));
	const unsigned kind = flow_bits(word, 5, 2);
	const bool pair = !words.load && kind >= 2;

	words.registers[1] = words.registers[0] + 1;
	words.load = words.load || (pair && kind == 2);
	words.count = pair ? 2 : 1;
	words.size = pair ? 4 : kind == 2 ? 1 : 2;
	if (flow_bits(word, 22, 1) != 0) {
		flow_arm_lift_transfer(lifter, words);
		return;
	}
	if (pair && words.load)
		flow_arm_set(lifter, (unsigned)words.registers[1]);
	flow_arm_lift_indexed(lifter, &words, flow_bits(word, 0, 4), pair ? 31 : 0, moves(word));
}

/* Instructions encoded as comparisons that set no flags, such as bx, blx, mrs and clz. */
static bool
lift_others(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 4, 4), which = flow_bits(word, 21, 2);

	if (kind >= 8) {
		flow_arm_set(lifter, flow_bits(word, 16, 4));
		if (which == 2)
			flow_arm_set(lifter, flow_bits(word, 12, 4));
		return true;
	}
	if (kind == 1 && which == 1) {
		flow_arm_jump(lifter, flow_bits(word, 0, 4));
	} else if (kind == 3 && which == 1) {
		lifter->out->way = FLOW_CALL;
	} else if (kind == 7) {
		lifter->out->way = FLOW_STOP; /* bkpt */
	} else if (kind == 0 && (which & 1) != 0) {
		flow_forget_flags(lifter); /* msr */
	} else if (kind == 2 || kind == 6) {
		return false;
	} else {
		flow_arm_set(lifter, flow_bits(word, 12, 4)); /* mrs, clz, crc32, qadd */
	}
	return true;
}

static bool
lift_data(struct flow_lifter *lifter, uint32_t word)
{
	const bool numbered = flow_bits(word, 25, 1) != 0;
	const unsigned kind = flow_bits(word, 21, 4), shift = flow_bits(word, 7, 5);
	struct arm_data data = { .kind = kind,
		.to = flow_bits(word, 12, 4),
		.from = flow_bits(word, 16, 4),
		.other = numbered ? ARM_NONE : flow_bits(word, 0, 4),
		/* The constant is eight bits, rotated right by twice the four bits above them. */
		.number = (uint32_t)((word & 0xff) * UINT64_C(0x100000001) >>
			2 * flow_bits(word, 8, 4)),
		.flags = flow_bits(word, 20, 1) != 0,
		.plain = flow_bits(word, 4, 8) == 0,
		.left = flow_bits(word, 4, 3) == 0 ? shift : 0 };

	if (!numbered && (word & 0x90) == 0x90) {
		if (flow_bits(word, 5, 2) != 0)
			lift_extra(lifter, word);
		else if (flow_bits(word, 24, 1) != 0)
			lift_exclusive(lifter, word);
		else
			lift_multiply(lifter, word);
		return true;
	}
	if (flow_bits(word, 23, 2) == 2 && !data.flags && !numbered)
		return lift_others(lifter, word);
	if (flow_bits(word, 23, 2) == 2 && !data.flags) {
		const uint32_t number =
			flow_bits(word, 16, 4) << 12 | flow_bits(word, 0, 12);

		if (kind == 8) {
			flow_add(lifter, FLOW_NUMBER, (int)data.to, 0, number);
		} else if (kind == 10) {
			flow_add(lifter, FLOW_MASK, (int)data.to, 0, 0xffff);
			flow_add(lifter, FLOW_COPY, (int)data.to, (int)data.to,
				(int64_t)((uint64_t)number << 16));
		} else {
			lifter->out->idle = (word & 0x0fffffff) == 0x0320f000;
			flow_forget_flags(lifter); /* msr, hints */
		}
		return true;
	}
	flow_arm_lift_data(lifter, &data);
	return true;
}

/* Loads and stores of words and bytes, with a constant or a register as offset. */
static void
lift_one(struct flow_lifter *lifter, uint32_t word)
{
	struct flow_transfer words = flow_arm_transfer(word, flow_bits(word, 0, 12));

	words.size = flow_bits(word, 22, 1) != 0 ? 1 : 4;
	if (flow_bits(word, 25, 1) == 0)
		flow_arm_lift_transfer(lifter, words);
	else
		flow_arm_lift_indexed(lifter, &words, flow_bits(word, 0, 4),
			flow_bits(word, 5, 2) == 0 ? flow_bits(word, 7, 5) : 31, moves(word));
}

/* Arithmetic on parts of registers. */
static void
lift_media(struct flow_lifter *lifter, uint32_t word)
{
	if (flow_bits(word, 20, 8) == 0x7f && flow_bits(word, 4, 4) == 0xf) {
		lifter->out->way = FLOW_STOP; /* udf */
	} else if (flow_bits(word, 23, 5) != 0x0e && flow_bits(word, 20, 8) != 0x78) {
		flow_arm_set(lifter, flow_bits(word, 12, 4));
	} else {
		flow_arm_set(lifter, flow_bits(word, 16, 4));
		if (flow_bits(word, 20, 8) == 0x74)
			flow_arm_set(lifter, flow_bits(word, 12, 4));
	}
}

/* Instructions that are never conditional. */
static bool
lift_always(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 24, 4);

	if (flow_bits(word, 25, 3) == 5) {
		flow_arm_branch(lifter, FLOW_CALL, 0,
			(int64_t)((uint64_t)(int64_t)(int32_t)(word << 8) >> 6) |
				flow_bits(word, 24, 1) << 1);
		return true;
	}
	if (kind == 4 && flow_bits(word, 20, 1) == 0)
		return flow_arm_lift_structures(lifter, word);
	if (kind == 8 || kind == 9)
		return false; /* srs, rfe */
	return kind < 8 || kind == 0xf || flow_arm_lift_coprocessor(lifter, word);
}

static bool
lift_words(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned condition = flow_bits(word, 28, 4);
	const int64_t by = (int64_t)((int32_t)(word << 8) >> 6);

	if (condition == 0xf)
		return lift_always(lifter, word);
	lifter->out->perhaps = condition != 0xe;
	switch (flow_bits(word, 25, 3)) {
	case 0:
	case 1:
		if (!lift_data(lifter, word))
			return false;
		break;
	case 2:
		lift_one(lifter, word);
		break;
	case 3:
		if (flow_bits(word, 4, 1) != 0)
			lift_media(lifter, word);
		else
			lift_one(lifter, word);
		break;
	case 4:
		flow_arm_lift_multiple(lifter, word);
		break;
	case 5:
		flow_arm_branch(lifter, flow_bits(word, 24, 1) != 0 ? FLOW_CALL : FLOW_JUMP,
			condition, by);
		return true;
	default:
		if (flow_bits(word, 24, 4) == 0xf)
			flow_arm_set(lifter, 0); /* svc */
		else if (!flow_arm_lift_coprocessor(lifter, word))
			return false;
	}
	flow_arm_condition(lifter, condition);
	return true;
}

static unsigned
decode(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
	if (lifter->halfwords)
		return flow_thumb_decode(lifter, bytes, count);
	if (count < 4)
		return 0;
	const struct reader reader = { .data = bytes, .size = 4,
		.big_endian = lifter->big_endian };
	uint32_t word = 0;
	reader_u32(&reader, 0, &word);
	return lift_words(lifter, word) ? 4 : 0;
}

const struct flow_family flow_family_ARM = { .decode = decode };
