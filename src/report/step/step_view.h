/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_STEP_VIEW_H
#define REPORT_STEP_STEP_VIEW_H

#include "document/listing.h"

/**
 * One step of the unwinder, taken again with a recorder to be looked at.
 *
 * All views of a step read this: the tape, the evidence, the registers and `explain`. The
 * cursor is an event of the trace; what lies behind it has not happened yet for the viewer.
 */
struct step_view {
	struct walk *walk;
	size_t frame;			/* the step goes from this frame to its caller */
	struct trace trace;
	struct frame caller;		/* filled where the verdict is VERDICT_TAKEN */
	struct verdict verdict;
	uint32_t cursor;		/* event; the step's first event to begin with */
	const uint32_t *numbers;	/* of tokens within their attempts; NULL: none */
	size_t token_width;		/* columns of the longest token, within reason */
};

/** Take the step from frame `frame` of `walk` with a recorder. Freed with step_view_free. */
void
step_view_make(struct step_view *view, struct walk *walk, size_t frame);

/** The same by one method alone (unwind_step_by); METHOD_COUNT: as the walk does. */
void
step_view_make_by(struct step_view *view, struct walk *walk, size_t frame, enum method_id method);

void
step_view_free(struct step_view *view);

/** The attempt that gave the caller; where none did the last one that was made, or TRACE_NONE. */
uint32_t
step_view_taken(const struct step_view *view);

/** The attempt that holds the cursor, or the one taken where the cursor is on none. */
uint32_t
step_view_attempt(const struct step_view *view);

/** The number of a token within its attempt, from 1; 0 for an event that is no token. */
size_t
step_view_token_number(const struct step_view *view, uint32_t event);

/** How many tokens an attempt has. */
size_t
step_view_token_count(const struct step_view *view, uint32_t attempt);

/** The number of an attempt, from 1. */
size_t
step_view_attempt_number(const struct step_view *view, uint32_t attempt);

/** The event that gave register `reg` of the caller its final value, or TRACE_NONE. */
uint32_t
step_view_register(const struct step_view *view, int reg);

/** What came of an attempt, by the `detail` of its EVENT_RESULT, in a word. */
const char *
step_view_verdict(unsigned kind);

/** A value at the width of the walk's addresses. */
const char *
step_view_value(const struct step_view *view, uint64_t value, char *buffer, size_t size);

/** A value of the postfix stack: small numbers as people write them, also negative ones. */
const char *
step_view_number(const struct step_view *view, uint64_t value, char *buffer, size_t size);

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

/** Where the columns of the tape begin in `columns` (0: as many as it takes). */
size_t
step_view_stack_column(const struct step_view *view, size_t columns);

size_t
step_view_reason_column(const struct step_view *view, size_t columns);

/** Fill a row with an event as `explain` prints it. */
void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row);

/** Fill a row with the value of an event, its bytes and the rule that said so: the status line. */
void
step_view_explain(const struct step_view *view, uint32_t event, struct row *row);

/** The tokens of an attempt with the stack after each; tokens behind the cursor show dots. */
struct listing
step_view_tape(const struct step_view *view, struct arena *arena);

/** The row of the tape that shows an event, or the closest one before it. */
size_t
step_view_tape_row(const struct listing *tape, uint32_t event);

/** The event that a row of the tape or the evidence shows, or TRACE_NONE. */
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

/** The registers of callee and caller with what made them. */
struct listing
step_view_registers(const struct step_view *view, struct arena *arena);

/** The register that a row shows; ARCH_NO_REGISTER: one of another context, or none. */
int
step_view_register_of_row(const struct listing *registers, size_t row);

/** The record or rule that says what an event does, where one does. */
struct place
step_view_said_by(const struct step_view *view, uint32_t event);

#endif
