/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "report/stack/fold.h"
#include "report/stack/walk_json_internal.h"
#include "walk/location.h"

/* A trust as rust-minidump writes it: the name of its constant in lower case. */
static void
write_trust(struct json *json, enum trust trust)
{
	static const char *const names[TRUST_COUNT] = {
#define TRUST(id, tag, found_by, role) [TRUST_##id] = #id,
#include "walk/method/method.def"
	};
	char name[32];
	size_t length = strlen(names[trust]);

	length = length < sizeof(name) ? length : sizeof(name) - 1;
	for (size_t i = 0; i < length; i++)
		name[i] = (char)tolower((unsigned char)names[trust][i]);
	name[length] = '\0';
	json_string(json, "trust", name);
}

static void
write_text_or_null(struct json *json, const char *key, struct text text)
{
	if (text.length > 0)
		json_text(json, key, text);
	else
		json_null(json, key);
}

static void
write_source(struct json *json, const struct call *call)
{
	write_text_or_null(json, "function", call->name);
	if (call->mangled.length > 0)
		json_text(json, "mangled", call->mangled);
	write_text_or_null(json, "file", call->file);
	if (call->has_line)
		json_number(json, "line", call->line);
	else
		json_null(json, "line");
}

static void
write_inlines(struct json *json, const struct location *location)
{
	if (location->call_count < 2) {
		json_null(json, "inlines");
		return;
	}
	json_array(json, "inlines");
	for (size_t i = 0; i + 1 < location->call_count; i++) {
		json_object(json, NULL);
		write_source(json, &location->calls[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

/* Every unloaded module that the address may have been in, as they come. */
static void
write_unloaded(struct walk_json *document, uint64_t address)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;
	bool any = false;

	for (size_t i = 0; i < crash->unloaded_count; i++) {
		const struct module *module = &crash->unloaded[i];

		if (address < module->base || address - module->base >= module->size)
			continue;
		if (!any)
			json_array(json, "unloaded_modules");
		any = true;
		json_object(json, NULL);
		walk_json_base_name(json, "module", module->code_file);
		json_array(json, "offsets");
		walk_json_address(document, NULL, address - module->base);
		json_array_end(json);
		json_object_end(json);
	}
	if (any)
		json_array_end(json);
	else
		json_null(json, "unloaded_modules");
}

/* The members that rust-minidump gives a frame. */
static void
write_names(struct walk_json *document, const struct frame *frame,
	    const struct location *location, size_t number)
{
	struct json *json = &document->json;
	const struct module *module = location->module;
	const struct call *call = &location->calls[location->call_count - 1];
	bool loaded = module != NULL && !module->unloaded, named = loaded && call->name.length > 0;

	json_number(json, "frame", number);
	write_trust(json, frame->trust);
	walk_json_address(document, "offset", frame->lookup);
	if (loaded) {
		walk_json_base_name(json, "module", module->code_file);
		walk_json_address(document, "module_offset", frame->lookup - module->base);
	} else {
		json_null(json, "module");
		json_null(json, "module_offset");
	}
	write_source(json, call);
	if (named)
		walk_json_address(document, "function_offset",
				  frame->lookup - module->base - call->function_base);
	else
		json_null(json, "function_offset");
	write_inlines(json, location);
	if (loaded)
		json_null(json, "unloaded_modules");
	else
		write_unloaded(document, frame->lookup);
	json_bool(json, "missing_symbols", call->name.length == 0);
}

/* The event of the last attempt: the one that gave the caller, or the last that failed. */
static uint32_t
last_attempt(const struct trace *trace)
{
	uint32_t attempt = TRACE_NONE;

	for (uint32_t i = trace_next(trace, TRACE_NONE, EVENT_ATTEMPT); i != TRACE_NONE;
	     i = trace_next(trace, i, EVENT_ATTEMPT))
		attempt = i;
	return attempt;
}

/* A program is no register's: it assigns several. */
static void
write_rule(struct walk_json *document, const struct event *event)
{
	struct json *json = &document->json;
	bool program = text_equal(event->name, text_of("program"));

	json_object(json, NULL);
	write_text_or_null(json, "register", program ? text_of("") : event->name);
	json_string(json, "rule", event->text);
	if (event->status == EVENT_OK && !program)
		walk_json_address(document, "value", event->value);
	else
		json_null(json, "value");
	place_write(json, "place", event->place);
	json_object_end(json);
}

static void
write_rules(struct walk_json *document, const struct trace *trace, uint32_t attempt)
{
	const struct event *of = &trace->events[attempt];

	json_array(&document->json, "rules");
	for (uint32_t i = attempt + 1; i < of->end; i++)
		if (trace->events[i].kind == EVENT_RULE)
			write_rule(document, &trace->events[i]);
	json_array_end(&document->json);
}

/* The record that the attempt followed: the first fact of it that has a place. */
static struct place
record_of(const struct trace *trace, uint32_t attempt)
{
	for (uint32_t i = attempt + 1; i < trace->events[attempt].end; i++)
		if (trace->events[i].kind == EVENT_RECORD && trace->events[i].place.input != NULL)
			return trace->events[i].place;
	return (struct place){ 0 };
}

/* Words that a scan looked at, with the reason why each was refused. */
static void
write_candidates(struct walk_json *document, const struct trace *trace, uint32_t attempt)
{
	struct json *json = &document->json;
	bool any = false;

	for (uint32_t i = attempt + 1; i < trace->events[attempt].end; i++) {
		const struct event *event = &trace->events[i];

		if (event->kind != EVENT_CANDIDATE)
			continue;
		if (!any)
			json_array(json, "candidates");
		any = true;
		json_object(json, NULL);
		walk_json_address(document, "address", event->address);
		if (crash_redacts_memory(document->crash))
			json_null(json, "value");
		else
			walk_json_address(document, "value", event->value);
		json_bool(json, "taken", event->status == EVENT_OK);
		json_string(json, "reason", event->text[0] != '\0' ? event->text : NULL);
		json_object_end(json);
	}
	if (any)
		json_array_end(json);
}

/* The methods that were tried, in order, with what each of them said. */
static void
write_attempts(struct json *json, const struct trace *trace)
{
	static const char *const verdicts[] = {
		[VERDICT_TAKEN] = "taken", [VERDICT_REFUSED] = "refused", [VERDICT_END] = "end",
	};

	json_array(json, "attempts");
	for (uint32_t i = trace_next(trace, TRACE_NONE, EVENT_ATTEMPT); i != TRACE_NONE;
	     i = trace_next(trace, i, EVENT_ATTEMPT)) {
		const struct event *attempt = &trace->events[i];
		const struct event *result = NULL;

		for (uint32_t j = i + 1; j < attempt->end; j++)
			if (trace->events[j].kind == EVENT_RESULT)
				result = &trace->events[j];
		json_object(json, NULL);
		json_string(json, "method", method_name((enum method_id)attempt->detail));
		json_string(json, "verdict", result != NULL ? verdicts[result->detail] : NULL);
		json_string(json, "reason",
			    result != NULL && result->text[0] != '\0' ? result->text : NULL);
		json_object_end(json);
	}
	json_array_end(json);
}

/* How the frame was found: the step from the next younger one, taken again with a recorder. */
static void
write_step(struct walk_json *document, struct walk *walk, size_t number, struct trace *trace)
{
	struct json *json = &document->json;
	struct verdict verdict;
	struct frame caller;

	trace_reset(trace);
	unwind_step(walk, number - 1, trace, &caller, &verdict);
	uint32_t attempt = last_attempt(trace);

	json_string(json, "method", method_name(walk->frames[number].method));
	if (attempt == TRACE_NONE) {
		json_null(json, "record");
		json_array(json, "rules");
		json_array_end(json);
	} else {
		place_write(json, "record", record_of(trace, attempt));
		write_rules(document, trace, attempt);
		write_candidates(document, trace, attempt);
	}
	write_attempts(json, trace);
}

/* What only we say of a frame. */
static void
write_ours(struct walk_json *document, struct walk *walk, size_t number,
	   const struct location *location, struct trace *trace)
{
	struct json *json = &document->json;
	const struct frame *frame = &walk->frames[number];
	const struct crash_context *context = crash_thread_context(walk->crash, walk->thread);

	walk_json_address(document, "address", frame->registers.value[walk->arch->pc]);
	json_string(json, "found_by", trust_found_by(frame->trust));
	json_bool(json, "interrupted", frame->interrupted);
	registers_write(json, "registers", walk->arch, &frame->registers);
	if (location->symbol.found)
		place_write(json, "function_record",
				location_place(location, location->symbol.function.offset,
					       location->symbol.function.length));
	else
		json_null(json, "function_record");
	if (number > 0) {
		write_step(document, walk, number, trace);
		return;
	}
	json_null(json, "method");
	place_write(json, "record", context != NULL ? context->place : (struct place){ 0 });
	json_array(json, "rules");
	json_array_end(json);
	json_array(json, "attempts");
	json_array_end(json);
}

/* Why the stack ends where it does, and what was tried there. */
static void
write_end(struct walk_json *document, struct walk *walk, struct trace *trace)
{
	struct json *json = &document->json;
	struct verdict verdict;
	struct frame caller;

	json_object(json, "end");
	json_bool(json, "complete", walk->complete);
	json_string(json, "reason", walk->complete ? walk->end.text : NULL);
	trace_reset(trace);
	if (walk->complete && walk->count > 0)
		unwind_step(walk, walk->count - 1, trace, &caller, &verdict);
	write_attempts(json, trace);
	json_object_end(json);
}

static void
write_frame(struct walk_json *document, struct walk *walk, size_t number, bool ours,
	    struct arena *arena, struct trace *trace)
{
	struct json *json = &document->json;
	const struct frame *frame = &walk->frames[number];
	struct location location;

	location_of(walk, frame->lookup, arena, NULL, &location);
	json_object(json, NULL);
	write_names(document, frame, &location, number);
	if (ours)
		write_ours(document, walk, number, &location, trace);
	else if (number == 0)
		registers_write(json, "registers", walk->arch, &frame->registers);
	json_object_end(json);
	arena_reset(arena);
}

/* Cycles of frames, of which only the first turn is among the frames. */
static void
write_cycles(struct walk_json *document, const struct fold *fold)
{
	struct json *json = &document->json;

	if (!document->options->fold) {
		json_null(json, "cycles");
		return;
	}
	json_array(json, "cycles");
	for (size_t i = 0; i < fold->run_count; i++) {
		json_object(json, NULL);
		json_number(json, "first_frame", fold->runs[i].first);
		json_number(json, "length", fold->runs[i].length);
		json_number(json, "times", fold->runs[i].times);
		json_object_end(json);
	}
	json_array_end(json);
}

void
walk_json_frames(struct walk_json *document, struct walk *walk, bool ours)
{
	struct json *json = &document->json;
	struct fold fold = { 0 };
	struct arena arena;
	struct trace trace;

	arena_init(&arena, 0);
	trace_init(&trace);
	if (document->options->fold)
		fold_update(&fold, walk);
	json_number(json, "frame_count", walk->count);
	json_array(json, "frames");
	for (size_t i = 0; i < walk->count; i++) {
		const struct fold_run *run = i < fold.count ? fold_run_of(&fold, i) : NULL;

		write_frame(document, walk, i, ours, &arena, &trace);
		if (run != NULL && i + 1 == run->first + run->length)
			i = run->first + fold_run_frames(run) - 1;
	}
	json_array_end(json);
	if (ours) {
		write_cycles(document, &fold);
		write_end(document, walk, &trace);
	}
	fold_free(&fold);
	trace_free(&trace);
	arena_free(&arena);
}
