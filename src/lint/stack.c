/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "lint/lint_internal.h"

/* STACK records: CFI with its deltas in the file's order, then those in odd places; WIN. */

enum { WIN_FPO = 0, WIN_FRAME_DATA = 4 };

/* Bytes below the stack pointer that an ABI lets leaf functions use. */
#define RED_ZONE 128

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

/* What the rules that are in force now say of the CFA and of saved registers. */
static void
check_frame(struct lint_reading *reading, const struct lint_rules *rules, size_t skip,
	    uint64_t address)
{
	struct lint_init *init = &reading->init;
	const unsigned word = reading->arch->word_size;
	/* Where calls push the return address, that lies between the stack pointer and the CFA. */
	const bool pushed = arch_pushes_return(reading->arch);
	const size_t length = reading->record.length - skip;

	if (rules->has_cfa) {
		init->cfa_known = rules->cfa_known;
		init->cfa_offset = rules->cfa_offset;
	}
	if (rules->has_ra)
		init->return_saved = rules->return_saved;
	if (rules->has_cfa && rules->cfa_constant)
		lint_about(lint_report(reading, LINT_CFI_CFA_FALLS, skip + rules->cfa_skip,
				       rules->cfa_length, "it is %" PRId64
				       ", independent of the "
				       "stack", rules->cfa_offset), address, 0);
	if (!init->cfa_known)
		return;
	if (rules->has_cfa &&
	    init->cfa_offset < (pushed && init->return_saved ? (int64_t)word : 0))
		lint_about(lint_report(reading, LINT_CFI_CFA_FALLS, skip + rules->cfa_skip,
				       rules->cfa_length,
				       "it is the stack pointer %c %" PRId64,
				       init->cfa_offset < 0 ? '-' : '+',
				       init->cfa_offset < 0 ? -init->cfa_offset
							    : init->cfa_offset), address, 0);
	if (rules->saves && rules->deepest > init->cfa_offset + RED_ZONE)
		lint_about(lint_report(reading, LINT_CFI_SAVED_BELOW, skip, length,
				       "%" PRId64 " bytes below the CFA, which is %" PRId64
				       " above the stack pointer", rules->deepest,
				       init->cfa_offset), address, 0);
}

/* The rules of the present record. */
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
	reading->whole = SYMBOL_STACK_CFI_INIT;
	reading->init_seen = true;
	if (!whole)
		return;
	const uint64_t address = record.fields[INIT_ADDRESS].value;
	const uint64_t size = record.fields[INIT_SIZE].value;
	const struct text text = rules_of(&record, &skip);
	const struct lint_rules *rules = lint_rules(reading, text, false);
	bool good = lint_add_range(reading, &reading->inits, address, size);
	if (!good)
		lint_report_record(reading,
				   size == 0 ? LINT_CFI_INIT_SIZE_ZERO : LINT_CFI_INIT_WRAPS,
				   address);
	init->open = good;
	init->first = init->previous = address;
	init->last = address + (size - 1);
	init->line = reading->line;
	init->cfa_known = init->return_saved = false;
	report_issues(reading, rules, skip, address);
	if (rules == NULL)
		return;
	if (!rules->has_cfa)
		lint_about(lint_report(reading, LINT_CFI_NO_CFA, skip, text.length, "%s", ""),
			   address, 0);
	if (!rules->has_ra)
		lint_about(lint_report(reading, LINT_CFI_NO_RA, skip, text.length, "%s", ""),
			   address, 0);
	check_frame(reading, rules, skip, address);
}

/* A delta's place among those of the INIT record before it. */
static void
place_delta(struct lint_reading *reading, uint64_t address)
{
	struct lint_init *init = &reading->init;

	reading->unsure |= !reading->init_seen;
	if (!init->open || address < init->first || address > init->last) {
		lint_add_range(reading, &reading->odd_deltas, address, 1);
		return;
	}
	if (address < init->previous) {
		lint_about(lint_report(reading, LINT_CFI_DELTA_UNSORTED, 0,
				       reading->record.length, "0x%" PRIx64 " behind 0x%" PRIx64,
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
		check_frame(reading, rules, skip, address);
}

/* Deltas at one address that do not follow each other. */
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

/* A delta that is outside of the INIT record before it. */
static void
report_odd_delta(struct lint_reading *reading, const struct lint_range *delta)
{
	const uint64_t address = delta->first;
	const struct lint_range *init = lint_covering(&reading->inits, address);
	const struct lint_range *ends =
		address > 0 ? lint_covering(&reading->inits, address - 1) : NULL;
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
	struct lint_ranges *deltas = &reading->odd_deltas;

	if (deltas->count == 0)
		return;
	lint_sort_ranges(&reading->inits);
	for (size_t i = 0; i < deltas->count; i++)
		report_odd_delta(reading, &deltas->list[i]);
	report_duplicates(reading, deltas);
}

/* A field of STACK WIN that writers give one digit. */
static void
report_digit(struct lint_reading *reading, const struct symbol_record *record, size_t index)
{
	const struct text field = record->fields[index].text;

	if (field.length != 1 || (index == WIN_HAS_PROGRAM && field.start[0] > '9'))
		lint_report(reading, LINT_NUMBER_BASE, record_skip(record, index), field.length,
			    "field %u (%s) is not one digit", lint_field_number(record, index),
			    record_forms[record->kind].fields[index].name);
}

void
lint_stack_win(struct lint_reading *reading)
{
	struct symbol_record record;

	if (!lint_fields(reading, SYMBOL_STACK_WIN, &record))
		return;
	const struct stack_win win = record_as_win(&record);
	const size_t skip = record_skip(&record, WIN_TYPE);
	report_digit(reading, &record, WIN_TYPE);
	report_digit(reading, &record, WIN_HAS_PROGRAM);
	if (record.fields[WIN_TYPE].value > WIN_FRAME_DATA) {
		lint_about(lint_report(reading, LINT_WIN_TYPE, skip, 1, "%" PRIx64,
				       record.fields[WIN_TYPE].value), win.address, 0);
		lint_bad_record(reading);
		return;
	}
	if (arch_known(reading->arch) && !reading->arch->stack_win)
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
	if (!lint_add_range(reading, &reading->wins[win.type == WIN_FRAME_DATA], win.address,
			    win.size))
		lint_report_record(reading, LINT_WIN_SIZE_ZERO, win.address);
}
