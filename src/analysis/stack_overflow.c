/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "walk/fold.h"

/* The stack: whether it overflowed, and whether the stack pointer points into a stack. */

/* Maximum distance of the fault from the stack pointer: large frames are probed page by page. */
#define REACH 0x100000u
/* Unmapped bytes that the kernel keeps below a growing stack (stack_guard_gap). */
#define GAP 0x100000u
/* Maximum number of functions of a recursion that are named. */
#define RECURSION_NAMES 4u

/* Whether a mapping is the stack of the crashed thread, by its frames or its name. */
static bool
holds_stack(const struct explain *explain, const struct mapping *mapping)
{
	const struct walk *walk = explain->walk;
	int thread = explain->out->thread;

	if (mapping == NULL || !mapping->writable)
		return false;
	if (mapping->name[0] == '[' && mapping->name[1] == 's')
		return true;
	if (thread >= 0 && explain->crash->threads[thread].stack_size > 0 &&
	    checked_contains(mapping->base, mapping->size,
			     explain->crash->threads[thread].stack_start))
		return true;
	if (walk == NULL || walk->count < 2)
		return false;
	const struct registers *caller = &walk->frames[1].registers;
	return registers_known(caller, walk->arch->sp) &&
	       checked_contains(mapping->base, mapping->size, caller->value[walk->arch->sp]);
}

/* Adds the functions of the longest recursion without guessed frames. */
static void
add_recursion(struct explain *explain, struct finding *finding)
{
	const struct walk *walk = explain->walk;
	const struct fold_run *longest = NULL;
	struct fold fold = { 0 };
	const char *names = "";

	fold_update(&fold, walk);
	for (size_t i = 0; i < fold.run_count; i++) {
		const struct fold_run *run = &fold.runs[i];
		size_t guessed = 0;

		for (size_t trust = 0; trust < TRUST_COUNT; trust++)
			if (trust_table[trust].certainty == CERTAINTY_GUESSED)
				guessed += run->trusts[trust];
		if (guessed == 0 &&
		    (longest == NULL || fold_run_frames(run) > fold_run_frames(longest)))
			longest = run;
	}
	for (size_t i = 0; longest != NULL && i < longest->length && i < RECURSION_NAMES; i++) {
		const uint64_t address = walk->frames[longest->first + i].lookup;

		names = text_or_empty(arena_format(&explain->out->arena, "%s%s%s", names,
						   i > 0 ? ", " : "",
						   analysis_function(explain, address, false)));
	}
	if (longest != NULL)
		finding_evidence(explain, finding,
				 "a recursion: frames %zu to %zu%s are calls of %s%s",
				 longest->first, longest->first + fold_run_frames(longest) - 1,
				 walk->complete ? "" : " and on",
				 names, longest->length > RECURSION_NAMES ? " and others" : "");
	fold_free(&fold);
}

static void
add_overflow(struct explain *explain, unsigned confidence, const char *evidence, uint64_t value)
{
	struct finding *finding = finding_add(explain, FINDING_STACK_OVERFLOW, confidence,
					      "the thread's stack overflowed");

	finding_evidence(explain, finding, "%s 0x%" PRIx64, evidence, value);
	if (explain->walk != NULL && explain->walk->count > 1) {
		finding_evidence(explain, finding, "at least %zu frames are on it",
				 explain->walk->count);
		add_recursion(explain, finding);
	}
}

/* Removes the finding about the failed write; its text becomes evidence of the overflow. */
static const char *
drop_write(struct analysis *out)
{
	for (size_t i = 0; i < out->finding_count; i++) {
		const char *text = out->findings[i].text;

		if (out->findings[i].kind != FINDING_WRITE_PROTECTED)
			continue;
		memmove(&out->findings[i], &out->findings[i + 1],
			(--out->finding_count - i) * sizeof(out->findings[0]));
		return text;
	}
	return NULL;
}

/* Adds any of the first `count` frames that takes more than half a stack. */
static void
add_largest(struct explain *explain, struct finding *finding, size_t count, uint64_t size)
{
	const struct walk *walk = explain->walk;
	const int sp = explain->arch->sp;

	for (size_t i = 0; i + 1 < count; i++) {
		const uint64_t taken = walk->frames[i + 1].registers.value[sp] -
				       walk->frames[i].registers.value[sp];

		if (taken > size / 2 && taken < UINT32_MAX)
			finding_evidence(explain, finding, "frame %zu, %s, takes %" PRIu64
					 " bytes of the stack", i,
					 analysis_function(explain, walk->frames[i].lookup, false),
					 taken);
	}
}

/*
 * The stack of a signal handler may be any memory (often a variable) and has no guard page. The
 * bounds of this stack are in the signal's frame.
 */
static bool
explain_handler_overflow(struct explain *explain, uint64_t sp)
{
	struct walk *walk = explain->walk;
	uint64_t base, size;

	for (size_t i = 1; walk != NULL && i < walk->count; i++) {
		const struct registers *handler = &walk->frames[i - 1].registers;

		if (walk->frames[i].trust != TRUST_SIGNAL ||
		    !walk_signal_stack(walk, i, &base, &size) || sp >= base || base - sp > REACH ||
		    !registers_known(handler, explain->arch->sp) ||
		    !checked_contains(base, size, handler->value[explain->arch->sp]))
			continue;
		const char *written = drop_write(explain->out);
		struct finding *finding = finding_add(
			explain, FINDING_STACK_OVERFLOW, 95,
			"the stack of signal handlers overflowed: the stack pointer is %" PRIu64
			" bytes below it", base - sp);
		finding_evidence(explain, finding, "sigaltstack gave it %" PRIu64 " bytes at 0x%"
				 PRIx64 "; the signal interrupted frame %zu", size, base, i);
		add_largest(explain, finding, i, size);
		if (written != NULL)
			finding_evidence(explain, finding, "%s", written);
		add_recursion(explain, finding);
		return true;
	}
	return false;
}

static bool
explain_overflow(struct explain *explain, uint64_t sp)
{
	const struct crash *crash = explain->crash;
	const struct mapping *at, *above;
	uint64_t address;

	if (crash->cause.fault == CRASH_FAULT_STACK) {
		add_overflow(explain, 100, "the system reports it; the stack pointer is", sp);
		return true;
	}
	if (!analysis_faulted_at(explain, &address) || checked_distance(address, sp) > REACH)
		return false;
	at = crash_mapping(crash, address);
	if (analysis_guard_page(explain, address)) {
		above = crash_mapping(crash, at->base + at->size);
		if (!at->guard && !holds_stack(explain, above))
			return false;
		add_overflow(explain, 95, "the access hit the guard page below it at", at->base);
		return true;
	}
	/* Find the lowest used mapping above the address. */
	size_t next = sorted_upto(SORTED(crash->mappings, crash->mapping_count, base), address);
	while (next < crash->mapping_count && crash->mappings[next].free)
		next++;
	above = next < crash->mapping_count ? &crash->mappings[next] : NULL;
	if ((at != NULL && !at->free) || above == NULL || above->base - address > GAP ||
	    !holds_stack(explain, above))
		return false;
	add_overflow(explain, 90, "the access hit the gap below the stack, which begins at",
		     above->base);
	return true;
}

/* A stack has a special name, an anonymous name or no name: some programs allocate stacks. */
static bool
may_be_stack(const char *name)
{
	static const char *const names[] = { "[stack", "[anon", "[heap" };

	return name[0] == '\0' || text_begins(text_of(name), names, ARRAY_COUNT(names)) != 0;
}

static void
explain_pointer(struct explain *explain, uint64_t sp)
{
	const struct mapping *mapping = crash_mapping(explain->crash, sp);

	if (crash_is_unmapped(explain->crash, sp)) {
		struct finding *finding =
			finding_add(explain, FINDING_STACK_POINTER, 80,
				    "the stack pointer 0x%" PRIx64 " points to unmapped memory",
				    sp);
		add_largest(explain, finding, explain->walk != NULL ? explain->walk->count : 0,
			    2 * REACH);
		return;
	}
	if (mapping == NULL)
		return;
	if (!may_be_stack(mapping->name)) {
		struct finding *finding =
			finding_add(explain, FINDING_STACK_POINTER, 90,
				    "the stack pointer 0x%" PRIx64 " points to memory that is not "
								   "a stack", sp);
		finding_evidence(explain, finding, "%s is mapped there (%s)", mapping->name,
				 mapping->text);
	} else if (!mapping->writable) {
		finding_add(explain, FINDING_STACK_POINTER, 80,
			    "the stack pointer 0x%" PRIx64 " points to memory that is not writable "
							   "(%s)", sp, mapping->text);
	}
	if (mapping->executable && mapping->writable) {
		struct finding *finding = finding_add(explain, FINDING_EXECUTABLE_STACK, 100,
						      "the memory at the stack pointer is writable "
						      "and executable");
		finding_evidence(explain, finding, "the memory map says %s", mapping->text);
	}
}

void
stack_overflow_explain(struct explain *explain)
{
	if (explain->arch == NULL || explain->out->reason == NULL ||
	    !registers_known(explain->registers, explain->arch->sp))
		return;
	uint64_t sp = explain->registers->value[explain->arch->sp];
	if (!explain_handler_overflow(explain, sp) && !explain_overflow(explain, sp))
		explain_pointer(explain, sp);
}
