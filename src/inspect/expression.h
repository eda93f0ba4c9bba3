/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_EXPRESSION_H
#define INSPECT_EXPRESSION_H

#include "inspect/surroundings.h"

/**
 * What people type where an address is wanted.
 *
 *	7ffe1000, 0x7ffe1000	a number; digits alone are hexadecimal, as everywhere in views
 *	$rsp, rsp		a register of the frame
 *	main, app!main		a function
 *	$rsp + 8, main+1c	sums and differences of them
 *	$rsp 8 + ^		postfix, as rules have it: its numbers are decimal
 */
struct expression {
	bool known;
	uint64_t value;
	bool plain;		/* a number and nothing else */
	bool unnamed;		/* a word without $ is neither a number nor a known name */
	const char *text;	/* how it was read: "$rsp 7ffe1000 + 0x8"; or what is wrong */
};

/**
 * Evaluate `text` with the registers of `frame` (NULL: there are none). Lives in `arena`; where
 * memory ends nothing is known.
 */
struct expression
expression_of(struct surroundings *around, const struct frame *frame, struct text text,
	      struct arena *arena);

#endif
