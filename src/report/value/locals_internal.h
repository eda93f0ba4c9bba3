/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_LOCALS_INTERNAL_H
#define REPORT_VALUE_LOCALS_INTERNAL_H

#include "inspect/variable/frame_variables.h"
#include "report/value/locals.h"
#include "walk/location.h"

/** Shared by the files of locals.h. */
struct locals {
	struct walk *walk;
	size_t frame;
	struct value_frame *variables;
	struct debug_variable *globals;
	size_t global_count;
	struct location location;
	struct entry_arguments arguments;	/* arguments known without debug information */
	const struct locals_state *state;	/* rows that are open; NULL: none */
	struct locals_budget *budget;	/* NULL: no limit, because only one frame is shown */
};

/** The stack's call for scope `call`; NULL if stack and scopes have different inlined calls. */
const struct call *
locals_call_of(const struct locals *locals, size_t call);

/** The name of a call, as on the stack. */
struct text
locals_function_name(const struct locals *locals, size_t call);

/** Shown instead of a value when the budget is used up. */
#define LOCALS_LEFT_OUT "left out: the frames have too many variables"

/** Bytes of work that cost as much as one byte of text. */
#define LOCALS_WORK 4u

/** Charge `bytes` for `values` values, and the work for their texts since the last call. */
void
locals_spend_work(const struct locals *locals, uint64_t bytes, size_t values);

/** The number of calls that are written for a frame. */
size_t
locals_call_count(const struct locals *locals);

#endif
