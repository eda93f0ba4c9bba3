/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_RECORDED_STEP_H
#define INSPECT_RECORDED_STEP_H

#include "walk/walk.h"

/** Limits of the width of tokens in columns. Names are longer in STACK WIN than in STACK CFI. */
enum { STEP_VIEW_TOKEN_LEAST = 8, STEP_VIEW_TOKEN_WIDEST = 14 };

struct variable_step;

/**
 * One step of the unwinder, repeated with a recorder.
 *
 * All views of a step use this record: the evaluation, the evidence, the registers and `explain`.
 * The cursor is an event of the trace. For the viewer, later events have not happened yet. If the
 * cursor is on the step, or on a whole attempt or rule, everything has happened. In a blind walk,
 * no event after the horizon has happened.
 */
struct step_view {
	struct walk *walk;
	/* Number of the callee, from which the step goes to its caller */
	size_t frame;
	struct trace trace;
	struct frame caller;		/* valid if the verdict is VERDICT_TAKEN */
	struct verdict verdict;
	uint32_t cursor;		/* current event; at first the step's own event */
	/* The last event that may be shown, see blind.h */
	uint32_t reach;
	uint32_t asked;			/* next event to predict; TRACE_NONE: none */
	/* Register whose value is predicted; ARCH_NO_REGISTER: none */
	int asked_register;
	const char *asks;		/* text next to the hidden value; says how to show it */
	const uint32_t *numbers;	/* by event: number of the token in its attempt; or NULL */
	size_t token_width;		/* columns of the longest token, capped */
	/* The variable whose value the step computes; or NULL */
	const struct variable_step *variable;
};

/**
 * Repeat the step from frame `frame` of `walk` with a recorder. Free with step_view_free. Values
 * that must be predicted first are left out.
 */
void
step_view_make(struct step_view *view, struct walk *walk, size_t frame);

/** Like step_view_make(), but by one method (unwind_step_by); METHOD_COUNT: as the walk does. */
void
step_view_make_by(struct step_view *view, struct walk *walk, size_t frame, enum method_id method);

/** Number the tokens of a recorded step. */
void
step_view_count(struct step_view *view);

void
step_view_free(struct step_view *view);

/** An event of the step; NULL for TRACE_NONE. Valid until the step is freed. */
static inline const struct event *
step_view_event(const struct step_view *view, uint32_t event)
{
	return event < view->trace.count ? &view->trace.events[event] : NULL;
}

/** The attempt that found the caller; else the last attempt, or TRACE_NONE. */
uint32_t
step_view_taken(const struct step_view *view);

/** The attempt at the cursor. If the cursor is in no attempt, that of step_view_taken(). */
uint32_t
step_view_attempt(const struct step_view *view);

/** The number of a token within its attempt, from 1; 0 for an event that is not a token. */
size_t
step_view_token_number(const struct step_view *view, uint32_t event);

/** The number of tokens of an attempt. */
size_t
step_view_token_count(const struct step_view *view, uint32_t attempt);

/** The number of an attempt, from 1. */
size_t
step_view_attempt_number(const struct step_view *view, uint32_t attempt);

/** Whether the cursor is on the step, or on a whole attempt or rule. */
bool
step_view_is_whole(const struct step_view *view);

/**
 * The last event that is a part of an event. For the last token of a rule, the last event of the
 * rule.
 */
uint32_t
step_view_end(const struct step_view *view, uint32_t event);

/** The last event that has happened at the cursor. */
uint32_t
step_view_now(const struct step_view *view);

/** Whether the step is complete at the cursor, with a caller or with the end of the walk. */
bool
step_view_is_over(const struct step_view *view);

/** Whether an event is new at the cursor: the token, the token's read, or the rule's end. */
bool
step_view_is_new(const struct step_view *view, uint32_t event);

/**
 * The event at which views show the value of an EVENT_SET: the last token of its rule. EVENT_SET
 * itself comes later: methods set registers only after all rules have run.
 */
uint32_t
step_view_settled(const struct step_view *view, uint32_t set);

/**
 * The next (`back`: previous) event at which a register of the caller gets its value: the
 * last token of its rule, or the EVENT_SET of a register that no token computes. TRACE_NONE: none.
 * Registers that lose their values in the call have no such event.
 */
uint32_t
step_view_next_register(const struct step_view *view, bool back);

/**
 * The event that gave register `reg` of the caller its value at the cursor; TRACE_NONE: none yet.
 * Until the step is complete, only the attempt at the cursor is considered.
 */
uint32_t
step_view_register(const struct step_view *view, int reg);

/** The last rule for `.cfa` in events [from, end) that is complete at `now` and has a value. */
uint32_t
step_view_cfa(const struct trace *trace, uint32_t from, uint32_t end, uint32_t now);

/** The caller's register that is new at the cursor; ARCH_NO_REGISTER: none. */
int
step_view_set_now(const struct step_view *view);

/** The caller's registers at the cursor; all of them once the step is complete. */
void
step_view_caller(const struct step_view *view, struct registers *caller);

/** The record or rule that an event results from, if any. */
struct place
step_view_said_by(const struct step_view *view, uint32_t event);

/** The record that the attempt of an event used, for rules without a text of their own. */
struct place
step_view_record(const struct step_view *view, uint32_t event);

#endif
