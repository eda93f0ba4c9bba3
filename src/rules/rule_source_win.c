/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_table.h"
#include "symbols/records.h"

/* The rows of STACK WIN records of one type: one where another record begins to be the innermost. */

static struct symbols_policy
records_policy(const struct rule_source *source)
{
	return (struct symbols_policy){
		.stop_as_breakpad = source->policy->value[POLICY_SYMBOL_ERROR_LIMIT] == 1 };
}

static bool
covers(const struct rule_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	const struct symbols_policy policy = records_policy(source);
	struct stack_win record;

	if (!symfile_stack_win(source->symfile, &policy, source->type, address, &record))
		return false;
	*first = record.address;
	*last = record.address + record.size - 1;
	return true;
}

static void
add_record(const struct rule_source *source, struct rule_tables *tables, uint64_t address,
	   struct stack_win *record)
{
	struct stack_win was;
	const bool edited = source->edits != NULL &&
			    record_edit_stack_win(source->edits, source->symfile, record, &was);
	const struct stack_win_view view = {
		.record = record,
		.was = edited ? &was : NULL,
		.place = symfile_place(source->symfile, record->offset, record->length),
		.parameters = source->parameters,
		.keeps_ebx = source->keeps_ebx,
	};
	const struct rule_set *set = rule_set_stack_win(tables->arena, tables->arch, &view);

	tables->failed = tables->failed || set == NULL;
	if (set != NULL)
		rule_tables_row(tables, address, view.place, set);
}

/* Records that the file has but that another one shadows are among its messages. */
static void
add_refused(const struct rule_source *source, struct rule_tables *tables)
{
	const struct message_list *messages = symfile_messages(source->symfile);
	const struct file *file = symfile_file(source->symfile);

	for (size_t i = 0; i < messages->count; i++) {
		const struct message *message = &messages->messages[i];
		struct stack_win record;

		if (message->place.input != &file->input || message->place.offset >= file->size ||
		    message->place.length > file->size - message->place.offset)
			continue;
		const struct text text = { (const char *)file->data + message->place.offset,
					   message->place.length };
		if (!record_stack_win(text, &record) ||
		    record.type != source->type || record.address > tables->last ||
		    record.address < tables->first)
			continue;
		rule_tables_record(tables, record.address, message->place, message->text);
	}
}

static void
fill(const struct rule_source *source, struct rule_tables *tables)
{
	const struct symbols_policy policy = records_policy(source);
	struct rule_table *table = &tables->tables[tables->count - 1];
	uint64_t at = tables->first;
	struct stack_win record;

	do {
		if (symfile_stack_win(source->symfile, &policy, source->type, at, &record))
			add_record(source, tables, at, &record);
		else
			rule_tables_nothing(tables, at, NULL);
	} while (!tables->failed && !table->full &&
		 symfile_stack_win_change(source->symfile, &policy, source->type, at, &at) &&
		 at <= tables->last);
	add_refused(source, tables);
	if (source->parameters < 0)
		table->note = "p: the bytes of its callee's arguments";
}

struct rule_source
rule_source_stack_win(const struct symfile *symfile, const struct policy *policy, unsigned type)
{
	return (struct rule_source){ .name = type == 0 ? "STACK WIN 0" : "STACK WIN 4",
				     .covers = covers, .fill = fill, .symfile = symfile,
				     .policy = policy, .type = type, .parameters = -1 };
}
