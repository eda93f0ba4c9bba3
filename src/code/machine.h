/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_MACHINE_H
#define CODE_MACHINE_H

#include <config.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "base/checked.h"
#include "base/compiler.h"
#include "code/call.h"
#include "code/instruction.h"

/**
 * The machine code of each architecture: its calls, and the properties of instructions that
 * capstone does not give.
 *
 * Private to src/code. Architectures with the same instructions form a family, one per file.
 */

/** The bytes before a return address. */
struct code {
	const struct arch *arch;
	const uint8_t *end;		/* after the last byte */
	size_t count;
	uint64_t address;		/* address of `end` */
	bool big_endian;
};

/** One form of call whose instruction begins `back` bytes before the return address. */
struct call_form {
	unsigned back, length;
	uint32_t mask, bits;
	/* Whether the other bits fit too; NULL: they need no check. */
	bool (*fits)(const struct code *code, uint32_t word);
	/* The target of the instruction at `address`; NULL: it is not in the instruction. */
	uint64_t (*target)(const struct code *code, uint32_t word, uint64_t address);
	/*
	 * If `target` is NULL, the call's target is its address + `ahead` + 4 * the signed number
	 * in the low `offset_bits` bits. `offset_bits` 0: the target is unknown.
	 */
	unsigned offset_bits, ahead;
};

/** The 32 bits that begin `back` bytes before the return address. */
uint32_t
code_word(const struct code *code, unsigned back);

/** Bit `from` of a word, moved to position `to`. */
uint32_t
code_bit(uint32_t word, unsigned from, unsigned to);

/** The call whose instruction of `length` bytes begins `back` bytes before the return address. */
struct call_site
call_found(const struct code *code, unsigned back, unsigned length);

/** The call by the first form that matches; `halves`: the first 16 bits are the upper half. */
struct call_site
call_match(const struct code *code, const struct call_form *forms, size_t count, bool halves);

#ifdef HAVE_CAPSTONE

/** The translation of an instruction that capstone has decoded. */
struct decoder {
	csh handle;
	const cs_insn *insn;
	const char *name;		/* the mnemonic without prefixes and conditions */
	const struct family *family;
	const struct arch *arch;
	bool thumb;
	unsigned memory_size;		/* from the mnemonic's row; 0: taken from the operands */
	bool reads_memory, writes_memory;	/* given by the mnemonic's row */
	struct instruction *instruction;
};

/**
 * The kinds of instructions whose names match one of the shell patterns (separated by blanks). The
 * first row that matches is used. `size` and `access` describe the memory operand, for
 * architectures where capstone does not give its size or direction.
 */
struct mnemonic {
	const char *patterns;
	unsigned kinds;
	unsigned size;			/* bytes of the memory operand; 0: not given by the name */
	const char *access;		/* "r", "w" or "rw"; NULL: as capstone reports */
};

#define CALL INSTRUCTION_CALL
#define JUMP INSTRUCTION_JUMP
#define BRANCH (INSTRUCTION_JUMP | INSTRUCTION_CONDITIONAL)
#define RETURN INSTRUCTION_RETURN
#define DIVIDE INSTRUCTION_DIVIDE
#define SUPERVISOR INSTRUCTION_PRIVILEGED
#define PUSH INSTRUCTION_PUSH
#define POP INSTRUCTION_POP
#define TRAP INSTRUCTION_TRAP
#define SYSTEM INSTRUCTION_SYSTEM
#define FLOW (INSTRUCTION_CALL | INSTRUCTION_JUMP)

/** Other spellings of registers, separated by blanks; on x86, names of a register's parts. */
struct spelling {
	/* wide: on 64-bit machines; NULL: the same as narrow */
	const char *capstone, *narrow, *wide;
};

/** The number of one of capstone's registers in the architecture's table, or ARCH_NO_REGISTER. */
int
decoder_register(const struct decoder *decoder, unsigned reg);

/** A new empty access, or NULL if the list is full. */
struct instruction_access *
decoder_access(struct decoder *decoder);

/** Add the access of a push, pop, call or return: `size` bytes at register `base` + `offset`. */
void
decoder_stack(struct decoder *decoder, int base, int64_t offset, unsigned size, bool written);

/** Number of a register in an address. If the register has none, the access becomes `opaque`. */
int
decoder_address(const struct decoder *decoder, struct instruction_access *access, unsigned reg);

/** Add a memory operand whose size and direction are in the mnemonic's row. */
void
decoder_memory(struct decoder *decoder, unsigned base, unsigned index, int64_t displacement);

/** Set the target of a call or jump; no effect on other instructions. */
void
decoder_lead(struct decoder *decoder, uint64_t target);

/** Whether one of the patterns (separated by blanks) matches the name. */
bool
decoder_is(const struct decoder *decoder, const char *patterns);

/** If a call or jump has no address, set its first register as the target (mips: the last). */
void
decoder_lead_register(struct decoder *decoder, unsigned reg, bool last);

#define MODE(mode) (int)(mode)
#define CAPSTONE(...) .known = true, __VA_ARGS__
#define MNEMONICS(table) .mnemonics = (table), .mnemonic_count = ARRAY_COUNT(table)
#define SPELLINGS(table) .spellings = (table), .spelling_count = ARRAY_COUNT(table)
#else
#define MODE(mode) 0
#define CAPSTONE(...) .known = false
#endif

#define FORMS(table) .forms = (table), .form_count = ARRAY_COUNT(table)

/** Architectures with the same instructions. */
struct family {
	/* Forms of the call before a return address; not used if `call` is set */
	const struct call_form *forms;
	size_t form_count;
	struct call_site (*call)(const struct code *code);
	/* Decode the stub that begins STUB_WINDOW bytes before `code->end`; NULL: no stubs. */
	bool (*stub)(const struct code *code, uint64_t table, struct stub *stub);
	bool little_endian;		/* code is little-endian even if data are not */
	bool known;			/* capstone knows the architecture */
#ifdef HAVE_CAPSTONE
	cs_arch arch;
	bool either_order;		/* instructions are stored in the dump's byte order */
	/* Capstone marks loads of segment registers as privileged */
	bool loads_privileged;
	const struct mnemonic *mnemonics;
	size_t mnemonic_count;
	const struct spelling *spellings;
	size_t spelling_count;
	/* Replaces the name of a register's part by the register's name; NULL: not needed */
	void (*whole)(char *name);
	void (*operands)(struct decoder *decoder);
#endif
};

struct machine {
	const struct family *family;	/* NULL: its code is not supported */
	int mode, thumb_mode;		/* capstone's modes */
};

#define ARCH(id) extern const struct machine machine_##id;
#include "crash/arch_id.def"
#undef ARCH

/** The machine of an architecture; never NULL. */
const struct machine *
machine_of(const struct arch *arch);

#endif
