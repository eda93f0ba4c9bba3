/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_INTERNAL_H
#define REPORT_VALUE_LOCALS_INTERNAL_H

#include "inspect/variable/entry_arguments.h"
#include "inspect/variable/value_frame.h"
#include "report/value/locals.h"
#include "walk/location.h"

/** What the files of locals.h share. */
struct locals {
	struct walk *walk;
	size_t frame;
	const struct frame_variables *variables;
	struct debug_variable *globals;
	size_t global_count;
	struct location location;
	struct entry_arguments arguments;	/* without debug information */
	const struct locals_state *state;	/* what is opened; NULL: nothing */
	struct locals_budget *budget;	/* NULL: the frame alone is shown */
};

/** The call of the stack that a scope is; NULL where the symbols have others. */
const struct call *
locals_call_of(const struct locals *locals, size_t call);

/** What a call is called, as the stack does. */
struct text
locals_function_name(const struct locals *locals, size_t call);

/** What stands in place of a value for which the budget has nothing left. */
#define LOCALS_LEFT_OUT "left out: the frames have too many variables"

/** Bytes of work that count as one of a budget: they take as long. */
#define LOCALS_WORK 4u

/** Take from its budget what so many values took: bytes, and their texts since the last time. */
void
locals_spend_work(const struct locals *locals, uint64_t bytes, size_t values);

/** How many calls a frame is written as. */
size_t
locals_call_count(const struct locals *locals);

#endif
