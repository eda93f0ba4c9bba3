/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "lint/lint_internal.h"
#include "symbols/records.h"

/* STACK WIN records, one by one. */

enum { WIN_FPO = 0, WIN_FRAME_DATA = 4 };

static void
check_program(struct lint_reading *reading, const struct stack_win *win)
{
	const struct lint_rules *rules = lint_program(reading, win->program);
	const size_t skip = win->program_column - 1;

	for (size_t i = 0; rules != NULL && i < rules->issue_count; i++) {
		const struct lint_issue *issue = &rules->issues[i];

		lint_about(lint_report(reading, issue->code, skip + issue->skip, issue->length,
				       "%s", issue->text), win->address, 0);
	}
}

static void
add_record(struct lint_reading *reading, const struct stack_win *win)
{
	struct lint_ranges *ranges = &reading->wins[win->type == WIN_FRAME_DATA];

	if (!lint_add_range(reading, ranges, win->address, win->size))
		lint_about(lint_report(reading, LINT_WIN_SIZE_ZERO, 0, reading->record.length,
				       "%s", ""), win->address, 0);
}

void
lint_stack_win(struct lint_reading *reading)
{
	struct symbol_record record;

	if (!lint_fields(reading, SYMBOL_STACK_WIN, &record))
		return;
	const struct stack_win win = record_as_win(&record);
	const size_t skip = record_skip(&record, WIN_TYPE);
	if (record.fields[WIN_TYPE].value > WIN_FRAME_DATA) {
		lint_about(lint_report(reading, LINT_WIN_TYPE, skip, 1, "%" PRIx64,
				       record.fields[WIN_TYPE].value), win.address, 0);
		lint_bad_record(reading);
		return;
	}
	if (arch_known(reading->arch) && !reading->arch->stack_win)
		lint_about(lint_report(reading, LINT_WIN_ARCHITECTURE, 0, reading->record.length,
				       "%s", ""), win.address, 0);
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
		check_program(reading, &win);
	add_record(reading, &win);
}
