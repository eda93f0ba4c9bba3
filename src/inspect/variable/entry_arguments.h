/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_ENTRY_ARGUMENTS_H
#define INSPECT_VARIABLE_ENTRY_ARGUMENTS_H

#include "inspect/variable/frame_variables.h"

/**
 * A frame's arguments without debug information.
 *
 * The calling convention names the registers of the first arguments; a register has its value of
 * the function's entry only if no code that can have run since has written it. On x86 the records
 * of functions have the size of the arguments on the stack, which the function itself may change.
 * The number of arguments in registers is unknown.
 */
struct entry_argument {
	int reg;			/* ARCH_NO_REGISTER: a word of the stack, at `address` */
	uint64_t address;
	bool known;
	uint64_t value;
	/* Why it has no value, or else why its value is unchanged; or NULL */
	const char *why;
};

struct entry_arguments {
	struct entry_argument *items;
	size_t count, known;		/* `known`: the number with a value */
	/* Words on the stack, by the record; may be more than `items` */
	uint64_t words;
};

/** The arguments of a frame, in its arena; count 0: nothing is known. */
void
entry_arguments_of(struct value_frame *frame, struct entry_arguments *arguments);

#endif
