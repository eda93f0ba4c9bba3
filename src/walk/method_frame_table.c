/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "walk/step.h"

/* What the frame table of the module's own file says: .eh_frame, .debug_frame and their like. */

static const struct frame_table_row *
find_row(struct step *step, struct arena *arena, const char **problem)
{
	const struct frame *callee = step->callee;
	const uint64_t base = step->walk->crash->modules[callee->module].base;

	return frame_tables_find(walk_frame_tables(step->walk), (size_t)callee->module,
				 callee->lookup - base, arena, problem);
}

enum verdict_kind
method_frame_table(struct step *step, struct frame *caller)
{
	struct arena *arena = step->trace != NULL ? &step->trace->arena : &step->scratch;
	struct outcome outcomes[LIMIT_RULES];
	const char *problem;

	const struct frame_table_row *rules = find_row(step, arena, &problem);
	if (rules == NULL)
		return step_refuse(step, "%s", problem != NULL ? problem
					 : "no entry of the module's frame table covers the address");
	step_fact(step, rules->place, "%s: the row for %" PRIx64 " to %" PRIx64, rules->table,
		  rules->first, rules->last);
	if (rules->outermost)
		return step_end(step, "the row says that nobody called this function: the return "
				      "address is undefined");
	if (rules->in_register && !step->callee->interrupted)
		return step_refuse(step, "the row has the return address in a register still, but "
					 "this function has made a call");
	const struct rule_set *set = step_edited_rules(
		step, rule_set_frame_table(arena, step->arch, rules));
	if (set == NULL)
		return step_refuse(step, "memory ran out");
	if (set->note != NULL)
		step_fact(step, set->note_place, "%s", set->note);
	if (set->problem != NULL)
		return step_refuse(step, "%s", set->problem);
	step_begin_caller(step, caller, TRUST_FRAME_TABLE);
	caller->interrupted = rules->signal;
	if (!step_evaluate_set(step, set, outcomes))
		return VERDICT_REFUSED;
	step_fill_caller(step, set, outcomes, caller);
	if (!registers_known(&caller->registers, step->arch->pc) ||
	    !registers_known(&caller->registers, step->arch->sp))
		return step_refuse(step, "a register that a frame needs has no value");
	if (step->arch->id == ARCH_ARM64)
		step_strip_pc(step, caller);
	return VERDICT_TAKEN;
}
