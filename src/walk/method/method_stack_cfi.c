/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "walk/rule_cache.h"
#include "walk/step.h"

/* Lower addresses are in the page that is never mapped. */
#define PC_FLOOR 4096u

/* Uses the implicit rule for a register with no rule or, if the policy allows, a failed rule. */
static void
imply(const struct step *step, const struct outcome **own, const struct outcome *implied)
{
	bool failed = *own != NULL && (*own)->failure != PROGRAM_OK;

	if (*own == NULL || (failed && step_policy(step, POLICY_FAILED_RULE_FORWARDS)))
		*own = implied;
}

/* Whether the callee's function preserves registers for its caller. */
static bool
keeps_registers(const struct step *step)
{
	const struct binary *image =
		step_policy(step, POLICY_FRAME_TABLES) && step->callee->module != MODULE_NONE
			? binaries_load(step->walk->binaries, (size_t)step->callee->module,
					LOCATE_IMAGE)
			: NULL;

	return image == NULL || !image->go;
}

/*
 * Sets pc, ra and sp of a caller on mips from the results of the rules for `.cfa`, ra (NULL: no
 * usable rule) and `.ra`.
 */
static void
set_return_on_mips(struct step *step, const struct outcome *cfa, const struct outcome *own_link,
		   const struct outcome *return_address, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const bool wins = step_policy(step, POLICY_MIPS_RETURN_WINS) != 0;
	const uint64_t pc = return_address->value + (uint64_t)(int64_t)step_return_step(step);

	if (wins)
		step_set(step, caller, arch->sp, cfa->value, cfa->from, "");
	if (wins || own_link == NULL)
		step_set(step, caller, arch->lr, return_address->value, return_address->from, "");
	step_set(step, caller, arch->pc, arch_wrap(arch, pc), return_address->from,
		 "a call precedes the return address");
}

void
step_fill_caller(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
		 struct frame *caller)
{
	const struct arch *arch = step->arch;
	const bool windows = step->walk->crash->system.os == CRASH_OS_WINDOWS &&
			     step_policy(step, POLICY_CALLEE_SAVED_WINDOWS);
	const bool keeps = keeps_registers(step);
	const struct outcome *by_register[ARCH_REGISTERS] = { NULL };

	for (size_t i = 0; i < set->count; i++)
		if (set->rules[i].target == RULE_REGISTER)
			by_register[set->rules[i].reg] = &outcomes[i];
	imply(step, &by_register[arch->sp], &outcomes[set->cfa]);
	imply(step, &by_register[arch->pc], &outcomes[set->return_address]);
	if (arch->return_step != 0) {
		set_return_on_mips(step, &outcomes[set->cfa], by_register[arch->lr],
				   &outcomes[set->return_address], caller);
		by_register[arch->pc] = NULL;
	}
	for (int reg = 0; reg < arch->register_count; reg++) {
		const struct outcome *outcome = by_register[reg];
		const struct arch_register *entry = &arch->registers[reg];
		bool failed = outcome != NULL && outcome->failure != PROGRAM_OK;
		bool saved = keeps &&
			     (entry->callee_saved || (windows && entry->saved_on_windows));

		if (registers_known(&caller->registers, reg))
			continue;
		if (outcome != NULL && !failed)
			step_set(step, caller, reg, outcome->value, outcome->from, "");
		else if (failed && !step_policy(step, POLICY_FAILED_RULE_FORWARDS))
			step_unknown(step, reg, "its rule fails");
		else if (!saved)
			step_unknown(step, reg, "not kept across calls");
		else if (!step_keep(step, caller, reg,
				    step->method == METHOD_CODE
					    ? "unchanged: the code leaves it alone"
					    : "unchanged: no record mentions it"))
			step_unknown(step, reg, "unknown in the callee already");
	}
}

static bool
mentions(const struct program *program, int reg)
{
	for (size_t i = 0; i < program->name_count; i++)
		if (program->names[i].reg == reg)
			return true;
	return false;
}

bool
step_rests_on_guess(const struct step *step, const struct rule_set *set)
{
	const int fp = step->arch->fp;

	if (!step->callee->guessed || mentions(set->rules[set->cfa].program, fp))
		return step->callee->guessed;
	for (size_t i = 0; i < set->count; i++)
		if (set->rules[i].target == RULE_REGISTER && set->rules[i].reg == fp)
			return mentions(set->rules[i].program, fp);
	return true;
}

/*
 * dump_syms calls the column of the return address `.ra`, and writes `.ra: .ra` after an epilogue
 * has restored it: then the return address is in the link register until the next call.
 */
static const struct rule_set *
return_by_link(struct step *step, const struct rule_set *set)
{
	const struct arch *arch = step->arch;

	if (arch->lr == ARCH_NO_REGISTER || !step->callee->interrupted || set->return_address < 0 ||
	    !step_policy(step, POLICY_LINK_REGISTER_LEAF) ||
	    !text_is(set->rules[set->return_address].program->text, ".ra"))
		return set;
	const char *lr = arch->registers[arch->lr].label;
	struct rule_part parts[LIMIT_RULES];

	for (size_t i = 0; i < set->count; i++)
		parts[i] = (struct rule_part){ .name = set->rules[i].name,
					       .expression = set->rules[i].program->text,
					       .record = set->rules[i].record,
					       .place = set->rules[i].program->place };
	parts[set->return_address].expression = text_of(arch_spelled(arch, arch->lr));
	step_fact(step, set->rules[set->return_address].record,
		  "the return address is in %s again: .ra stands for %s here", lr, lr);
	return rule_set_parts(step_arena(step), arch, parts, set->count);
}

enum verdict_kind
method_stack_cfi(struct step *step, struct frame *caller)
{
	ATTRIBUTE_UNINITIALIZED struct outcome outcomes[LIMIT_RULES];
	struct registers *registers = &caller->registers;
	const struct arch *arch = step->arch;

	if (arch->mode_bit != 0 && step->walk->crash->system.os == CRASH_OS_IOS)
		return step_refuse(step, "STACK CFI of 32-bit iOS is incomplete and not used");
	if (step->symfile == NULL)
		return step_refuse(step, walk_lacks_symbols(step->walk, step->callee->module)
					? "the symbols have not been read yet"
					: "there are no symbols for the address");
	const struct rule_records records = { arch, step->policy, step->symfile, NULL };
	const struct rule_set *set = rule_cache_stack_cfi(step->walk->cache, records,
							  step->trace != NULL,
							  step->callee->module, step->relative);
	if (set == NULL)
		return step_refuse(step, "no STACK CFI record covers the address");
	step_fact(step, set->record,
		"covers %#" PRIx64 " to %#" PRIx64 ", %s bytes; %zu delta%s in force", set->address,
		set->address + set->size - 1, text_both_bases(set->size).text, set->delta_count,
		plural(set->delta_count));
	step_begin_caller(step, caller, TRUST_CFI);
	if (step_policy(step, POLICY_STALE_REGISTERS)) {
		const uint64_t residue = arch_pushes_return(arch)
						 ? arch_wrap(arch, UINT64_C(0xdadadadadadadada))
						 : 0;

		/* In Breakpad's frames, registers unknown to STACK CFI hold this value. */
		for (int reg = 0; reg < arch->register_count; reg++)
			registers->value[reg] = residue;
		registers->stale = (UINT64_C(1) << arch->register_count) - 1;
	}
	/* Breakpad's mips walker does not check whether a register is valid. */
	if (arch->return_step != 0 && set->problem == NULL)
		step_use_residue(step);
	/* rust-minidump limits a link register that a frame record gave (commit 81f335f). */
	if (step_policy(step, POLICY_LINK_REGISTER_OF_RECORD) && arch->lr != ARCH_NO_REGISTER &&
	    step->callee->trust == TRUST_FRAME_POINTER && step->relative != set->address)
		step->inputs.known &= ~(UINT64_C(1) << arch->lr);
	set = return_by_link(step, set);
	if (step_evaluate_set(step, set, outcomes) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	/* On mips the pc is not the return address: check the return address itself. */
	const uint64_t back = outcomes[set->return_address].value;
	if (arch->return_step != 0 && back < PC_FLOOR && step_policy(step, POLICY_END_OF_STACK))
		return step_bottom(step, "return address %#" PRIx64 ": bottom of the stack", back);
	step_fill_caller(step, set, outcomes, caller);
	caller->guessed = step_rests_on_guess(step, set);
	bool there = registers_known(registers, arch->pc) && registers_known(registers, arch->sp);
	/* Breakpad's x86 walker drops a frame without ebp, which later steps need. */
	if (arch->stack_win && step_policy(step, POLICY_STALE_REGISTERS))
		there = there && registers_known(registers, arch->fp);
	if (!step_check(step, CHECK_REQUIRED, there, "%s and %s",
			arch->registers[arch->pc].label, arch->registers[arch->sp].label))
		return step_refuse(step, "a register that a frame needs has no value");
	step_strip_register(step, caller, step->arch->pc);
	uint64_t pc = registers->value[arch->pc], sp = registers->value[arch->sp];
	if (arch->address_bits != 0 && step_policy(step, POLICY_CFI_ZERO_CONTINUES) &&
	    !step_check(step, CHECK_NOT_ZERO, pc != 0 && sp != 0,
			"rip %#" PRIx64 ", rsp %#" PRIx64, pc, sp))
		return step_refuse(step, "the records give 0");
	return VERDICT_TAKEN;
}
