/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "document/names.h"
#include "inspect/fold.h"
#include "report/stack/walk_json_internal.h"
#include "walk/location.h"

/* A thread whose frames are written, and what writing them needs. */
struct walked_stack {
	struct walk *walk;	/* NULL: the thread is left out */
	struct fold fold;	/* of the walk; empty unless frames are folded */
	struct arena arena;	/* of one frame */
	struct trace trace;	/* of the step to one frame */
};

static void
open_stack(struct walked_stack *stack, const struct walk_json *document, struct walk *walk)
{
	*stack = (struct walked_stack){ .walk = walk };
	arena_init(&stack->arena, 0);
	trace_init(&stack->trace);
	if (walk != NULL && document->options->fold)
		fold_update(&stack->fold, walk);
}

static void
close_stack(struct walked_stack *stack)
{
	fold_free(&stack->fold);
	trace_free(&stack->trace);
	arena_free(&stack->arena);
}

static bool
holds(const struct module *module, uint64_t address)
{
	return address >= module->base && address - module->base < module->size;
}

static struct place
function_place(const struct location *location)
{
	const struct function *function = &location->symbol.function;

	return location->symbol.found
		       ? location_place(location, function->offset, function->length)
		       : (struct place){ 0 };
}

static const char *
last_error(const struct thread *thread, char *buffer, size_t size)
{
	if (!thread->has_last_error || thread->last_error_name != NULL)
		return thread->has_last_error ? thread->last_error_name : NULL;
	snprintf(buffer, size, "0x%08" PRIx32, thread->last_error);
	return buffer;
}

/* Steps ----------------------------------------------------------------------------------------- */

/*
 * Take the step to a frame again with a recorder. The event of the last attempt: the one that gave
 * the frame, or the last that failed; TRACE_NONE for the first frame, which no step leads to.
 */
static uint32_t
take_step(struct walked_stack *stack, size_t number)
{
	struct trace *trace = &stack->trace;
	uint32_t attempt = TRACE_NONE;
	struct verdict verdict;
	struct frame caller;

	trace_reset(trace);
	if (number > 0)
		unwind_step(stack->walk, number - 1, trace, &caller, &verdict);
	for (uint32_t i = trace_next(trace, TRACE_NONE, EVENT_ATTEMPT); i != TRACE_NONE;
	     i = trace_next(trace, i, EVENT_ATTEMPT))
		attempt = i;
	return attempt;
}

/* The step that found no caller of the last frame. */
static const struct trace *
take_last_step(struct walked_stack *stack)
{
	take_step(stack, stack->walk->complete ? stack->walk->count : 0);
	return &stack->trace;
}

/* The record that a method followed: the first fact about it that has a place. */
static struct place
record_of(const struct walked_stack *stack, size_t number, uint32_t attempt)
{
	const struct crash_context *context =
		crash_thread_context(stack->walk->crash, stack->walk->thread);
	const struct event *events = stack->trace.events;

	if (number == 0)
		return context != NULL ? context->place : (struct place){ 0 };
	for (uint32_t i = attempt + 1; attempt != TRACE_NONE && i < events[attempt].end; i++)
		if (events[i].kind == EVENT_RECORD && events[i].place.input != NULL)
			return events[i].place;
	return (struct place){ 0 };
}

static bool
has_candidates(const struct trace *trace, uint32_t attempt)
{
	const uint32_t first =
		attempt != TRACE_NONE ? trace_next(trace, attempt, EVENT_CANDIDATE) : TRACE_NONE;

	return first != TRACE_NONE && first < trace->events[attempt].end;
}

static const struct event *
result_of(const struct trace *trace, const struct event *attempt)
{
	const struct event *result = NULL;

	for (const struct event *event = attempt + 1; event < trace->events + attempt->end; event++)
		if (event->kind == EVENT_RESULT)
			result = event;
	return result;
}

/* Frames and threads ---------------------------------------------------------------------------- */

static void
write_frames(struct json *json, struct walked_stack *stack, bool whole);

static void
write_threads(struct json *json, struct walk_json *document);

#define FACTS "report/stack/frame_facts.def"
#include "document/describe_facts.h"

static void
write_frame(struct json *json, struct walked_stack *stack, size_t number, bool whole)
{
	struct location location;

	location_of(stack->walk, stack->walk->frames[number].lookup, &stack->arena, NULL,
		    &location);
	json_object(json, NULL);
	if (whole)
		frame_members(json, stack, number, &location);
	else
		crashing_frame_members(json, stack, number, &location);
	json_object_end(json);
	arena_reset(&stack->arena);
}

static void
write_frames(struct json *json, struct walked_stack *stack, bool whole)
{
	const struct fold *fold = &stack->fold;

	for (size_t i = 0; stack->walk != NULL && i < stack->walk->count; i++) {
		const struct fold_run *run = i < fold->count ? fold_run_of(fold, i) : NULL;

		write_frame(json, stack, i, whole);
		if (run != NULL && i + 1 == run->first + run->length)
			i = run->first + fold_run_frames(run) - 1;
	}
}

static bool
is_chosen(const struct walk_json *document, size_t index, size_t number)
{
	const struct walk_json_options *options = document->options;

	if (document->crash->threads[index].wrote_dump)
		return false;
	if (options->only_requesting)
		return document->crash->requesting_thread == (int)index;
	return options->only_thread < 0 || (size_t)options->only_thread == number;
}

/* The walk of a thread: that of the requesting one is there already. NULL: out of memory. */
static struct walk *
walk_of(struct walk_json *document, size_t index)
{
	if (document->requesting != NULL && document->requesting->thread == index)
		return document->requesting;
	struct walk *walk = walk_create(document->crash, document->symbols, document->binaries,
					index, document->policy);
	if (walk != NULL)
		walk_run(walk, 0);
	return walk;
}

static void
write_threads(struct json *json, struct walk_json *document)
{
	size_t number = 0;

	for (size_t i = 0; i < document->crash->thread_count && !document->failed; i++) {
		const bool chosen = is_chosen(document, i, number);
		struct walk *walk = chosen ? walk_of(document, i) : NULL;
		struct walked_stack stack;

		document->failed = chosen && walk == NULL;
		if (document->failed)
			return;
		open_stack(&stack, document, walk);
		json_object(json, NULL);
		thread_members(json, document, i, number, &stack);
		json_object_end(json);
		close_stack(&stack);
		if (walk != document->requesting)
			walk_free(walk);
		number += !document->crash->threads[i].wrote_dump;
	}
}
