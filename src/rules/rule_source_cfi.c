/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "rules/show_rows.h"
#include "symbols/records.h"

/* The rows of STACK CFI records: one for the INIT record, one for each delta, defects in place. */

/* Most lines after an INIT record that are read. */
#define MOST_LINES LIMIT_TABLE_ROWS

struct cfi_filling {
	const struct rule_module *module;
	struct rule_tables *tables;
	uint64_t low, high;		/* first and last address of the current INIT record */
};

static bool
tell(void *context, const struct rule_change *change)
{
	struct cfi_filling *filling = context;
	struct rule_tables *tables = filling->tables;

	struct rule_row *row = rule_tables_row(tables, change->address, change->record,
					       change->set);
	if (row != NULL && change->note != NULL)
		rule_tables_record(tables, row->address, change->note_place, change->note);
	return row != NULL;
}

/* The next line that is not blank after the one at `*offset`; false after the last. */
static bool
next_line(const struct file *file, uint64_t *offset, struct text *line)
{
	const char *data = (const char *)file->data;
	uint64_t at = *offset;

	while (at < file->size && data[at] != '\n' && data[at] != '\r')
		at++;
	while (at < file->size && (data[at] == '\n' || data[at] == '\r'))
		at++;
	*offset = at;
	while (at < file->size && data[at] != '\n' && data[at] != '\r')
		at++;
	*line = (struct text){ data + *offset, (size_t)(at - *offset) };
	return line->length > 0;
}

/* A record that follows an INIT record, and why it is not used. */
struct follower {
	struct stack_cfi delta;
	uint64_t anchor;		/* the address where it is shown */
	const char *why;
};

/* Whether a line belongs to the INIT record: a delta, good or bad, or not a record of any kind. */
static bool
follows(const struct cfi_filling *filling, struct text line, uint64_t previous,
	struct follower *follower)
{
	const enum symbol_record_kind kind = record_kind(line);
	struct symbol_record record;
	struct stack_win win;

	*follower = (struct follower){ .anchor = previous };
	if (kind == SYMBOL_LINE && !record_may_be_line(line)) {
		follower->why = "unknown record";
		return true;
	}
	if ((kind != SYMBOL_STACK && kind != SYMBOL_STACK_CFI && kind != SYMBOL_STACK_CFI_INIT &&
	     kind != SYMBOL_STACK_WIN) || record_stack_win(line, false, &win))
		return false;
	if (kind == SYMBOL_STACK_WIN || !record_read(kind, line, &record)) {
		follower->why = "malformed: expected STACK CFI address rules";
		return true;
	}
	if (kind == SYMBOL_STACK_CFI_INIT)
		return false;
	follower->delta = record_as_cfi(&record);
	if ((record.fields[DELTA_ADDRESS].state & FIELD_BAD) != 0)
		follower->why = "the address is not a hexadecimal number";
	else if (follower->delta.address < filling->low || follower->delta.address > filling->high)
		follower->why = "outside the range of its INIT record, where it never applies";
	else
		follower->anchor = follower->delta.address;
	return true;
}

static void
add_defect(struct cfi_filling *filling, const struct follower *follower, uint64_t offset,
	   size_t length)
{
	const struct place place =
		symfile_place(filling->module->symfile, offset, (uint32_t)length);

	if (follower->anchor >= filling->tables->first && follower->anchor <= filling->tables->last)
		rule_tables_record(filling->tables, follower->anchor, place, follower->why);
}

/* Add the unusable deltas in the order of the file; the usable ones have rows already. */
static void
add_defects(struct cfi_filling *filling, uint64_t offset)
{
	const struct file *file = symfile_file(filling->module->symfile);
	struct follower follower, before = { .anchor = filling->low };
	uint64_t before_offset = 0;
	size_t before_length = 0;
	struct text line;

	for (uint32_t i = 0; i < MOST_LINES && next_line(file, &offset, &line) &&
			     follows(filling, line, before.anchor, &follower); i++) {
		if (follower.why != NULL) {
			add_defect(filling, &follower, offset, line.length);
			continue;
		}
		/* If deltas have one address, the last is used. */
		if (before_length > 0 && before.delta.address == follower.delta.address) {
			before.why = "replaced: the next record is for the same address";
			add_defect(filling, &before, before_offset, before_length);
		}
		before = follower;
		before_offset = offset;
		before_length = line.length;
	}
}

/* The address where the next INIT record begins; false if none is in the run. */
static bool
next_init(const struct cfi_filling *filling, uint64_t address, uint64_t *next)
{
	const struct symbols_policy policy = symbols_policy_of(filling->module->policy);
	struct arena scratch = { 0 };
	bool found = false;

	for (unsigned i = 0; i < LIMIT_TABLE_ROWS && !found; i++) {
		struct stack_cfi init, *deltas;
		size_t count;

		if (!symfile_stack_cfi_change(filling->module->symfile, &policy, address, next) ||
		    *next > filling->tables->last)
			break;
		address = *next;
		found = symfile_stack_cfi(filling->module->symfile, &policy, address, &scratch,
					  &init, &deltas, &count);
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	return found;
}

static bool
init_at(const struct rule_module *module, uint64_t address, struct stack_cfi *init)
{
	const struct symbols_policy policy = symbols_policy_of(module->policy);
	struct arena scratch = { 0 };
	struct stack_cfi *deltas;
	size_t count;

	const bool found = symfile_stack_cfi(module->symfile, &policy, address, &scratch, init,
					     &deltas, &count);
	arena_free(&scratch);
	return found;
}

bool
stack_cfi_covers(const struct unwind_source *source, uint64_t address, uint64_t *first,
		 uint64_t *last)
{
	struct stack_cfi init;

	if (!init_at(source->module, address, &init))
		return false;
	*first = init.address;
	*last = init.address + init.size - 1;
	return true;
}

void
stack_cfi_show(const struct unwind_source *source, struct rule_tables *tables)
{
	const struct rule_module *module = source->module;
	struct cfi_filling filling = { .module = module, .tables = tables };
	uint64_t at = tables->first;
	struct stack_cfi init;

	while (rule_tables_more(tables)) {
		if (!init_at(module, at, &init)) {
			rule_tables_nothing(tables, at);
			if (!next_init(&filling, at, &at))
				break;
			continue;
		}
		filling.low = init.address;
		filling.high = init.address + init.size - 1;
		const uint64_t last = filling.high < tables->last ? filling.high : tables->last;
		rule_set_stack_cfi_each(tables->arena, tables->arch, module->policy,
					module->symfile, at, last, tell, &filling);
		add_defects(&filling, init.offset);
		if (last == tables->last)
			break;
		at = last + 1;
	}
}
