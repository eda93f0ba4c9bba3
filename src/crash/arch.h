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
	ARCH_SPARC32,		/* a 32-bit process of SPARC, with ARCH_SPARC's contexts */
	ARCH_S390X,		/* no minidump has it: SFrame walks its registers */
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
	unsigned register_size;		/* of a register in contexts: 4 or 8 */
	unsigned report_size;		/* of what Breakpad's text prints of a register: 4 or 8 */
	const struct arch_register *registers;
	int register_count;		/* 0: of ARCH_UNKNOWN alone */
	int pc, sp, fp, lr;		/* register numbers; lr may be ARCH_NO_REGISTER */
	int return_step;		/* a caller's pc is the return address and this */
	unsigned call_step;		/* the lookup address of a caller is its pc less this */
	int long_return_step;		/* both as Breakpad takes them, POLICY_LONG_CALL_STEPS */
	unsigned long_call_step;
	const int8_t *report_order;	/* numbers as Breakpad's text lists them; ends with -1 */
};

/** How a register may be spelled in rules. */
enum arch_names {
	ARCH_NAMES_EXACT,	/* as Breakpad compares: `rsp` on amd64 is unknown */
	ARCH_NAMES_ALIASES,	/* a `$` may be missing or extra and people's labels count too */
	ARCH_NAMES_MENDED,	/* exact, but Breakpad's slip `$to` of mips is also `$t0` */
};

/** The table of an architecture; never NULL. */
const struct arch *
arch_by_id(enum arch_id id);

/** The table of what a MODULE record of a symbol file calls its architecture; never NULL. */
const struct arch *
arch_of_symbols(struct text name);

/** The number of the register that rules call `name`, or ARCH_NO_REGISTER. */
int
arch_register(const struct arch *arch, struct text name, enum arch_names names);

/** The register of a DWARF number, or ARCH_NO_REGISTER. For x86, ARM and those with SFrame. */
int
arch_dwarf_register(const struct arch *arch, int number);

/** `value` cut to the width of the architecture. */
uint64_t
arch_wrap(const struct arch *arch, uint64_t value);

/** `value` cut to the width of a register, which 32-bit mips and SPARC store in 64 bits. */
uint64_t
arch_wrap_register(const struct arch *arch, uint64_t value);

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

/** Whether a register has a value. False for ARCH_NO_REGISTER. */
bool
registers_known(const struct registers *registers, int number);

#endif
