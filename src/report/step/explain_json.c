/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "report/step/explain.h"
#include "document/json.h"
#include "report/report.h"
#include "rules/trace.h"

/* A step as JSON: every event of its trace in order, then what came of it. */

static const char *
kind_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_STEP] = "step",	       [EVENT_ATTEMPT] = "attempt",
		[EVENT_RECORD] = "record",     [EVENT_INPUT] = "input",
		[EVENT_RULE] = "rule",	       [EVENT_TOKEN] = "token",
		[EVENT_READ] = "read",	       [EVENT_SET] = "set",
		[EVENT_CANDIDATE] = "candidate", [EVENT_CHECK] = "check",
		[EVENT_REPAIR] = "repair",     [EVENT_ROW] = "row",
		[EVENT_FIELD] = "field",       [EVENT_RESULT] = "result",
	};

	return names[kind];
}

static const char *
status_name(enum event_status status)
{
	return status == EVENT_OK ? "ok" : status == EVENT_FAILED ? "failed" : "note";
}

static void
write_index(struct json *json, const char *key, uint32_t event)
{
	if (event == TRACE_NONE)
		json_null(json, key);
	else
		json_number(json, key, event);
}

/* The postfix stack after a token, its top first. */
static void
write_stack(struct json *json, const struct event *event, unsigned digits)
{
	json_array(json, "stack");
	for (const struct cell *cell = event->stack; cell != NULL; cell = cell->below) {
		json_object(json, NULL);
		if (cell->name.length != 0)
			json_text(json, "name", cell->name);
		if (cell->known)
			json_hex(json, "value", cell->value, digits);
		else
			json_null(json, "value");
		json_object_end(json);
	}
	json_array_end(json);
}

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
write_event(struct json *json, const struct step_view *view, uint32_t index)
{
	const struct event *event = &view->trace.events[index];
	const struct arch *arch = view->walk->arch;
	const unsigned digits = (unsigned)report_digits(arch);
	char place[300];

	json_object(json, NULL);
	json_number(json, "event", index);
	json_string(json, "kind", kind_name(event->kind));
	json_string(json, "status", status_name(event->status));
	write_index(json, "parent", event->parent);
	write_index(json, "from", event->from);
	if (event->kind == EVENT_ATTEMPT)
		json_string(json, "method", method_name((enum method_id)event->detail));
	if (event->kind == EVENT_RESULT)
		json_string(json, "verdict", step_view_verdict(event->detail));
	if (event->reg != ARCH_NO_REGISTER)
		json_string(json, "register", arch->registers[event->reg].label);
	if (event->name.length != 0)
		json_text(json, "name", event->name);
	if (event->kind == EVENT_READ || event->kind == EVENT_CANDIDATE)
		json_hex(json, "address", event->address, digits);
	if (has_value(event))
		json_hex(json, "value", event->value, digits);
	if (event->text != NULL && event->text[0] != '\0')
		json_string(json, "text", event->text);
	if (event->place.input != NULL)
		json_string(json, "place", place_format(&event->place, place, sizeof(place)));
	if (event->kind == EVENT_TOKEN)
		write_stack(json, event, digits);
	json_object_end(json);
}

static void
write_registers(struct json *json, const char *key, const struct arch *arch,
		const struct registers *registers)
{
	json_object(json, key);
	for (int reg = 0; reg < arch->register_count; reg++)
		if (registers_known(registers, reg))
			json_hex(json, arch->registers[reg].label, registers->value[reg],
				 (unsigned)report_digits(arch));
	json_object_end(json);
}

void
explain_step_json(const struct output *output, const struct step_view *view, bool pretty)
{
	const struct arch *arch = view->walk->arch;
	const bool taken = view->verdict.kind == VERDICT_TAKEN;
	struct json json;

	json_begin(&json, output, pretty);
	json_object(&json, NULL);
	json_number(&json, "frame", view->frame);
	json_string(&json, "architecture", arch->name);
	write_registers(&json, "registers", arch, &view->walk->frames[view->frame].registers);
	json_array(&json, "events");
	for (uint32_t i = 0; i < view->trace.count; i++)
		write_event(&json, view, i);
	json_array_end(&json);
	json_string(&json, "verdict", step_view_verdict(view->verdict.kind));
	json_string(&json, "text", view->verdict.text);
	if (taken) {
		json_string(&json, "found_by", trust_found_by(view->caller.trust));
		write_registers(&json, "caller", arch, &view->caller.registers);
	} else {
		json_null(&json, "found_by");
		json_null(&json, "caller");
	}
	json_object_end(&json);
	json_finish(&json);
}
