/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/names.h"
#include "report/step/explain.h"
#include "report/step/methods_compared.h"
#include "rules/trace.h"

/* A step as JSON: every event of its trace in order, then what came of it. */

static const char *const event_kind_words[] = {
	[EVENT_STEP] = "step",	       [EVENT_ATTEMPT] = "attempt",
	[EVENT_RECORD] = "record",     [EVENT_INPUT] = "input",
	[EVENT_RULE] = "rule",	       [EVENT_TOKEN] = "token",
	[EVENT_READ] = "read",	       [EVENT_SET] = "set",
	[EVENT_CANDIDATE] = "candidate", [EVENT_CHECK] = "check",
	[EVENT_REPAIR] = "repair",     [EVENT_ROW] = "row",
	[EVENT_FIELD] = "field",       [EVENT_RESULT] = "result",
};
static const struct fact_names event_kinds = FACT_NAMES(event_kind_words);

static const char *const event_state_words[] = {
	[EVENT_OK] = "ok", [EVENT_FAILED] = "failed", [EVENT_NOTE] = "note",
};
static const struct fact_names event_states = FACT_NAMES(event_state_words);

static bool
has_value(const struct event *event)
{
	switch (event->kind) {
	case EVENT_INPUT:
	case EVENT_RULE:
	case EVENT_READ:
	case EVENT_SET:
	case EVENT_CANDIDATE:
		return event->status == EVENT_OK || event->kind == EVENT_CANDIDATE;
	default:
		return false;
	}
}

static void
write_registers(struct json *json, const struct arch *arch, const struct registers *registers)
{
	for (int reg = 0; reg < arch->register_count; reg++)
		if (registers_known(registers, reg))
			json_hex(json, arch->registers[reg].label, registers->value[reg],
				 json->digits);
}

static void
write_caller(struct json *json, const struct step_view *view)
{
	if (view->verdict.kind != VERDICT_TAKEN) {
		json_null(json, "caller");
		return;
	}
	json_object(json, "caller");
	write_registers(json, view->walk->arch, &view->caller.registers);
	json_object_end(json);
}

static void
write_stack(struct json *json, const struct event *event);

#define FACTS "report/step/step_facts.def"
#include "document/describe_facts.h"

static void
write_stack(struct json *json, const struct event *event)
{
	for (const struct cell *cell = event->stack; cell != NULL; cell = cell->below) {
		json_object(json, NULL);
		stack_cell_members(json, cell);
		json_object_end(json);
	}
}

/* Begin a document with addresses of the walk's width. */
static void
begin(struct json *json, const struct output *output, const struct walk *walk, bool pretty)
{
	json_begin(json, output, pretty);
	json->digits = walk->arch->word_size == 4 ? 8 : 16;
	json_object(json, NULL);
}

void
explain_step_json(const struct output *output, const struct step_view *view, bool pretty)
{
	struct json json;

	begin(&json, output, view->walk, pretty);
	step_document_members(&json, view);
	json_object_end(&json);
	json_finish(&json);
}

void
explain_methods_json(const struct output *output, struct walk *walk, size_t frame, bool pretty)
{
	struct arena arena;
	struct json json;

	arena_init(&arena, 0);
	const struct methods_compared *compared = methods_compare(walk, frame, &arena);
	begin(&json, output, walk, pretty);
	if (compared != NULL)
		methods_document_members(&json, compared);
	json_object_end(&json);
	json_finish(&json);
	arena_free(&arena);
}
