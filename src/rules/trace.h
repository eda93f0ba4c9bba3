/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_TRACE_H
#define RULES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/place.h"
#include "base/text.h"

/**
 * The record of one step of the unwinder.
 *
 * Given a recorder, the unwinder appends events to an array. Every view of a step, on a screen or
 * in a file, is made from this array. Events are in the order of time. A parent comes before its
 * children, and `end` is the index after its last descendant. Stepping moves a cursor over this
 * array. An event names the event that gave its value. So every value can be followed to a field of
 * the dump, a token or an operation.
 */
enum event_kind {
	EVENT_STEP,		/* the whole step; the only one without a parent */
	EVENT_ATTEMPT,		/* a method is tried; `detail`: enum method_id */
	EVENT_RECORD,		/* a fact about the record in force, in `text` */
	EVENT_INPUT,		/* a value that rules may use: `name`, `value`, `reg` */
	EVENT_RULE,		/* a rule or program runs; `detail`: TRACE_RULE_ bits */
	EVENT_TOKEN,		/* a postfix token, in `name`, and the `stack` after it */
	EVENT_READ,		/* `value` was read at `address`, or is not readable */
	EVENT_SET,		/* register `reg` of the caller got its value, or none */
	EVENT_CANDIDATE,	/* a word that a scan tried: `address`, `value`, reason in `text` */
	EVENT_CHECK,		/* a check of kind `detail` (enum check_id); `text`: comparison */
	EVENT_REPAIR,		/* a result is repaired, as `text` says */
	EVENT_ROW,		/* a row of the record's table; EVENT_OK: the row in force */
	EVENT_FIELD,		/* bytes of the record in hex (`name`) and their meaning (`text`) */
	EVENT_RESULT,		/* an attempt ends with `text`; `detail`: enum verdict_kind */
};

enum event_status {
	EVENT_OK,
	EVENT_FAILED,		/* refused, unreadable, no value */
	EVENT_NOTE,		/* a remark that does not affect the result */
	EVENT_HIDDEN,		/* result left out, because the user must predict it */
};

#define TRACE_NONE UINT32_MAX

/** Marks of a rule: set by a STACK CFI delta; changed by a what-if edit. */
#define TRACE_RULE_DELTA 1u
#define TRACE_RULE_EDITED 2u

/** One value on the postfix stack; cells are shared between the stacks of many tokens. */
struct cell {
	const struct cell *below;
	struct text name;	/* a name that is not resolved yet; empty: a value */
	uint64_t value;
	bool known;		/* false: an unknown name */
	uint32_t from;		/* event that gave the value */
};

struct event {
	enum event_kind kind;
	enum event_status status;
	int reg;		/* register number, or ARCH_NO_REGISTER */
	unsigned detail;
	uint32_t parent, end;
	uint32_t from;		/* event that gave `value`, or TRACE_NONE */
	struct place place;	/* place of the event's bytes in the input */
	uint64_t address, value;
	struct text name;
	const char *text;	/* a sentence or an expression; "": none */
	const struct cell *stack;	/* top of the postfix stack after a token; NULL: empty */
};

struct trace {
	struct arena arena;		/* arena of sentences and cells */
	struct event *events;		/* trace_reset() keeps this array */
	size_t count, capacity;
	bool full;		/* out of memory or LIMIT_TRACE_EVENTS: events are missing */
};

/** An empty trace. */
void
trace_init(struct trace *trace);

void
trace_free(struct trace *trace);

/** Make a trace empty but keep its memory for the next step. */
void
trace_reset(struct trace *trace);

/**
 * Append an event under `parent`; the caller sets its other fields. Returns its index, or
 * TRACE_NONE if the trace is full. With a NULL trace it does nothing.
 */
uint32_t
trace_add(struct trace *trace, uint32_t parent, const struct event *event);

/** End an event, after all its descendants have been added. */
void
trace_close(struct trace *trace, uint32_t event);

/** A sentence for an event, formatted into the trace's memory; "" when out of memory. */
const char *
trace_text(struct trace *trace, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** An existing sentence, copied into the trace's memory. */
const char *
trace_copy(struct trace *trace, struct text text);

/** The next event of `kind` after `from` (TRACE_NONE: from the start), or TRACE_NONE. */
uint32_t
trace_next(const struct trace *trace, uint32_t from, enum event_kind kind);

/** The previous event of `kind` before `from`, or TRACE_NONE. */
uint32_t
trace_previous(const struct trace *trace, uint32_t from, enum event_kind kind);

/** The closest ancestor of `event` (or itself) of `kind`, or TRACE_NONE. */
uint32_t
trace_ancestor(const struct trace *trace, uint32_t event, enum event_kind kind);

/** The read that gave the value of `event`, directly or through assignments; or TRACE_NONE. */
uint32_t
trace_read_behind(const struct trace *trace, uint32_t event);

#endif
