/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_STATE_H
#define CODE_FLOW_FLOW_STATE_H

#include "base/arena.h"
#include "frame_table/claim.h"

/**
 * The known values of registers and stack before one instruction of a function, for every possible
 * caller: an abstract machine that remembers where the caller's registers are.
 *
 * FLOW_OTHER and FLOW_UNKNOWN differ: the first is certainly not what the caller had, so that a
 * record that says so is wrong; of the second nothing can be said. (The method: Bastian, Kell,
 * Zappa Nardelli, Reliable and Fast DWARF-Based Stack Unwinding, OOPSLA 2019.)
 */
enum flow_kind {
	FLOW_UNKNOWN,
	FLOW_OTHER, /* nothing of the caller's; `count`: it is below that, 0: any */
	FLOW_CONST, /* a number, in `base` and `offset` */
	FLOW_INIT, /* what register `reg` had at the entry */
	FLOW_STACK, /* `base` and `offset`; `reg` is 1 where memory had it, which others write */
	FLOW_ENTRY, /* an entry of a table of `count` entries; `reg`: its form */
	FLOW_LEAP, /* the same made an address: it and what its table counts from */
};

struct flow_value {
	uint8_t kind;
	int8_t reg;
	uint16_t count;
	/* FLOW_STACK: 0 the CFA, else the address of the instruction that made a new base, and 1.
	 * FLOW_CONST: the upper half. FLOW_ENTRY: address of the table. */
	uint32_t base;
	int32_t offset; /* FLOW_CONST: the lower half */
	uint32_t maker; /* the instruction that made it, and 1; 0: not known. Never compared */
};

/** A word of the stack that holds a value worth remembering. */
struct flow_slot {
	uint32_t base; /* as of FLOW_STACK */
	int32_t offset;
	struct flow_value value;
};

/** Most slots of a state: a function saves some ten registers, longjmp buffers have more. */
#define FLOW_SLOTS 64u
/** A register after the architecture's last one, for values inside one instruction. */
#define FLOW_SCRATCH(arch) ((arch)->register_count)

struct flow_state {
	const struct flow_slot *slots; /* never changed; an absent one with the CFA as its base is
					 * FLOW_OTHER, with another base FLOW_UNKNOWN */
	uint16_t slot_count;
	bool full; /* slots are missing: an absent one is not known */
	bool moved; /* the return address was put elsewhere: the frame may be there */
	bool loose; /* a call may have taken more off the stack than was counted */
	uint32_t weak; /* reached by the end of a call that may never return: its
					 * address, and 1; 0: not so */
	/* The last comparison of registers, or of one with a number; ARCH_NO_REGISTER: none. */
	int8_t compared, compared_with;
	uint32_t number;
	struct flow_value registers[ARCH_REGISTERS];
};

/** The effects of an instruction on registers and stack, in their order. */
enum flow_operation_kind {
	FLOW_SET, /* dst = something else */
	FLOW_FORGET, /* dst = unknown */
	FLOW_NUMBER, /* dst = value */
	FLOW_COPY, /* dst = src + value */
	FLOW_SUM, /* dst = dst + src */
	FLOW_DIFFERENCE, /* dst = dst - src */
	FLOW_MASK, /* dst = dst & value */
	FLOW_SCALE, /* dst = src << value */
	FLOW_EXTEND, /* dst = the lower bits of src */
	FLOW_CHOICE, /* dst = dst or src */
	FLOW_SWAP, /* dst and src */
	FLOW_LOAD, /* dst = size bytes at src + value */
	FLOW_LOAD_ENTRY, /* dst = entry number `other` of size bytes, at src + value; src may be
				 * ARCH_NO_REGISTER */
	FLOW_STORE, /* size bytes at dst + value = src; ARCH_NO_REGISTER: something else */
	FLOW_COMPARE, /* dst with src; dst ARCH_NO_REGISTER: something else */
	FLOW_COMPARE_NUMBER, /* dst with value */
};

struct flow_operation {
	uint8_t kind;
	int8_t dst, src, other;
	uint16_t size; /* and FLOW_SIGNED */
	int64_t value;
};

/** In the size of a FLOW_LOAD_ENTRY or FLOW_SCALE: the value has a sign bit. */
#define FLOW_SIGNED 0x100u
/** The form of a FLOW_ENTRY: log2 of its size, sign, bits by which it is shifted. */
#define FLOW_ENTRY_SIZE(form) (1u << ((form) & 3))
#define FLOW_ENTRY_SIGN 4
#define FLOW_ENTRY_SHIFT(form) ((unsigned)(form) >> 3)

/** The context in which values are computed. */
struct flow_machine {
	const struct arch *arch;
	bool windows;		/* callees keep more registers */
	struct arena *arena; /* holds the slots */
	uint64_t linked; /* linked address minus address here */
	bool failed; /* out of memory */
};

/** The state where a caller has just called. */
void
flow_state_enter(struct flow_machine *machine, struct flow_state *state);

/** Do what the instruction at `address` does. */
void
flow_state_apply(struct flow_machine *machine, struct flow_state *state, uint32_t address,
	const struct flow_operation *operations, size_t count);

/** The state after a call; `local`: perhaps of a function that the compiler saw. */
void
flow_state_call(
	struct flow_machine *machine, struct flow_state *state, uint32_t address, bool local);

/** Make `into` what both have in common; whether that changed it. */
bool
flow_state_join(
	struct flow_machine *machine, struct flow_state *into, const struct flow_state *from);

/** The register as whose the return address is remembered: lr, or pc where it is pushed. */
int
flow_return_register(const struct arch *arch);

/**
 * Whether two states disagree for certain about where the stack pointer is, or one has changed a
 * register that calls keep and the other has not even saved it: no compiler lets such ways meet.
 */
bool
flow_state_conflict(
	const struct arch *arch, const struct flow_state *a, const struct flow_state *b);

/** Whether a function that begins here would return to this one's caller: nothing was pushed. */
bool
flow_state_is_entry(const struct arch *arch, const struct flow_state *state);

/**
 * A record's rule for a register, compared with the effect of the code.
 *
 * A contradiction is certain: the code puts something else there. Where the state is unknown, or
 * a function finds its CFA by an argument on purpose (longjmp), nothing is said.
 */
enum flow_verdict {
	FLOW_AGREES,
	FLOW_CANNOT_SAY,
	FLOW_CONTRADICTS,
};

/** The verdict on a claim for a column of a row (frame_table/claim.h); `windows` as in its ABI. */
enum flow_verdict
flow_judge(const struct arch *arch, bool windows, const struct flow_state *state, unsigned column,
	const struct claim *claim);

#endif
