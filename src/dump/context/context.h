/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_CONTEXT_CONTEXT_H
#define DUMP_CONTEXT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "crash/arch.h"
#include "dump/field.h"

struct crash_context;

/**
 * The layouts of CPU contexts in dumps: one table of fields each, for reading, writing and
 * describing.
 *
 * Sources: winnt.h's CONTEXT structures and Breakpad's minidump_cpu_*.h. A context may be longer
 * than its layout: the rest is the state of vector units.
 */

struct context_register {
	uint8_t number;			/* number in its architecture's table */
	uint32_t size;
	uint32_t offset;
};

/** The register of a row of fields, or the first register of an array. */
#define REG(number) .reg = (number) + 1

struct context_layout {
	const char *name;
	enum arch_id arch;
	const struct structure *fields;	/* its size is the minimum size of a context */
	uint32_t flags_offset, flags_size;
	uint32_t cpu;			/* the CPU's bits in the flags */
	uint32_t cpu_legacy;		/* other bits of the CPU in flags of old writers; 0: none */
	bool kernel_bits;		/* the kernel may have set bits of its own in the flags */
	bool xstate;			/* parts that CONTEXT_EX describes may follow (winnt.h) */
	uint32_t plain_size;		/* bytes of Breakpad's layout; 0: the size of `fields` */
};

/** Name of the layout for dumps whose system info has Breakpad's own number for arm64. */
#define CONTEXT_ARM64_OLD "arm64 (old layout)"

#define LAYOUT(fields, ...) extern const struct structure context_##fields;
#include "dump/context/context.def"

/** The area that FXSAVE stores. */
extern const struct structure context_fxsave;

/** List the registers of a structure, in the order of its fields; returns their number. */
size_t
context_registers(const struct structure *fields,
		  struct context_register registers[ARCH_REGISTERS]);

/**
 * Set the registers of a structure from `bytes`; registers past the end of `bytes` keep their
 * values. Returns whether the structure has registers.
 */
bool
context_decode_fields(const struct structure *fields, const struct reader *bytes,
		      struct crash_context *context);

/** The layout named `name`, or NULL. */
const struct context_layout *
context_layout_named(const char *name);

/** The first layout of an architecture, or NULL. */
const struct context_layout *
context_layout_of(const struct arch *arch);

#endif
