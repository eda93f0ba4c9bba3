/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_STEP_VIEW_H
#define REPORT_STEP_STEP_VIEW_H

#include "document/listing.h"
#include "inspect/recorded_step.h"

/**
 * A recorded step in words: the evaluation, the evidence, the registers and `explain` are listings
 * over its events. They say what is known where the cursor stands, and of the rest that it is not
 * yet.
 */

/** What came of an attempt, by the `detail` of its EVENT_RESULT, in a word. */
const char *
step_view_verdict(unsigned kind);

/** A value at the width of the walk's addresses. */
const char *
step_view_value(const struct step_view *view, uint64_t value, char *buffer, size_t size);

/**
 * A value without leading zeros: hexadecimal, with 0x where it is short enough to be read as a
 * decimal number of a rule.
 */
const char *
step_view_number(uint64_t value, char *buffer, size_t size);

/** A value of the postfix stack: a number of the rule as the rule has it, else as a value. */
const char *
step_view_cell(const struct step_view *view, const struct cell *cell, char *buffer, size_t size);

/** Say in a few words what made a value: "[0012fe8c], minidump2.dmp+0x21a9", "ebp of frame 0". */
const char *
step_view_origin(const struct step_view *view, uint32_t event, char *buffer, size_t size);

/** Where an event leads: the bytes, the earlier event or the register that its value came from. */
struct target
step_view_target(const struct step_view *view, uint32_t event);

/**
 * Where the value leads that the callee has for a register: the dump's context of frame 0, the step
 * that made any other frame. TARGET_NONE where it has none.
 */
struct target
step_view_register_target(const struct step_view *view, int reg);

/** What a token did: "[12feb0] = 4010b6", "12feac + 4 = 12feb0"; else where its value is from. */
const char *
step_view_effect(const struct step_view *view, uint32_t token, char *buffer, size_t size);

/** Fill a row with the names of the columns of tokens in `columns` (0: as many as it takes). */
void
step_view_token_head(const struct step_view *view, size_t columns, struct row *row);

/**
 * Fill a row with a token, the stack after it and what it did. '>' marks the value that the token
 * at the cursor made, braces those that it took from the row above it.
 */
void
step_view_token_row(const struct step_view *view, uint32_t token, size_t columns, struct row *row);

/** Add what came of the prediction of an event, if there was one. */
void
step_view_add_prediction(const struct step_view *view, uint32_t event, struct row *row);

/** Fill a row with the caller's registers as far as the cursor; the one set there comes first. */
void
step_view_caller_row(const struct step_view *view, struct row *row);

/** Add a variable with its value, as far as the cursor, of a step that computes one. */
void
step_view_variable_row(const struct step_view *view, struct row *row);

/** The stack as a token found it: what the token before it in the same rule left. */
const struct cell *
step_view_stack_before(const struct step_view *view, uint32_t token);

/** Fill a row with an event as `explain` prints it. */
void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row);

/**
 * Whether an event is listed: a word that a scan looked at is not while what it found is hidden.
 */
static inline bool
step_view_has_row(const struct step_view *view, uint32_t event)
{
	const struct event *at = &view->trace.events[event];

	return at->status != EVENT_HIDDEN || at->kind != EVENT_CANDIDATE;
}

/** Whether an event is a result that the step finds only behind the cursor. */
bool
step_view_is_pending(const struct step_view *view, uint32_t event);

/** Fill a row with the value of an event, its bytes and the rule that said so: the status line. */
void
step_view_explain(const struct step_view *view, uint32_t event, struct row *row);

/** The tokens of an attempt with the stack after each; tokens behind the cursor show dots. */
struct listing
step_view_evaluation(const struct step_view *view, struct arena *arena);

/** The row of the evaluation that shows an event, or the closest one before it. */
size_t
step_view_evaluation_row(const struct listing *evaluation, uint32_t event);

/** The event that a row of the evaluation or the evidence shows, or TRACE_NONE. */
uint32_t
step_view_event_of_row(const struct listing *listing, size_t row);

/**
 * The attempts that were made, then records, rules, checks and result of the one at the cursor.
 * Sentences that are longer than `columns` (0: there is no edge) take several rows.
 */
struct listing
step_view_evidence(const struct step_view *view, size_t columns, struct arena *arena);

/** The row of the evidence that shows an event, or its attempt's. */
size_t
step_view_evidence_row(const struct listing *evidence, uint32_t event);

/**
 * A register of a frame, `after`, beside that of the frame that it called, `before`: '=' kept, '*'
 * changed, '+' found while the callee has none, '?' lost, '-' not kept by calls, '.' never known.
 */
char
step_register_mark(const struct arch *arch, const struct registers *before,
		   const struct registers *after, int reg);

/** The registers of callee and caller with what made them; values in `base`: 16, 10 or 0, text. */
struct listing
step_view_registers(const struct step_view *view, unsigned base, struct arena *arena);

/** Add the marks of its rows with what they mean; nothing for another listing. */
void
step_view_registers_legend(const struct listing *registers, struct row *row);

/** The register that a row shows; ARCH_NO_REGISTER: one of another context, or none. */
int
step_view_register_of_row(const struct listing *registers, size_t row);

#endif
