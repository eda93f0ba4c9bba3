/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/thread_block_report.h"

#include <inttypes.h>
#include <stdio.h>

#define LABEL_COLUMN 1u
#define TEXT_COLUMN 16u

static const struct fact_names seh_kinds = FACT_WORDS("handler", "scopes", "scopes-with-cookie");
static const struct fact_names seh_ends = FACT_WORDS(
	"whole", "none", "unread", "astray", "too-long");
static const struct fact_names block_names = FACT_WORDS("teb", "peb", "parameters");

/* The module and function of a code address; empty: no module contains it. */
static struct text
describe(const struct thread_report *report, uint64_t address)
{
	struct surrounding_name name;

	if (!surroundings_name(report->around, address, &name))
		return text_of("");
	const struct text function =
		surroundings_describe(report->around, address, report->arena);
	if (name.name.length == 0)
		return function;
	const struct text file =
		text_base_name(text_of(report->around->crash->modules[name.module].code_file));
	const char *both = arena_format(report->arena, "%.*s!%.*s", (int)file.length, file.start,
					(int)function.length, function.start);
	return both != NULL ? text_of(both) : function;
}

/*
 * The number of the walk's frames that begin at or below a handler's record on the stack. If it is
 * 0, a handler of an exception pushed the record below all frames. If it is the number of all
 * frames, the record is in or above the oldest frame, whose end is unknown.
 */
static size_t
frames_upto(const struct thread_report *report, uint64_t address)
{
	const struct walk *walk = report->walk;
	size_t at = 0;

	while (walk != NULL && at < walk->count &&
	       walk->frames[at].registers.value[walk->arch->sp] <= address)
		at++;
	return at;
}

static const char *
shown_text(const struct thread_report *report, size_t field)
{
	const bool secret = block_fields[field].kind == VALUE_SECRET &&
			    report->around->crash->redacted;

	return secret ? CRASH_REDACTED : report->block.values[field].text;
}

struct thread_report *
thread_report_make(struct surroundings *around, size_t thread, const struct walk *walk,
		   struct arena *arena)
{
	struct thread_report *report = arena_alloc(arena, sizeof(*report));

	if (report == NULL)
		return NULL;
	*report = (struct thread_report){
		.around = around, .thread = thread, .walk = walk, .arena = arena,
		.lines = { .arena = arena, .label_role = ROLE_DIM, .label_column = LABEL_COLUMN,
			   .text_column = TEXT_COLUMN, .wraps = true, .hang = 2,
			   .shows_places = true } };
	thread_block_read(&report->block, around, thread, arena);
	report->has_chain = seh_chain_read(&report->chain, around, thread, arena);
	return report;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Redaction hides the program's data in a slot, because the data is memory. */
static bool
shows_slot(const struct thread_report *report, size_t slot)
{
	return report->block.slots[slot] != 0 && !report->around->crash->redacted;
}

static void
add_field(struct thread_report *report, size_t i)
{
	const struct block_field *field = &block_fields[i];
	const struct block_value *value = &report->block.values[i];
	const char *text = shown_text(report, i);
	struct lines *lines = &report->lines;
	struct line *line;

	if (!value->known)
		return;
	switch (field->kind) {
	case VALUE_ADDRESS:
		line = lines_add_format(lines, field->label, ROLE_NORMAL, "%0*" PRIx64,
					(int)report->block.word * 2, value->value);
		break;
	case VALUE_ERROR:
	case VALUE_STATUS:
		line = lines_add_format(lines, field->label, ROLE_NORMAL, "%#" PRIx64 "%s%s",
					value->value, text != NULL ? " " : "",
					text != NULL ? text : "");
		break;
	case VALUE_FLAGS:
		line = lines_add_format(lines, field->label, ROLE_NORMAL, "%#" PRIx64,
					value->value);
		break;
	case VALUE_BOOL:
		line = lines_add(lines, field->label, ROLE_NORMAL,
				 value->value != 0 ? "yes" : "no");
		break;
	case VALUE_NUMBER:
		line = lines_add_format(lines, field->label, ROLE_NORMAL, "%" PRIu64,
					value->value);
		break;
	default:
		line = lines_add(lines, field->label, ROLE_NORMAL, text);
		break;
	}
	if (line == NULL)
		return;
	line->place = value->place;
	line->explanation = field->help;
	if (field->kind == VALUE_ADDRESS)
		line->target = TARGET(TARGET_MEMORY, .address = value->value);
}

static void
add_block(struct thread_report *report, enum block_kind kind, const char *label, const char *name)
{
	const struct thread_block *block = &report->block;

	if (block->at[kind] == 0)
		return;
	struct line *line = lines_add_format(
		&report->lines, label, block->there[kind] ? ROLE_TITLE : ROLE_UNKNOWN,
		"%s at %0*" PRIx64 "%s", name, (int)report->block.word * 2, block->at[kind],
		block->there[kind] ? "" : ": the dump does not have its memory");
	if (line != NULL)
		line->target = TARGET(TARGET_MEMORY, .address = block->at[kind]);
	for (size_t i = 0; i < ARRAY_COUNT(block_fields); i++)
		if (block_fields[i].block == kind)
			add_field(report, i);
	for (unsigned i = 0; kind == BLOCK_TEB && i < BLOCK_SLOTS; i++)
		if (shows_slot(report, i))
			lines_add_format(&report->lines, "TLS slot", ROLE_NORMAL,
					 "%u: %0*" PRIx64, i, (int)block->word * 2,
					 block->slots[i]);
}

static void
add_scopes(struct thread_report *report, const struct seh_record *record)
{
	for (size_t i = 0; i < record->scope_count; i++) {
		const struct seh_scope *scope = &record->scopes[i];
		const struct text filter = describe(report, scope->filter);
		const struct text handler = describe(report, scope->handler);
		struct line *line =
			scope->filter == 0
				? lines_add_format(&report->lines, NULL, ROLE_NORMAL,
						   "  __finally %.*s", (int)handler.length,
						   handler.start)
				: lines_add_format(&report->lines, NULL, ROLE_NORMAL,
						   "  __except %.*s, filter %.*s",
						   (int)handler.length, handler.start,
						   (int)filter.length, filter.start);
		if (line != NULL)
			line->target = TARGET(TARGET_CODE, .address = scope->handler);
	}
}

static void
add_record(struct thread_report *report, const struct seh_record *record, bool first)
{
	const struct text name = describe(report, record->handler);
	const char *known = text_printable_copy(report->arena, name);
	const size_t upto = frames_upto(report, record->address);
	const size_t frames = report->walk != NULL ? report->walk->count : 0;
	char number[40] = "";

	if (upto > 0)
		snprintf(number, sizeof(number), ", frame %zu%s", upto - 1,
			 upto < frames ? "" : " or above");
	else if (frames > 0)
		snprintf(number, sizeof(number), ", below the frames");
	struct line *line = lines_add_format(
		&report->lines, first ? "handlers" : NULL,
		record->doubt != NULL || record->unsafe ? ROLE_CHANGED : ROLE_NORMAL,
		"%08" PRIx64 "%s: %s%s%08" PRIx64 "%s%s%s", record->address, number,
		known != NULL ? known : "", name.length > 0 ? " = " : "", record->handler,
		record->doubt != NULL ? " ! " : "", record->doubt != NULL ? record->doubt : "",
		record->unsafe ? " ! not in the module's list of handlers (SafeSEH)" : "");
	if (line != NULL) {
		line->place = record->place;
		line->target = TARGET(TARGET_CODE, .address = record->handler);
	}
	add_scopes(report, record);
}

static void
add_chain(struct thread_report *report)
{
	const struct seh_chain *chain = &report->chain;
	struct lines *lines = &report->lines;

	if (!report->has_chain)
		return;
	if (!chain->from_block)
		lines_add(lines, "note", ROLE_UNKNOWN,
			  "the dump does not have the thread's block; this chain was found by "
			  "searching the stack, a guess");
	for (size_t i = 0; i < chain->count; i++)
		add_record(report, &chain->records[i], i == 0);
	if (chain->end == SEH_WHOLE)
		lines_add(lines, NULL, ROLE_DIM,
			  "the chain is complete: the last registration points to no other");
	else if (chain->end == SEH_NONE)
		lines_add(lines, "handlers", ROLE_DIM, "none");
	else
		lines_add_format(lines, chain->count == 0 ? "handlers" : NULL, ROLE_CHANGED,
				 "not a valid chain: %08" PRIx64 " %s", chain->end_at,
				 chain->end == SEH_UNREAD ? "is not in the dump"
				 : chain->end == SEH_TOO_LONG
					 ? "follows more registrations than any program has"
					 : "is not at a higher address on the stack");
}

struct listing
thread_report_listing(struct thread_report *report, size_t columns)
{
	const struct crash *crash = report->around->crash;

	if (crash->system.os != CRASH_OS_WINDOWS)
		return listing_message("only threads of Windows have such a block (TEB)");
	if (report->lines.count == 0) {
		if (report->block.at[BLOCK_TEB] == 0)
			lines_add(&report->lines, "thread", ROLE_UNKNOWN,
				  "the dump does not say where the thread's block (TEB) is");
		add_block(report, BLOCK_TEB, "thread", "TEB");
		add_chain(report);
		add_block(report, BLOCK_PEB, "process", "PEB");
		add_block(report, BLOCK_PARAMETERS, "started", "parameters");
	}
	return lines_listing(&report->lines, columns, report->arena);
}

#define FACTS "report/memory/thread_block_facts.def"
#include "document/describe_facts.h"
