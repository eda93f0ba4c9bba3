/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/step.h"

bool
step_may_scan(const struct step *step)
{
	const uint32_t limit = step_policy(step, POLICY_SCAN_LIMIT);

	return !step->no_scan && (limit == 0 || step->callee->scanned < limit);
}

uint32_t
step_scan_words(const struct step *step)
{
	const struct stack_bottom *bottom = step->bottom;
	const uint64_t sp = step->sp;
	const uint64_t words = (bottom->address - sp) / step->arch->word_size;
	/* The bottom of a coroutine's stack is not recognised: its length is unknown. */
	const bool elsewhere = bottom->kind == BOTTOM_UNKNOWN &&
			       step->walk->crash->system.os == CRASH_OS_LINUX &&
			       crash_mapping(step->walk->crash, sp) != NULL &&
			       !step_policy(step, POLICY_SCAN_CONTEXT);
	const bool far = elsewhere || step_is_first(step) ||
			 (step->callee->trust == TRUST_CFI &&
			  step_policy(step, POLICY_SCAN_LONG_BEHIND_CFI));

	/* If the stack continues above a frame, there must be another frame, at any distance. */
	if (bottom->kind != BOTTOM_UNKNOWN && sp < bottom->address)
		return words < UINT32_MAX ? (uint32_t)words : UINT32_MAX;
	return step_policy(step, far ? POLICY_SCAN_WORDS_CONTEXT : POLICY_SCAN_WORDS);
}

/* Keeps a frame pointer of at least `least`: it belongs to a frame above the new one. */
static void
keep_above(struct step *step, struct frame *caller, uint64_t least)
{
	const int fp = step->arch->fp;

	if (registers_known(&step->callee->registers, fp) && step->fp >= least)
		step_set(step, caller, fp, step->fp, step_input(step, fp),
			 "it points above the new frame: unchanged");
	else
		step_unknown(step, fp, "a scan cannot tell");
}

/*
 * On x86 Breakpad looks for a saved ebp in the word below the return address; if it finds none, it
 * keeps the callee's ebp. The gap is Breakpad's kMaxReasonableGapBetweenFrames, 128 KiB.
 */
#define MOST_FRAME_GAP 131072u

static void
recover_ebp(struct step *step, struct frame *caller, uint64_t slot)
{
	const int ebp = step->arch->fp;
	uint64_t below = arch_wrap(step->arch, slot - 4), candidate, ignored;

	if (step_read(step, below, &candidate) && candidate > below &&
	    candidate - below <= MOST_FRAME_GAP) {
		caller->guessed = true;
		step_set(step, caller, ebp, candidate, TRACE_NONE,
			 "the word below the return address looks like a saved ebp");
	} else if (step_policy(step, POLICY_SCAN_FRAME_POINTER)) {
		step_set(step, caller, ebp, step->fp, step_input(step, ebp),
			 "kept, nothing better");
	} else {
		keep_above(step, caller,
			   step_read(step, step->fp, &ignored) ? slot + 4 : UINT64_MAX);
	}
}

/* Words above a scanned frame's stack pointer that are searched for its frame record. */
#define RECORD_WORDS 256u

/*
 * The first frame record of a scanned caller, if its module's functions keep a chain from there on;
 * 0: none. Functions without frame pointers may have changed the register in between.
 */
static uint64_t
find_record(const struct step *step, const struct frame *caller, uint64_t slot)
{
	const unsigned word = step->arch->word_size;
	const uint64_t pc = caller->registers.value[step->arch->pc];
	struct frame callee = *caller;
	struct step there = *step;
	const struct memory_view *memory = &step->walk->memory;
	uint64_t at = slot + word, next;

	if (step_policy(step, POLICY_SCAN_FRAME_POINTER))
		return 0;
	callee.module = module_map_find(&step->walk->modules, pc - 1);
	step_aim(&there, &callee);
	for (unsigned i = 0; i < RECORD_WORDS && memory_peek(memory, at, word, &next, NULL);
	     i++, at += word) {
		const bool found = next > at && next % word == 0 &&
				   step_module_keeps_chain(&there, at);

		memory_note(memory, at, word, found ? MEMORY_READ : MEMORY_REFUSED);
		if (found)
			return at;
	}
	return 0;
}

static void
recover_rbp(struct step *step, struct frame *caller, uint64_t slot)
{
	const int rbp = step->arch->fp;
	uint64_t saved;

	const uint64_t record = find_record(step, caller, slot);

	if (record != 0 && slot - 8 != step->fp) {
		caller->guessed = true;
		step_set(step, caller, rbp, record, TRACE_NONE,
			 "a chain of frame records begins there");
	} else if (!registers_known(&step->callee->registers, rbp)) {
		step_unknown(step, rbp, "unknown in the callee already");
	} else if (slot - 8 == step->fp) {
		caller->guessed = true;
		if (step_read(step, step->fp, &saved) && saved > slot)
			step_set(step, caller, rbp, saved, TRACE_NONE,
				 "saved right below the return address");
		else
			step_unknown(step, rbp, "the word saved at rbp is not a frame above");
	} else {
		keep_above(step, caller, slot + 8);
	}
}

enum verdict_kind
method_scan(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t from = step->sp;
	uint64_t slot, value;

	if (step->no_scan)
		return step_refuse(step, "a record for this address was refused; a scan would only "
					 "find false frames");
	if (step_is_outermost_by_file(step))
		return VERDICT_END;
	if (!step_may_scan(step))
		return step_refuse(step, "the limit of %u scanned frames is reached",
				   step_policy(step, POLICY_SCAN_LIMIT));
	step_input(step, arch->sp);
	if (step_saved_context(step, caller))
		return VERDICT_TAKEN;
	/* The return address to the system's caller follows the arguments of a callback. */
	const uint32_t arguments = step_callback_words(step);
	const uint32_t passed = arguments > 0 ? arguments : step_words_to_proven(step, from);
	if (!step_scan(step, from, passed, arguments + step_scan_words(step), &slot, &value))
		return step_refuse(step, "no word from %s on looks like a return address",
				   arch->registers[arch->sp].label);
	step_begin_caller(step, caller, TRUST_SCAN);
	if (step_run_above(step, caller, arch_wrap(arch, slot - from)) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	caller->guessed = step->callee->guessed;
	if (slot == from && step_policy(step, POLICY_SCAN_TOP_DROPS_FRAME))
		step_unknown(step, arch->fp,
			     "not recovered: the return address is on top of the stack");
	else if (arch->stack_win)
		recover_ebp(step, caller, slot);
	else if (arch_pushes_return(arch))
		recover_rbp(step, caller, slot);
	else if (arch->frame_records && !step_policy(step, POLICY_CHAIN_OVER_CALLS))
		/* On arm64, a function without frame record does not change x29. */
		keep_above(step, caller, slot + 1);
	return VERDICT_TAKEN;
}

enum verdict_kind
method_leaf(struct step *step, struct frame *caller)
{
	uint64_t slot, value;

	if (!step_scan(step, step->sp, 0, 2, &slot, &value))
		return step_refuse(step, "no return address on top of the stack");
	step_begin_caller(step, caller, TRUST_LEAF);
	if (step_run_above(step, caller, slot - step->sp) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	step_keep_all(step, caller, "a leaf function changes nothing");
	return VERDICT_TAKEN;
}

bool
method_is_first_on_windows(const struct step *step)
{
	return step_is_first(step) && step->walk->crash->system.os == CRASH_OS_WINDOWS;
}

/* Breakpad does not scan on PowerPC and SPARC. */
bool
method_may_be_scanned(const struct step *step)
{
	return !step->arch->chain_only || step_policy(step, POLICY_SCAN_BEHIND_CHAIN) != 0;
}
