/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/locals.h"

#include <string.h>

#include "base/limits.h"
#include "report/report.h"
#include "report/value/value_text.h"
#include "report/value/locals_internal.h"
#include "walk/location.h"

/* Calls ---------------------------------------------------------------------------------------- */

const struct call *
locals_call_of(const struct locals *locals, size_t call)
{
	const size_t scopes = locals->variables->scopes.count;
	const size_t calls = locals->location.call_count;

	if (scopes == 0)
		return call < calls ? &locals->location.calls[call] : NULL;
	return scopes == calls ? &locals->location.calls[call]
	       : call + 1 == scopes ? &locals->location.calls[calls - 1] : NULL;
}

struct text
locals_function_name(const struct locals *locals, size_t call)
{
	const struct debug_scopes *scopes = &locals->variables->scopes;
	const struct call *named = locals_call_of(locals, call);

	if (named != NULL && named->name.length > 0)
		return named->name;
	return text_of(call < scopes->count ? scopes->items[call].name : "");
}

/* The name as written in the source, as debuggers show it. */
static struct text
source_name(const struct locals *locals, size_t call)
{
	const struct debug_scopes *scopes = &locals->variables->scopes;

	if (call < scopes->count && *scopes->items[call].written != '\0')
		return text_of(scopes->items[call].written);
	return locals_function_name(locals, call);
}

size_t
locals_call_count(const struct locals *locals)
{
	const size_t scopes = locals->variables->scopes.count;

	return scopes > 0 ? scopes : locals->location.call_count;
}

static const char *const kinds[] = { "N", "I", "S" };
static const struct fact_names kind_names = FACT_NAMES(kinds);

static size_t
kind_of(const struct locals *locals, size_t call)
{
	const struct frame *frames = locals->walk->frames;
	const size_t next = locals->frame + 1;

	if (call + 1 < locals_call_count(locals))
		return 1;
	return next < locals->walk->count && frames[next].method == METHOD_SIGNAL_FRAME ? 2 : 0;
}

/* Making --------------------------------------------------------------------------------------- */

struct locals *
locals_of(struct walk *walk, const struct memory_view *memory, size_t frame, bool globals,
	  const struct locals_state *state, struct arena *arena)
{
	struct locals *locals = arena_alloc(arena, sizeof(*locals));

	if (locals == NULL)
		return NULL;
	*locals = (struct locals){ .walk = walk, .frame = frame, .state = state };
	locals->variables = frame_variables_of(walk, memory, frame, arena);
	if (locals->variables == NULL)
		return NULL;
	location_of_frame(walk, &walk->frames[frame], NULL, arena, &locals->location);
	if (locals->variables->why != NULL)
		entry_arguments_of(locals->variables, &locals->arguments);
	if (globals)
		locals->global_count =
			frame_variables_globals(locals->variables, arena, &locals->globals);
	return locals;
}

bool
locals_any(const struct locals *locals)
{
	return locals->variables->scopes.count > 0 || locals->arguments.known > 0;
}

const char *
locals_why_none(const struct locals *locals)
{
	return locals->variables->why;
}

struct locals_budget
locals_budget(const struct crash *crash)
{
	return (struct locals_budget){ LIMIT_LOCALS + 4 * crash->reader.size, false };
}

void
locals_limit(struct locals *locals, struct locals_budget *budget)
{
	locals->budget = budget;
}

bool
locals_spend(struct locals_budget *budget, uint64_t bytes)
{
	if (budget == NULL)
		return true;
	budget->exceeded |= budget->left == 0;
	budget->left -= bytes < budget->left ? bytes : budget->left;
	return !budget->exceeded;
}

void
locals_spend_work(const struct locals *locals, uint64_t bytes, size_t values)
{
	struct value_frame *frame = locals->variables;
	const uint64_t free = (uint64_t)VALUE_WORK_FREE * values;

	bytes = bytes > free ? bytes - free : 0;
	bytes += *frame->work;
	*frame->work = 0;
	locals_spend(locals->budget, bytes / LOCALS_WORK);
}

/* JSON ----------------------------------------------------------------------------------------- */

static const struct fact_names location_names = FACT_NAMES(variable_locations);

static struct evaluated
write_variable(const struct locals *locals, const struct debug_variable *variable,
	       struct arena *arena)
{
	struct variable_value found;

	struct evaluated written = { .type = "", .value = "", .location = VARIABLE_ABSENT };

	if (!locals_spend(locals->budget, LOCALS_VARIABLE))
		written.absent = LOCALS_LEFT_OUT;
	else if (variable_value_of(locals->variables, variable, arena, &found))
		written = evaluated_of(&found, arena);
	/* A byte of text costs 8 bytes, as in rows: names of function types are slow to make. */
	locals_spend(locals->budget, 8 * (strlen(text_or_empty(written.value)) +
					  strlen(text_or_empty(written.type))));
	locals_spend_work(locals, arena->used, 1);
	return written;
}

static void
write_frames(struct json *json, const struct locals_thread *thread);

static void
write_threads(struct json *json, const struct locals_document *document);

#define FACTS "report/value/locals_facts.def"
#include "document/describe_facts.h"

static void
write_frames(struct json *json, const struct locals_thread *thread)
{
	struct walk *walk = thread->walk;
	size_t index = 0;

	for (size_t i = 0; i < walk->count; i++) {
		struct arena arena = { 0 };

		if (!locals_spend(thread->budget, LOCALS_VARIABLE))
			break;
		struct locals *locals =
			locals_of(walk, thread->memory, i, thread->globals, NULL, &arena);
		const size_t calls = locals != NULL ? locals_call_count(locals) : 0;

		if (locals != NULL)
			locals_limit(locals, thread->budget);

		for (size_t call = 0; call < calls; call++, index++)
			if (thread->only_frame < 0 || (size_t)thread->only_frame == i)
				FACTS_WRITE(json, NULL, local_frame, locals, call, index);
		arena_free(&arena);
	}
}

static void
write_threads(struct json *json, const struct locals_document *document)
{
	for (size_t i = 0; i < document->count; i++) {
		struct locals_thread thread = { .only_frame = -1 };

		if (!document->open(document->context, i, &thread))
			continue;
		FACTS_WRITE(json, NULL, local_thread, &thread);
		document->close(document->context, &thread);
	}
}
