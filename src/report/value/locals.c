/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/locals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/value/locals_internal.h"
#include "walk/location.h"

/* Bytes of a value that JSON has. */
#define MOST_BYTES 4096u

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

/* The name in the source alone, as debuggers have it. */
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

const struct locals *
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
	location_of(walk, walk->frames[frame].lookup, arena, NULL, &locals->location);
	if (globals)
		locals->global_count =
			frame_variables_globals(locals->variables, arena, &locals->globals);
	return locals;
}

bool
locals_any(const struct locals *locals)
{
	return locals->variables->scopes.count > 0;
}

/* JSON ----------------------------------------------------------------------------------------- */

static const struct fact_names location_names = FACT_NAMES(variable_locations);

/* What JSON has of a variable. */
struct written {
	const char *type, *how, *value, *pretty, *absent, *number, *bytes;
	size_t location;
	const struct location_result *result;
	bool has_address;
	uint64_t address;
};

static const char *
hex_of(const uint8_t *bytes, size_t size, struct arena *arena)
{
	char *text = arena_alloc(arena, 2 * size + 1);

	for (size_t i = 0; text != NULL && i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static struct written
write_variable(const struct locals *locals, const struct debug_variable *variable,
	       struct arena *arena)
{
	static const struct value_text_options plain = { .reasons = false },
					       library = { .library = true };
	const bool redacted = locals->walk->crash->redacted;
	struct variable_value found;
	struct written written = { .type = "", .value = "", .location = VARIABLE_ABSENT };
	char number[32];
	const char *why;

	if (!variable_value_of(locals->variables, variable, arena, &found))
		return written;
	const struct typed_value *value = &found.value;
	struct typed_value object = *value;
	written.type = value->type->name;
	written.how = found.how;
	written.location = found.location;
	written.result = found.result;
	written.value = value_text(value, &plain, arena);
	written.absent = value->why;
	written.pretty = value_text(value, &library, arena);
	if (strcmp(written.pretty, written.value) == 0)
		written.pretty = NULL;
	if (value_text_number(value, number, sizeof(number)))
		written.number = arena_copy(arena, number, strlen(number));
	if (value->type->kind == DEBUG_TYPE_REFERENCE && value->why == NULL)
		object = value_pointed(value, value->type, arena);
	written.has_address = object.in_memory && object.why == NULL;
	written.address = object.address;
	const uint8_t *bytes = redacted || !value->type->has_size || value->type->size > MOST_BYTES
				       ? NULL
				       : value_bytes(&object, value->type->size, arena, &why);
	if (bytes != NULL)
		written.bytes = hex_of(bytes, (size_t)value->type->size, arena);
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
		const struct locals *locals =
			locals_of(walk, thread->memory, i, thread->globals, NULL, &arena);
		const size_t calls = locals != NULL ? locals_call_count(locals) : 0;

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
		json->digits = (unsigned)report_digits(thread.walk->arch);
		FACTS_WRITE(json, NULL, local_thread, &thread);
		document->close(document->context, &thread);
	}
}
