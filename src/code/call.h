/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_CALL_H
#define CODE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "locate/binaries.h"
#include "crash/arch.h"
#include "crash/memory.h"

/**
 * Whether an address is a return address: the instruction before it must be a call. Calls are found
 * by tables of encodings, so that a walk needs no disassembler. Each form of call is compared with
 * the bytes that end at the address. On x86 other bytes may look like a call, but every call is
 * found.
 */
enum call_answer {
	CALL_UNKNOWN,			/* the bytes or the architecture's calls are unknown */
	CALL_NO,
	CALL_YES,
};

/** The instruction before a return address. */
struct call_site {
	enum call_answer answer;
	bool direct;			/* `target` is known */
	uint64_t target;		/* target given by the instruction, without a Thumb bit */
	unsigned length;		/* bytes of the call without prefixes; 0: no call */
	uint64_t address;		/* where the call begins */
	struct place place;		/* the call's bytes; set by call_find() */
};

/** Bytes to read before a return address: the longest call, or a call and its delay slot. */
#define CALL_WINDOW 8u

/**
 * Find the call before return address `address` in the `count` bytes that end there. On arm an odd
 * address means Thumb code, as in return addresses on the stack. On mips and sparc the address is
 * after the delay slot. `big_endian` is the byte order of the code.
 */
struct call_site
call_before(const struct arch *arch, bool big_endian, const uint8_t *bytes, size_t count,
	    uint64_t address);

/**
 * Read a number of up to 8 bytes of code or constants from the dump, else from the module's file
 * (`binaries`, may be NULL). False: the bytes are unknown.
 */
bool
code_read(const struct memory_view *view, struct binaries *binaries, uint64_t address,
	  unsigned size, uint64_t *value);

/**
 * call_before with bytes of the dump (`view`, may be NULL), else of the module's file
 * (`binaries`, may be NULL).
 */
struct call_site
call_find(const struct arch *arch, const struct memory_view *view, struct binaries *binaries,
	  uint64_t address);

/**
 * The length of the x86 instruction at the start of `count` bytes of 64-bit code. Uses only
 * prefixes, opcode map and operands (Intel SDM, volume 2, chapter 2 and appendix A). 0: bytes are
 * missing, or are not an instruction. Some accepted bytes are no instruction for a disassembler.
 */
unsigned
x86_length(const uint8_t *bytes, size_t count);

/** Bytes of the longest instruction of x86. */
#define X86_LONGEST 15u

/**
 * Code made by the linker that only jumps to the address in a slot. The loader fills the slot.
 * Stubs are the entries of ELF procedure linkage tables and the import thunks of PE files.
 */
struct stub {
	unsigned length;		/* bytes, including prefixes and a preceding `bx pc` */
	uint64_t slot;
	/* x86: `slot` is the index of the relocation that fills the slot (on 32 bits its offset).
	 * At the first call the loader uses that relocation to find the function. */
	bool by_relocation;
	bool tail;			/* x86: its bytes may also be the end of a function */
};

/**
 * Decode the stub at `address`; it begins `offset` bytes into `code`. 32-bit code may address its
 * slot relative to the global offset table at `table`. False: there is no stub.
 */
bool
stub_decode(const struct arch *arch, const struct reader *code, uint64_t offset, uint64_t address,
	    uint64_t table, struct stub *stub);

/** Bytes of the longest stub. */
#define STUB_WINDOW 32u

#endif
