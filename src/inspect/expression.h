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
 *	order->total[3] + 10	C and C++ over the frame's variables: its numbers are decimal, too
 */
struct value_expression;

struct expression {
	bool known;
	uint64_t value;
	bool plain;		/* a number and nothing else */
	bool unnamed;		/* a word without $ is neither a number nor a known name */
	const char *text;	/* how it was read: "$rsp 7ffe1000 + 0x8"; or what is wrong */
	/*
	 * An expression over variables; `value` is its number, or its address. NULL: none of
	 * them.
	 */
	const struct value_expression *typed;
};

/**
 * Evaluate `text` with the registers of `frame` (NULL: there are none). Lives in `arena`; where
 * memory ends nothing is known.
 */
struct expression
expression_of(struct surroundings *around, const struct frame *frame, struct text text,
	      struct arena *arena);

/** Where a user asks: a frame, and one of the calls that it is. */
struct expression_scope {
	struct walk *walk;	/* NULL: there are no frames */
	size_t frame, call;
};

/**
 * Evaluate `text` in a frame as the frame's variables have it if it names one of them, else as
 * expression_of() does, else as C.
 */
struct expression
expression_in(struct surroundings *around, const struct expression_scope *scope, struct text text,
	      struct arena *arena);

/**
 * A register by its name, by gdb's names for those that every processor has, or with WinDbg's
 * '@'.
 */
int
expression_register(const struct arch *arch, struct text text);

#endif
