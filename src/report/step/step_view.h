/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_STEP_VIEW_H
#define REPORT_STEP_STEP_VIEW_H

#include "document/listing.h"
#include "inspect/recorded_step.h"

/**
 * A recorded step in words: the evaluation, the evidence, the registers and `explain` are listings
 * over its events. They show results up to the cursor; later results are shown as not known yet.
 */

/** A word for the result of an attempt. `kind` is the `detail` of its EVENT_RESULT. */
const char *
step_view_verdict(unsigned kind);

/** The result of an attempt as far as the cursor shows it: step_view_verdict() or "not yet". */
const char *
step_view_outcome(const struct step_view *view, uint32_t attempt);

/** A value at the width of the walk's addresses. */
struct short_text
step_view_value(const struct step_view *view, uint64_t value);

/**
 * A value in hexadecimal without leading zeros. A short value has the prefix 0x, because it could
 * be mistaken for a decimal number of a rule.
 */
struct short_text
step_view_number(uint64_t value);

/** A value of the postfix stack: as the rule writes it if it is a number token, else in hex. */
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

/** The effect of a token: "[12feb0] = 4010b6", "12feac + 4 = 12feb0", or its value's origin. */
struct step_text
step_view_effect(const struct step_view *view, uint32_t token);

/** Fill a row with the headings of the table of tokens, `columns` wide (0: as wide as needed). */
void
step_view_token_head(const struct step_view *view, size_t columns, struct row *row);

/**
 * Fill a row with a token, the stack after it and its effect. '>' marks the value that the token at
 * the cursor pushed. In the row before, braces mark the values that this token consumed.
 */
void
step_view_token_row(const struct step_view *view, uint32_t token, size_t columns, struct row *row);

/** Add the result of the user's prediction of an event, if the user has predicted it. */
void
step_view_add_prediction(const struct step_view *view, uint32_t event, struct row *row);

/** Fill a row with the caller's known registers, first the register of the event at the cursor. */
void
step_view_caller_row(const struct step_view *view, struct row *row);

/** The stack before a token: the result of the previous token in the same rule. */
const struct cell *
step_view_stack_before(const struct step_view *view, uint32_t token);

/** Fill a row with an event as `explain` prints it. */
void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row);

/**
 * Whether an event is listed. While values are hidden, the words that a scan tested are not listed.
 * Fields and rows of a record that reveal its rules are not listed either.
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

/** Fill a row for the status line: an event's value, its bytes and the rule that gave it. */
void
step_view_explain(const struct step_view *view, uint32_t event, struct row *row);

/** The tokens of an attempt with the stack after each token. Tokens after the cursor show dots. */
struct listing
step_view_evaluation(const struct step_view *view, struct arena *arena);

/** The row of the evaluation that shows an event, or else the closest previous event. */
size_t
step_view_evaluation_row(const struct listing *evaluation, uint32_t event);

/** The event that a row of the evaluation or the evidence shows, or TRACE_NONE. */
uint32_t
step_view_event_of_row(const struct listing *listing, size_t row);

/**
 * The attempts, then records, rules, checks and result of the attempt at the cursor. Sentences that
 * are longer than `columns` (0: not wrapped) take several rows.
 */
struct listing
step_view_evidence(const struct step_view *view, size_t columns, struct arena *arena);

/** The row of the evidence that shows an event, or else the row of the event's attempt. */
size_t
step_view_evidence_row(const struct listing *evidence, uint32_t event);

/**
 * Compares a register in a frame (`after`) and in its callee (`before`): '=' kept, '*' changed, '+'
 * found but unknown in the callee, '?' lost, '-' not kept by calls, '.' unknown in both.
 */
char
step_register_mark(const struct arch *arch, const struct registers *before,
		   const struct registers *after, int reg);

/** The registers of callee and caller with their origins. `base`: 16, 10, or 0 for text. */
struct listing
step_view_registers(const struct step_view *view, unsigned base, struct arena *arena);

/** Explain the marks in a listing of step_view_registers(). Other listings: add nothing. */
void
step_view_registers_legend(const struct listing *registers, struct row *row);

/** The register that a row shows. ARCH_NO_REGISTER: none, or a register of the other context. */
int
step_view_register_of_row(const struct listing *registers, size_t row);

#endif
