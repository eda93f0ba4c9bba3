/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_ARM_H
#define CODE_FLOW_FLOW_ARM_H

#include "code_flow/flow_lift.h"

/**
 * What both instruction sets of 32-bit ARM have in common: flow_arm.c takes A32 apart, flow_thumb.c
 * T32.
 *
 * The pc, which nothing else asks of a state, has while an instruction is done the value that it
 * reads of it, and then where it jumps to.
 */
enum {
	ARM_SP = 13,
	ARM_LR = 14,
	ARM_PC = 15,
	ARM_NONE = 16, /* no register */
};

/** The sixteen operations of data processing, by their numbers of A32. */
enum arm_operation {
	ARM_AND,
	ARM_EXCLUSIVE,
	ARM_SUBTRACT,
	ARM_SUBTRACT_FROM,
	ARM_ADD,
	ARM_ADD_CARRY,
	ARM_SUBTRACT_CARRY,
	ARM_SUBTRACT_FROM_CARRY,
	ARM_TEST,
	ARM_TEST_EQUAL,
	ARM_COMPARE,
	ARM_COMPARE_SUM,
	ARM_OR,
	ARM_MOVE,
	ARM_CLEAR,
	ARM_NOT,
};

struct arm_data {
	unsigned kind; /* enum arm_operation */
	unsigned to, from;
	unsigned other; /* ARM_NONE: `number` */
	uint32_t number;
	bool flags; /* it sets them */
	bool plain; /* `other` as it is */
	unsigned left; /* bits by which it is moved left; 0: not, or otherwise */
};

struct arm_list {
	unsigned registers; /* bits */
	unsigned base;
	bool load, moves, up, before;
};

/** Something else is in a register; in the pc it is a jump. */
void
flow_arm_set(struct flow_lifter *lifter, unsigned reg);

/** Give the pc the value that is read of it, `aligned` to words or not. */
void
flow_arm_read_pc(struct flow_lifter *lifter, bool aligned);

/** To a distance from what is read of the pc, on a condition by its number. */
void
flow_arm_branch(struct flow_lifter *lifter, enum flow_way way, unsigned condition, int64_t by);

/** To where a register says. */
void
flow_arm_jump(struct flow_lifter *lifter, unsigned reg);

/** The condition on which the instruction is done. */
void
flow_arm_condition(struct flow_lifter *lifter, unsigned condition);

void
flow_arm_lift_data(struct flow_lifter *lifter, const struct arm_data *data);

/**
 * The word that an instruction moves, with its distance and what becomes of the base: bits that the
 * forms of both sets have at the same places.
 */
struct flow_transfer
flow_arm_transfer(uint32_t word, int64_t number);

/** flow_lift_transfer, where the pc may be a register or the base. */
void
flow_arm_lift_transfer(struct flow_lifter *lifter, struct flow_transfer words);

/** With a register as offset, moved left by `shift` (31: otherwise); `moves`: so is the base. */
void
flow_arm_lift_indexed(struct flow_lifter *lifter, const struct flow_transfer *words, unsigned index,
	unsigned shift, bool moves);

void
flow_arm_lift_list(struct flow_lifter *lifter, const struct arm_list *list);

/** The same for ldm and stm, whose bits are the same in both sets. */
void
flow_arm_lift_multiple(struct flow_lifter *lifter, uint32_t word);

/** False: the effect of the instruction is unknown. */
bool
flow_arm_lift_structures(struct flow_lifter *lifter, uint32_t word);

bool
flow_arm_lift_coprocessor(struct flow_lifter *lifter, uint32_t word);

/** The length of an instruction of T32 with its operations; 0: not known. */
unsigned
flow_thumb_decode(struct flow_lifter *lifter, const uint8_t *bytes, size_t count);

#endif
