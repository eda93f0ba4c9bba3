/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "lint/lint_internal.h"
#include "symbols/records.h"

/* STACK WIN records, one by one. */

enum { WIN_FPO = 0, WIN_FRAME_DATA = 4 };

/* Fields that the loader takes loosely: what departs from the format is reported all the same. */
static bool
read_fields(struct lint_reading *reading, size_t skip, struct stack_win *win)
{
	static const char *const names[] = {
		"the type", "the address", "the size", "the size of the prologue",
		"the size of the epilogue", "the size of the parameters",
		"the size of the saved registers", "the size of the locals",
		"the size of the stack", "the flag of the program" };
	struct lint_cursor cursor = lint_cursor(reading, skip, 3);
	uint64_t values[10];

	for (size_t i = 0; i < 10; i++)
		values[i] = lint_hex(reading, &cursor, names[i]);
	lint_rest(reading, &cursor, "the program or flag");
	if (cursor.bad)
		return false;
	if (values[0] > WIN_FRAME_DATA) {
		lint_about(lint_report(reading, LINT_WIN_TYPE, skip, 1, "%" PRIx64, values[0]),
			   values[1], 0);
		lint_bad_record(reading);
		return false;
	}
	return record_stack_win(reading->record, win);
}

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
lint_stack_win(struct lint_reading *reading, size_t skip)
{
	struct stack_win win;

	if (!read_fields(reading, skip, &win))
		return;
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
