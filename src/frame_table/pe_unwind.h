/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_PE_UNWIND_H
#define FRAME_TABLE_PE_UNWIND_H

#include "binary/binary_internal.h"
#include "frame_table/frame_pops.h"
#include "frame_table/frame_tables_internal.h"

/**
 * One function's UNWIND_INFO of x64, versions 1 and 2 (Microsoft, x64 exception handling), for
 * pe_frames.c. Addresses count from the image's base.
 */

/** RUNTIME_FUNCTION. */
struct pe_function {
	uint32_t begin, end;		/* of the code */
	uint32_t info;			/* of the UNWIND_INFO */
};

/** Read an entry of 12 bytes; false where it covers nothing. */
bool
pe_function_of_bytes(const uint8_t *bytes, struct pe_function *function);

struct pe_unwind {
	unsigned version;
	unsigned prologue;		/* bytes */
	int frame_register;		/* of the architecture, or ARCH_NO_REGISTER */
	unsigned frame_offset;		/* that register less the stack pointer */
	unsigned count;			/* slots of two bytes */
	uint8_t codes[512];
	bool chained;			/* to the function that this is a part of */
	struct pe_function chain;
};

/** Read the information at `address`; false where it isn't there or is of no known version. */
bool
pe_unwind_read(const struct binary *binary, uint32_t address, struct pe_unwind *unwind);

/**
 * Undo the codes of a function stopped at `address`, which in its prologue are those that it has
 * come by. True where the processor pushed the frame that is left.
 */
bool
pe_unwind_undo(const struct pe_unwind *unwind, const struct pe_function *function,
	       uint64_t address, struct frame_pops *pops);

/** What it takes to know an epilogue. */
struct pe_epilogue {
	const struct binary *binary;	/* whose code is looked at */
	bool (*leaves)(const void *context, const struct pe_function *function, uint64_t target);
	const void *context;
};

/**
 * Whether `address` is in an epilogue: its instructions are the few that one may have. What is
 * left of them is undone then.
 */
bool
pe_unwind_epilogue(const struct pe_epilogue *epilogue, const struct pe_unwind *unwind,
		   const struct pe_function *function, uint64_t address, struct frame_pops *pops);

#endif
