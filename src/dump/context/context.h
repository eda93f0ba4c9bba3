/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_CONTEXT_CONTEXT_H
#define DUMP_CONTEXT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "crash/arch.h"

/**
 * How CPU contexts lie in a dump: one table for each layout, in a file of its own.
 *
 * Sources: winnt.h's CONTEXT structures and Breakpad's minidump_cpu_*.h. A context
 * may be longer than its layout: what follows are states of vector units.
 */
struct context_field {
	uint8_t number;			/* of the register in its architecture's table */
	uint8_t size;
	uint16_t offset;
};

/** Eight registers behind each other. */
#define CONTEXT_EIGHT(number, size, offset)						\
	{ number, size, offset }, { number + 1, size, offset + size },			\
	{ number + 2, size, offset + 2 * size }, { number + 3, size, offset + 3 * size },	\
	{ number + 4, size, offset + 4 * size }, { number + 5, size, offset + 5 * size },	\
	{ number + 6, size, offset + 6 * size }, { number + 7, size, offset + 7 * size }

struct context_layout {
	const char *name;
	enum arch_id arch;
	uint32_t size;			/* bytes, at least */
	uint32_t plain_size;		/* of the layout that Breakpad knows for it; 0: `size` */
	uint32_t flags_offset, flags_size;
	uint32_t cpu;			/* what the flags say of the CPU */
	uint32_t cpu_legacy;		/* what old writers said instead; 0: nothing */
	bool kernel_bits;		/* the kernel may have set bits of its own in the flags */
	const struct context_field *fields;
	size_t field_count;
};

#define LAYOUT(name) extern const struct context_layout context_layout_##name;
#include "dump/context/context.def"
#undef LAYOUT

/**
 * The layout of a context of `size` bytes (of which the file has `bytes`) on a system of
 * `arch`: what size and flags say counts, the system decides where they leave it open.
 * NULL: none fits.
 */
const struct context_layout *
context_choose(enum arch_id arch, const struct reader *bytes, uint32_t size);

/** The layout of a name, or NULL. */
const struct context_layout *
context_layout_named(const char *name);

#endif
