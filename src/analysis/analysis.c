/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <stdlib.h>
#include <string.h>

#include "code/call.h"
#include "walk/location.h"

/* Frames walked for a signature, which skips long runs of helper functions. */
#define SIGNATURE_FRAMES 64u
/* Bytes of one finding or piece of evidence. */
#define SENTENCE 400u
/* Bytes of a function's name in a sentence, without "...". */
#define NAME_SHOWN 60u

const struct finding_words finding_words[FINDING_COUNT] = {
#define F(id, name, title) { name, title },
#include "analysis/finding.def"
#undef F
};

/* The contradictions that rust-minidump also finds, with its names (crash_inconsistencies). */
static const struct {
	enum finding_kind kind;
	const char *name;
} inconsistencies[] = {
	{ FINDING_NO_DIVISION, "int_div_by_zero_not_possible" },
	{ FINDING_NO_PRIVILEGE, "priv_instruction_crash_without_priv_instruction" },
	{ FINDING_FALSE_ADDRESS, "non_canonical_address_falsely_reported" },
	{ FINDING_ALLOWED_ACCESS, "access_violation_when_access_allowed" },
	{ FINDING_NO_SUCH_ACCESS, "crashing_access_not_found_in_memory_accesses" },
};

static void (*const steps[])(struct explain *explain) = {
#define S(function) function,
#include "analysis/step.def"
#undef S
};

const char *const analysis_access_names[] = {
	[ANALYSIS_READ] = "read", [ANALYSIS_WRITE] = "write",
	[ANALYSIS_READ_WRITE] = "readwrite", [ANALYSIS_EXECUTE] = "execute",
};

const char *
finding_inconsistency(enum finding_kind kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(inconsistencies); i++)
		if (inconsistencies[i].kind == kind)
			return inconsistencies[i].name;
	return NULL;
}

const char *
analysis_confidence_name(unsigned confidence)
{
	if (confidence >= 100)
		return "certain";
	if (confidence >= 95)
		return "very likely";
	if (confidence >= 70)
		return "likely";
	return confidence >= 40 ? "possible" : "weak";
}

const char *
analysis_register(const struct explain *explain, int reg)
{
	return reg == ARCH_NO_REGISTER ? "the crash address" : explain->arch->registers[reg].label;
}

/* The letters of a name at `at` that belong together; 0: parameters begin. */
static size_t
letters_at(struct text name, size_t at, size_t depth)
{
	static const char *const nameless[] = { "(anonymous namespace)" };

	if (depth > 0 || name.start[at] != '(')
		return 1;
	return text_begins((struct text){ name.start + at, name.length - at }, nameless, 1);
}

struct text
analysis_short(struct text name, struct arena *arena)
{
	size_t depth = 0, at = 0;

	for (size_t letters; at < name.length && (letters = letters_at(name, at, depth)) > 0;
	     at += letters)
		depth += (size_t)(name.start[at] == '<') - (name.start[at] == '>' && depth > 0);
	if (name.length <= NAME_SHOWN)
		return name;
	at = at > 0 && at < NAME_SHOWN ? at : NAME_SHOWN;
	const char *text = arena_format(arena, "%.*s%s", (int)at, name.start,
					name.start[at] == '(' ? "(...)" : "...");
	return text_of(text_or_empty(text));
}

struct text
analysis_untyped(struct text name)
{
	size_t depth = 0, last = 0, at = 0;

	for (size_t letters; at < name.length && (letters = letters_at(name, at, depth)) > 0;
	     at += letters) {
		const char c = name.start[at];

		if (c == '<' || (c == '>' && depth > 0))
			depth = c == '<' ? depth + 1 : depth - 1;
		else if (depth == 0 && c == ' ')
			last = at + 1;
	}
	if (at == name.length || at <= last || name.start[at - 1] != '>' ||
	    memmem(name.start, last, "operator", 8) != NULL)
		return name;
	return (struct text){ name.start + last, name.length - last };
}

bool
analysis_in_library(struct text name)
{
	static const char *const libraries[] = {
		"std::", "__gnu_cxx::", "core::", "alloc::", "<std::", "<core::", "<alloc::",
	};

	return text_begins(analysis_untyped(name), libraries, ARRAY_COUNT(libraries)) != 0;
}

static const char *
call_name(struct explain *explain, const struct location *location, const struct call *call,
	  bool distance)
{
	struct arena *arena = &explain->out->arena;
	struct text name = location_name(location, call, location->address, distance, arena);

	if (!distance && call->name.length > 0 && !location->symbol.uncertain)
		name = call->name;
	return text_or_empty(text_printable_copy(arena, analysis_short(name, arena)));
}

const char *
analysis_function(struct explain *explain, uint64_t address, bool distance)
{
	struct location location;

	location_of(explain->walk, address, &explain->out->arena, &location);
	return call_name(explain, &location, &location.calls[location.call_count - 1], distance);
}

const char *
analysis_call(struct explain *explain, size_t frame)
{
	struct location location;
	size_t call = 0;

	location_of(explain->walk, explain->walk->frames[frame].lookup, &explain->out->arena,
		    &location);
	while (call + 1 < location.call_count && analysis_in_library(location.calls[call].name))
		call++;
	return call_name(explain, &location, &location.calls[call], false);
}

bool
analysis_number(const struct explain *explain, uint64_t address, unsigned size, uint64_t *value)
{
	return code_read(&explain->memory, explain->binaries, address, size, value);
}

const struct binary *
analysis_file(const struct explain *explain, uint64_t address, enum locate_kind kind,
	      uint64_t *relative)
{
	const int index = module_map_find(&explain->modules, address);

	if (index == MODULE_NONE)
		return NULL;
	*relative = address - explain->crash->modules[index].base;
	return binaries_load(explain->binaries, (size_t)index, kind);
}

bool
analysis_string(const struct explain *explain, uint64_t address, char *text, size_t size)
{
	const struct reader stored = memory_rest(&explain->memory, address);
	const uint8_t *data = stored.data;
	uint64_t available = stored.size, rva = 0;

	if (data == NULL) {
		const struct binary *file = analysis_file(explain, address, LOCATE_IMAGE, &rva);
		const struct binary_section *section =
			file != NULL && file->format == BINARY_PE ? binary_section_at(file, rva)
								  : NULL;
		if (section != NULL) {
			data = section->data + (rva - section->address);
			available = section->size - (rva - section->address);
		}
	}
	size_t count = available < size - 1 ? (size_t)available : size - 1;
	if (data != NULL)
		memcpy(text, data, count);
	else
		count = binaries_read(explain->binaries, address, (uint8_t *)text, size - 1, NULL);
	text[count] = '\0';
	if (count < size - 1 && strlen(text) == count)
		return false;
	if (stored.data != NULL)
		memory_note(&explain->memory, address, strlen(text) + 1, MEMORY_READ);
	return true;
}

void
analysis_show(struct explain *explain, const char *text, char *shown, size_t size)
{
	const char *safe = text_printable_copy(&explain->out->arena, text_of(text));

	text_cut(shown, size, text_of(text_or_empty(safe)), size - 1, false, "...");
}

bool
analysis_is_plain(const char *text)
{
	for (const char *at = text; *at != '\0'; at++)
		if (*at < ' ' || *at > '~')
			return false;
	return *text != '\0';
}

struct finding *
finding_add(struct explain *explain, enum finding_kind kind, unsigned confidence,
	    const char *format, ...)
{
	struct analysis *out = explain->out;
	char whole[4 * SENTENCE], text[SENTENCE];

	TEXT_FORMAT(whole, format);
	analysis_show(explain, whole, text, sizeof(text));
	const char *copy = arena_string(&out->arena, text);
	struct finding *finding = copy == NULL ? NULL
					       : ARENA_PUSH(&out->arena, out->findings,
							    out->finding_count,
							    out->finding_capacity);
	if (finding != NULL)
		*finding = (struct finding){ .kind = kind, .confidence = confidence, .text = copy };
	return finding;
}

void
finding_evidence(struct explain *explain, struct finding *finding, const char *format, ...)
{
	struct arena *arena = &explain->out->arena;
	char whole[4 * SENTENCE], text[SENTENCE];

	if (finding == NULL)
		return;
	TEXT_FORMAT(whole, format);
	analysis_show(explain, whole, text, sizeof(text));
	const char *copy = arena_string(arena, text);
	if (copy != NULL)
		ARENA_ADD(arena, finding->evidence, finding->evidence_count,
			  finding->evidence_capacity, &copy);
}

/* Finds the registers of the crash: those of the walk's thread, else the exception's. */
static void
find_context(struct explain *explain)
{
	const struct crash *crash = explain->crash;
	const struct crash_context *context = &crash->exception.context;

	explain->out->thread = crash->requesting_thread;
	if (explain->walk != NULL) {
		explain->out->thread = (int)explain->walk->thread;
		context = explain->walk->context;
	} else if (crash->requesting_thread >= 0) {
		context = crash_thread_context(crash, (size_t)crash->requesting_thread);
	}
	if (context == NULL || !context->present || context->arch == NULL)
		return;
	explain->arch = context->arch;
	explain->registers = &context->registers;
}

struct analysis *
analysis_create(const struct crash *crash, struct walk *walk, struct binaries *binaries,
		const struct signature_rules *rules)
{
	struct analysis *out = calloc(1, sizeof(*out));
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct explain explain = { .out = out, .crash = crash, .walk = walk,
				   .binaries = binaries, .rules = rules };

	if (out == NULL)
		return NULL;
	message_list_init(&out->messages, &out->arena);
	out->crash = crash;
	out->signature_rules = rules != NULL ? rules->input.name : NULL;
	out->signature = out->proto_signature = "";
	memory_view_all(&explain.memory, crash, &out->arena);
	module_map_build(&explain.modules, crash, &policy, &out->arena);
	find_context(&explain);
	out->reason = crash->cause.text != NULL ? crash->cause.text : crash->reason;
	out->address = crash->reason_address;
	out->has_address = crash->reason != NULL && crash->cause.address == CRASH_ADDRESS_MEMORY;
	if (crash->reason != NULL && !out->has_address)
		out->adjustment = ANALYSIS_NO_ADDRESS;
	if (walk != NULL && walk->count < SIGNATURE_FRAMES)
		walk_run(walk, SIGNATURE_FRAMES);
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++)
		steps[i](&explain);
	/* Findings of one kind keep their order, which qsort does not guarantee. */
	for (size_t i = 1; i < out->finding_count; i++) {
		struct finding moved = out->findings[i];
		size_t at = i;

		for (; at > 0 && out->findings[at - 1].kind > moved.kind; at--)
			out->findings[at] = out->findings[at - 1];
		out->findings[at] = moved;
	}
	return out;
}

void
analysis_free(struct analysis *analysis)
{
	if (analysis == NULL)
		return;
	arena_free(&analysis->arena);
	free(analysis);
}
