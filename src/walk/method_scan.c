/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "walk/step.h"

bool
step_may_scan(const struct step *step)
{
	return !step->no_scan && step->callee->scanned < LIMIT_SCANNED_FRAMES;
}

uint32_t
step_scan_words(const struct step *step)
{
	return step_policy(step, step_is_first(step) ? POLICY_SCAN_WORDS_CONTEXT
						     : POLICY_SCAN_WORDS);
}

/* Whether symbols give `address` a name that a scan may believe. */
static bool
has_name(const struct step *step, int module, uint64_t address, const char **why_not)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	const uint32_t reach = step_policy(step, POLICY_PUBLIC_REACH);
	struct function function;

	if (symfile == NULL)
		return true;
	uint64_t relative = address - step->walk->crash->modules[module].base;
	if (!symfile_function(symfile, &policy, relative, &function) ||
	    function.name.length == 0) {
		*why_not = "no function there";
		return false;
	}
	if (function.kind == SYMBOL_PUBLIC && reach != 0 &&
	    relative - function.address > reach) {
		*why_not = "too far above the nearest symbol";
		return false;
	}
	return true;
}

/* A word that points at a function's first byte is a pointer to it: nobody returns there. */
static bool
is_entry_point(const struct step *step, uint64_t value)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const uint64_t thumb = step->arch->id == ARCH_ARM ? 1 : 0;
	uint64_t address = value & ~thumb;
	int module = module_map_find(&step->walk->modules, address);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	struct function function;

	if (symfile == NULL || step_policy(step, POLICY_SCAN_ENTRY_POINTS))
		return false;
	uint64_t relative = address - step->walk->crash->modules[module].base;
	return symfile_function(symfile, &policy, relative, &function) &&
	       (function.address & ~thumb) == relative;
}

bool
step_looks_like_return(struct step *step, uint64_t value, const char **why_not)
{
	uint64_t before = arch_wrap(step->arch, value - 1);
	int module = module_map_find(&step->walk->modules, before);

	if (module == MODULE_NONE) {
		*why_not = "in no module";
		return false;
	}
	if (step_policy(step, POLICY_END_OF_STACK) && step_code_at(step, before) == STEP_NO_CODE) {
		*why_not = "in memory that is not executable";
		return false;
	}
	if (is_entry_point(step, value)) {
		*why_not = "a pointer to a function, not into one";
		return false;
	}
	return has_name(step, module, before, why_not);
}

bool
step_scan(struct step *step, uint64_t start, uint32_t words, uint64_t *slot, uint64_t *value)
{
	const unsigned word = step->arch->word_size;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t address = arch_wrap(step->arch, start + (uint64_t)i * word);
		const char *why_not = "not in the dump";
		struct place place = { 0 };
		uint64_t found = 0;
		bool there = memory_read(&step->walk->memory, address, word, &found,
					 step->trace != NULL ? &place : NULL);
		bool good = there && step_looks_like_return(step, found, &why_not);

		if (step->trace != NULL)
			trace_add(step->trace, step->attempt,
				  (struct event){ .kind = EVENT_CANDIDATE,
						  .status = good ? EVENT_OK : EVENT_FAILED,
						  .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
						  .place = place, .address = address,
						  .value = found,
						  .text = good ? "looks like a return address"
							       : why_not });
		if (good) {
			*slot = address;
			*value = found;
			return true;
		}
		if (!there)
			return false;
	}
	return false;
}

/*
 * On x86 Breakpad looks for a saved ebp in the word below the return address, and keeps the
 * callee's otherwise. The gap is its kMaxBasePointerGap...: 128 KiB.
 */
#define MOST_FRAME_GAP 131072u

static void
recover_ebp(struct step *step, struct frame *caller, uint64_t slot)
{
	const int ebp = step->arch->fp;
	uint64_t below = arch_wrap(step->arch, slot - 4), candidate, ignored;

	if (step_read(step, below, &candidate) && candidate > below &&
	    candidate - below <= MOST_FRAME_GAP) {
		step_set(step, caller, ebp, candidate, TRACE_NONE,
			 "the word below the return address looks like a saved ebp");
		return;
	}
	uint64_t kept = step->callee->registers.value[ebp];
	if (step_policy(step, POLICY_SCAN_FRAME_POINTER)) {
		step_set(step, caller, ebp, kept, step_input(step, ebp), "kept, nothing better");
	} else if (registers_known(&step->callee->registers, ebp) && kept >= slot + 4 &&
		   step_read(step, kept, &ignored)) {
		step_set(step, caller, ebp, kept, step_input(step, ebp),
			 "it points above the new frame: unchanged");
	} else {
		step_unknown(step, ebp, "a scan can't tell");
	}
}

static void
recover_rbp(struct step *step, struct frame *caller, uint64_t slot)
{
	const int rbp = step->arch->fp;
	const uint64_t kept = step->callee->registers.value[rbp];
	uint64_t saved;

	if (!registers_known(&step->callee->registers, rbp)) {
		step_unknown(step, rbp, "unknown in the callee already");
	} else if (slot - 8 == kept) {
		if (step_read(step, kept, &saved) && saved > slot)
			step_set(step, caller, rbp, saved, TRACE_NONE,
				 "saved right below the return address");
		else
			step_unknown(step, rbp, "the word saved at rbp is no frame above");
	} else if (kept >= slot + 8) {
		step_set(step, caller, rbp, kept, step_input(step, rbp),
			 "it points above the new frame: unchanged");
	} else {
		step_unknown(step, rbp, "a scan can't tell");
	}
}

enum verdict_kind
method_scan(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const char *pc = arch->registers[arch->pc].name, *sp = arch->registers[arch->sp].name;
	const uint64_t from = step->callee->registers.value[arch->sp];
	uint64_t slot, value;

	if (step->no_scan)
		return step_refuse(step, "a record for this address was refused; guessing on "
					 "would only invent frames");
	if (!step_may_scan(step))
		return step_refuse(step, "the limit of %u scanned frames is reached",
				   LIMIT_SCANNED_FRAMES);
	step_input(step, arch->sp);
	if (!step_scan(step, from, step_scan_words(step), &slot, &value))
		return step_refuse(step, "no word from %s on looks like a return address",
				   arch->registers[arch->sp].label);
	step_begin_caller(step, caller, TRUST_SCAN);
	if (!step_run_text(step, caller, "%s: %s %" PRIu64 " + ^ %s: %s %" PRIu64 " +", pc, sp,
			   arch_wrap(arch, slot - from), sp, sp,
			   arch_wrap(arch, slot - from) + arch->word_size))
		return VERDICT_REFUSED;
	if (arch->id == ARCH_X86)
		recover_ebp(step, caller, slot);
	if (arch->id == ARCH_AMD64)
		recover_rbp(step, caller, slot);
	return VERDICT_TAKEN;
}

enum verdict_kind
method_leaf(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t from = step->callee->registers.value[arch->sp];
	uint64_t slot, value;

	if (!step_scan(step, from, 2, &slot, &value))
		return step_refuse(step, "no return address on top of the stack");
	step_begin_caller(step, caller, TRUST_LEAF);
	if (!step_run_text(step, caller, "$rip: $rsp %" PRIu64 " + ^ $rsp: $rsp %" PRIu64 " +",
			   slot - from, slot - from + 8))
		return VERDICT_REFUSED;
	step_keep_all(step, caller, "a leaf function changes nothing");
	return VERDICT_TAKEN;
}
