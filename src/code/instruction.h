/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_INSTRUCTION_H
#define CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "locate/binaries.h"
#include "crash/arch.h"
#include "crash/memory.h"

/**
 * One decoded instruction: its text, its kinds, and the memory that it accesses.
 *
 * Registers are numbers of their architecture's table; registers without a number there (vector
 * registers, flags) are left out of the sets. Instructions are decoded if unspool is built
 * with capstone, and capstone supports the architecture.
 */

/** Kinds of instructions; bits of `kinds`. */
enum instruction_kind {
	INSTRUCTION_CALL = 1 << 0,
	INSTRUCTION_JUMP = 1 << 1,
	INSTRUCTION_CONDITIONAL = 1 << 2,
	INSTRUCTION_RETURN = 1 << 3,
	INSTRUCTION_DIVIDE = 1 << 4,		/* integer or floating point division */
	INSTRUCTION_PRIVILEGED = 1 << 5,	/* fails in user mode */
	INSTRUCTION_PUSH = 1 << 6,
	INSTRUCTION_POP = 1 << 7,
	INSTRUCTION_STRING = 1 << 8,		/* movs, stos and similar x86 instructions */
	INSTRUCTION_REPEATED = 1 << 9,		/* with a rep prefix: repeats its accesses */
	/* Stops the program on purpose: int3, ud2, brk, udf, break */
	INSTRUCTION_TRAP = 1 << 10,
	INSTRUCTION_SYSTEM = 1 << 11,		/* calls the system: syscall, svc, int */
};

/** Memory that an instruction reads or writes: base + index * scale + displacement. */
struct instruction_access {
	int base, index;		/* register numbers; ARCH_NO_REGISTER: none */
	int scale;			/* factor of the index; negative on arm if subtracted */
	int64_t displacement;		/* if relative to the pc: the complete address */
	unsigned width;			/* bytes of the address, which wraps at this width */
	unsigned size;			/* bytes that are accessed; 0: unknown */
	bool read, written;
	bool implicit;			/* stack access of push, pop, call or return */
	bool segment;			/* relative to fs or gs, whose base is unknown */
	/* The address also depends on a register without a number, or on a shift */
	bool opaque;
};

#define INSTRUCTION_ACCESSES 6u
#define INSTRUCTION_NO_ACCESS (-1)
/* Bytes of the longest instruction. */
#define INSTRUCTION_WINDOW 16u

struct instruction {
	uint64_t address;
	unsigned length;
	uint8_t bytes[INSTRUCTION_WINDOW];
	bool from_file;			/* the bytes come from the module's file */
	struct place place;		/* place of the bytes; set by instruction_at() */
	char text[200];			/* "mov eax, dword ptr [rcx + 8]" */
	unsigned kinds;
	/*
	 * Bit n: register n, including registers in addresses. For mips, powerpc and sparc capstone
	 * lists no registers, so only the registers of addresses and targets are set.
	 */
	uint64_t reads, writes;
	struct instruction_access accesses[INSTRUCTION_ACCESSES];
	size_t access_count;
	/*
	 * The target of a call, a jump or, on x86, a return: an address, the value of a register,
	 * or the word that an access reads.
	 */
	bool has_target;
	uint64_t target;
	uint64_t loaded;		/* the address that a pc-relative lea loads; 0: none */
	int target_register;		/* ARCH_NO_REGISTER: none */
	int target_access;		/* INSTRUCTION_NO_ACCESS: none */
};

/**
 * Decode the instruction at the start of `code`, which is at `address`. `thumb` is used on arm
 * only. False if the bytes are not a complete instruction, or capstone does not support the
 * architecture.
 */
bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool thumb,
		   const struct reader *code, uint64_t address);

/**
 * instruction_decode with bytes of the dump (`view`), else of the module's file (`binaries`, may be
 * NULL). On arm an odd address means Thumb code.
 */
bool
instruction_at(struct instruction *instruction, const struct arch *arch,
	       const struct memory_view *view, struct binaries *binaries, bool thumb,
	       uint64_t address);

/**
 * The operand of an access without its segment, "rax + rcx*8 - 0x10"; empty if it has no register.
 * Returns `buffer`.
 */
const char *
instruction_operand(const struct instruction_access *access, const struct arch *arch, char *buffer,
		    size_t size);

/** The address of an access with these registers; false if it is unknown. */
bool
instruction_address(const struct instruction_access *access, const struct registers *registers,
		    uint64_t *address);

/** Why instructions of an architecture cannot be decoded; NULL: they can. */
const char *
instruction_unsupported(const struct arch *arch);

#endif
