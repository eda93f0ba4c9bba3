/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_ENTRY_ARGUMENTS_H
#define INSPECT_VARIABLE_ENTRY_ARGUMENTS_H

#include "inspect/variable/frame_variables.h"

/**
 * What is known of a frame's arguments without debug information.
 *
 * The calling convention names the registers in which the first arguments are; a register has the
 * value that it had at the function's entry only if no code that can have run since has written
 * it. On x86 the records of functions have the size of the arguments on the stack, which the
 * function itself may change. How many arguments there are in registers nothing tells.
 */
struct entry_argument {
	int reg;			/* ARCH_NO_REGISTER: a word of the stack, at: */
	uint64_t address;
	bool known;
	uint64_t value;
	/* It has no value; else why it is the one at the entry, or NULL */
	const char *why;
};

struct entry_arguments {
	struct entry_argument *items;
	size_t count, known;		/* known: how many have a value */
	/* Of the stack, as the record says; may be more than `items` */
	uint64_t words;
};

/** The arguments of the frame that `variables` are of, in its arena; none: nothing is known. */
void
entry_arguments_of(const struct frame_variables *variables, struct entry_arguments *arguments);

#endif
