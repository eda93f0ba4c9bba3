/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_INTERNAL_H
#define REPORT_VALUE_LOCALS_INTERNAL_H

#include "inspect/variable/entry_arguments.h"
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

/** How many calls a frame is written as. */
size_t
locals_call_count(const struct locals *locals);

#endif
