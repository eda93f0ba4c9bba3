/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_ARM_H
#define CODE_FLOW_FLOW_ARM_H

#include "code_flow/flow_lift.h"

/**
 * The common parts of both instruction sets of 32-bit ARM: flow_arm.c decodes A32, flow_thumb.c
 * T32.
 *
 * While an instruction is executed, the pc in the state holds the value that the instruction reads.
 * Afterwards it holds the target of the jump. Nothing else uses the pc in a state.
 */
enum {
	ARM_SP = 13,
	ARM_LR = 14,
	ARM_PC = 15,
	ARM_NONE = 16,
};

/** The sixteen operations of data processing, by their numbers in A32. */
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
	unsigned other; /* ARM_NONE: the operand is `number` */
	uint32_t number;
	bool flags; /* the operation sets the flags */
	bool plain; /* `other` is not shifted */
	unsigned left; /* bits of a left shift; 0: no shift, or another kind */
};

struct arm_list {
	unsigned registers; /* bits */
	unsigned base;
	bool load, moves, up, before;
};

/** Set a register to an unknown value. If it is the pc, the instruction is a jump. */
void
flow_arm_set(struct flow_lifter *lifter, unsigned reg);

/** Set the pc to the value that the instruction reads; `aligned`: rounded down to a word. */
void
flow_arm_read_pc(struct flow_lifter *lifter, bool aligned);

/** Branch to `by` bytes after the pc that the instruction reads, if `condition` is true. */
void
flow_arm_branch(struct flow_lifter *lifter, enum flow_way way, unsigned condition, int64_t by);

/** Jump to the address in a register. */
void
flow_arm_jump(struct flow_lifter *lifter, unsigned reg);

/** Set the condition under which the instruction is executed. */
void
flow_arm_condition(struct flow_lifter *lifter, unsigned condition);

void
flow_arm_lift_data(struct flow_lifter *lifter, const struct arm_data *data);

/**
 * A transfer of one word, with its distance (`number`) and the change of the base. A32 and T32 use
 * the same bits for these.
 */
struct flow_transfer
flow_arm_transfer(uint32_t word, int64_t number);

/** Like flow_lift_transfer(), but a register or the base may be the pc. */
void
flow_arm_lift_transfer(struct flow_lifter *lifter, struct flow_transfer words);

/**
 * Like flow_arm_lift_transfer(); the offset is register `index`, shifted left by `shift` (31:
 * another kind of shift). `moves`: the base changes by the offset.
 */
void
flow_arm_lift_indexed(struct flow_lifter *lifter, const struct flow_transfer *words, unsigned index,
	unsigned shift, bool moves);

void
flow_arm_lift_list(struct flow_lifter *lifter, const struct arm_list *list);

/** ldm and stm, whose bits are the same in both instruction sets. */
void
flow_arm_lift_multiple(struct flow_lifter *lifter, uint32_t word);

/** False: the effect of the instruction is unknown. */
bool
flow_arm_lift_structures(struct flow_lifter *lifter, uint32_t word);

bool
flow_arm_lift_coprocessor(struct flow_lifter *lifter, uint32_t word);

/** Decode an instruction of T32: add its operations and return its length; 0: unknown. */
unsigned
flow_thumb_decode(struct flow_lifter *lifter, const uint8_t *bytes, size_t count);

#endif
