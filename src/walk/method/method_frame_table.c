/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/frame_rules.h"
#include "walk/rule_cache.h"
#include "walk/step.h"

/* The frame table of the module's own file: .eh_frame, .debug_frame and the like. */

enum verdict_kind
method_frame_table(struct step *step, struct frame *caller)
{
	const struct frame_table_question question = {
		.module = (size_t)step->callee->module, .relative = step->relative,
		.exact = step->callee->interrupted, .table = FRAME_TABLES };
	const struct binaries *binaries = step->walk->binaries;
	const struct frame_table_answer answer =
		step->trace != NULL
			? frame_table_answer(binaries, step->arch, &question, &step->trace->arena)
			: rule_cache_frame_table(step->walk->cache, step->arch, binaries,
						 &question);
	const struct unwind_row *row = answer.row;

	if (row == NULL)
		return step_refuse(step, "%s", answer.problem != NULL ? answer.problem
					 : "no entry of the module's frame table covers the "
					   "address");
	step_fact(step, row->place, "%s: the row for %#" PRIx64 " to %#" PRIx64, row->table,
		  row->first, row->last);
	if (row->note != NULL)
		step_fact(step, row->place, "%s", row->note);
	if (unwind_row_outermost(row))
		return step_bottom(step, "outermost function: its frame table says that the "
				      "return address is undefined");
	if (row->in_register && !step->callee->interrupted)
		return step_refuse(step, "in this row the return address is still in a register, "
					 "but the function has made a call");
	if (row->calls_only && step->callee->interrupted && step_policy(step, POLICY_CODE) &&
	    frame_code(step->walk, step->callee, step->trace).row != NULL)
		return step_refuse(step, "the row holds only at calls, but the thread stopped at "
					 "another instruction, for which the code gives rules");
	const enum verdict_kind verdict = step_run_row(step, answer.set, TRUST_FRAME_TABLE, caller);
	caller->interrupted = row->signal;
	return verdict;
}

bool
method_has_frame_table(const struct step *step)
{
	return step->callee->module != MODULE_NONE &&
	       frame_tables_has(step->walk->binaries, (size_t)step->callee->module);
}
