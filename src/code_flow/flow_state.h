/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_STATE_H
#define CODE_FLOW_FLOW_STATE_H

#include "base/arena.h"
#include "frame_table/claim.h"

/**
 * An abstract machine that tracks where the values of the caller's registers are. A state has those
 * values of registers and stack before an instruction that are known for every caller.
 *
 * FLOW_OTHER and FLOW_UNKNOWN differ: FLOW_OTHER is certainly not the caller's value, so a record
 * with that rule is wrong. FLOW_UNKNOWN proves nothing. (The method: Bastian, Kell, Zappa Nardelli,
 * Reliable and Fast DWARF-Based Stack Unwinding, OOPSLA 2019.)
 */
enum flow_kind {
	FLOW_UNKNOWN,
	/* Not a value of the caller; `count`: upper bound of the value, exclusive; 0: none */
	FLOW_OTHER,
	FLOW_CONST, /* a number, in `base` and `offset` */
	FLOW_INIT, /* value of register `reg` at the entry */
	/* `base` plus `offset`; `reg`: 1 if read from memory that a callee may have written */
	FLOW_STACK,
	FLOW_ENTRY, /* entry of a table of `count` entries; `reg`: its form */
	FLOW_LEAP, /* the sum of such an entry and the address that it is relative to */
};

struct flow_value {
	uint8_t kind;
	int8_t reg;
	uint16_t count;
	/*
	 * FLOW_STACK: 0 for the CFA, else the address of the instruction that made a new base, plus
	 * 1. FLOW_CONST: the upper half. FLOW_ENTRY: address of the table.
	 */
	uint32_t base;
	int32_t offset; /* FLOW_CONST: the lower half */
	/* Address of the instruction that made the value, plus 1; 0: unknown. Not compared */
	uint32_t maker;
};

/** A word of the stack that holds a value worth remembering. */
struct flow_slot {
	uint32_t base; /* as in a FLOW_STACK value */
	int32_t offset;
	struct flow_value value;
};

/** Maximum number of slots: a function saves some ten registers, a longjmp buffer more. */
#define FLOW_SLOTS 64u
/** Number of an extra register for values inside one instruction, after the real registers. */
#define FLOW_SCRATCH(arch) ((arch)->register_count)

struct flow_state {
	/* Immutable; a missing slot is FLOW_OTHER if its base is the CFA, else FLOW_UNKNOWN */
	const struct flow_slot *slots;
	uint16_t slot_count;
	bool full; /* the list is incomplete, so a missing slot is unknown */
	bool moved; /* the return address was stored elsewhere: the frame may be there */
	bool loose; /* a call may have popped more than was counted */
	/* If only a call that may never return leads here: address after that call + 1; else 0 */
	uint32_t weak;
	/*
	 * The last comparison of two registers, or of a register with a number; ARCH_NO_REGISTER:
	 * none.
	 */
	int8_t compared, compared_with;
	uint32_t number;
	struct flow_value registers[ARCH_REGISTERS];
};

/** The effects of an instruction on registers and stack, in their order. */
enum flow_operation_kind {
	FLOW_SET, /* dst = a value that is not the caller's */
	FLOW_FORGET, /* dst = unknown */
	FLOW_NUMBER, /* dst = value */
	FLOW_COPY, /* dst = src + value */
	FLOW_SUM, /* dst = dst + src */
	FLOW_DIFFERENCE, /* dst = dst - src */
	FLOW_MASK, /* dst = dst & value */
	FLOW_SCALE, /* dst = src << value */
	FLOW_EXTEND, /* dst = the lower bits of src */
	FLOW_CHOICE, /* dst = either dst or src */
	FLOW_SWAP, /* exchange dst and src */
	FLOW_LOAD, /* dst = size bytes at src + value */
	/* dst = entry number `other`, of size bytes, at src + value; src may be ARCH_NO_REGISTER */
	FLOW_LOAD_ENTRY,
	FLOW_STORE, /* size bytes at dst + value = src; src ARCH_NO_REGISTER: an unknown value */
	FLOW_COMPARE, /* compare dst with src; dst ARCH_NO_REGISTER: with an unknown value */
	FLOW_COMPARE_NUMBER, /* compare dst with value */
};

struct flow_operation {
	uint8_t kind;
	int8_t dst, src, other;
	uint16_t size; /* bytes; FLOW_SIGNED may be added */
	int64_t value;
};

/** Flag in the size of a FLOW_LOAD_ENTRY or FLOW_SCALE: the value is signed. */
#define FLOW_SIGNED 0x100u
/** The form of a FLOW_ENTRY: log2 of its size, whether it is signed, and its shift in bits. */
#define FLOW_ENTRY_SIZE(form) (1u << ((form) & 3))
#define FLOW_ENTRY_SIGN 4
#define FLOW_ENTRY_SHIFT(form) ((unsigned)(form) >> 3)

struct flow_machine {
	const struct arch *arch;
	bool windows;		/* Windows' ABI, in which callees preserve more registers */
	struct arena *arena; /* holds the slots */
	uint64_t linked; /* linked address minus address in the state */
	bool failed; /* out of memory */
};

/** Set `state` to the state at the entry of a function, right after the call. */
void
flow_state_enter(struct flow_machine *machine, struct flow_state *state);

/** Execute the instruction at `address`. */
void
flow_state_apply(struct flow_machine *machine, struct flow_state *state, uint32_t address,
	const struct flow_operation *operations, size_t count);

/** Set the state after a call; `local`: the callee may be a function that the compiler saw. */
void
flow_state_call(
	struct flow_machine *machine, struct flow_state *state, uint32_t address, bool local);

/** Join two states: keep in `into` only what both have in common. True if `into` has changed. */
bool
flow_state_join(
	struct flow_machine *machine, struct flow_state *into, const struct flow_state *from);

/** The register whose value is the return address in a state: lr, or pc if calls push it. */
int
flow_return_register(const struct arch *arch);

/**
 * Whether two states cannot join in compiled code. They certainly disagree about the stack pointer,
 * or one has changed a callee-saved register that the other has not even saved.
 */
bool
flow_state_conflict(
	const struct arch *arch, const struct flow_state *a, const struct flow_state *b);

/** Whether stack pointer and return address are as at the entry, as before a tail call. */
bool
flow_state_is_entry(const struct arch *arch, const struct flow_state *state);

/**
 * The result of comparing a record's rule for a register with the effect of the code.
 *
 * A contradiction is certain: the code puts another value there. There is no verdict if the state
 * is unknown, or if a function takes its CFA from an argument on purpose (longjmp).
 */
enum flow_verdict {
	FLOW_AGREES,
	FLOW_CANNOT_SAY,
	FLOW_CONTRADICTS,
};

/** Compare a claim for a column of a row with the state; `windows`: code of Windows' ABI. */
enum flow_verdict
flow_judge(const struct arch *arch, bool windows, const struct flow_state *state, unsigned column,
	const struct claim *claim);

#endif
