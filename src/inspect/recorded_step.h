/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_RECORDED_STEP_H
#define INSPECT_RECORDED_STEP_H

#include "walk/walk.h"

/** Columns of tokens: names are short in STACK CFI, longer in STACK WIN programs. */
enum { STEP_VIEW_TOKEN_LEAST = 8, STEP_VIEW_TOKEN_WIDEST = 14 };

struct variable_step;

/**
 * One step of the unwinder, taken again with a recorder to be looked at.
 *
 * All views of a step read this: the evaluation, the evidence, the registers and `explain`. The
 * cursor is an event of the trace; what lies behind it has not happened yet for the viewer. A
 * cursor on the step, an attempt or a rule looks at it as a whole: everything has happened. Of a
 * blind walk nothing happens behind its horizon.
 */
struct step_view {
	struct walk *walk;
	size_t frame;			/* the step goes from this frame to its caller */
	struct trace trace;
	struct frame caller;		/* filled where the verdict is VERDICT_TAKEN */
	struct verdict verdict;
	uint32_t cursor;		/* event; the step's first event to begin with */
	/* The last event that is shown, whatever the cursor: blind.h */
	uint32_t reach;
	uint32_t asked;			/* the next event to be predicted; TRACE_NONE: none */
	int asked_register;		/* whose value that is; ARCH_NO_REGISTER: of none */
	const uint32_t *numbers;	/* of tokens within their attempts; NULL: none */
	size_t token_width;		/* columns of the longest token, within reason */
	/* It is how that variable's value is computed; or NULL */
	const struct variable_step *variable;
};

/**
 * Take the step from frame `frame` of `walk` with a recorder. Freed with step_view_free. What has
 * to be predicted first is not in it.
 */
void
step_view_make(struct step_view *view, struct walk *walk, size_t frame);

/** step_view_make() by one method alone (unwind_step_by); METHOD_COUNT: as the walk does. */
void
step_view_make_by(struct step_view *view, struct walk *walk, size_t frame, enum method_id method);

/** Count the tokens of a step that was recorded. */
void
step_view_count(struct step_view *view);

void
step_view_free(struct step_view *view);

/** An event of the step; NULL: it is TRACE_NONE. Good until the step is freed. */
static inline const struct event *
step_view_event(const struct step_view *view, uint32_t event)
{
	return event < view->trace.count ? &view->trace.events[event] : NULL;
}

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

/** Whether the cursor is on the step, an attempt or a rule as a whole. */
bool
step_view_is_whole(const struct step_view *view);

/**
 * The last event that has happened when an event has: its last part, of the last token its rule.
 */
uint32_t
step_view_end(const struct step_view *view, uint32_t event);

/** The last event that has happened where the cursor stands. */
uint32_t
step_view_now(const struct step_view *view);

/** Whether the step is over where the cursor stands: the caller is complete, or there is none. */
bool
step_view_is_over(const struct step_view *view);

/**
 * Whether an event is what the cursor's own step did: the token there, its read, its rule's end.
 */
bool
step_view_is_new(const struct step_view *view, uint32_t event);

/**
 * When the viewer is shown what an EVENT_SET says: at the last token of the rule that gave the
 * value, for methods set all registers when their rules have run.
 */
uint32_t
step_view_settled(const struct step_view *view, uint32_t set);

/**
 * The next event (`step` 1) or the previous one (-1) at which a register of the caller gets its
 * value: the last token of its rule, or the EVENT_SET of a register that no token computes.
 * TRACE_NONE: none. Registers that only are not kept across calls have no such event.
 */
uint32_t
step_view_next_register(const struct step_view *view, int step);

/**
 * The event that gave register `reg` of the caller the value that it has where the cursor stands;
 * TRACE_NONE: none yet. While the step is not over this is of the attempt at the cursor.
 */
uint32_t
step_view_register(const struct step_view *view, int reg);

/** The register of the caller that the cursor's own step has set; ARCH_NO_REGISTER: none. */
int
step_view_set_now(const struct step_view *view);

/** The caller's registers as far as the cursor; those of the caller where the step is over. */
void
step_view_caller(const struct step_view *view, struct registers *caller);

/** The record or rule that says what an event does, where one does. */
struct place
step_view_said_by(const struct step_view *view, uint32_t event);

/** The record that the attempt of an event went by, for rules that no text of the record says. */
struct place
step_view_record(const struct step_view *view, uint32_t event);

#endif
