/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/trace.h"

#include <stdlib.h>

#include "base/limits.h"
#include "rules/program.h"

void
trace_init(struct trace *trace)
{
	*trace = (struct trace){ 0 };
	arena_init(&trace->arena, 0);
}

void
trace_free(struct trace *trace)
{
	arena_free(&trace->arena);
	free(trace->events);
	*trace = (struct trace){ 0 };
}

void
trace_reset(struct trace *trace)
{
	arena_reset(&trace->arena);
	trace->count = 0;
	trace->full = false;
}

uint32_t
trace_add(struct trace *trace, uint32_t parent, const struct event *event)
{
	if (trace == NULL || trace->full)
		return TRACE_NONE;
	if (trace->count == trace->capacity) {
		size_t capacity = trace->capacity == 0 ? 128 : trace->capacity * 2;
		const size_t limit = trace->arena.limit;
		/* The arena's limit applies to the events too. */
		const bool fits = limit == 0 || capacity * sizeof(struct event) <= limit;
		struct event *events = trace->count >= LIMIT_TRACE_EVENTS || !fits
					       ? NULL
					       : realloc(trace->events, capacity * sizeof(*events));

		trace->full = events == NULL;
		if (events == NULL)
			return TRACE_NONE;
		trace->events = events;
		trace->capacity = capacity;
	}
	struct event *added = &trace->events[trace->count++];
	*added = *event;
	added->parent = parent;
	added->end = (uint32_t)trace->count;
	if (added->text == NULL)
		added->text = "";
	return added->end - 1;
}

void
trace_close(struct trace *trace, uint32_t event)
{
	if (trace != NULL && event != TRACE_NONE)
		trace->events[event].end = (uint32_t)trace->count;
}

const char *
trace_copy(struct trace *trace, struct text text)
{
	const char *copy = text_copy(&trace->arena, text);

	return copy != NULL ? copy : "";
}

const char *
trace_text(struct trace *trace, const char *format, ...)
{
	char buffer[512];

	TEXT_FORMAT(buffer, format);
	return trace_copy(trace, text_of(buffer));
}

uint32_t
trace_next(const struct trace *trace, uint32_t from, enum event_kind kind)
{
	for (size_t i = from == TRACE_NONE ? 0 : (size_t)from + 1; i < trace->count; i++)
		if (trace->events[i].kind == kind)
			return (uint32_t)i;
	return TRACE_NONE;
}

uint32_t
trace_previous(const struct trace *trace, uint32_t from, enum event_kind kind)
{
	size_t i = from == TRACE_NONE || from > trace->count ? trace->count : from;

	while (i-- > 0)
		if (trace->events[i].kind == kind)
			return (uint32_t)i;
	return TRACE_NONE;
}

uint32_t
trace_ancestor(const struct trace *trace, uint32_t event, enum event_kind kind)
{
	while (event < trace->count && trace->events[event].kind != kind)
		event = trace->events[event].parent;
	return event < trace->count ? event : TRACE_NONE;
}

uint32_t
trace_read_behind(const struct trace *trace, uint32_t event)
{
	if (event >= trace->count)
		return TRACE_NONE;
	while (trace->events[event].kind == EVENT_TOKEN &&
	       trace->events[event].detail == OPERATION_ASSIGN &&
	       trace->events[event].from < event)
		event = trace->events[event].from;
	if (trace->events[event].kind == EVENT_READ)
		return event;
	const uint32_t next = event + 1;
	return next < trace->count && trace->events[next].kind == EVENT_READ &&
			       trace->events[next].parent == event
		       ? next
		       : TRACE_NONE;
}
