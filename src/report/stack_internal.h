/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_INTERNAL_H
#define REPORT_STACK_INTERNAL_H

#include "report/stack.h"

/**
 * How many rows the frames of a thread take. Frames of a walk never change and are only
 * added, so what was counted once holds.
 */

/* One frame: its number of calls, and whether it differs from stack_state.expand_inlined. */
#define STACK_TOGGLED 0x8000u
#define STACK_CALLS_MAX 0x7fffu

/* The frames of one thread that have been counted. */
struct stack_counted {
	const struct walk *walk;
	uint16_t *frames;
	size_t count, capacity;
	size_t inlined;		/* frames among them with more than one call */
};

/* Count the calls of all frames of a thread's walk; NULL where memory ends. */
const struct stack_counted *
stack_calls_count(struct stack_state *state, size_t thread);

/* Whether the calls of a counted frame have rows of their own. */
bool
stack_calls_shown(const struct stack_state *state, uint16_t frame);

#endif
