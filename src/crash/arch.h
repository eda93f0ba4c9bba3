/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_ARCH_H
#define CRASH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/**
 * What unwinding needs to know of an architecture: one table each.
 *
 * Register numbers are indexes into the table of their architecture, so that a
 * set of registers is an array and a mask. Nothing else in the program knows a
 * register by its name.
 */
#define ARCH_REGISTERS 48	/* most registers of any table, with room */
#define ARCH_NO_REGISTER (-1)

enum arch_id {
	ARCH_X86,
	ARCH_AMD64,
	ARCH_ARM,
	ARCH_ARM64,
	ARCH_MIPS,
	ARCH_MIPS64,
	ARCH_PPC,
	ARCH_PPC64,
	ARCH_SPARC,
	ARCH_RISCV,
	ARCH_RISCV64,
	ARCH_UNKNOWN,
	ARCH_COUNT
};

/** One register of an architecture. */
struct arch_register {
	const char *name;	/* as STACK CFI rules spell it ("$rsp"); NULL: never in rules */
	const char *label;	/* as people write it and reports print it ("rsp", "fp") */
	bool callee_saved;	/* kept across calls by the ABI that Breakpad forwards by */
	bool saved_on_windows;	/* kept by the ABI of 64-bit Windows as well */
};

struct arch {
	enum arch_id id;
	const char *name;		/* as Breakpad prints it: "x86", "amd64", "arm", "arm64" */
	unsigned word_size;		/* bytes of an address and of a postfix value: 4 or 8 */
	const struct arch_register *registers;
	int register_count;		/* 0: recognised, but not walked yet */
	int pc, sp, fp, lr;		/* register numbers; lr may be ARCH_NO_REGISTER */
	unsigned call_step;		/* the lookup address of a caller is its pc less this */
	const int8_t *report_order;	/* numbers as Breakpad's text lists them; ends with -1 */
};

/** The table of an architecture; never NULL. */
const struct arch *
arch_by_id(enum arch_id id);

/**
 * The number of the register that rules call `name`, or ARCH_NO_REGISTER. Exact, as
 * Breakpad compares (`rsp` on amd64 is unknown); where `aliases`, a `$` may be missing
 * or extra and people's labels count too.
 */
int
arch_register(const struct arch *arch, struct text name, bool aliases);

/** `value` cut to the width of the architecture. */
uint64_t
arch_wrap(const struct arch *arch, uint64_t value);

/**
 * Values of some registers of an architecture.
 *
 * A register that is not `known` has no value. Breakpad forwards the callee's in
 * places where nobody said so; with its policy such a residue is kept under
 * `stale`, and only its own faults look at it. No view shows it.
 */
struct registers {
	uint64_t value[ARCH_REGISTERS];
	uint64_t known;		/* bit n: register n has a value */
	uint64_t stale;		/* bit n: value[n] is a residue; never both bits */
};

/** Give a register a value. */
void
registers_set(struct registers *registers, int number, uint64_t value);

/** Take a register's value away, the residue too. */
void
registers_forget(struct registers *registers, int number);

/** Whether a register has a value. False for ARCH_NO_REGISTER. */
bool
registers_known(const struct registers *registers, int number);

#endif
