/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "analysis/contradicted.h"
#include "base/checked.h"

/*
 * The walk itself: a record that leads to an address where no code can be is wrong, or what it read
 * was overwritten. Guesses are checked while they are made, and found wrong without a finding.
 */

/* Bytes above the stack pointer that are taken for the stack, also where the dump has less of it. */
#define REACH 0x10000u
#define FRAMES 64u	/* looked at, so that a finding does not depend on how far the walk went */

/* Why no code can be at an address; NULL: it may be. */
static const char *
why_no_code(const struct explain *explain, uint64_t address)
{
	const struct walk *walk = explain->walk;
	const struct thread *thread = &explain->crash->threads[walk->thread];
	const uint64_t sp = walk->frames[0].registers.value[walk->arch->sp];
	enum analysis_permission permission =
		analysis_permission(explain, address, ANALYSIS_EXECUTE);

	if (permission == ANALYSIS_ALLOWED ||
	    module_map_find(&explain->modules, address) != MODULE_NONE)
		return NULL;
	if (checked_contains(thread->stack_start, thread->stack_size, address) ||
	    checked_contains(sp, REACH, address))
		return "it lies in the thread's stack";
	return permission == ANALYSIS_DENIED	 ? "it is not executable"
	       : permission == ANALYSIS_UNMAPPED ? "nothing is mapped there"
						 : NULL;
}

/* Frames about which two sources do not agree: one finding, and a message for each. */
static void
explain_contradicted(struct explain *explain)
{
	struct analysis *out = explain->out;
	struct walk *walk = explain->walk;
	struct finding *finding = NULL;

	for (size_t i = 1; walk != NULL && i < walk->count && i < FRAMES; i++) {
		struct place place;
		const char *text = frame_contradicted(walk, i, &out->arena, &place);

		if (text == NULL)
			continue;
		message_add(&out->messages, MESSAGE_CONTRADICTED, place,
			    "frame %zu is contradicted: %s", i, text);
		if (finding == NULL) {
			finding = finding_add(explain, FINDING_CONTRADICTED, 80,
					      "frame %zu may be false: another source contradicts "
					      "how it was found", i);
			finding_evidence(explain, finding, "%s", text);
			finding_evidence(explain, finding,
					 "'unspool explain --frame %zu --all-methods' shows what "
					 "each method finds", i - 1);
		}
	}
}

void
left_code_explain(struct explain *explain)
{
	const struct walk *walk = explain->walk;

	explain_contradicted(explain);

	for (size_t i = 1; walk != NULL && i < walk->count && i < FRAMES; i++) {
		const struct frame *frame = &walk->frames[i];
		const uint64_t pc = frame->registers.value[walk->arch->pc];
		const char *why = frame_by_record(frame) ? why_no_code(explain, pc) : NULL;

		if (why == NULL)
			continue;
		struct finding *finding =
			finding_add(explain, FINDING_LEFT_CODE, 80,
				    "frame %zu is not a call: 0x%" PRIx64 " cannot be code", i, pc);
		finding_evidence(explain, finding, "%s", why);
		finding_evidence(explain, finding,
				 "%s says that frame %zu returns there: either its record is "
				 "wrong, "
				 "or the stack was overwritten", method_name(frame->method), i - 1);
		finding_evidence(explain, finding,
				 "'unspool explain --frame %zu --all-methods' shows what the other "
				 "methods find", i - 1);
		return;
	}
}
