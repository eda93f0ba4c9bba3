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
 * One instruction taken apart: its text, what it is, and the memory that it touches.
 *
 * Registers are numbers of their architecture's table; what has no number there (vector
 * registers, flags) is left out of the sets. Made by capstone, where it is built in and
 * depends on the architecture.
 */

/** Kinds of instructions; bits of `kinds`. */
enum instruction_kind {
	INSTRUCTION_CALL = 1 << 0,
	INSTRUCTION_JUMP = 1 << 1,
	INSTRUCTION_CONDITIONAL = 1 << 2,	/* a jump that may not be taken */
	INSTRUCTION_RETURN = 1 << 3,
	INSTRUCTION_DIVIDE = 1 << 4,		/* integer or floating point division */
	INSTRUCTION_PRIVILEGED = 1 << 5,	/* programs must not execute it */
	INSTRUCTION_PUSH = 1 << 6,
	INSTRUCTION_POP = 1 << 7,
	INSTRUCTION_STRING = 1 << 8,		/* movs, stos and their like on x86 */
	INSTRUCTION_REPEATED = 1 << 9,		/* with a rep prefix: goes on from its accesses */
	INSTRUCTION_TRAP = 1 << 10,		/* made to stop: int3, ud2, brk, udf, break */
	INSTRUCTION_SYSTEM = 1 << 11,		/* calls the system: syscall, svc, int */
};

/** Memory that an instruction reads or writes: base + index * scale + displacement. */
struct instruction_access {
	int base, index;		/* register numbers; ARCH_NO_REGISTER: none */
	int scale;			/* factor of the index; negative on arm if subtracted */
	int64_t displacement;		/* the whole address where it is relative to the pc */
	unsigned width;			/* bytes of the address: it wraps there */
	unsigned size;			/* bytes that are touched; 0: not known */
	bool read, written;
	bool implicit;			/* the stack, by push, pop, call or return */
	bool segment;			/* relative to fs or gs, whose base is unknown */
	bool opaque;			/* a register without a number or a shift takes part */
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
	struct place place;		/* where the bytes are; set by instruction_at() */
	char text[200];			/* "mov eax, dword ptr [rcx + 8]" */
	unsigned kinds;
	/* Bit n: register n, also where it is part of an address. On mips, powerpc and sparc
	 * capstone does not say: addresses and targets alone. */
	uint64_t reads, writes;
	struct instruction_access accesses[INSTRUCTION_ACCESSES];
	size_t access_count;
	/* Where a call, a jump or, on x86, a return leads: an address, a register's value, or what
	 * an access reads. */
	bool has_target;
	uint64_t target;
	uint64_t loaded;		/* the address that a pc-relative lea loads; 0: none */
	int target_register;		/* ARCH_NO_REGISTER: none */
	int target_access;		/* INSTRUCTION_NO_ACCESS: none */
};

/**
 * Decode the instruction at the start of `code`, which is at `address`. `thumb` counts on arm
 * alone. False where the bytes are no whole instruction, or capstone does not support the
 * architecture.
 */
bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool thumb,
		   const struct reader *code, uint64_t address);

/**
 * instruction_decode with bytes of the dump (`view`), else of the module's file (`binaries`, may be
 * NULL). On arm an odd address is in Thumb state, too.
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

/** The address of an access with these registers; false where it is not known. */
bool
instruction_address(const struct instruction_access *access, const struct registers *registers,
		    uint64_t *address);

/** Why instructions of an architecture cannot be taken apart; NULL: they can. */
const char *
instruction_unsupported(const struct arch *arch);

#endif
