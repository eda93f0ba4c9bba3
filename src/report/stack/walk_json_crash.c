/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "report/stack/walk_json_internal.h"

static void
write_adjusted(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;
	const char *kind = analysis != NULL ? analysis_adjustment_name(analysis->adjustment) : NULL;

	if (kind == NULL) {
		json_null(json, "adjusted_address");
		return;
	}
	json_object(json, "adjusted_address");
	json_string(json, "kind", kind);
	if (analysis->adjustment == ANALYSIS_NULL_OFFSET)
		walk_json_address(document, "offset", analysis->offset);
	else
		walk_json_address(document, "address", analysis->adjusted);
	json_object_end(json);
}

static void
write_access(struct walk_json *document, const struct analysis_access *access)
{
	static const char *const permissions[] = {
		[ANALYSIS_UNKNOWN] = "unknown", [ANALYSIS_ALLOWED] = "allowed",
		[ANALYSIS_DENIED] = "denied", [ANALYSIS_UNMAPPED] = "unmapped",
	};
	struct json *json = &document->json;

	json_object(json, NULL);
	walk_json_address(document, "address", access->address);
	if (access->size != 0)
		json_number(json, "size", access->size);
	else
		json_null(json, "size");
	json_string(json, "access_type", analysis_access_name(access->kind));
	if (access->guard_page)
		json_bool(json, "is_likely_guard_page", true);
	json_string(json, "permission", permissions[access->permission]);
	json_bool(json, "faulted", access->faulted);
	json_string(json, "operand", access->text[0] != '\0' ? access->text : NULL);
	json_object_end(json);
}

static void
write_accesses(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;

	if (analysis == NULL || !analysis->instruction.present) {
		json_null(json, "memory_accesses");
		return;
	}
	json_array(json, "memory_accesses");
	for (size_t i = 0; i < analysis->instruction.access_count; i++)
		write_access(document, &analysis->instruction.accesses[i]);
	json_array_end(json);
}

static void
write_pointer_update(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;
	const struct analysis_instruction *at = analysis != NULL ? &analysis->instruction : NULL;

	if (at == NULL || !at->present || !at->has_next_pc) {
		json_null(json, "instruction_pointer_update");
		return;
	}
	json_object(json, "instruction_pointer_update");
	walk_json_address(document, "address", at->next_pc);
	json_object_end(json);
}

/* A percentage as rust-minidump writes it: a number between 0 and 1. */
static void
write_confidence(struct json *json, unsigned percent)
{
	json_fraction(json, "confidence", percent, 2);
}

static void
write_bit_flip(struct walk_json *document, const struct analysis_bit_flip *flip)
{
	struct json *json = &document->json;

	json_object(json, NULL);
	walk_json_address(document, "address", flip->address);
	json_string(json, "source_register",
		    flip->reg != ARCH_NO_REGISTER
			    ? document->crash->system.arch->registers[flip->reg].label
			    : NULL);
	json_object(json, "details");
	json_bool(json, "was_non_canonical", flip->was_non_canonical);
	json_bool(json, "is_null", flip->is_null);
	json_bool(json, "was_low", flip->was_low);
	json_number(json, "nearby_registers", flip->nearby_registers);
	json_bool(json, "poison_registers", flip->poison_registers);
	json_object_end(json);
	write_confidence(json, flip->confidence);
	json_number(json, "bit", flip->bit);
	json_object_end(json);
}

static void
write_bit_flips(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;

	if (analysis == NULL || analysis->bit_flip_count == 0) {
		json_null(json, "possible_bit_flips");
		return;
	}
	json_array(json, "possible_bit_flips");
	for (size_t i = 0; i < analysis->bit_flip_count; i++)
		write_bit_flip(document, &analysis->bit_flips[i]);
	json_array_end(json);
}

static void
write_inconsistencies(struct json *json, const struct analysis *analysis)
{
	json_array(json, "crash_inconsistencies");
	for (size_t i = 0; analysis != NULL && i < analysis->finding_count; i++) {
		const char *name = finding_inconsistency(analysis->findings[i].kind);

		if (name != NULL)
			json_string(json, NULL, name);
	}
	json_array_end(json);
}

/* What the dump's exceptions say in their own numbers. */
static void
write_exception(struct walk_json *document, const struct crash_exception *exception)
{
	struct json *json = &document->json;

	json_object(json, NULL);
	json_number(json, "thread_id", exception->thread_id);
	json_hex(json, "code", exception->code, 8);
	json_hex(json, "flags", exception->flags, 8);
	walk_json_address(document, "address", exception->address);
	json_array(json, "parameters");
	for (uint32_t i = 0; i < exception->parameter_count; i++)
		json_hex(json, NULL, exception->parameters[i], 1);
	json_array_end(json);
	place_write(json, "place", exception->place);
	json_object_end(json);
}

static void
write_exceptions(struct walk_json *document)
{
	const struct crash *crash = document->crash;

	json_array(&document->json, "exceptions");
	if (crash->exception.present)
		write_exception(document, &crash->exception);
	for (size_t i = 0; i < crash->more_exception_count; i++)
		write_exception(document, &crash->more_exceptions[i]);
	json_array_end(&document->json);
}

void
walk_json_crash(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;
	bool crashed = crash->reason != NULL;
	const struct analysis_instruction *at = analysis != NULL ? &analysis->instruction : NULL;

	json_object(json, "crash_info");
	json_string(json, "type", crashed ? crash->cause.text : NULL);
	if (crashed)
		walk_json_address(document, "address", crash->reason_address);
	else
		json_null(json, "address");
	write_adjusted(document, analysis);
	json_string(json, "instruction", at != NULL && at->present ? at->text : NULL);
	write_accesses(document, analysis);
	write_pointer_update(document, analysis);
	write_bit_flips(document, analysis);
	write_inconsistencies(json, analysis);
	if (crash->requesting_thread >= 0)
		json_number(json, "crashing_thread", (uint64_t)crash->requesting_thread);
	else
		json_null(json, "crashing_thread");
	json_string(json, "assertion", crash->assertion);
	json_string(json, "breakpad_type", crash->reason);
	json_string(json, "note", crash->cause.note);
	write_exceptions(document);
	json_object_end(json);
}

static void
write_finding(struct json *json, const struct finding *finding)
{
	json_object(json, NULL);
	json_string(json, "name", finding_name(finding->kind));
	json_string(json, "title", finding_title(finding->kind));
	json_string(json, "text", finding->text);
	json_array(json, "evidence");
	for (size_t i = 0; i < finding->evidence_count; i++)
		json_string(json, NULL, finding->evidence[i]);
	json_array_end(json);
	write_confidence(json, finding->confidence);
	json_object_end(json);
}

static void
write_poison(struct walk_json *document, const struct analysis_poison *poison)
{
	struct json *json = &document->json;

	json_object(json, NULL);
	json_string(json, "register",
		    poison->reg != ARCH_NO_REGISTER
			    ? document->crash->system.arch->registers[poison->reg].label
			    : NULL);
	walk_json_address(document, "value", poison->value);
	json_string(json, "pattern", poison->pattern);
	json_string(json, "meaning", poison->meaning);
	json_object_end(json);
}

void
walk_json_analysis(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;

	if (analysis == NULL) {
		json_null(json, "analysis");
		return;
	}
	json_object(json, "analysis");
	json_string(json, "signature", analysis->signature);
	json_string(json, "proto_signature", analysis->proto_signature);
	json_string(json, "instruction_source",
		    analysis->instruction.present ? analysis->instruction.source : NULL);
	json_array(json, "findings");
	for (size_t i = 0; i < analysis->finding_count; i++)
		write_finding(json, &analysis->findings[i]);
	json_array_end(json);
	json_array(json, "poisons");
	for (size_t i = 0; i < analysis->poison_count; i++)
		write_poison(document, &analysis->poisons[i]);
	json_array_end(json);
	json_object_end(json);
}
