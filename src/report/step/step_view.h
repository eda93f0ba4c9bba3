/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_STEP_VIEW_H
#define REPORT_STEP_STEP_VIEW_H

#include "document/listing.h"
#include "inspect/recorded_step.h"

/**
 * A recorded step in words: the evaluation, the evidence, the registers and `explain` are listings
 * over its events. They show results up to the cursor; later ones are shown as not known yet.
 */

/** The result of an attempt in a word, by the `detail` of its EVENT_RESULT. */
const char *
step_view_verdict(unsigned kind);

/** The result of an attempt as far as the cursor shows it: step_view_verdict() or "not yet". */
const char *
step_view_outcome(const struct step_view *view, uint32_t attempt);

/** A value at the width of the walk's addresses. */
struct short_text
step_view_value(const struct step_view *view, uint64_t value);

/**
 * A value without leading zeros: hexadecimal, with 0x if it is short enough to be mistaken for a
 * decimal number of a rule.
 */
struct short_text
step_view_number(uint64_t value);

/** A value of the postfix stack: a number of the rule in its notation there, else an address. */
struct short_text
step_view_cell(const struct step_view *view, const struct cell *cell);

/** Words about an event. */
struct step_text {
	char text[500];
};

/** The origin of a value in a few words: "[0012fe8c], minidump2.dmp+0x21a9", "ebp of frame 0". */
struct step_text
step_view_origin(const struct step_view *view, uint32_t event);

/** The target of an event: the bytes, earlier event or register that its value came from. */
struct target
step_view_target(const struct step_view *view, uint32_t event);

/**
 * The target of the callee's value of a register: the dump's context for frame 0, else the step
 * that found the frame. TARGET_NONE if the register has no value.
 */
struct target
step_view_register_target(const struct step_view *view, int reg);

/** The effect of a token: "[12feb0] = 4010b6", "12feac + 4 = 12feb0"; else its value's origin. */
struct step_text
step_view_effect(const struct step_view *view, uint32_t token);

/** Fill a row with the headings of the table of tokens, `columns` wide (0: as wide as needed). */
void
step_view_token_head(const struct step_view *view, size_t columns, struct row *row);

/**
 * Fill a row with a token, the stack after it and its effect. '>' marks the value that the token at
 * the cursor made, braces those that it took from the row before.
 */
void
step_view_token_row(const struct step_view *view, uint32_t token, size_t columns, struct row *row);

/** Add the result of the user's prediction of an event, if there was one. */
void
step_view_add_prediction(const struct step_view *view, uint32_t event, struct row *row);

/** Fill a row with the caller's registers known so far; the one set now comes first. */
void
step_view_caller_row(const struct step_view *view, struct row *row);

/** The stack before a token: the result of the previous token in the same rule. */
const struct cell *
step_view_stack_before(const struct step_view *view, uint32_t token);

/** Fill a row with an event as `explain` prints it. */
void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row);

/**
 * Whether an event is listed. While values are hidden, the words that a scan tested are not listed,
 * and neither are the fields and rows of a record that reveal its rules.
 */
static inline bool
step_view_has_row(const struct step_view *view, uint32_t event)
{
	const struct event *at = &view->trace.events[event];

	return at->status != EVENT_HIDDEN ||
	       (at->kind != EVENT_CANDIDATE && at->kind != EVENT_ROW && at->kind != EVENT_FIELD);
}

/** Whether an event is a result that the step finds only after the cursor. */
bool
step_view_is_pending(const struct step_view *view, uint32_t event);

/** Fill a row with an event's value, its bytes and the rule it follows from: the status line. */
void
step_view_explain(const struct step_view *view, uint32_t event, struct row *row);

/** The tokens of an attempt with the stack after each; tokens after the cursor show dots. */
struct listing
step_view_evaluation(const struct step_view *view, struct arena *arena);

/** The row of the evaluation that shows an event, or the closest one before it. */
size_t
step_view_evaluation_row(const struct listing *evaluation, uint32_t event);

/** The event that a row of the evaluation or the evidence shows, or TRACE_NONE. */
uint32_t
step_view_event_of_row(const struct listing *listing, size_t row);

/**
 * The attempts, then records, rules, checks and result of the one at the cursor. Sentences that are
 * longer than `columns` (0: not wrapped) take several rows.
 */
struct listing
step_view_evidence(const struct step_view *view, size_t columns, struct arena *arena);

/** The row of the evidence that shows an event, or its attempt's. */
size_t
step_view_evidence_row(const struct listing *evidence, uint32_t event);

/**
 * Compares a register of a frame, `after`, with its callee's, `before`: '=' kept, '*' changed, '+'
 * found but unknown in the callee, '?' lost, '-' not kept by calls, '.' unknown in both.
 */
char
step_register_mark(const struct arch *arch, const struct registers *before,
		   const struct registers *after, int reg);

/** The registers of callee and caller and their origins. `base` of values: 16, 10 or 0 (text). */
struct listing
step_view_registers(const struct step_view *view, unsigned base, struct arena *arena);

/** Add the marks in a step_view_registers() and their meaning; nothing for other listings. */
void
step_view_registers_legend(const struct listing *registers, struct row *row);

/** The register that a row shows; ARCH_NO_REGISTER: one of another context, or none. */
int
step_view_register_of_row(const struct listing *registers, size_t row);

#endif
