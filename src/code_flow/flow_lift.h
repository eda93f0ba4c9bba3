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
 * Instructions as a few operations on registers and stack.
 *
 * Private to this room. A file for each family of architectures takes an instruction apart and adds
 * operations: by capstone (flow_x86.c), or itself where the encoding is regular, so that what an
 * instruction writes is known also of those that are newer than capstone (flow_arm64.c and
 * flow_arm.c). All else is the same for every architecture. To add a family: its file with
 * `struct flow_family flow_family_ID` for each architecture, instead of its name in flow_lift.c; a
 * test of its instructions as t-flow-x86.c.
 *
 * What a file must keep to:
 *
 * - Each register of the architecture's table that the instruction writes is the `dst` of an
 *   operation; one that is forgotten looks as if the caller's value were still there.
 * - A word store to the stack is exact; any other store says its size, also of vector registers.
 * - What does not decode is refused: the path ends there. Nothing is guessed.
 * - An address of code is as linked; bits of an instruction set are taken off.
 */
enum flow_way {
	FLOW_NEXT,
	FLOW_JUMP, /* to `target`, or where `jumps` says */
	FLOW_BRANCH, /* to `target` or to the next instruction */
	FLOW_CALL, /* of `target`, or of what is not known */
	FLOW_RETURN, /* to the caller */
	FLOW_STOP, /* no instruction follows: ud2, hlt, brk */
};

/** The relation under which a branch is taken, from the comparison before it. */
enum flow_condition {
	FLOW_ANY,
	FLOW_NOT_EQUAL, /* taken where both differ */
	FLOW_ABOVE, /* taken where the first is above the second, without sign */
	FLOW_NOT_BELOW, /* the same, or where both are equal */
	FLOW_BELOW,
	FLOW_NOT_ABOVE,
};

struct flow_instruction {
	uint32_t address;
	uint8_t length;
	uint8_t way, condition;
	int8_t jumps; /* register with the target; ARCH_NO_REGISTER: not known */
	bool direct; /* `target` is known */
	bool imported; /* a call of what the word at `target` points to */
	bool idle; /* nop and its like, also as padding */
	bool starts; /* a mark at a function's start: endbr64, bti c, paciasp */
	bool perhaps; /* it may not be done: predicated, on `condition` */
	uint8_t it; /* conditions of Thumb's IT for the next instruction; 0: none */
	uint8_t operation_count;
	uint16_t pops; /* FLOW_RETURN: bytes of arguments that are taken off */
	uint32_t first; /* the number of its first operation */
	uint32_t literal; /* address of data in the code, which it reads; 0: none */
	uint64_t target; /* as linked */
};

/** An instruction stores at most so many registers, and moves others. */
#define FLOW_OPERATIONS 40u
/** Bytes that are enough for any instruction. */
#define FLOW_WINDOW 16u

struct flow_lifter {
	const struct arch *arch;
	const struct flow_family *family;
	bool big_endian;
	bool halfwords; /* the instruction set is the one that has them: Thumb */
	uint8_t it; /* as of the instruction before; 0 where that is not known */
	uint64_t linked; /* address of the instruction as linked */
#ifdef HAVE_CAPSTONE
	csh handle;
	cs_insn *insn; /* the one that is taken apart */
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
	/* The length of bytes that capstone was not asked for or cannot decode, with their
	 * operations; 0: not known. */
	unsigned (*decode)(struct flow_lifter *lifter, const uint8_t *bytes, size_t count);
	/* The register that a function of these bytes loads with its return address, for code that
	 * asks where it is; ARCH_NO_REGISTER: none. NULL: there are no such functions. */
	int (*thunk)(const struct flow_lifter *lifter, const uint8_t *bytes, size_t count);
};

/** Begin; false where the architecture's code cannot be taken apart. To be closed then. */
bool
flow_lifter_open(struct flow_lifter *lifter, const struct arch *arch, bool big_endian);

void
flow_lifter_close(struct flow_lifter *lifter);

/**
 * Decode the instruction at the start of `count` bytes into `out` and the lifter's operations. The
 * bytes are at `address` of the module, at `linked` as linked. False: they cannot be decoded.
 */
bool
flow_lift(struct flow_lifter *lifter, const uint8_t *bytes, size_t count, uint32_t address,
	uint64_t linked, struct flow_instruction *out);

/** Add an operation; what it does not need is 0. */
void
flow_add(
	struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src, int64_t value);

/** Forget the last comparison: the flags hold something else. */
void
flow_forget_flags(struct flow_lifter *lifter);

/** The scratch register, for values inside one instruction. */
static inline int
flow_scratch(const struct flow_lifter *lifter)
{
	return FLOW_SCRATCH(lifter->arch);
}

/** One register or two that are moved from or to memory. */
struct flow_transfer {
	bool load;
	int registers[2]; /* ARCH_NO_REGISTER: one that is not followed */
	int base;
	unsigned count, size; /* registers, and bytes of each */
	int64_t at; /* added to the base */
	int64_t moves; /* the base, afterwards */
};

/** Give a transfer its distance from the base, which is moved by that after it, or before it. */
static inline void
flow_place(struct flow_transfer *transfer, int64_t by, bool behind, bool before)
{
	transfer->at = behind ? 0 : by;
	transfer->moves = behind || before ? by : 0;
}

/** Add the operations of a transfer: less than a word is something else. A loaded base wins. */
void
flow_lift_transfer(struct flow_lifter *lifter, const struct flow_transfer *transfer);

/** `count` bits of a word from `first` on. */
static inline unsigned
flow_bits(uint32_t word, unsigned first, unsigned count)
{
	return word >> first & ((1u << count) - 1);
}

/** The relations of ARM's conditions; FLOW_ANY for those by other flags. */
extern const uint8_t flow_arm_conditions[16];

/** Add one that reads or writes `size` bytes of memory. */
void
flow_add_memory(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src,
	unsigned size, int64_t value);

/** Add a FLOW_LOAD_ENTRY: dst = the entry whose number is in a register, of a table. */
void
flow_add_entry(struct flow_lifter *lifter, int dst, int table, int number, unsigned size,
	int64_t value);

#endif
