/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_arm.h"

#include "base/checked.h"

/* Instructions of T32 (Arm ARM, F3.1: the encoding index), of one halfword or two. */

/* One halfword --------------------------------------------------------------------------------- */

/* Shifts, sums and constants of three or eight bits. Inside an IT block they set no flags. */
static void
lift_basic(struct flow_lifter *lifter, unsigned half)
{
	static const uint8_t kinds[] = { ARM_MOVE, ARM_COMPARE, ARM_ADD, ARM_SUBTRACT };
	const unsigned kind = flow_bits(half, 11, 3), low = flow_bits(half, 0, 3);
	const bool flags = lifter->it == 0;
	struct arm_data data = { .kind = ARM_MOVE,
		.to = low,
		.from = flow_bits(half, 3, 3),
		.other = flow_bits(half, 3, 3),
		.flags = flags,
		.plain = flow_bits(half, 6, 7) == 0,
		.left = kind == 0 ? flow_bits(half, 6, 5) : 0 };

	if (kind == 3) {
		const bool numbered = flow_bits(half, 10, 1) != 0;

		data.kind = flow_bits(half, 9, 1) != 0 ? ARM_SUBTRACT : ARM_ADD;
		data.other = numbered ? ARM_NONE : flow_bits(half, 6, 3);
		data.number = flow_bits(half, 6, 3);
		data.plain = true;
	} else if (kind >= 4) {
		data.kind = kinds[kind - 4];
		data.to = data.from = flow_bits(half, 8, 3);
		data.other = ARM_NONE;
		data.number = half & 0xff;
	}
	flow_arm_lift_data(lifter, &data);
}

/* Operations on two low registers, and operations on all registers. */
static void
lift_registers(struct flow_lifter *lifter, unsigned half)
{
	static const uint8_t low_kinds[16] = { ARM_AND, ARM_EXCLUSIVE, ARM_NOT, ARM_NOT, ARM_NOT,
		ARM_ADD_CARRY, ARM_SUBTRACT_CARRY, ARM_NOT, ARM_TEST, ARM_SUBTRACT_FROM,
		ARM_COMPARE, ARM_COMPARE_SUM, ARM_OR, ARM_NOT, ARM_CLEAR, ARM_NOT };
	static const uint8_t high_kinds[] = { ARM_ADD, ARM_COMPARE, ARM_MOVE };
	const bool high = flow_bits(half, 10, 1) != 0;
	const unsigned kind = high ? flow_bits(half, 8, 2) : flow_bits(half, 6, 4);
	const unsigned low = flow_bits(half, 0, 3);
	struct arm_data data = { .to = low,
		.other = high ? flow_bits(half, 3, 4) : flow_bits(half, 3, 3),
		.plain = true,
		.flags = !high && lifter->it == 0 };

	if (high && kind == 3) {
		if (flow_bits(half, 7, 1) != 0)
			lifter->out->way = FLOW_CALL;
		else
			flow_arm_jump(lifter, flow_bits(half, 3, 4));
		return;
	}
	if (high)
		data.to |= flow_bits(half, 7, 1) << 3;
	data.from = data.to;
	data.kind = high ? high_kinds[kind] : low_kinds[kind];
	flow_arm_lift_data(lifter, &data);
}

static void
lift_memory(struct flow_lifter *lifter, unsigned half)
{
	const unsigned kind = flow_bits(half, 11, 5), low = flow_bits(half, 0, 3);
	struct flow_transfer words = { .load = flow_bits(half, 11, 1) != 0,
		.registers = { (int)low },
		.count = 1,
		.base = (int)flow_bits(half, 3, 3),
		.size = 4 };
	const unsigned number = flow_bits(half, 6, 5);

	if (kind == 0x0a || kind == 0x0b) {
		static const uint8_t sizes[] = { 4, 2, 1, 1, 4, 2, 1, 2 };
		const unsigned which = flow_bits(half, 9, 3);

		words.load = which >= 3;
		words.size = sizes[which];
		flow_arm_lift_indexed(lifter, &words, flow_bits(half, 6, 3), 0, false);
		return;
	}
	if (kind == 0x09 || kind >= 0x12) {
		words.load = kind != 0x12;
		words.registers[0] = (int)flow_bits(half, 8, 3);
		words.base = kind == 0x09 ? ARM_PC : ARM_SP;
		words.at = 4 * (int64_t)(half & 0xff);
	} else {
		words.size = kind >= 0x10 ? 2 : kind >= 0x0e ? 1 : 4;
		words.at = (int64_t)(number * words.size);
	}
	flow_arm_lift_transfer(lifter, words);
}

/* Instructions on the stack pointer and on parts of registers, and IT. */
static bool
lift_others(struct flow_lifter *lifter, unsigned half)
{
	const unsigned kind = flow_bits(half, 8, 4);
	const int64_t number = 4 * (int64_t)flow_bits(half, 0, 7);
	struct arm_list list = { .registers = half & 0xff, .base = ARM_SP, .moves = true };

	if (kind == 0) {
		flow_add(lifter, FLOW_COPY, ARM_SP, ARM_SP,
			flow_bits(half, 7, 1) != 0 ? -number : number);
	} else if ((kind & 5) == 1) {
		lifter->out->way = FLOW_BRANCH; /* cbz */
		lifter->out->direct = true;
		lifter->out->target = lifter->linked + 4 +
			2 * (uint64_t)(flow_bits(half, 3, 5) | flow_bits(half, 9, 1) << 5);
	} else if (kind == 4 || kind == 5) {
		list.registers |= flow_bits(half, 8, 1) << ARM_LR;
		list.before = true;
		flow_arm_lift_list(lifter, &list);
	} else if (kind == 12 || kind == 13) {
		list.registers |= flow_bits(half, 8, 1) << ARM_PC;
		list.load = list.up = true;
		flow_arm_lift_list(lifter, &list);
	} else if (kind == 2 || (kind == 10 && flow_bits(half, 6, 2) != 2)) {
		flow_arm_set(lifter, flow_bits(half, 0, 3)); /* sxth, rev */
	} else if (kind == 15 && (half & 0xf) != 0) {
		lifter->out->it = half & 0xff;
	} else if (kind == 15) {
		lifter->out->idle = (half & 0xff) == 0;
	} else if (kind == 10 || kind == 14) {
		lifter->out->way = FLOW_STOP;
	} else {
		return kind == 6;
	}
	return true;
}

static bool
lift_half(struct flow_lifter *lifter, unsigned half)
{
	const unsigned kind = flow_bits(half, 11, 5), register_8 = flow_bits(half, 8, 3);
	const unsigned condition = flow_bits(half, 8, 4);

	if (kind < 8) {
		lift_basic(lifter, half);
	} else if (kind == 8) {
		lift_registers(lifter, half);
	} else if (kind < 0x14) {
		lift_memory(lifter, half);
	} else if (kind < 0x16) {
		/* adr; add of the stack pointer */
		if (kind == 0x14)
			flow_arm_read_pc(lifter, true);
		flow_add(lifter, FLOW_COPY, (int)register_8, kind == 0x14 ? ARM_PC : ARM_SP,
			4 * (int64_t)(half & 0xff));
	} else if (kind < 0x18) {
		return lift_others(lifter, half);
	} else if (kind < 0x1a) {
		const bool load = kind == 0x19;

		flow_arm_lift_list(lifter,
			&(struct arm_list){ .registers = half & 0xff,
				.base = register_8,
				.load = load,
				.moves = true,
				.up = true });
	} else if (kind == 0x1c) {
		flow_arm_branch(lifter, FLOW_JUMP, 0, (int64_t)checked_extend(half << 1, 12));
	} else if (condition == 0xe) {
		lifter->out->way = FLOW_STOP; /* udf */
	} else if (condition == 0xf) {
		flow_arm_set(lifter, 0); /* svc */
	} else {
		flow_arm_branch(lifter, FLOW_BRANCH, condition,
			(int64_t)checked_extend(half << 1, 9));
	}
	return true;
}

/* Two halfwords -------------------------------------------------------------------------------- */

/* The number that the twelve bits of a data processing instruction encode. */
static uint32_t
number_of(uint32_t word)
{
	const unsigned twelve =
		flow_bits(word, 26, 1) << 11 | flow_bits(word, 12, 3) << 8 | (word & 0xff);
	const uint32_t byte = twelve & 0xff, seven = 0x80 | (twelve & 0x7f);
	const unsigned turn = twelve >> 7;

	if (turn >= 8)
		return seven >> turn | seven << (32 - turn);
	switch (twelve >> 8) {
	case 0:
		return byte;
	case 1:
		return byte | byte << 16;
	case 2:
		return byte << 8 | byte << 24;
	default:
		return byte * 0x01010101u;
	}
}

/* Data processing as in A32; an operation that A32 lacks gives an unknown result. */
static void
lift_data(struct flow_lifter *lifter, uint32_t word, bool numbered)
{
	static const uint8_t kinds[16] = { ARM_AND, ARM_CLEAR, ARM_OR, ARM_NOT, ARM_EXCLUSIVE,
		ARM_EXCLUSIVE, ARM_EXCLUSIVE, ARM_EXCLUSIVE, ARM_ADD, ARM_EXCLUSIVE, ARM_ADD_CARRY,
		ARM_SUBTRACT_CARRY, ARM_EXCLUSIVE, ARM_SUBTRACT, ARM_SUBTRACT_FROM,
		ARM_EXCLUSIVE };
	const unsigned which = flow_bits(word, 21, 4), shift = flow_bits(word, 12, 3) << 2 |
		flow_bits(word, 6, 2);
	struct arm_data data = { .kind = kinds[which],
		.to = flow_bits(word, 8, 4),
		.from = flow_bits(word, 16, 4),
		.other = numbered ? ARM_NONE : flow_bits(word, 0, 4),
		.number = numbered ? number_of(word) : 0,
		.flags = flow_bits(word, 20, 1) != 0 };

	data.plain = shift == 0 && flow_bits(word, 4, 2) == 0;
	data.left = flow_bits(word, 4, 2) == 0 ? shift : 0;
	if (data.from == ARM_PC && which == 2)
		data.kind = ARM_MOVE;
	else if (data.from == ARM_PC && which == 3)
		data.kind = ARM_NOT;
	if (data.kind == ARM_MOVE || data.kind == ARM_NOT)
		data.from = 0;
	if (data.to == ARM_PC && data.flags)
		data.kind = which == 13 ? ARM_COMPARE : which == 8 ? ARM_COMPARE_SUM : ARM_TEST;
	if (data.kind == ARM_NOT && !numbered)
		data.kind = ARM_EXCLUSIVE;
	flow_arm_lift_data(lifter, &data);
}

/* addw, subw, movw, movt, and parts of registers. */
static void
lift_numbers(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 20, 5), to = flow_bits(word, 8, 4);
	const unsigned from = flow_bits(word, 16, 4);
	const uint32_t twelve =
		flow_bits(word, 26, 1) << 11 | flow_bits(word, 12, 3) << 8 | (word & 0xff);
	const uint32_t sixteen = from << 12 | twelve;

	switch (kind) {
	case 0x00:
	case 0x0a:
		if (from == ARM_PC)
			flow_arm_read_pc(lifter, true);
		flow_add(lifter, FLOW_COPY, (int)to, (int)from,
			kind == 0 ? (int64_t)twelve : -(int64_t)twelve);
		break;
	case 0x04:
		flow_add(lifter, FLOW_NUMBER, (int)to, 0, sixteen);
		break;
	case 0x0c:
		flow_add(lifter, FLOW_MASK, (int)to, 0, 0xffff);
		flow_add(lifter, FLOW_COPY, (int)to, (int)to, (int64_t)((uint64_t)sixteen << 16));
		break;
	default:
		flow_arm_set(lifter, to);
	}
}

/* b, bl, blx: some bits of the distance are inverted. */
static bool
lift_control(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 12, 3), sign = flow_bits(word, 26, 1);
	const unsigned one = flow_bits(word, 13, 1), two = flow_bits(word, 11, 1);
	const unsigned condition = flow_bits(word, 22, 4);
	const uint32_t far = sign << 24 | (one ^ sign ^ 1) << 23 | (two ^ sign ^ 1) << 22 |
		flow_bits(word, 16, 10) << 12 | flow_bits(word, 0, 11) << 1;
	const uint32_t near = sign << 20 | two << 19 | one << 18 |
		flow_bits(word, 16, 6) << 12 |
		flow_bits(word, 0, 11) << 1;

	if ((kind & 5) == 5) {
		flow_arm_branch(lifter, FLOW_CALL, 0, (int64_t)checked_extend(far, 25));
	} else if ((kind & 5) == 4) {
		flow_arm_branch(lifter, FLOW_CALL, 0, (int64_t)checked_extend(far, 25));
		lifter->out->target &= ~UINT64_C(3);
	} else if ((kind & 5) == 1) {
		flow_arm_branch(lifter, FLOW_JUMP, 0, (int64_t)checked_extend(far, 25));
	} else if (condition < 14) {
		flow_arm_branch(lifter, FLOW_BRANCH, condition, (int64_t)checked_extend(near, 21));
	} else if (flow_bits(word, 20, 7) == 0x3e || flow_bits(word, 20, 7) == 0x3f) {
		flow_arm_set(lifter, flow_bits(word, 8, 4)); /* mrs */
	} else if (flow_bits(word, 20, 7) == 0x38 || flow_bits(word, 20, 7) == 0x39) {
		flow_forget_flags(lifter);
	} else if (flow_bits(word, 20, 7) == 0x7f) {
		lifter->out->way = FLOW_STOP; /* udf */
	} else {
		/* hints and barriers; not bxj, eret */
		lifter->out->idle = word == 0xf3af8000;
		return flow_bits(word, 20, 7) == 0x3a || flow_bits(word, 20, 7) == 0x3b;
	}
	return true;
}

/* Load or store of a word, halfword or byte. */
static void
lift_single(struct flow_lifter *lifter, uint32_t word)
{
	const bool load = flow_bits(word, 20, 1) != 0, twelve = flow_bits(word, 23, 1) != 0;
	const unsigned size = 1u << flow_bits(word, 21, 2), base = flow_bits(word, 16, 4);
	const bool eight = flow_bits(word, 11, 1) != 0;
	const bool before = flow_bits(word, 10, 1) != 0, up = flow_bits(word, 9, 1) != 0;
	const int64_t number = word & (twelve || base == ARM_PC ? 0xfff : 0xff);
	struct flow_transfer words = { .load = load,
		.registers = { (int)flow_bits(word, 12, 4) },
		.count = 1,
		.size = size,
		.base = (int)base,
		.at = number };

	if (base == ARM_PC) {
		words.at = twelve ? number : -number;
	} else if (!twelve && !eight) {
		flow_arm_lift_indexed(
			lifter, &words, flow_bits(word, 0, 4), flow_bits(word, 4, 2),
			false);
		return;
	} else if (!twelve) {
		flow_place(&words, up ? number : -number, !before,
			before && flow_bits(word, 8, 1) != 0);
	}
	flow_arm_lift_transfer(lifter, words);
}

/* tbb, tbh: an entry is half of a distance. */
static void
lift_table(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned size = 1u << flow_bits(word, 4, 1);
	const unsigned base = flow_bits(word, 16, 4);

	flow_arm_read_pc(lifter, false);
	flow_add_entry(lifter, flow_scratch(lifter), (int)base, (int)flow_bits(word, 0, 4), size,
		0);
	flow_add(lifter, FLOW_SCALE, flow_scratch(lifter), flow_scratch(lifter), 1);
	flow_add(lifter, FLOW_SUM, ARM_PC, flow_scratch(lifter), 0);
	lifter->out->way = FLOW_JUMP;
	lifter->out->jumps = ARM_PC;
	if (base == ARM_PC)
		lifter->out->literal = lifter->out->address + 4;
}

/* Loads and stores of pairs of words, exclusive accesses, jump tables. */
static void
lift_pair(struct flow_lifter *lifter, uint32_t word)
{
	const bool up = flow_bits(word, 23, 1) != 0, load = flow_bits(word, 20, 1) != 0;
	const unsigned kind = flow_bits(word, 4, 4), to = flow_bits(word, 12, 4);
	struct flow_transfer words = flow_arm_transfer(word, 4 * (int64_t)(word & 0xff));

	words.registers[1] = (int)flow_bits(word, 8, 4);
	words.count = 2;
	if (flow_bits(word, 24, 1) != 0 || flow_bits(word, 21, 1) != 0) {
		flow_arm_lift_transfer(lifter, words);
	} else if (!up && load) {
		flow_arm_set(lifter, to); /* ldrex */
	} else if (!up) {
		flow_arm_set(lifter, flow_bits(word, 8, 4)); /* strex */
	} else if (load && kind < 2) {
		lift_table(lifter, word);
	} else if (load) {
		flow_arm_set(lifter, to);
		if ((kind & 3) == 3)
			flow_arm_set(lifter, flow_bits(word, 8, 4));
	} else if (flow_bits(word, 0, 4) != ARM_PC) {
		flow_arm_set(lifter, flow_bits(word, 0, 4)); /* strexb; not stl */
	}
}

static bool
lift_list(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 23, 2);

	if (kind != 1 && kind != 2)
		return false;
	flow_arm_lift_multiple(lifter, word);
	return true;
}

/* 1111100: loads and stores of one register or of vectors; 1111101: registers, products. */
static bool
lift_rest(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 20, 7);

	if (kind < 0x20 && (kind & 0x11) == 0x10)
		return flow_arm_lift_structures(lifter, word);
	if (kind < 0x20) {
		lift_single(lifter, word);
		return (kind & 6) != 6;
	}
	flow_forget_flags(lifter);
	flow_arm_set(lifter, flow_bits(word, 8, 4));
	/* Long products have their lower half in another field; divisions do not. */
	if (kind >= 0x38 && flow_bits(word, 12, 4) != ARM_PC)
		flow_arm_set(lifter, flow_bits(word, 12, 4));
	return true;
}

static bool
lift_two(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned group = flow_bits(word, 27, 2);

	if (group == 2) {
		if (flow_bits(word, 15, 1) != 0)
			return lift_control(lifter, word);
		if (flow_bits(word, 25, 1) != 0)
			lift_numbers(lifter, word);
		else
			lift_data(lifter, word, true);
		return true;
	}
	if (flow_bits(word, 26, 1) != 0)
		return flow_arm_lift_coprocessor(lifter, word);
	if (group == 3)
		return lift_rest(lifter, word);
	if (flow_bits(word, 25, 1) != 0)
		lift_data(lifter, word, false);
	else if (flow_bits(word, 22, 1) != 0)
		lift_pair(lifter, word);
	else
		return lift_list(lifter, word);
	return true;
}

unsigned
flow_thumb_decode(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
	struct flow_instruction *out = lifter->out;
	const unsigned low = lifter->big_endian ? 1 : 0, it = lifter->it;

	if (count < 4)
		return 0;
	const uint32_t first = bytes[low] | (uint32_t)bytes[1 - low] << 8;
	const uint32_t second = bytes[2 + low] | (uint32_t)bytes[3 - low] << 8;
	const bool wide = first >= 0xe800;

	if (!(wide ? lift_two(lifter, first << 16 | second) : lift_half(lifter, first)))
		return 0;
	/* Inside an IT block: the condition, and the rest of the block (Arm ARM, ITAdvance). */
	if (it != 0) {
		out->perhaps = it >> 4 != 0xe;
		if (out->way != FLOW_BRANCH)
			flow_arm_condition(lifter, it >> 4);
		out->it = (uint8_t)((it & 7) == 0 ? 0 : (it & 0xe0) | (it << 1 & 0x1f));
	}
	return wide ? 4 : 2;
}
