/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "analysis/symbol_fit.h"
#include "analysis/thread_state.h"
#include "base/checked.h"
#include "base/policy_rows.h"
#include "dump/describe.h"
#include "report/code/disassembly.h"
#include "report/crash_report.h"
#include "report/report.h"
#include "report/value/locals.h"
#include "walk/fold.h"

/* A document. In each object, members of rust-minidump's schema precede additional members. */
struct walk_json {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* NULL: none */
	const struct policy *policy;
	const struct walk_json_options *options;
	struct walk *requesting;	/* walk of the requesting thread; or NULL */
	const struct analysis *analysis;
	size_t named;			/* bytes of long names so far; see walk/location.h */
	struct locals_budget budget;	/* memory for a report's variables */
	bool failed;			/* out of memory: the document is incomplete */
};

/* Reports -------------------------------------------------------------------------------------- */

static struct disassembly *
code_of(const struct walk_json *document)
{
	const struct disassembly_options code = {
		.around = document->options->around, .walk = document->options->reported,
		.of_frame = true, .source = document->options->source,
	};

	return code.walk != NULL && code.walk->count > 0 ? disassembly_create(&code) : NULL;
}

static bool
open_variables(void *context, size_t index, struct locals_thread *thread)
{
	struct walk_json *document = context;
	struct walk *walk = document->options->reported;

	(void)index;
	document->budget = locals_budget(document->crash);
	*thread = (struct locals_thread){
		.budget = &document->budget, .walk = walk, .only_frame = -1,
		.memory = &document->options->around->memory,
		.crashed = (int)walk->thread == document->crash->requesting_thread,
	};
	return true;
}

static void
close_variables(void *context, struct locals_thread *thread)
{
	(void)context;
	(void)thread;
}

/* The crash ------------------------------------------------------------------------------------ */

/* The first two words are rust-minidump's. */
static const char *const adjustments[] = {
	[ANALYSIS_NON_CANONICAL] = "non-canonical", [ANALYSIS_NULL_OFFSET] = "null-pointer",
	[ANALYSIS_OF_INSTRUCTION] = "instruction",
};
static const struct fact_names adjustment_names = FACT_NAMES(adjustments);

static const struct fact_names access_names = FACT_NAMES(analysis_access_names);

static const char *const permissions[] = {
	[ANALYSIS_UNKNOWN] = "unknown", [ANALYSIS_ALLOWED] = "allowed",
	[ANALYSIS_DENIED] = "denied", [ANALYSIS_UNMAPPED] = "unmapped",
};
static const struct fact_names permission_names = FACT_NAMES(permissions);

static const struct fact_names finding_names = FACT_NAMES_IN(finding_words);
static const struct fact_names lock_names = FACT_NAMES(lock_kind_names);

static const char *
register_label(const struct analysis *analysis, int reg)
{
	return reg != ARCH_NO_REGISTER ? analysis->crash->system.arch->registers[reg].label : NULL;
}

static const struct crash_exception *
exception_at(const struct crash *crash, size_t index)
{
	if (!crash->exception.present)
		return &crash->more_exceptions[index];
	return index == 0 ? &crash->exception : &crash->more_exceptions[index - 1];
}

#define FACTS "report/stack/crash_facts.def"
#include "document/describe_facts.h"

/* Steps ---------------------------------------------------------------------------------------- */

/* A thread whose frames are written, with the state for writing them. */
struct walked_stack {
	struct walk *walk;	/* NULL: the thread is left out */
	struct fold fold;	/* repeats in the walk; empty unless frames are folded */
	struct arena arena;
	struct trace trace;	/* trace of the step to one frame */
	size_t *named;		/* the document's counter for location_of_frame */
};

static void
open_stack(struct walked_stack *stack, struct walk_json *document, struct walk *walk)
{
	*stack = (struct walked_stack){ .walk = walk, .named = &document->named };
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

static const char *
last_error(const struct thread *thread, char *buffer, size_t size)
{
	if (!thread->has_last_error || thread->last_error_name != NULL)
		return thread->has_last_error ? thread->last_error_name : NULL;
	snprintf(buffer, size, "0x%08" PRIx32, thread->last_error);
	return buffer;
}

/*
 * Repeats the step to a frame and records a trace. Returns the event of the last attempt, whether
 * it found the frame or failed; TRACE_NONE for the first frame, which has no step.
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

/* The first record that a method used; for the first frame, the thread's context. */
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

static const struct event *
result_of(const struct trace *trace, const struct event *attempt)
{
	const struct event *result = NULL;

	for (const struct event *event = attempt + 1; event < trace->events + attempt->end; event++)
		if (event->kind == EVENT_RESULT)
			result = event;
	return result;
}

/*
 * A WoW64 thread has two stacks, but only one is dumped. Returns the name of the architecture whose
 * stack pointer is in the dumped stack; NULL for other threads.
 */
static const char *
side_of(const struct crash *crash, size_t index)
{
	const struct thread *thread = &crash->threads[index];
	const struct crash_context *context = crash_thread_context(crash, index);

	for (const struct crash_context *side = context->native != NULL ? context : NULL;
	     side != NULL; side = side->native) {
		if (checked_contains(thread->stack_start, thread->stack_size,
				     side->registers.value[side->arch->sp]))
			return side->arch->name;
	}
	return NULL;
}

/* Frames and threads --------------------------------------------------------------------------- */

static void
write_frames(struct json *json, struct walked_stack *stack, bool whole);

static void
write_threads(struct json *json, struct walk_json *document);

static const struct fact_names thread_states = FACT_NAMES(thread_state_words);
static const struct fact_names thread_waits = FACT_NAMES_IN(thread_wait_words);

#define FACTS "report/stack/frame_facts.def"
#include "document/describe_facts.h"

static void
write_frames(struct json *json, struct walked_stack *stack, bool whole)
{
	const struct fold *fold = &stack->fold;

	for (size_t i = 0; stack->walk != NULL && i < stack->walk->count; i++) {
		const struct fold_run *run = fold_run_of(fold, i);
		struct shown_frame shown;

		shown_frame(stack->walk, &stack->walk->frames[i], stack->named, &stack->arena,
			    &shown);
		if (whole)
			FACTS_WRITE(json, NULL, frame, stack, i, &shown);
		else
			FACTS_WRITE(json, NULL, crashing_frame, stack, i, &shown);
		arena_reset(&stack->arena);
		if (run != NULL && i + 1 == run->first + run->length)
			i = run->first + fold_run_frames(run) - 1;
	}
}

static void
write_threads(struct json *json, struct walk_json *document)
{
	const struct walk_json_options *options = document->options;
	size_t number = 0;

	for (size_t i = 0; i < document->crash->thread_count; i++) {
		const struct thread *thread = &document->crash->threads[i];
		const bool requesting = document->crash->requesting_thread == (int)i;
		const bool chosen = !thread->wrote_dump &&
				    (options->only_requesting ? requesting
				     : options->only_thread < 0 ||
					       (size_t)options->only_thread == number);
		const bool ready = document->requesting != NULL && requesting;
		struct walk *walk = NULL;

		if (chosen && !ready) {
			walk = walk_create(document->crash, document->symbols, document->binaries,
					   i, document->policy);
			document->failed = walk == NULL;
			if (document->failed)
				return;
			walk_run(walk, 0);
		}
		struct walked_stack stack;
		open_stack(&stack, document, chosen && ready ? document->requesting : walk);
		FACTS_WRITE(json, NULL, thread, document, i, number, &stack);
		close_stack(&stack);
		walk_free(walk);
		number += !thread->wrote_dump;
	}
}

/* Streams without a model ---------------------------------------------------------------------- */

#define STREAM_HANDLES 12u
#define STREAM_MAC_CRASH_INFO 0x4d7a0001u
#define STREAM_MAC_BOOT_ARGUMENTS 0x4d7a0002u
#define STREAM_PROC_LIMITS 0x4d7a0003u
#define STREAM_SOFT_ERRORS 0x4d7a0004u

struct gathered {
	const struct gathered *before;
	const char *name;
	uint64_t number;
	struct text text;
};

/* Collects the values of one record after another, and writes each record. */
struct gatherer {
	const struct crash *crash;
	struct json *json;
	const char *record;
	void (*members)(struct json *json, const struct gatherer *gatherer);
	struct arena arena;		/* memory for one record's values */
	const struct gathered *values;	/* list of values, the last value first */
	size_t depth;			/* depth in the stream; 1: in a record */
	uint64_t count;
};

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct gatherer *gatherer = context;

	if (gatherer->depth > 0 || strcmp(record->name, gatherer->record) != 0)
		return DESCRIBE_SKIP;
	gatherer->depth++;
	return DESCRIBE_ALL;
}

static void
gather_value(void *context, const struct describe_value *value)
{
	struct gatherer *gatherer = context;
	struct gathered *gathered;

	if (gatherer->depth != 1 || (value->broken && value->text.length == 0))
		return;
	gathered = arena_alloc(&gatherer->arena, sizeof(*gathered));
	if (gathered == NULL)
		return;
	*gathered = (struct gathered){
		.before = gatherer->values,
		.number = value->number,
		.name = arena_string(&gatherer->arena, value->name),
		.text = { text_copy(&gatherer->arena, value->text), value->text.length },
	};
	if (gathered->name != NULL && gathered->text.start != NULL)
		gatherer->values = gathered;
}

static void
end_record(void *context)
{
	struct gatherer *gatherer = context;

	gatherer->depth--;
	gatherer->count++;
	json_object(gatherer->json, NULL);
	gatherer->members(gatherer->json, gatherer);
	json_object_end(gatherer->json);
	gatherer->values = NULL;
	arena_reset(&gatherer->arena);
}

/* The value of a name; NULL if the record has no such value. */
static struct gathered
find(const struct gatherer *gatherer, const char *name)
{
	const struct gathered *value = gatherer->values;

	while (value != NULL && strcmp(value->name, name) != 0)
		value = value->before;
	return value != NULL ? *value : (struct gathered){ 0 };
}

static void
write_limit(struct json *json, const struct gatherer *gatherer, const char *key)
{
	const struct gathered value = find(gatherer, key);
	struct text rest = value.text;
	uint64_t limit;

	if (value.name == NULL)
		json_null(json, key);
	else if (text_take_number(&rest, 10, &limit) && rest.length == 0)
		json_number(json, key, limit);
	else
		json_text(json, key, value.text);
}

/* The index of the first stream of a type; the number of streams if none has the type. */
static size_t
find_stream(const struct crash *crash, uint32_t type)
{
	size_t at = 0;

	while (at < crash->stream_count && crash->streams[at].type != type)
		at++;
	return at;
}

static bool
has_stream(const struct crash *crash, uint32_t type)
{
	return find_stream(crash, type) < crash->stream_count;
}

static void
gather(struct gatherer *gatherer, struct json *json, uint32_t type, const char *record,
       void (*members)(struct json *json, const struct gatherer *gatherer))
{
	const struct describe_sink sink = { .begin = begin_record, .value = gather_value,
					    .end = end_record, .context = gatherer };

	gatherer->json = json;
	gatherer->record = record;
	gatherer->members = members;
	gatherer->count = 0;
	describe_stream(gatherer->crash, find_stream(gatherer->crash, type), &sink);
}

/* Writes the text of the value named `value`, or a stream's first text if `value` is NULL. */
struct string_of_stream {
	struct json *json;
	const char *key, *value;
	bool is_json;
	bool found;
};

static void
write_value(void *context, const struct describe_value *value)
{
	struct string_of_stream *string = context;
	bool named = string->value == NULL ? value->text.length > 0
					   : strcmp(value->name, string->value) == 0;

	if (string->found || !named || value->text.length == 0 ||
	    (string->is_json && !json_is_array(value->text)))
		return;
	string->found = true;
	(string->is_json ? json_copy : json_text)(string->json, string->key, value->text);
}

static void
write_string(struct json *json, const struct crash *crash, const char *key, uint32_t type,
	     const char *value)
{
	struct string_of_stream string = { json, key, value, strcmp(key, "soft_errors") == 0,
					   false };
	const struct describe_sink sink = { .value = write_value, .context = &string };
	size_t stream = find_stream(crash, type);

	if (stream < crash->stream_count)
		describe_stream(crash, stream, &sink);
	if (!string.found)
		json_null(json, key);
}

#define FACTS "report/stack/stream_facts.def"
#include "document/describe_facts.h"

/* The document --------------------------------------------------------------------------------- */

/* The unquoted value of the first annotation with one of the names; empty: none. */
static struct text
annotation_value(const struct crash *crash, const char *source, const char *key,
		 const char *other)
{
	for (size_t i = 0; i < crash->annotation_count; i++) {
		const struct annotation *at = &crash->annotations[i];

		if (strcmp(at->source, source) != 0 ||
		    (strcmp(at->key, key) != 0 && strcmp(at->key, other) != 0))
			continue;
		struct text value = text_of(at->value);
		if (value.length >= 2 && value.start[0] == '"' &&
		    value.start[value.length - 1] == '"')
			value = (struct text){ value.start + 1, value.length - 2 };
		return value;
	}
	return (struct text){ "", 0 };
}

static bool
has_release(const struct crash *crash)
{
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, "release") == 0)
			return true;
	return false;
}

/* Finds the process id in its stream or, without one, in the copy of /proc/PID/status. */
static bool
process_id(const struct crash *crash, uint64_t *pid)
{
	struct text status = text_trimmed(annotation_value(crash, "process status", "Pid", "Pid"));

	*pid = crash->misc.process_id;
	return crash->misc.has_process_id || text_take_number(&status, 10, pid);
}

static const struct symfile *
symfile_of(const struct walk_json *document, size_t module, enum symbols_state *state)
{
	return document->symbols != NULL ? symbols_peek(document->symbols, module, state) : NULL;
}

/* Whether the walker that the policy imitates would call the file corrupt. */
static bool
is_corrupt(const struct walk_json *document, const struct symfile *symfile)
{
	if (document->policy->value[POLICY_SYMBOL_ERROR_LIMIT] == 2)
		return symfile_strict(symfile) == NULL;
	return symfile_corrupt(symfile);
}

static void
write_messages(struct json *json, const struct walk_json *document);

static const char *const status_words[] = { "OK" };
static const struct fact_names statuses = FACT_NAMES(status_words);

static const struct fact_names formats = FACT_NAMES(crash_formats);

#define FACTS "report/stack/walk_facts.def"
#include "document/describe_facts.h"

static void
write_list(struct json *json, const struct message_list *list)
{
	for (size_t i = 0; list != NULL && i < list->count; i++)
		FACTS_WRITE(json, NULL, message, &list->messages[i]);
}

static void
write_messages(struct json *json, const struct walk_json *document)
{
	enum symbols_state state;

	write_list(json, &document->crash->messages);
	write_list(json, &document->analysis->messages);
	if (document->symbols != NULL)
		write_list(json, symbols_messages(document->symbols));
	for (size_t i = 0; i < document->crash->module_count; i++) {
		const struct symfile *symfile = symfile_of(document, i, &state);

		if (symfile == NULL)
			continue;
		write_list(json, symfile_messages(symfile));
		write_list(json, symfile_strict_messages(symfile));
	}
}

bool
walk_json(const struct output *output, const struct crash *crash, struct symbols *symbols,
	  struct binaries *binaries, const struct policy *policy,
	  const struct walk_json_options *options)
{
	struct walk_json document = {
		.crash = crash,
		.symbols = symbols,
		.binaries = binaries,
		.policy = policy,
		.options = options,
	};
	const int requesting = crash->requesting_thread;

	if (requesting >= 0 && !crash->threads[requesting].wrote_dump) {
		document.requesting =
			walk_create(crash, symbols, binaries, (size_t)requesting, policy);
		if (document.requesting == NULL)
			return false;
		walk_run(document.requesting, 0);
	}
	struct analysis *analysis = analysis_create(crash, document.requesting, binaries,
						    options->signature_rules);
	document.analysis = analysis;
	document.failed = analysis == NULL;
	if (!document.failed && options->around != NULL)
		FACTS_DOCUMENT(output, options->pretty, report_document, &document);
	else if (!document.failed && options->summary)
		FACTS_DOCUMENT(output, options->pretty, summary_document, &document);
	else if (!document.failed)
		FACTS_DOCUMENT(output, options->pretty, walk_document, &document);
	analysis_free(analysis);
	walk_free(document.requesting);
	return !document.failed;
}
