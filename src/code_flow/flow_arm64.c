/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checked.h"
#include "base/reader.h"
#include "code_flow/flow_lift.h"

/*
 * Instructions of A64 (Arm ARM, C4.1: the encoding index). All are 32-bit little-endian words. The
 * bits of each class show which general registers are written. Vector registers are not tracked.
 */

enum { X0 = 0, X17 = 17, LR = 30, SP = 31 };

static int64_t
signed_bits(uint32_t word, unsigned first, unsigned count)
{
	return (int64_t)checked_extend(flow_bits(word, first, count), count);
}

static unsigned
rd(uint32_t word)
{
	return flow_bits(word, 0, 5);
}

static unsigned
rn(uint32_t word)
{
	return flow_bits(word, 5, 5);
}

static unsigned
rm(uint32_t word)
{
	return flow_bits(word, 16, 5);
}

/* Register number 31 is the zero register in most operands. */
static void
set(struct flow_lifter *lifter, unsigned reg)
{
	if (reg != SP)
		flow_add(lifter, FLOW_SET, (int)reg, 0, 0);
}

static void
forget(struct flow_lifter *lifter, unsigned reg)
{
	if (reg != SP)
		flow_add(lifter, FLOW_FORGET, (int)reg, 0, 0);
}

static void
copy(struct flow_lifter *lifter, unsigned to, unsigned from)
{
	if (to != from)
		flow_add(lifter, FLOW_COPY, (int)to, (int)from, 0);
}

/* Numbers -------------------------------------------------------------------------------------- */

static void
lift_address(struct flow_lifter *lifter, uint32_t word)
{
	const bool page = flow_bits(word, 31, 1) != 0;
	const uint64_t by = (uint64_t)(signed_bits(word, 5, 19) * 4 + flow_bits(word, 29, 2));
	const uint64_t at = lifter->linked;

	if (rd(word) != SP)
		flow_add(lifter, FLOW_NUMBER, (int)rd(word), 0,
			(int64_t)(page ? (at & ~UINT64_C(0xfff)) + (by << 12) : at + by));
}

/* add, sub, cmp with a constant: register 31 is the stack pointer, except as result of cmp. */
static void
lift_add_number(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0, minus = flow_bits(word, 30, 1) != 0;
	const bool flags = flow_bits(word, 29, 1) != 0;
	const int64_t by = (int64_t)flow_bits(word, 10, 12) << 12 * flow_bits(word, 22, 1);

	if (flags && minus)
		flow_add(lifter, FLOW_COMPARE_NUMBER, (int)rn(word), 0, by);
	else if (flags)
		flow_forget_flags(lifter);
	if (flags && rd(word) == SP)
		return;
	if (wide)
		flow_add(lifter, FLOW_COPY, (int)rd(word), (int)rn(word), minus ? -by : by);
	else
		flow_add(lifter, FLOW_SET, (int)rd(word), 0, 0);
}

/* The mask that immr and imms of a logical instruction encode. */
static uint64_t
mask_of(uint32_t word)
{
	const unsigned imms = flow_bits(word, 10, 6), immr = flow_bits(word, 16, 6);
	const unsigned length = 31 - (unsigned)__builtin_clz(flow_bits(word, 22, 1) << 6 |
						(~imms & 0x3f) | 1);
	const unsigned size = 1u << length, ones = (imms & (size - 1)) + 1;
	const uint64_t all = size == 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
	const unsigned turn = immr & (size - 1);
	uint64_t mask = ones == 64 ? UINT64_MAX : (UINT64_C(1) << ones) - 1;

	if (turn != 0)
		mask = (mask >> turn | mask << (size - turn)) & all;
	for (unsigned filled = size; filled < 64; filled *= 2)
		mask |= mask << filled;
	return mask;
}

static void
lift_logic_number(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0;
	const unsigned kind = flow_bits(word, 29, 2), to = rd(word);
	const uint64_t mask = mask_of(word);

	if (kind == 3)
		flow_forget_flags(lifter);
	if (kind == 3 && to == SP)
		return;
	if (kind == 1 && rn(word) == SP) {
		flow_add(lifter, FLOW_NUMBER, (int)to, 0,
			(int64_t)(wide ? mask : mask & UINT32_MAX));
	} else if ((kind == 0 || kind == 3) && wide && rn(word) != SP) {
		copy(lifter, to, rn(word));
		flow_add(lifter, FLOW_MASK, (int)to, 0, (int64_t)mask);
	} else {
		flow_add(lifter, FLOW_SET, (int)to, 0, 0);
	}
}

static void
lift_move_number(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 29, 2), shift = 16 * flow_bits(word, 21, 2);
	const uint64_t number = (uint64_t)flow_bits(word, 5, 16) << shift;
	const uint64_t all = flow_bits(word, 31, 1) != 0 ? UINT64_MAX : UINT32_MAX;

	if (rd(word) == SP)
		return;
	if (kind == 3) {
		flow_add(lifter, FLOW_MASK, (int)rd(word), 0,
			(int64_t)(all & ~(UINT64_C(0xffff) << shift)));
		flow_add(lifter, FLOW_COPY, (int)rd(word), (int)rd(word), (int64_t)number);
		return;
	}
	flow_add(lifter, FLOW_NUMBER, (int)rd(word), 0,
		(int64_t)((kind == 0 ? ~number : number) & all));
}

static unsigned
lift_numbers(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0;

	switch (flow_bits(word, 23, 3)) {
	case 0:
	case 1:
		lift_address(lifter, word);
		break;
	case 2:
		lift_add_number(lifter, word);
		break;
	case 3: /* addg, subg: they also change the tag */
		flow_add(lifter, FLOW_FORGET, (int)rd(word), 0, 0);
		break;
	case 4:
		lift_logic_number(lifter, word);
		break;
	case 5:
		lift_move_number(lifter, word);
		break;
	case 6:
		/* sxtw, uxtw; ubfiz as lsl */
		if (flow_bits(word, 16, 6) == 0 && flow_bits(word, 10, 6) == 31 && rd(word) != SP &&
			rn(word) != SP && flow_bits(word, 29, 2) != 1)
			flow_add(lifter, FLOW_EXTEND, (int)rd(word), (int)rn(word), 0);
		else if (wide && flow_bits(word, 29, 2) == 2 && rd(word) != SP && rn(word) != SP &&
			flow_bits(word, 16, 6) == flow_bits(word, 10, 6) + 1)
			flow_add_memory(lifter, FLOW_SCALE, (int)rd(word), (int)rn(word), 0,
				64 - (int64_t)flow_bits(word, 16, 6));
		else
			set(lifter, rd(word));
		break;
	default:
		set(lifter, rd(word));
	}
	return 4;
}

/* Registers ------------------------------------------------------------------------------------ */

static void
lift_logic(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0;
	const bool plain = flow_bits(word, 10, 6) == 0 && flow_bits(word, 22, 2) == 0;
	const unsigned kind = flow_bits(word, 29, 2), not = flow_bits(word, 21, 1);

	if (kind == 3)
		flow_forget_flags(lifter);
	if (rd(word) == SP)
		return;
	if (kind != 1 || not != 0 || rn(word) != SP || !plain)
		set(lifter, rd(word));
	else if (rm(word) == SP)
		flow_add(lifter, FLOW_NUMBER, (int)rd(word), 0, 0);
	else
		flow_add(lifter, wide ? FLOW_COPY : FLOW_EXTEND, (int)rd(word), (int)rm(word), 0);
}

static void
lift_sum(struct flow_lifter *lifter, unsigned to, unsigned one, int other, bool minus)
{
	const enum flow_operation_kind kind = minus ? FLOW_DIFFERENCE : FLOW_SUM;

	if (other != (int)to) {
		copy(lifter, to, one);
		flow_add(lifter, kind, (int)to, other, 0);
		return;
	}
	flow_add(lifter, FLOW_COPY, flow_scratch(lifter), (int)one, 0);
	flow_add(lifter, kind, flow_scratch(lifter), other, 0);
	flow_add(lifter, FLOW_COPY, (int)to, flow_scratch(lifter), 0);
}

static void
lift_add(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0, minus = flow_bits(word, 30, 1) != 0;
	const bool flags = flow_bits(word, 29, 1) != 0, extended = flow_bits(word, 21, 1) != 0;
	const unsigned option = flow_bits(word, 13, 3), type = flow_bits(word, 22, 2);
	const unsigned shift = extended ? flow_bits(word, 10, 3) : flow_bits(word, 10, 6);
	/* All 64 bits of the operand are used, with no shift other than lsl. */
	const bool whole = extended ? (option & 3) == 3 : type == 0;
	int other = (int)rm(word);

	if (flags && minus && wide && whole && shift == 0 && other != SP &&
		(extended || rn(word) != SP))
		flow_add(lifter, FLOW_COMPARE, (int)rn(word), other, 0);
	else if (flags)
		flow_forget_flags(lifter);
	if (rd(word) == SP && (flags || !extended))
		return;
	/* register 31 is zero: neg */
	if (!wide || other == SP || (rn(word) == SP && !extended) || (!extended && type != 0)) {
		flow_add(lifter, FLOW_SET, (int)rd(word), 0, 0);
		return;
	}
	if (!whole || shift != 0) {
		/* The operand may be an entry of a jump table. */
		if (minus || rd(word) == SP) {
			flow_add(lifter, FLOW_SET, (int)rd(word), 0, 0);
			return;
		}
		flow_add_memory(lifter, FLOW_SCALE, flow_scratch(lifter), other,
			whole ? 0 : 1u << (option & 3) | ((option & 4) != 0 ? FLOW_SIGNED : 0),
			shift);
		flow_add(lifter, FLOW_SUM, flow_scratch(lifter), (int)rn(word), 0);
		flow_add(lifter, FLOW_COPY, (int)rd(word), flow_scratch(lifter), 0);
		return;
	}
	lift_sum(lifter, rd(word), rn(word), other, minus);
}

/* csel, csinc, csinv and csneg. All but csel may also change the second operand. */
static void
lift_select(struct flow_lifter *lifter, uint32_t word)
{
	const bool wide = flow_bits(word, 31, 1) != 0;
	const bool plain = flow_bits(word, 30, 1) == 0 && flow_bits(word, 10, 1) == 0;

	if (rd(word) == SP)
		return;
	if (!wide || (rn(word) == SP && (rm(word) == SP || !plain))) {
		set(lifter, rd(word));
	} else if (!plain) {
		forget(lifter, rd(word));
	} else {
		const unsigned zero = rn(word) == SP || rm(word) == SP;
		const unsigned one = rn(word) == SP ? rm(word) : rn(word);

		if (zero != 0)
			flow_add(lifter, FLOW_NUMBER, flow_scratch(lifter), 0, 0);
		else
			flow_add(lifter, FLOW_COPY, flow_scratch(lifter), (int)rm(word), 0);
		flow_add(lifter, FLOW_CHOICE, flow_scratch(lifter), (int)one, 0);
		flow_add(lifter, FLOW_COPY, (int)rd(word), flow_scratch(lifter), 0);
	}
}

static unsigned
lift_registers(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned class = flow_bits(word, 21, 4);

	if (flow_bits(word, 28, 1) == 0) {
		if (flow_bits(word, 24, 1) == 0)
			lift_logic(lifter, word);
		else
			lift_add(lifter, word);
	} else if (class == 2) {
		flow_forget_flags(lifter); /* ccmp */
	} else if (class == 0 && flow_bits(word, 10, 5) != 0) {
		flow_forget_flags(lifter); /* rmif, setf8 */
	} else if (class == 0) {
		if (flow_bits(word, 29, 1) != 0)
			flow_forget_flags(lifter);
		set(lifter, rd(word));
	} else if (class == 4) {
		lift_select(lifter, word);
	} else if (class == 6 && flow_bits(word, 30, 1) != 0 && rm(word) == 1) {
		/* A pointer with or without its signature has the same value in this state. */
	} else if (class == 6 && flow_bits(word, 30, 1) == 0 && flow_bits(word, 10, 6) == 4) {
		flow_add(lifter, FLOW_FORGET, (int)rd(word), 0, 0); /* irg: register 31 is sp */
	} else {
		set(lifter, rd(word));
	}
	return 4;
}

/* Control -------------------------------------------------------------------------------------- */

static void
lift_jump(struct flow_lifter *lifter, enum flow_way way, int64_t by)
{
	lifter->out->way = (uint8_t)way;
	lifter->out->direct = true;
	lifter->out->target = lifter->linked + (uint64_t)by;
}

/* br, blr, ret and their variants with a signature. */
static unsigned
lift_jump_register(struct flow_lifter *lifter, uint32_t word)
{
	static const uint8_t ways[16] = { FLOW_JUMP, FLOW_CALL, FLOW_RETURN, FLOW_STOP, FLOW_STOP,
		FLOW_STOP, FLOW_STOP, FLOW_STOP, FLOW_JUMP, FLOW_CALL, FLOW_STOP, FLOW_STOP,
		FLOW_STOP, FLOW_STOP, FLOW_STOP, FLOW_STOP };

	lifter->out->way = ways[flow_bits(word, 21, 4)];
	if (lifter->out->way == FLOW_JUMP)
		lifter->out->jumps = (int8_t)rn(word);
	/*
	 * A return through a register other than the link register is a jump: retpolines,
	 * coroutines.
	 */
	if (lifter->out->way == FLOW_RETURN && rn(word) != LR && rn(word) != SP) {
		lifter->out->way = FLOW_JUMP;
		lifter->out->jumps = (int8_t)rn(word);
	}
	return 4;
}

static unsigned
lift_system(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned hint = flow_bits(word, 5, 7);

	if (flow_bits(word, 12, 20) == 0xd5032) {
		lifter->out->idle = hint == 0;
		/* paciasp, pacibsp, bti c, bti jc */
		lifter->out->starts = hint == 25 || hint == 27 || hint == 34 || hint == 38;
		if (hint >= 8 && hint <= 15)
			forget(lifter, X17);
	} else if (flow_bits(word, 21, 1) != 0) {
		set(lifter, rd(word)); /* mrs, sysl */
	} else if (flow_bits(word, 12, 20) == 0xd5004) {
		flow_forget_flags(lifter); /* cfinv */
	}
	return 4;
}

static unsigned
lift_control(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned head = flow_bits(word, 25, 7);

	if ((head & 0x3e) == 0x0a) {
		lift_jump(lifter, flow_bits(word, 31, 1) != 0 ? FLOW_CALL : FLOW_JUMP,
			signed_bits(word, 0, 26) * 4);
	} else if (head == 0x2a) {
		lift_jump(lifter, flow_bits(word, 1, 3) == 7 ? FLOW_JUMP : FLOW_BRANCH,
			signed_bits(word, 5, 19) * 4);
		lifter->out->condition = flow_arm_conditions[flow_bits(word, 0, 4)];
	} else if ((head & 0x3f) == 0x1a) {
		lift_jump(lifter, FLOW_BRANCH, signed_bits(word, 5, 19) * 4);
	} else if ((head & 0x3f) == 0x1b) {
		lift_jump(lifter, FLOW_BRANCH, signed_bits(word, 5, 14) * 4);
	} else if (flow_bits(word, 24, 8) == 0xd4) {
		if (flow_bits(word, 21, 3) != 0)
			lifter->out->way = FLOW_STOP; /* brk, hlt */
		else
			set(lifter, X0); /* svc */
	} else if (flow_bits(word, 22, 10) == 0x354) {
		return lift_system(lifter, word);
	} else if (head == 0x6b) {
		return lift_jump_register(lifter, word);
	} else {
		return 0;
	}
	return 4;
}

/* Memory --------------------------------------------------------------------------------------- */

/* Register `reg` of a load or store; number 31 (the zero register) is not tracked. */
static int
moved(unsigned reg)
{
	return reg != SP ? (int)reg : ARCH_NO_REGISTER;
}

static unsigned
lift_pair(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 30, 2), mode = flow_bits(word, 23, 2);
	const bool vector = flow_bits(word, 26, 1) != 0, load = flow_bits(word, 22, 1) != 0;
	const bool tags = !vector && kind == 1 && !load;
	struct flow_transfer transfer = { .load = load,
		.registers = { moved(vector ? SP : rd(word)),
			moved(vector ? SP : flow_bits(word, 10, 5)) },
		.base = (int)rn(word),
		.count = 2 };

	transfer.size = vector ? 4u << kind : kind == 2 || tags ? 8 : 4;
	flow_place(&transfer, signed_bits(word, 15, 7) * (tags ? 16 : (int64_t)transfer.size),
		mode == 1, mode == 3);
	flow_lift_transfer(lifter, &transfer);
	return kind == 3 ? 0 : 4;
}

/* ldrb w1, [x1, w0, uxtw]: an entry of a table, if the index in w0 has a bound. */
static void
lift_indexed(struct flow_lifter *lifter, uint32_t word, unsigned size, bool is_signed)
{
	const unsigned option = flow_bits(word, 13, 3);
	const unsigned shift = flow_bits(word, 12, 1) * flow_bits(word, 30, 2);

	if (rd(word) == SP)
		return;
	if (1u << shift == size && rn(word) != SP && rm(word) != SP && (option & 2) != 0)
		flow_add_entry(lifter, (int)rd(word), (int)rn(word),
			(int)rm(word), size | (is_signed ? FLOW_SIGNED : 0), 0);
	else
		set(lifter, rd(word));
}

static unsigned
lift_one(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 22, 2), mode = flow_bits(word, 10, 2);
	const bool vector = flow_bits(word, 26, 1) != 0, number = flow_bits(word, 24, 1) != 0;
	const unsigned log = flow_bits(word, 30, 2) | (vector ? (kind & 2) << 1 : 0);
	const bool fetches = !vector && kind == 2 && log == 3; /* prfm */
	struct flow_transfer transfer = { .load = vector ? (kind & 1) != 0 : kind != 0,
		.registers = { moved(vector || fetches ? SP : rd(word)) },
		.base = (int)rn(word),
		.size = 1u << log,
		.count = 1 };

	if (number)
		flow_place(&transfer, (int64_t)flow_bits(word, 10, 12) << log, false, false);
	else if (flow_bits(word, 21, 1) == 0)
		flow_place(&transfer, signed_bits(word, 12, 9), mode == 1, mode == 3);
	else if (mode == 0) {
		/* ldadd and the like, ldapr: the register gets the old value of the memory */
		set(lifter, rd(word));
		return 4;
	} else if (mode == 2) {
		if (transfer.load && transfer.registers[0] >= 0)
			lift_indexed(lifter, word, transfer.size, kind >= 2);
		return 4;
	} else {
		/* ldraa: a signed pointer */
		const int64_t by =
			(int64_t)flow_bits(word, 12, 9) - 512 * (int64_t)flow_bits(word, 22, 1);

		flow_place(&transfer, by * 8, false, flow_bits(word, 11, 1) != 0);
		transfer.load = true;
		transfer.registers[0] = ARCH_NO_REGISTER;
		set(lifter, rd(word));
	}
	flow_lift_transfer(lifter, &transfer);
	return 4;
}

/* Exclusive and ordered loads and stores; compare and swap. */
static unsigned
lift_exclusive(struct flow_lifter *lifter, uint32_t word)
{
	const bool ordered = flow_bits(word, 23, 1) != 0, load = flow_bits(word, 22, 1) != 0;
	const bool pair = flow_bits(word, 21, 1) != 0;
	const unsigned log = flow_bits(word, 30, 2);

	if (pair && (ordered || log < 2)) {
		/* cas, casp: the register gets the old value of the memory */
		set(lifter, rm(word));
		if (!ordered && rm(word) + 1 < SP)
			set(lifter, rm(word) + 1);
	} else if (load) {
		set(lifter, rd(word));
		if (pair)
			set(lifter, flow_bits(word, 10, 5));
		return 4;
	} else if (!ordered) {
		set(lifter, rm(word)); /* the register gets the result of the store */
	}
	flow_add_memory(lifter, FLOW_STORE, (int)rn(word), ARCH_NO_REGISTER,
		pair && !ordered ? 2u << log : 1u << log, 0);
	return 4;
}

/* Loads and stores of vector structures, which may change their base. */
static unsigned
lift_structures(struct flow_lifter *lifter, uint32_t word)
{
	static const uint8_t counts[16] = { [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2,
		[10] = 2 };
	const bool single = flow_bits(word, 24, 1) != 0, moves = flow_bits(word, 23, 1) != 0;
	const unsigned size = counts[flow_bits(word, 12, 4)] * (8u << flow_bits(word, 30, 1));
	struct flow_transfer transfer = { .load = flow_bits(word, 22, 1) != 0,
		.registers = { ARCH_NO_REGISTER },
		.base = (int)rn(word),
		.size = single ? 64 : size,
		.count = 1 };

	if (single || (moves && rm(word) != SP)) {
		/* One lane of a vector is never a saved register. */
		if (moves)
			flow_add(lifter, FLOW_FORGET, (int)rn(word), 0, 0);
		return 4;
	}
	flow_place(&transfer, moves ? size : 0, moves, false);
	flow_lift_transfer(lifter, &transfer);
	return size != 0 ? 4 : 0;
}

/* Memory tags (stg, ldg), and ordered loads with a constant offset (ldapur). */
static unsigned
lift_tags(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 22, 2), mode = flow_bits(word, 10, 2);
	struct flow_transfer transfer = {
		.registers = { ARCH_NO_REGISTER }, .base = (int)rn(word), .count = 1
	};

	if (flow_bits(word, 21, 1) == 0 && mode == 1) {
		/* cpy: all three registers */
		set(lifter, rd(word));
		set(lifter, rn(word));
		set(lifter, rm(word));
		return 4;
	}
	if (flow_bits(word, 21, 1) == 0) {
		transfer.load = kind != 0;
		transfer.registers[0] = moved(rd(word));
		transfer.size = 1u << flow_bits(word, 30, 2);
		transfer.at = signed_bits(word, 12, 9);
	} else if (mode == 0) {
		if (kind == 1 || kind == 3)
			set(lifter, rd(word)); /* ldg, ldgm */
		return 4;
	} else {
		/* stzg, stz2g write zero */
		transfer.count = kind == 1 || kind == 3;
		transfer.size = kind == 1 ? 16 : 32;
		flow_place(&transfer, signed_bits(word, 12, 9) * 16, mode == 1, mode == 3);
	}
	flow_lift_transfer(lifter, &transfer);
	return 4;
}

static unsigned
lift_memory(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned class = flow_bits(word, 27, 3);
	const bool vector = flow_bits(word, 26, 1) != 0;

	if (class == 1 && vector)
		return flow_bits(word, 31, 1) == 0 ? lift_structures(lifter, word) : 0;
	if (class == 1 && flow_bits(word, 24, 1) == 0)
		return lift_exclusive(lifter, word);
	if (class == 3 && flow_bits(word, 24, 1) == 0) {
		/* ldr of a literal; prfm */
		if (!vector && flow_bits(word, 30, 2) != 3)
			set(lifter, rd(word));
		return 4;
	}
	if (class == 3 && !vector)
		return lift_tags(lifter, word);
	if (class == 3 && flow_bits(word, 10, 2) == 1 && flow_bits(word, 21, 1) == 0)
		return lift_tags(lifter, word);
	if (class == 5)
		return lift_pair(lifter, word);
	return class == 7 ? lift_one(lifter, word) : 0;
}

/* Vectors -------------------------------------------------------------------------------------- */

/* Vector instructions that write a general register: fcvtzs, fmov, smov, umov. */
static unsigned
lift_vectors(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned kind = flow_bits(word, 16, 3);
	const bool scalar = flow_bits(word, 24, 7) == 0x1e;

	if (scalar && flow_bits(word, 21, 1) != 0 && flow_bits(word, 10, 6) == 0) {
		if (kind != 2 && kind != 3 && kind != 7)
			set(lifter, rd(word));
	} else if (scalar && flow_bits(word, 21, 1) == 0) {
		if (kind < 2)
			set(lifter, rd(word));
	} else if (scalar && (flow_bits(word, 10, 6) == 8 || flow_bits(word, 10, 2) == 1)) {
		flow_forget_flags(lifter); /* fcmp, fccmp */
	} else if (flow_bits(word, 31, 1) == 0 && flow_bits(word, 21, 9) == 0x70 &&
		flow_bits(word, 15, 1) == 0 && flow_bits(word, 10, 1) == 1 &&
		(flow_bits(word, 11, 4) == 5 || flow_bits(word, 11, 4) == 7)) {
		set(lifter, rd(word));
	}
	return 4;
}

/* SVE: the length of its vectors is unknown, and so are numbers computed from it (addvl, cntb). */
static unsigned
lift_scalable(struct flow_lifter *lifter, uint32_t word)
{
	const unsigned head = flow_bits(word, 24, 8);

	if (head != 0x04 && head != 0x05 && head != 0x25)
		return 4;
	if (rd(word) != SP)
		forget(lifter, rd(word));
	else if (head == 0x04 && flow_bits(word, 11, 5) == 10 && flow_bits(word, 23, 1) == 0)
		flow_add(lifter, FLOW_SET, SP, 0, 0); /* addvl sp */
	flow_forget_flags(lifter);
	return 4;
}

static unsigned
decode(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
	if (count < 4)
		return 0;
	const uint32_t word = reader_little(bytes);
	switch (flow_bits(word, 25, 4)) {
	case 0x0:
		lifter->out->way = FLOW_STOP; /* udf; other encodings here are unknown */
		return word >> 16 == 0 ? 4 : 0;
	case 0x2:
		return lift_scalable(lifter, word);
	case 0x8:
	case 0x9:
		return lift_numbers(lifter, word);
	case 0xa:
	case 0xb:
		return lift_control(lifter, word);
	case 0x5:
	case 0xd:
		return lift_registers(lifter, word);
	case 0x7:
	case 0xf:
		return lift_vectors(lifter, word);
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe:
		return lift_memory(lifter, word);
	default:
		return 0;
	}
}

const struct flow_family flow_family_ARM64 = { .decode = decode };
