/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_LIFT_H
#define CODE_FLOW_FLOW_LIFT_H

#include <config.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "base/compiler.h"
#include "code_flow/flow_state.h"

/**
 * Translation of instructions to a few operations on registers and stack.
 *
 * Private to src/code_flow. A file for each family of architectures decodes an instruction and adds
 * operations. flow_x86.c uses capstone. flow_arm64.c and flow_arm.c decode by themselves: their
 * encodings are regular. So they also know instructions newer than capstone. Nothing else depends
 * on the architecture. To add a family, define `struct flow_family flow_family_ID` for each of its
 * architectures in a new file, and remove those names from flow_lift.c. Rules for such a file:
 *
 * - Each register of the architecture's table that the instruction writes is the `dst` of an
 *   operation. A forgotten register looks as if it still held the caller's value.
 * - A store of a word to the stack has its exact place and source. Other stores have their size.
 * - Bytes that cannot be decoded are refused: the path ends there. Nothing is guessed.
 * - Code addresses are linked addresses without the bits that select an instruction set.
 * - A test runs the family's instructions, as t-flow-x86.c does.
 */
enum flow_way {
	FLOW_NEXT,
	FLOW_JUMP, /* to `target`, or to the address in `jumps` */
	FLOW_BRANCH, /* to `target` or to the next instruction */
	FLOW_CALL, /* call of `target`, or of an unknown address */
	FLOW_RETURN,
	FLOW_STOP, /* no instruction follows: ud2, hlt, brk */
};

/** The relation of the last compared values under which a branch is taken. */
enum flow_condition {
	FLOW_ANY,
	FLOW_NOT_EQUAL,
	FLOW_ABOVE, /* taken if the first value is greater (unsigned) */
	FLOW_NOT_BELOW, /* as FLOW_ABOVE, or if both are equal */
	FLOW_BELOW,
	FLOW_NOT_ABOVE,
};

struct flow_instruction {
	uint32_t address;
	uint8_t length;
	uint8_t way, condition;
	int8_t jumps; /* register with the target; ARCH_NO_REGISTER: unknown */
	bool direct; /* `target` is known */
	bool imported; /* a call of the function whose address is at `target` */
	bool idle; /* nop and similar instructions, also as padding */
	bool starts; /* a mark at a function's start: endbr64, bti c, paciasp */
	bool perhaps; /* conditional: executed if `condition` is true */
	uint8_t it; /* conditions of Thumb's IT for the next instruction; 0: none */
	uint8_t operation_count;
	uint16_t pops; /* FLOW_RETURN: bytes of arguments that it pops */
	uint32_t first; /* index of its first operation */
	uint32_t literal; /* address of the data that it reads in the code; 0: none */
	uint64_t target; /* target as linked */
};

/** Limit on the operations of an instruction, which may store or move many registers. */
#define FLOW_OPERATIONS 40u
/** Bytes to read for an instruction: enough for the longest instruction. */
#define FLOW_WINDOW 16u

struct flow_lifter {
	const struct arch *arch;
	const struct flow_family *family;
	bool big_endian;
	bool halfwords; /* the instruction set is Thumb */
	uint8_t it; /* `it` of the previous instruction; 0 if unknown */
	uint64_t linked; /* linked address of the instruction */
#ifdef HAVE_CAPSTONE
	csh handle;
	cs_insn *insn;
#endif
	struct flow_instruction *out;
	struct flow_operation operations[FLOW_OPERATIONS];
	size_t count;
};

struct flow_family {
#ifdef HAVE_CAPSTONE
	cs_arch arch;
	cs_mode mode;
	/* Add the operations of `insn`; false: its effect is unknown. NULL: capstone is not
	 * used. */
	bool (*lift)(struct flow_lifter *lifter);
#endif
	/*
	 * Decode an instruction without capstone, or one that capstone cannot decode: add its
	 * operations and return its length; 0: unknown.
	 */
	unsigned (*decode)(struct flow_lifter *lifter, const uint8_t *bytes, size_t count);
	/*
	 * If `bytes` are a function that only copies its return address to a register, as in
	 * `mov (%esp), %ebx; ret`: that register, else ARCH_NO_REGISTER. NULL: no such functions.
	 */
	int (*thunk)(const struct flow_lifter *lifter, const uint8_t *bytes, size_t count);
};

/** Open a lifter; false if the architecture's code cannot be decoded. Close it after success. */
bool
flow_lifter_open(struct flow_lifter *lifter, const struct arch *arch, bool big_endian);

void
flow_lifter_close(struct flow_lifter *lifter);

/**
 * Decode the instruction at the start of `count` bytes into `out` and the lifter's operations.
 * `address` is relative to the module's base, `linked` is the linked address. False: it cannot be
 * decoded.
 */
bool
flow_lift(struct flow_lifter *lifter, const uint8_t *bytes, size_t count, uint32_t address,
	uint64_t linked, struct flow_instruction *out);

/** Add an operation; unused operands are 0. */
void
flow_add(
	struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src, int64_t value);

/** Forget the last comparison: the flags have been overwritten. */
void
flow_forget_flags(struct flow_lifter *lifter);

/** The scratch register, for values inside one instruction. */
static inline int
flow_scratch(const struct flow_lifter *lifter)
{
	return FLOW_SCRATCH(lifter->arch);
}

/** The transfer of one or two registers from or to memory. */
struct flow_transfer {
	bool load;
	int registers[2]; /* ARCH_NO_REGISTER: a register that is not tracked */
	int base;
	unsigned count, size; /* number of registers, and bytes of each */
	int64_t at; /* added to the base */
	int64_t moves; /* added to the base afterwards */
};

/**
 * Set the distance of a transfer from the base. The base changes by that distance before or after
 * the access, or not at all.
 */
static inline void
flow_place(struct flow_transfer *transfer, int64_t by, bool behind, bool before)
{
	transfer->at = behind ? 0 : by;
	transfer->moves = behind || before ? by : 0;
}

/** Add the operations of a transfer. Only values of the size of a word are tracked. */
void
flow_lift_transfer(struct flow_lifter *lifter, const struct flow_transfer *transfer);

/** The `count` bits of a word that begin at bit `first`. */
static inline unsigned
flow_bits(uint32_t word, unsigned first, unsigned count)
{
	return word >> first & ((1u << count) - 1);
}

/** ARM's conditions as relations. FLOW_ANY: enum flow_condition has no such relation. */
extern const uint8_t flow_arm_conditions[16];

/** Add an operation that reads or writes `size` bytes of memory. */
void
flow_add_memory(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src,
	unsigned size, int64_t value);

/** Add a FLOW_LOAD_ENTRY: dst = the table entry whose number is in register `number`. */
void
flow_add_entry(struct flow_lifter *lifter, int dst, int table, int number, unsigned size,
	int64_t value);

#endif
