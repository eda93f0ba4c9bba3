/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "base/checked.h"
#include "walk/step.h"

/*
 * Checks the walk: a record that leads to an address without code is wrong, or read an overwritten
 * value. Guesses are checked while they are made; a wrong one is not a finding.
 */

/* Bytes above the stack pointer that count as stack, even if the dump has fewer. */
#define REACH 0x10000u
#define FRAMES 64u	/* frames checked, so that findings do not depend on the walk's length */

/* Why an address cannot hold code; NULL: it can. */
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

static void
advise(struct explain *explain, struct finding *finding, size_t frame)
{
	finding_evidence(explain, finding,
			 "'unspool explain --frame %zu --all-methods' shows what each method finds",
			 frame);
}

/* Adds one finding for all frames about which two sources disagree, and a message for each. */
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
			/* Any record may be wrong; the code shows what ran. */
			const char *code = frame_contradicted_by_code(walk, i, &out->arena);

			finding = finding_add(explain, FINDING_CONTRADICTED, code != NULL ? 95 : 80,
					      "frame %zu may be false: another source contradicts "
					      "how it was found", i);
			finding_evidence(explain, finding, "%s", text);
			if (code != NULL && strcmp(code, text) != 0)
				finding_evidence(explain, finding, "%s", code);
			advise(explain, finding, i - 1);
		}
	}
}

/* Adds a finding about the first record that was refused although another source has a caller. */
static void
explain_replaced(struct explain *explain)
{
	struct analysis *out = explain->out;
	struct walk *walk = explain->walk;

	for (size_t i = 1; i < walk->count && i < FRAMES; i++) {
		struct place place;
		const char *text = frame_refused_record(walk, i, &out->arena, &place);

		if (text == NULL)
			continue;
		message_add(&out->messages, MESSAGE_CONTRADICTED, place,
			    "a record of frame %zu was refused: %s", i - 1, text);
		struct finding *finding = finding_add(explain, FINDING_CONTRADICTED, 80,
						      "a record of frame %zu is wrong; frame %zu "
						      "was found by %s instead", i - 1, i,
						      method_name(walk->frames[i].method));
		finding_evidence(explain, finding, "%s", text);
		advise(explain, finding, i - 1);
		return;
	}
}

/* Adds a finding if the rules that ended the stack are contradicted. */
static void
explain_end(struct explain *explain)
{
	struct analysis *out = explain->out;
	struct walk *walk = explain->walk;
	struct place place;
	const char *text = stack_end_contradicted(walk, &out->arena, &place);

	if (text == NULL)
		return;
	message_add(&out->messages, MESSAGE_CONTRADICTED, place,
		    "the end of the stack is contradicted: %s", text);
	struct finding *finding = finding_add(explain, FINDING_CONTRADICTED, 80,
					      "the stack may go on after frame %zu: its record, "
					      "which finds no caller, is contradicted",
					      walk->count - 1);
	finding_evidence(explain, finding, "%s", text);
	advise(explain, finding, walk->count - 1);
}

/*
 * The event that set a refused return address. A check refused the address because no code is
 * there. With `detour` (another method found the caller), it may also be in the first page.
 */
static uint32_t
find_refused(const struct walk *walk, const struct trace *trace, bool detour)
{
	for (uint32_t at = trace_next(trace, TRACE_NONE, EVENT_CHECK); at != TRACE_NONE;
	     at = trace_next(trace, at, EVENT_CHECK)) {
		const struct event *check = &trace->events[at];
		const uint32_t attempt = trace_ancestor(trace, at, EVENT_ATTEMPT);

		if ((check->detail != CHECK_PC_CODE &&
		     !(detour && check->detail == CHECK_PC_FLOOR)) ||
		    check->status != EVENT_FAILED || attempt == TRACE_NONE ||
		    methods[trace->events[attempt].detail].source != METHOD_BY_RECORDS)
			continue;
		for (uint32_t set = trace_next(trace, attempt, EVENT_SET);
		     set != TRACE_NONE && set < at; set = trace_next(trace, set, EVENT_SET))
			if (trace->events[set].reg == walk->arch->pc)
				return set;
	}
	return TRACE_NONE;
}

/* Reports the value that a record read for frame `number`; false: no such value was refused. */
static bool
tell_refused(struct explain *explain, size_t number)
{
	struct walk *walk = explain->walk;
	const bool ends = number + 1 == walk->count;
	const bool guessed = !ends && trust_table[walk->frames[number + 1].trust].certainty ==
					      CERTAINTY_GUESSED;
	const bool detour = !ends && walk->frames[number + 1].detour;
	struct verdict verdict;
	struct frame caller;
	struct trace trace;
	char text[9];

	trace_init(&trace);
	unwind_step(walk, number, &trace, &caller, &verdict);
	const uint32_t set = find_refused(walk, &trace, detour);
	const uint64_t value = set != TRACE_NONE ? trace.events[set].value : 0;
	const bool is_text = set != TRACE_NONE && analysis_text(value, text) != 0;
	/* The words after a thread's last frame may be anything, and on x86 records lack the
	 * expressions for realigned frames. */
	const bool told = set != TRACE_NONE && (is_text || guessed || detour);
	if (told) {
		const uint32_t read = trace_read_behind(&trace, trace.events[set].from);
		const uint32_t attempt = trace_ancestor(&trace, set, EVENT_ATTEMPT);
		struct finding *finding = finding_add(
			explain, is_text ? FINDING_RETURN_ADDRESS : FINDING_LEFT_CODE,
			is_text ? 85 : 60, "the return address of frame %zu, %s, is 0x%" PRIx64
			", which cannot be code: %s", number,
			analysis_function(explain, walk->frames[number].lookup, false), value,
			is_text ? "it was overwritten"
				: "either the stack was overwritten, or its record is wrong");

		if (is_text)
			finding_evidence(explain, finding, "it is text: \"%s\"", text);
		if (read != TRACE_NONE)
			finding_evidence(explain, finding, "%s reads it at 0x%" PRIx64,
					 method_name((enum method_id)trace.events[attempt].detail),
					 trace.events[read].address);
		if (ends)
			finding_evidence(explain, finding, "the walk ends there");
		else
			finding_evidence(explain, finding, "frame %zu was found by %s instead%s",
					 number + 1, method_name(walk->frames[number + 1].method),
					 detour ? ", and the walk reaches the stack's bottom" : "");
	}
	trace_free(&trace);
	return told;
}

/* Explains refused records up to the first guess, and at the end of the stack. */
static void
explain_refused(struct explain *explain)
{
	struct walk *walk = explain->walk;
	struct place place;
	/* Another finding reports the value that a crashed return read. */
	size_t at = (explain->instruction.kinds & INSTRUCTION_RETURN) != 0 &&
				    explain->out->adjustment == ANALYSIS_NON_CANONICAL
			    ? 2 : 1;

	for (; at <= walk->count && at < FRAMES; at++) {
		const bool open = !walk->complete || walk_is_blind(walk, at - 1);

		/* explain_replaced reports a record that another one contradicts. */
		if (at == walk->count
			    ? open
			    : frame_by_record(&walk->frames[at]) &&
				      (!walk->frames[at].detour ||
				       frame_refused_record(walk, at, &explain->out->arena,
							    &place) != NULL))
			continue;
		if (tell_refused(explain, at - 1) ||
		    (at < walk->count && trust_table[walk->frames[at].trust].certainty ==
						 CERTAINTY_GUESSED))
			return;
	}
}

void
left_code_explain(struct explain *explain)
{
	const struct walk *walk = explain->walk;

	explain_contradicted(explain);
	if (walk != NULL) {
		explain_replaced(explain);
		explain_end(explain);
		explain_refused(explain);
	}

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
