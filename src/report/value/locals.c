/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/locals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "walk/location.h"

/* Bytes of a value that JSON has. */
#define MOST_BYTES 4096u

struct locals {
	struct walk *walk;
	size_t frame;
	const struct frame_variables *variables;
	struct debug_variable *globals;
	size_t global_count;
	struct location location;
	struct local_row {
		size_t call;
		const struct debug_variable *variable;	/* NULL: the heading of the call */
		struct variable_value value;
	} *rows;
	size_t count, capacity;
};

/* Calls ---------------------------------------------------------------------------------------- */

/* The call of the stack that a scope is; NULL where the symbols have others. */
static const struct call *
call_of(const struct locals *locals, size_t call)
{
	const size_t scopes = locals->variables->scopes.count;
	const size_t calls = locals->location.call_count;

	if (scopes == 0)
		return call < calls ? &locals->location.calls[call] : NULL;
	return scopes == calls ? &locals->location.calls[call]
	       : call + 1 == scopes ? &locals->location.calls[calls - 1] : NULL;
}

static struct text
function_name(const struct locals *locals, size_t call)
{
	const struct debug_scopes *scopes = &locals->variables->scopes;
	const struct call *named = call_of(locals, call);

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
	return function_name(locals, call);
}

/* How many calls a frame is written as. */
static size_t
call_count(const struct locals *locals)
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

	if (call + 1 < call_count(locals))
		return 1;
	return next < locals->walk->count && frames[next].method == METHOD_SIGNAL_FRAME ? 2 : 0;
}

/* Making --------------------------------------------------------------------------------------- */

/* Add a heading, and a row for each variable; false when out of memory. */
static bool
add_rows(struct locals *locals, size_t call, const struct debug_variable *variables, size_t count,
	 struct arena *arena)
{
	for (size_t i = 0; i <= count; i++) {
		struct local_row *row = ARENA_PUSH(arena, locals->rows, locals->count,
						   locals->capacity);
		if (row == NULL)
			return false;
		row->call = call;
		row->variable = i > 0 ? &variables[i - 1] : NULL;
		if (i > 0 && !variable_value_of(locals->variables, row->variable, arena,
						&row->value))
			return false;
	}
	return true;
}

const struct locals *
locals_of(struct walk *walk, const struct memory_view *memory, size_t frame, bool globals,
	  struct arena *arena)
{
	struct locals *locals = arena_alloc(arena, sizeof(*locals));

	if (locals == NULL)
		return NULL;
	*locals = (struct locals){ .walk = walk, .frame = frame };
	locals->variables = frame_variables_of(walk, memory, frame, arena);
	if (locals->variables == NULL)
		return NULL;
	location_of(walk, walk->frames[frame].lookup, arena, NULL, &locals->location);
	for (size_t i = 0; i < locals->variables->scopes.count; i++) {
		const struct debug_scope *scope = &locals->variables->scopes.items[i];

		if (!add_rows(locals, i, scope->variables, scope->count, arena))
			return NULL;
	}
	if (globals)
		locals->global_count =
			frame_variables_globals(locals->variables, arena, &locals->globals);
	if (locals->global_count > 0 &&
	    !add_rows(locals, call_count(locals), locals->globals, locals->global_count, arena))
		return NULL;
	return locals;
}

bool
locals_any(const struct locals *locals)
{
	return locals->count > 0;
}

/* Rows ----------------------------------------------------------------------------------------- */

static void
fill_heading(const struct locals *locals, size_t index, size_t columns, struct row *row)
{
	const struct local_row *own = &locals->rows[index];
	const struct call *named = call_of(locals, own->call);
	const bool any = index + 1 < locals->count && locals->rows[index + 1].variable != NULL;

	if (own->call == call_count(locals)) {
		row_add(row, ROLE_TITLE, " static variables of the unit");
		return;
	}
	row_add(row, ROLE_TITLE, own->call == 0 ? " frame %zu  " : " inlined into  ", locals->frame);
	row_add_name(row, ROLE_NORMAL, columns > row->width ? columns - row->width : columns,
		     function_name(locals, own->call));
	if (named != NULL && named->has_line)
		row_add(row, ROLE_NORMAL, "  %.*s:%" PRIu32,
			(int)text_base_name(named->file).length, text_base_name(named->file).start,
			named->line);
	if (!any)
		row_add(row, ROLE_DIM, "  (no variables)");
}

static void
fill_variable(const struct local_row *own, size_t columns, struct row *row)
{
	const struct value_text_options options = { .reasons = true, .most = columns };
	const struct debug_variable *variable = own->variable;
	struct arena scratch = { 0 };

	row_add(row, ROLE_NORMAL, "   ");
	row_add_text(row, ROLE_DIM, text_of(own->value.value.type->name));
	row_add(row, ROLE_NORMAL, " ");
	row_add_text(row, ROLE_TITLE, text_of(*variable->name != '\0' ? variable->name : "(unnamed)"));
	row_add(row, ROLE_NORMAL, " = ");
	row_add_text(row, own->value.value.why != NULL ? ROLE_UNKNOWN : ROLE_NORMAL,
		     text_of(value_text(&own->value.value, &options, &scratch)));
	if (variable->shadowed)
		row_add(row, ROLE_DIM, "  (hidden by an inner one)");
	if (own->value.how != NULL && own->value.value.why == NULL)
		row_add(row, ROLE_DIM, "  [%s%s]", variable->argument ? "argument, " : "",
			own->value.how);
	else if (variable->argument)
		row_add(row, ROLE_DIM, "  [argument]");
	arena_free(&scratch);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct locals *locals = listing->context;

	if (locals->rows[index].variable == NULL)
		fill_heading(locals, index, columns, row);
	else
		fill_variable(&locals->rows[index], columns, row);
	if (columns > 0)
		row_cut(row, columns);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct locals *locals = listing->context;
	const struct local_row *own = &locals->rows[index];
	struct target target = report_no_target();

	target.thread = locals->walk->thread;
	target.frame = locals->frame;
	target.call = own->call;
	if (own->variable == NULL && own->call < call_count(locals)) {
		target.kind = TARGET_SOURCE;
	} else if (own->value.value.in_memory) {
		target.kind = TARGET_MEMORY;
		target.address = own->value.value.address;
	} else if (own->value.location == VARIABLE_REGISTER && own->value.value.why == NULL) {
		target.kind = TARGET_REGISTER;
		target.reg = arch_dwarf_register(locals->walk->arch,
						 (int)own->value.result->parts[0].number);
	}
	return target;
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	fill_row(listing, index, 0, row);
}

struct listing
locals_listing(const struct locals *locals)
{
	if (locals->variables->why != NULL)
		return listing_message(locals->variables->why);
	return (struct listing){ .count = locals->count, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = locals };
}

/* JSON ----------------------------------------------------------------------------------------- */

static const struct fact_names location_names = FACT_NAMES(variable_locations);

/* What JSON has of a variable. */
struct written {
	const char *type, *how, *value, *absent, *number, *bytes;
	size_t location;
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
	static const struct value_text_options plain = { .reasons = false };
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
	written.value = value_text(value, &plain, arena);
	written.absent = value->why;
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
			locals_of(walk, thread->memory, i, thread->globals, &arena);
		const size_t calls = locals != NULL ? call_count(locals) : 0;

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
