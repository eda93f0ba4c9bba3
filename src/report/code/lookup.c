/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/lookup.h"

#include <inttypes.h>

#include "base/demangle.h"
#include "base/policy_rows.h"
#include "document/row.h"
#include "report/report.h"
#include "report/step/rule_listing.h"
#include "walk/symbol_at.h"

static struct place
function_place(const struct lookup *lookup, const struct function *function)
{
	return symbol_at_place(lookup->symfile, lookup->symbol.own_file, function->offset,
			       function->length);
}

/* The record of a call's name: INLINE, FUNC, PUBLIC or an entry of the module's file. */
static struct place
name_record(const struct lookup *lookup, size_t call)
{
	const struct inline_call *inlined = lookup->calls[call].inlined;

	return inlined == NULL
		       ? function_place(lookup, &lookup->symbol.function)
		       : symbol_at_place(lookup->symfile, inlined->own_file, inlined->offset,
					 inlined->length);
}

/* The record of a call's line: a line record or line program; INLINE for an outer call. */
static struct place
line_record(const struct lookup *lookup, size_t call)
{
	const struct source_line *line = &lookup->symbol.line;

	if (call > 0)
		return name_record(lookup, call - 1);
	return lookup->symbol.has_line ? symbol_at_place(lookup->symfile, line->own_file,
							 line->offset, line->length)
				       : (struct place){ 0 };
}

static bool
find_symbol(struct lookup *lookup, const struct rule_module *module, struct arena *arena)
{
	struct policy policy = *module->policy;
	const struct symbol_sources sources = { .symfile = lookup->symfile,
						.binaries = module->binaries,
						.module = module->number, .policy = &policy };

	policy.value[POLICY_PUBLIC_AT_ZERO] = true;
	if (symbol_at(&sources, lookup->address, arena, &lookup->symbol))
		return true;
	if (lookup->symbol.after.name.length > 0)
		lookup->symbol.after.name =
			demangle_shown(&policy, lookup->symbol.after.name, arena);
	/*
	 * Accept a PUBLIC or an export at any distance, because it shows roughly where the address
	 * is.
	 */
	policy.value[POLICY_PUBLIC_NAMES] = 0;
	policy.value[POLICY_FILE_NAMES] = 0;
	return lookup->symbol.after.name.length == 0 &&
	       symbol_at(&sources, lookup->address, arena, &lookup->symbol);
}

static void
find_calls(struct lookup *lookup, const struct rule_module *module, struct arena *arena)
{
	if (!find_symbol(lookup, module, arena))
		return;
	lookup->calls = arena_array(arena, lookup->symbol.inline_count + 1,
				    sizeof(*lookup->calls));
	if (lookup->calls == NULL)
		return;
	lookup->call_count = lookup->symbol.inline_count + 1;
	location_turn_calls(&lookup->symbol, lookup->calls);
	for (size_t i = 0; i < lookup->call_count; i++)
		location_show_name(
			&lookup->calls[i],
			demangle_shown(module->policy, lookup->calls[i].name, arena));
	for (size_t i = 0; i < lookup->symbol.shadowed_count; i++) {
		struct function *function = &lookup->symbol.shadowed[i];

		function->name = demangle_shown(module->policy, function->name, arena);
	}
}

void
lookup_make(struct lookup *lookup, const struct rule_module *module, uint64_t address,
	    struct arena *arena)
{
	lookup->address = address;
	lookup->symfile = module->symfile;
	lookup->has_file = binaries_load(module->binaries, module->number, LOCATE_DEBUG) != NULL;
	find_calls(lookup, module, arena);
	/* Only the rules at the address are needed, so the tables cover that one byte. */
	lookup->run = (struct rule_run){ .first = lookup->address, .last = lookup->address };
	rule_tables_init(&lookup->tables, arena, module->arch, lookup->address, lookup->address);
	rule_tables_add_all(&lookup->tables, module);
	for (size_t i = 0; i < lookup->tables.count; i++) {
		const struct rule_row *row =
			rule_table_at(&lookup->tables.tables[i], lookup->address);

		lookup->ruled = lookup->ruled || (row != NULL && row->kind == RULE_ROW_RULES);
	}
}

/* Text ----------------------------------------------------------------------------------------- */

static void
write_call(const struct output *output, const struct lookup *lookup, size_t index,
	   struct row *row)
{
	const struct call *call = &lookup->calls[index];
	const struct function *function = &lookup->symbol.function;

	row_add(row, ROLE_NORMAL, "  ");
	row_add_text(row, ROLE_NORMAL, call->name);
	if (call->inlined == NULL && lookup->address != function->address)
		row_add(row, ROLE_NORMAL, " + 0x%" PRIx64, lookup->address - function->address);
	if (call->has_line) {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_NORMAL, call->file.length > 0 ? call->file : text_of("??"));
		row_add(row, ROLE_NORMAL, ":%" PRIu32, call->line);
	}
	if (call->inlined != NULL)
		row_add(row, ROLE_DIM, "   inlined");
	else if (lookup->symbol.section != NULL || function->kind == SYMBOL_PUBLIC)
		row_add(row, ROLE_DIM, "   %s%s",
			lookup->symbol.section != NULL ? lookup->symbol.section : "PUBLIC",
			lookup->symbol.uncertain
				? ": the closest name below; the function is unknown" : "");
	report_add_place(row, name_record(lookup, index));
	row_write(output, row);
}

static void
write_after(const struct output *output, const struct lookup *lookup, struct row *row)
{
	const struct function *after = &lookup->symbol.after;

	row_add(row, ROLE_DIM, "  after ");
	row_add_text(row, ROLE_DIM, after->name);
	row_add(row, ROLE_DIM, " + 0x%" PRIx64 "   %s begins another function at 0x%" PRIx64,
		lookup->address - after->address, lookup->symbol.bound_source,
		lookup->symbol.bound);
	report_add_place(row, function_place(lookup, after));
	row_write(output, row);
}

static void
write_rules(const struct output *output, const struct lookup *lookup, struct row *row)
{
	for (size_t i = 0; i < lookup->tables.count; i++) {
		const struct rule_table *table = &lookup->tables.tables[i];
		const struct rule_row *at = rule_table_at(table, lookup->address);

		if (at == NULL || at->kind != RULE_ROW_RULES)
			continue;
		row_add(row, ROLE_TITLE, "  %s", table->source);
		if (at->message != NULL)
			row_add(row, ROLE_BAD, "   %s", at->message);
		report_add_place(row, at->record);
		row_write(output, row);
		for (size_t j = 0; at->cells != NULL && j < lookup->tables.column_count; j++) {
			const struct rule_cell *cell = &at->cells[j];
			const size_t indent = 4;
			char text[128];

			if (!rule_cell_is_said(cell))
				continue;
			row_pad(row, indent);
			row_add_text(row, ROLE_NORMAL, lookup->tables.columns[j].name);
			row_pad(row, indent + 5);
			row_add(row, ROLE_NORMAL, " %-8s  ",
				rule_cell_format(&lookup->tables, at, j, text, sizeof(text)));
			row_add_text(row, ROLE_NORMAL, cell->text);
			if (cell->differs)
				row_add(row, ROLE_BAD, "   ! sources differ");
			report_add_place(row, cell->place);
			row_write(output, row);
		}
	}
}

void
lookup_text(const struct output *output, const struct lookup *lookup)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	row_add(&row, ROLE_TITLE, "0x%08" PRIx64 "   ", lookup->shown);
	row_add_text(&row, ROLE_TITLE, text_of(lookup->module));
	row_add(&row, ROLE_TITLE, "+0x%" PRIx64, lookup->address);
	row_write(output, &row);
	for (size_t i = 0; i < lookup->call_count; i++)
		write_call(output, lookup, i, &row);
	if (lookup->symbol.after.name.length > 0)
		write_after(output, lookup, &row);
	else if (lookup->call_count == 0)
		output_format(output, "  %s\n",
			      lookup->symfile != NULL || lookup->has_file
				      ? "no function, no name below it" : "no symbols");
	for (size_t i = 0; i < lookup->symbol.shadowed_count; i++) {
		const struct function *function = &lookup->symbol.shadowed[i];

		row_add(&row, ROLE_DIM, "    not ");
		row_add_text(&row, ROLE_DIM, function->name);
		row_add(&row, ROLE_DIM, "   %s",
			function->kind == SYMBOL_PUBLIC ? "PUBLIC, a FUNC comes first"
							: "FUNC, overlaps an earlier one");
		report_add_place(&row, function_place(lookup, function));
		row_write(output, &row);
	}
	write_rules(output, lookup, &row);
	if (!lookup->ruled)
		output_format(output, "  no unwind rules\n");
	arena_free(&arena);
}

void
lookup_brief(const struct output *output, const struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->call_count; i++) {
		const struct call *call = &lookup->calls[i];

		output_text(output, call->name.length > 0 ? call->name : text_of("??"));
		output_format(output, "\n");
		output_text(output, call->file.length > 0 ? call->file : text_of("??"));
		output_format(output, ":%" PRIu32 "\n", call->has_line ? call->line : 0);
	}
	if (lookup->call_count == 0)
		output_format(output, "??\n??:0\n");
}

/* JSON ----------------------------------------------------------------------------------------- */

static const char *const lookup_words[] = { "FUNC", "PUBLIC" };
static const struct fact_names lookup_kinds = FACT_NAMES(lookup_words);

#define FACTS "report/code/lookup_facts.def"
#include "document/describe_facts.h"
