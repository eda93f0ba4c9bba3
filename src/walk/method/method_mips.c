/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * mips has delay slots: a return address is two instructions after its call, and walkers use the
 * call's address as a caller's pc.
 */
int
step_return_step(const struct step *step)
{
	return step_policy(step, POLICY_LONG_CALL_STEPS) ? step->arch->long_return_step
							 : step->arch->return_step;
}

uint64_t
step_return_address(const struct step *step, const struct frame *caller)
{
	const uint64_t pc = caller->registers.value[step->arch->pc];

	return arch_wrap(step->arch, pc - (uint64_t)(int64_t)step_return_step(step));
}

void
step_use_residue(struct step *step)
{
	if (!step_policy(step, POLICY_STALE_REGISTERS))
		return;
	step->inputs.known |= step->inputs.stale;
	step->inputs.stale = 0;
}

/* Bytes of a scan, and limit of a frame pointer's distance above its slot: kMaxFrameStackSize. */
#define WINDOW 1024u
#define ARGUMENT_WORDS 4u

struct return_search {
	uint64_t from;			/* next address to scan */
	uint32_t left;			/* words left to scan */
	uint64_t slot, value;		/* slot and value of the return address found */
	bool has_frame;			/* the word below it may be a saved frame pointer */
	uint64_t frame;
};

/* Finds the next return address; the word below may be the frame pointer saved with it. */
static bool
search_next(struct step *step, struct return_search *search)
{
	const unsigned word = step->arch->word_size;

	/* Breakpad reads one word more than it counts; rust-minidump does not. */
	uint32_t words = search->left + (step_policy(step, POLICY_MIPS_SCAN_FRAME) != 0);

	if (!step_scan(step, search->from, 0, words, &search->slot, &search->value) ||
	    !step_read(step, search->slot - word, &search->frame))
		return false;
	uint64_t above = arch_wrap(step->arch, search->frame - search->slot);
	search->has_frame = step_check(step, CHECK_FP_ORDER, above < WINDOW,
				       "%#" PRIx64 " below the return address at %#" PRIx64,
				       search->frame, search->slot);
	search->left -= (uint32_t)(arch_wrap(step->arch, search->slot - search->from) / word);
	/* Breakpad does not count the words that it finds, so many of them are all searched. */
	if (step_policy(step, POLICY_MIPS_SCAN_FRAME) < 2 && search->left > 0)
		search->left--;
	search->from = arch_wrap(step->arch, search->slot + word);
	return true;
}

/*
 * Skips words without a frame pointer below, which a walk alone need not look at. A trace has all.
 */
static void
skip_frameless(const struct step *step, struct return_search *search)
{
	const unsigned word = step->arch->word_size;
	uint64_t frame;

	for (; step->trace == NULL && search->left > 0 &&
		memory_peek(&step->walk->memory, search->from - word, word, &frame, NULL) &&
		arch_wrap(step->arch, frame - search->from) >= WINDOW;
		search->left--)
		search->from = arch_wrap(step->arch, search->from + word);
}

/* Finds the first return address above a frame pointer or, if allowed, the first return address. */
static bool
search_frame(struct step *step, struct return_search *search)
{
	const uint32_t wanted = step_policy(step, POLICY_MIPS_SCAN_FRAME);
	struct return_search first = { .slot = 0 };
	bool any = false;

	do {
		if (any && wanted == 1)
			skip_frameless(step, search);
		if (!search_next(step, search))
			break;
		if (!any)
			first = *search;
		any = true;
		/* Breakpad gives up when the words are used up, even if the last one is good. */
		if ((wanted < 2 || search->left > 0) && (wanted == 0 || search->has_frame))
			return true;
	} while (search->left > 0 && !search->has_frame);
	*search = first;
	return any && wanted < 2;
}

enum verdict_kind
method_mips_scan(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t sp = arch_wrap(arch, step->sp);
	/* Whether the callee has a callee or an inlined call, as Breakpad counts them. */
	const bool younger = step->number > 0 || (step_policy(step, POLICY_STALE_REGISTERS) &&
						  step_has_inlined(step));
	const bool skip = arch->word_size == 4 && younger;
	const uint32_t skipped = skip ? ARGUMENT_WORDS : 0;
	struct return_search search = { .from = arch_wrap(arch, sp + skipped * arch->word_size),
				 .left = WINDOW / arch->word_size - skipped };

	if (step_is_outermost_by_file(step))
		return VERDICT_END;
	if (!step_may_scan(step))
		return step_refuse(step, "the limit of %u scanned frames is reached",
				   step_policy(step, POLICY_SCAN_LIMIT));
	step_input(step, arch->sp);
	if (skip)
		step_fact(step, (struct place){ 0 },
			  "the first 4 words belong to the arguments of a call");
	if (!search_frame(step, &search))
		return step_refuse(step, "no return address with a frame pointer below it");
	uint64_t at = arch_wrap(arch, search.slot - sp);
	step_begin_caller(step, caller, TRUST_SCAN);
	if (step_run_text(step, caller,
			  "pc: sp %" PRIu64 " + ^ %d + ra: sp %" PRIu64 " + ^ sp: sp %" PRIu64 " +",
			  at, step_return_step(step), at, at + arch->word_size) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	if (search.has_frame)
		step_set(step, caller, arch->fp, search.frame, TRACE_NONE,
			 "the word below the return address may be a saved frame pointer");
	else
		step_unknown(step, arch->fp, "no frame pointer lies below the return address");
	return VERDICT_TAKEN;
}
