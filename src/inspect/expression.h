/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_EXPRESSION_H
#define INSPECT_EXPRESSION_H

#include "inspect/surroundings.h"

/**
 * Expressions that users type for an address.
 *
 *	7ffe1000, 0x7ffe1000	a number; digits alone are hexadecimal, as everywhere in views
 *	$rsp, rsp		a register of the frame
 *	main, app!main		a function
 *	$rsp + 8, main+1c	sums and differences of them
 *	$rsp 8 + ^		postfix, as rules have it: its numbers are decimal
 *	order->total[3] + 10	C and C++ over the frame's variables: its numbers are decimal, too
 */
struct value_expression;

/**
 * Minimum number of digits of an address in views. If a learner's answer is only a number of fewer
 * digits, the number is decimal, as in rules.
 */
#define EXPRESSION_ADDRESS_DIGITS 8u

struct expression {
	bool known;
	uint64_t value;
	bool plain;		/* the expression is only a number */
	bool numbers;		/* the expression has only numbers */
	bool unnamed;		/* a word without $ is neither a number nor a known name */
	const char *text;	/* how it was read, "$rsp 7ffe1000 + 0x8"; or the error */
	/* An expression over variables, with its number or address in `value`; or NULL. */
	const struct value_expression *typed;
};

/**
 * Evaluate `text` with the registers of `frame` (NULL: none). Lives in `arena`; when out of memory,
 * nothing is known.
 */
struct expression
expression_of(struct surroundings *around, const struct frame *frame, struct text text,
	      struct arena *arena);

struct expression_scope {
	struct walk *walk;	/* NULL: no frames */
	size_t frame, call;
};

/**
 * Evaluate `text` in a frame: with the frame's variables if `text` names a variable, else like
 * expression_of(), else as C. A name in the debug information takes precedence over a number such
 * as "add".
 */
struct expression
expression_in(struct surroundings *around, const struct expression_scope *scope, struct text text,
	      struct arena *arena);

/**
 * A register by its name, by gdb's names for registers of every processor, or with WinDbg's '@'.
 */
int
expression_register(const struct arch *arch, struct text text);

#endif
