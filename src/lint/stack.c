/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "lint/lint_internal.h"

/* Checks STACK WIN records, and STACK CFI records in file order (misplaced deltas last). */

enum {
	WIN_FPO = 0,
	WIN_FRAME_DATA = 4,
	MOST_PARAMETERS = 0xffff,	/* maximum bytes that a return instruction removes */
	MOST_SAVED = 64,
	HIDDEN_PARAMETER = 4,
	MOST_LOCALS = 16 << 20,		/* in bytes; a thread's stack has 1 MB by default */
};

static void
report_issues(struct lint_reading *reading, const struct lint_rules *rules, size_t skip,
	      uint64_t address)
{
	for (size_t i = 0; rules != NULL && i < rules->issue_count; i++) {
		const struct lint_issue *issue = &rules->issues[i];

		lint_about(lint_report(reading, issue->code, skip + issue->skip, issue->length,
				       "%s", issue->text), address, 0);
	}
}

/* Returns the rules of the current record, and their offset in the record. */
static struct text
rules_of(const struct symbol_record *record, size_t *skip)
{
	*skip = record_skip(record, record->count - 1);
	return record->fields[record->count - 1].text;
}

void
lint_stack_init(struct lint_reading *reading)
{
	struct lint_init *init = &reading->init;
	struct symbol_record record;
	const bool whole = lint_fields(reading, SYMBOL_STACK_CFI_INIT, &record);
	size_t skip;

	lint_end_init(reading);
	reading->part.init_begun = true;
	if (!whole)
		return;
	const uint64_t address = record.fields[INIT_ADDRESS].value;
	const uint64_t size = record.fields[INIT_SIZE].value;
	const struct text text = rules_of(&record, &skip);
	const struct lint_rules *rules = lint_rules(reading, text, false);
	bool good = lint_add_range(reading, &reading->covered.inits, address, size);
	if (!good)
		lint_report_record(reading,
				   size == 0 ? LINT_CFI_INIT_SIZE_ZERO : LINT_CFI_INIT_WRAPS,
				   address);
	init->open = good;
	init->first = init->previous = address;
	init->last = address + (size - 1);
	init->line = reading->line;
	report_issues(reading, rules, skip, address);
	if (rules == NULL)
		return;
	if (!rules->has_cfa)
		lint_about(lint_report(reading, LINT_CFI_NO_CFA, skip, text.length, "%s", ""),
			   address, 0);
	if (!rules->has_ra)
		lint_about(lint_report(reading, LINT_CFI_NO_RA, skip, text.length, "%s", ""),
			   address, 0);
	lint_frame(reading, rules, skip, address, true);
}

/* Adds a delta to the open INIT record, or to `odd_deltas` if the record does not cover it. */
static void
place_delta(struct lint_reading *reading, uint64_t address)
{
	struct lint_init *init = &reading->init;

	reading->part.unsure |= !reading->part.init_begun;
	if (!init->open || address < init->first || address > init->last) {
		lint_add_range(reading, &reading->covered.odd_deltas, address, 1);
		return;
	}
	if (address < init->previous) {
		lint_about(lint_report(reading, LINT_CFI_DELTA_UNSORTED, 0,
				       reading->record.length, "0x%" PRIx64 " after 0x%" PRIx64,
				       address, init->previous), address, 0);
		init->unsorted = true;
	} else if (init->deltas.count > 0 && address == init->previous && !init->unsorted) {
		const uint32_t other = init->deltas.list[init->deltas.count - 1].line;

		lint_about(lint_report(reading, LINT_CFI_DELTA_DUPLICATE, 0,
				       reading->record.length, "0x%" PRIx64
				       ", as on line %" PRIu32, address, other), address, other);
	}
	init->previous = address;
	lint_add_range(reading, &init->deltas, address, 1);
}

void
lint_stack_delta(struct lint_reading *reading)
{
	struct symbol_record record;
	size_t skip;

	if (!lint_fields(reading, SYMBOL_STACK_CFI, &record))
		return;
	const uint64_t address = record.fields[DELTA_ADDRESS].value;
	const struct lint_rules *rules = lint_rules(reading, rules_of(&record, &skip), false);
	if (reading->whole != SYMBOL_STACK_CFI_INIT && reading->init.open)
		lint_interleaved(reading, SYMBOL_STACK_CFI_INIT);
	place_delta(reading, address);
	report_issues(reading, rules, skip, address);
	if (rules != NULL && reading->init.open)
		lint_frame(reading, rules, skip, address, false);
}

/* Reports deltas that have equal addresses but are not adjacent in the file. */
static void
report_duplicates(struct lint_reading *reading, struct lint_ranges *deltas)
{
	lint_sort_ranges(deltas);
	for (size_t i = 1; i < deltas->count; i++) {
		const struct lint_range *before = &deltas->list[i - 1], *at = &deltas->list[i];

		if (at->first == before->first)
			lint_about(lint_report_at(reading, LINT_CFI_DELTA_DUPLICATE, at->offset,
						  at->line, "0x%" PRIx64 ", as on line %" PRIu32,
						  at->first, before->line),
				   at->first, before->line);
	}
}

void
lint_end_init(struct lint_reading *reading)
{
	struct lint_init *init = &reading->init;

	if (init->unsorted)
		report_duplicates(reading, &init->deltas);
	init->open = init->unsorted = false;
	init->deltas.count = 0;
}

/* Reports a delta outside the range of the preceding INIT record. */
static void
report_odd_delta(struct lint_reading *reading, const struct lint_range *delta)
{
	const uint64_t address = delta->first;
	const struct lint_range *init = lint_covering(&reading->covered.inits, address);
	const struct lint_range *ends =
		address > 0 ? lint_covering(&reading->covered.inits, address - 1) : NULL;
	const bool at_end = init == NULL && ends != NULL && ends->offset < delta->offset;
	const enum lint_code code = at_end			    ? LINT_CFI_DELTA_AT_END
				    : init == NULL		    ? LINT_CFI_DELTA_OUTSIDE
				    : init->offset > delta->offset ? LINT_CFI_DELTA_BEFORE_INIT
								    : LINT_CFI_DELTA_APART;
	const uint32_t other = at_end ? ends->line : init != NULL ? init->line : 0;

	lint_about(lint_report_at(reading, code, delta->offset, delta->line,
				  at_end	 ? "0x%" PRIx64 " ends the range of line %" PRIu32
				  : init != NULL ? "0x%" PRIx64 " is covered by line %" PRIu32
						 : "0x%" PRIx64, address, other),
		   address, other);
}

void
lint_finish_cfi(struct lint_reading *reading)
{
	struct lint_ranges *deltas = &reading->covered.odd_deltas;

	if (deltas->count == 0)
		return;
	lint_sort_ranges(&reading->covered.inits);
	for (size_t i = 0; i < deltas->count; i++)
		report_odd_delta(reading, &deltas->list[i]);
	report_duplicates(reading, deltas);
}

/* Reports a STACK WIN field that should have one digit. */
static void
report_digit(struct lint_reading *reading, const struct symbol_record *record, size_t index)
{
	const struct text field = record->fields[index].text;

	if (field.length != 1 || (index == WIN_HAS_PROGRAM && field.start[0] > '9'))
		lint_report(reading, LINT_NUMBER_BASE, record_skip(record, index), field.length,
			    "field %u (%s) is not one digit", lint_field_number(record, index),
			    record_forms[record->kind].fields[index].name);
}

static void
check_sizes(struct lint_reading *reading, const struct symbol_record *record,
	    const struct stack_win *win)
{
	static const struct {
		int field;
		bool words;		/* must be a multiple of 4 */
		uint32_t most;		/* maximum bytes; 0: size of the record's code */
	} sizes[] = {
		{ WIN_PROLOGUE, false, 0 }, { WIN_EPILOGUE, false, 0 },
		{ WIN_PARAMETERS, true, MOST_PARAMETERS }, { WIN_SAVED, true, MOST_SAVED },
		{ WIN_LOCALS, true, MOST_LOCALS },
	};

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		const struct symbol_field *field = &record->fields[sizes[i].field];
		const uint64_t most = sizes[i].most != 0 ? sizes[i].most : win->size;
		const bool odd = sizes[i].words && field->value % 4 != 0;

		if (win->size == 0 || (field->value <= most && !odd))
			continue;
		lint_about(lint_report(reading, LINT_WIN_SIZES,
				       record_skip(record, (size_t)sizes[i].field),
				       field->text.length, "%s: 0x%" PRIx64 " is %s 0x%" PRIx64,
				       record_forms[SYMBOL_STACK_WIN].fields[sizes[i].field].name,
				       field->value, odd ? "not a multiple of" : "more than",
				       odd ? 4 : most), win->address, 0);
	}
}

void
lint_parameters(struct lint_reading *reading)
{
	for (size_t kind = 0; kind < ARRAY_COUNT(reading->covered.wins); kind++) {
		for (size_t i = 0; i < reading->covered.wins[kind].count; i++) {
			const struct lint_range *win = &reading->covered.wins[kind].list[i];
			const struct lint_range *function =
				lint_covering(&reading->covered.functions, win->first);

			/*
			 * FUNC has no parameter size if the caller removes the parameters. A size
			 * computed from types lacks the hidden pointer to a result.
			 */
			if (function == NULL || function->first != win->first ||
			    function->level == 0 ||
			    abs((int)function->level - (int)win->level) <= HIDDEN_PARAMETER)
				continue;
			lint_about(lint_report_at(reading, LINT_WIN_PARAMETERS, win->offset,
						  win->line,
						  "0x%" PRIx16 " bytes, but 0x%" PRIx16
						  " in the FUNC record on line %" PRIu32,
						  win->level, function->level, function->line),
				   win->first, function->line);
		}
	}
}

void
lint_stack_win(struct lint_reading *reading)
{
	struct symbol_record record;

	if (!lint_fields(reading, SYMBOL_STACK_WIN, &record))
		return;
	const struct stack_win win = record_as_win(&record);
	const size_t skip = record_skip(&record, WIN_TYPE);
	struct lint_ranges *ranges = &reading->covered.wins[win.type == WIN_FRAME_DATA];
	report_digit(reading, &record, WIN_TYPE);
	report_digit(reading, &record, WIN_HAS_PROGRAM);
	if (record.fields[WIN_TYPE].value > WIN_FRAME_DATA) {
		lint_about(lint_report(reading, LINT_WIN_TYPE, skip, 1, "%" PRIx64,
				       record.fields[WIN_TYPE].value), win.address, 0);
		lint_bad_record(reading);
		return;
	}
	if (arch_known(reading->module.arch) && !reading->module.arch->stack_win)
		lint_report_record(reading, LINT_WIN_ARCHITECTURE, win.address);
	if (win.type != WIN_FPO && win.type != WIN_FRAME_DATA) {
		lint_about(lint_report(reading, LINT_WIN_TYPE_UNUSED, skip, 1, "%u", win.type),
			   win.address, 0);
		return;
	}
	if (win.has_program != (win.type == WIN_FRAME_DATA))
		lint_about(lint_report(reading, LINT_WIN_PROGRAM_TYPE, skip, 1,
				       "type %u %s a program", win.type,
				       win.has_program ? "with" : "without"), win.address, 0);
	if (win.has_program)
		report_issues(reading, lint_rules(reading, win.program, true),
			      win.program_column - 1, win.address);
	check_sizes(reading, &record, &win);
	if (!lint_add_range(reading, ranges, win.address,
			    win.size))
		lint_report_record(reading, LINT_WIN_SIZE_ZERO, win.address);
	else if (ranges->count > 0)
		ranges->list[ranges->count - 1].level = (uint16_t)win.parameters;
}
