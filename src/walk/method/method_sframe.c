/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "base/error.h"
#include "walk/sframe_trace.h"
#include "walk/step.h"

/* The CFA is a stack pointer, which all architectures with SFrame keep aligned so. */
#define CFA_ALIGNMENT 8u

/* What a look-up without a usable row says. */
static enum verdict_kind
answer(struct step *step, enum sframe_found found, const struct sframe_function *function,
       const char *problem)
{
	switch (found) {
	case SFRAME_NO_FUNCTION:
		return step_refuse(step, "no function descriptor covers %" PRIx64,
				   step->callee->lookup);
	case SFRAME_NO_ROWS:
		return step_refuse(step, "function descriptor %" PRIu32 " has no rows",
				   function->number);
	case SFRAME_NO_ROW:
		return step_refuse(step,
				   "the rows of function descriptor %" PRIu32
				   " begin after %" PRIx64,
				   function->number, step->callee->lookup);
	case SFRAME_OUTERMOST:
		return step_end(step, "the row says that this function is the outermost: its "
				      "return address is undefined");
	case SFRAME_BROKEN:
	case SFRAME_ROW:
		break;
	}
	return step_refuse(step, "function descriptor %" PRIu32 ": %s", function->number, problem);
}

static bool
is_in_link_register(const struct sframe_row *row)
{
	return row->ra.kind == SFRAME_UNSAVED ||
	       (row->ra.kind == SFRAME_PADDING && !row->ra.dereference);
}

/* A CFA from the frame pointer cannot lie below the stack pointer. */
static bool
is_credible(struct step *step, const struct sframe_row *row, uint64_t cfa)
{
	const struct arch *arch = step->arch;
	const uint64_t sp = step->callee->registers.value[arch->sp];
	const bool by_fp = row->cfa.base == sframe_registers(step->sframe_abi)->fp;

	if (!step_check(step, CHECK_CFA_ALIGNED, cfa % CFA_ALIGNMENT == 0, "CFA %" PRIx64, cfa)) {
		step_refuse(step, "the CFA %" PRIx64 " is not aligned", cfa);
		return false;
	}
	if (by_fp && !row->cfa.dereference &&
	    !step_check(step, CHECK_FP_ORDER, step->callee->registers.value[arch->fp] >= sp,
			"%s %" PRIx64 ", %s %" PRIx64, arch->registers[arch->fp].label,
			step->callee->registers.value[arch->fp], arch->registers[arch->sp].label,
			sp)) {
		step_refuse(step, "the frame pointer lies below the stack pointer");
		return false;
	}
	return true;
}

/* SFrame restores program counter, stack pointer and frame pointer; nothing else is known. */
static enum verdict_kind
restore(struct step *step, const struct sframe_row *row, const struct rule_set *set,
	struct frame *caller)
{
	struct outcome outcomes[LIMIT_RULES];
	const struct arch *arch = step->arch;
	bool has_fp = false;

	if (!step_evaluate_set(step, set, outcomes))
		return VERDICT_REFUSED;
	if (!is_credible(step, row, outcomes[set->cfa].value))
		return VERDICT_REFUSED;
	step_set(step, caller, arch->pc, outcomes[set->return_address].value,
		 outcomes[set->return_address].from, "");
	for (size_t i = 0; i < set->count; i++) {
		const int reg = set->rules[i].reg;

		if (set->rules[i].target != RULE_REGISTER)
			continue;
		has_fp = has_fp || reg == arch->fp;
		if (outcomes[i].failure == PROGRAM_OK)
			step_set(step, caller, reg, outcomes[i].value, outcomes[i].from, "");
		else
			step_unknown(step, reg, "its rule fails");
	}
	if (!has_fp && !step_keep(step, caller, arch->fp, "unchanged: the row does not track it"))
		step_unknown(step, arch->fp, "unknown in the callee already");
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved && reg != arch->fp &&
		    !registers_known(&caller->registers, reg))
			step_unknown(step, reg, "SFrame does not restore it");
	step_strip_pc(step, caller);
	return VERDICT_TAKEN;
}

enum verdict_kind
method_sframe(struct step *step, struct frame *caller)
{
	const struct sframe *sframe = walk_sframe(step->walk, step->callee->module);
	struct arena *arena = step->trace != NULL ? &step->trace->arena : &step->scratch;
	struct sframe_function function;
	struct sframe_row row;
	const char *problem = "";

	enum sframe_found found =
		sframe_lookup(sframe, step->callee->lookup, &function, &row, &problem);
	if (found != SFRAME_NO_FUNCTION)
		sframe_trace_function(step, &function);
	if (found == SFRAME_ROW || (found == SFRAME_OUTERMOST && function.row_count > 0))
		sframe_trace_row(step, &function, &row);
	else if (found != SFRAME_NO_FUNCTION)
		sframe_trace_rows(step, &function);
	if (found != SFRAME_ROW)
		return answer(step, found, &function, problem);
	if (is_in_link_register(&row) && !step->callee->interrupted)
		return step_refuse(step, "in this row the return address is still in a register, "
					 "but the function has made a call");
	step_begin_caller(step, caller, TRUST_SFRAME);
	caller->interrupted = function.signal;
	step->sframe_abi = function.table->abi;
	const struct rule_set *set = step_edited_rules(
		step, rule_set_sframe(arena, step->arch, &function, &row));
	if (set == NULL)
		return step_refuse(step, OUT_OF_MEMORY);
	if (set->problem != NULL)
		return step_refuse(step, "%s", set->problem);
	return restore(step, &row, set, caller);
}

bool
method_has_sframe(const struct step *step)
{
	return walk_sframe(step->walk, step->callee->module) != NULL;
}
