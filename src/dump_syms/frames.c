/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/limits.h"
#include "dump_syms/dump_syms_internal.h"
#include "frame_table/cfi_rows.h"
#include "frame_table/frame_tables.h"
#include "sframe/sframes.h"
#include "rules/unwind_source.h"

/*
 * Writes the rows of frame tables, and of SFrame for code without a frame table, as STACK CFI
 * records: all rules of an entry's first row, then those that change. If a row cannot be written,
 * the record ends before it, and another record begins after it. So no older rule holds there.
 */

/* A rule to write: a sum or an expression. If both are missing, the register has no rule. */
struct written_rule {
	struct claim sum;
	const char *expression;
};

struct frame_writing {
	struct dump_syms_parts *parts;
	bool tables[FRAME_TABLES];	/* the module has the table */
	struct arena texts;		/* expressions of the current entry */
	struct written_rule rules[CLAIM_COLUMNS];	/* rules of the current row */
	struct written_rule written[CLAIM_COLUMNS];	/* rules in force in the current record */
	uint64_t changed;		/* bits of columns whose rules may differ from `written` */
	uint64_t words;			/* bits of columns whose rules read a word at a register */
	struct symbol_text run;		/* rules of the current record; empty: no record */
	uint64_t start;			/* start of the record's code */
	bool expensive;			/* an entry of the current table cost too much to run */
};

static uint64_t
all_columns(const struct frame_writing *writing)
{
	return (UINT64_C(2) << (claim_columns(writing->parts->arch) - 1)) - 1;
}

/* Rules ---------------------------------------------------------------------------------------- */

/*
 * Set a column's rule in the current row. The CFA's rule must be set first. A saved word's address
 * is written relative to the CFA if possible, because such rules change less often.
 */
static void
set_rule(struct frame_writing *writing, unsigned column, struct claim sum, const char *expression)
{
	const struct arch *arch = writing->parts->arch;
	const struct claim cfa = { .kind = CLAIM_RULE, .base = LINEAR_CFA };
	const uint64_t bit = UINT64_C(1) << column;

	writing->changed |= bit;
	writing->words &= ~bit;
	if (sum.kind == CLAIM_RULE && sum.dereference && sum.base >= 0) {
		writing->words |= bit;
		sum = claim_from_cfa(arch, column, &sum, &writing->rules[CLAIM_CFA].sum);
	}
	/* A stack pointer without a rule has the value of the CFA. */
	if (sum.kind != CLAIM_RULE ||
	    (column == CLAIM_REGISTER + (unsigned)arch->sp && claim_equal(&sum, &cfa)))
		sum = (struct claim){ .kind = CLAIM_SILENT };
	writing->rules[column] = (struct written_rule){ sum, expression };
}

static bool
has_rule(const struct written_rule *rule)
{
	return rule->expression != NULL || rule->sum.kind == CLAIM_RULE;
}

static bool
is_same(const struct written_rule *one, const struct written_rule *other)
{
	return claim_equal(&one->sum, &other->sum) &&
	       (one->expression == other->expression ||
		(one->expression != NULL && other->expression != NULL &&
		 strcmp(one->expression, other->expression) == 0));
}

static const char *
base_name(const struct arch *arch, int base)
{
	return base == LINEAR_CFA ? ".cfa" : arch->registers[base].name;
}

/* Append " NAME: EXPRESSION"; a register without a rule gets its own value. */
static void
add_rule(struct frame_writing *writing, unsigned column)
{
	const struct written_rule *rule = &writing->rules[column];
	const struct arch *arch = writing->parts->arch;
	struct symbol_text *text = &writing->run;
	const char *name = claim_rule_name(arch, column);
	const struct claim *sum = &rule->sum;
	/* Write an offset of 0 only if a saved word's address is relative to the CFA. */
	const bool counted = (writing->words >> column & 1) != 0 && sum->base == LINEAR_CFA;

	symbol_text_string(text, " ");
	symbol_text_string(text, name);
	symbol_text_string(text, ": ");
	symbol_text_string(text, rule->expression != NULL ? rule->expression
				 : sum->kind == CLAIM_RULE ? base_name(arch, sum->base) : name);
	if (sum->offset != 0 || counted) {
		symbol_text_string(text, sum->offset < 0 ? " -" : " ");
		symbol_text_decimal(text, (uint64_t)llabs((long long)sum->offset));
		symbol_text_string(text, " +");
	}
	if (sum->dereference)
		symbol_text_string(text, " ^");
}

/* Write the rules of the current row that differ from the rules in the current record. */
static void
write_rules(struct frame_writing *writing)
{
	for (uint64_t left = writing->changed; left != 0; left &= left - 1) {
		const unsigned column = (unsigned)__builtin_ctzll(left);
		const struct written_rule *rule = &writing->rules[column];

		if (!is_same(rule, &writing->written[column]))
			add_rule(writing, column);
		writing->written[column] = *rule;
	}
	writing->changed = 0;
}

/* Records -------------------------------------------------------------------------------------- */

/* Append the record whose code ends before `end`. */
static void
end_run(struct frame_writing *writing, uint64_t end)
{
	struct symbol_text *text = &writing->parts->frames;

	if (writing->run.count == 0)
		return;
	symbol_text_string(text, "STACK CFI INIT ");
	symbol_text_hex(text, writing->start);
	symbol_text_string(text, " ");
	symbol_text_hex(text, end - writing->start);
	symbol_text_add(text, writing->run.items, writing->run.count);
	symbol_text_string(text, "\n");
	writing->parts->frame_count++;
	writing->run.count = 0;
}

/* Add the current row to the current record, or begin a record with the row. */
static void
add_row(struct frame_writing *writing, uint64_t address)
{
	struct symbol_text *run = &writing->run;
	const size_t start = run->count;

	if (start == 0) {
		writing->start = address;
		writing->changed = all_columns(writing);
		memset(writing->written, 0, sizeof(writing->written));
		write_rules(writing);
		return;
	}
	symbol_text_string(run, "\nSTACK CFI ");
	symbol_text_hex(run, address);
	const size_t head = run->count;
	write_rules(writing);
	if (run->count == head)
		run->count = start;
	else
		writing->parts->frame_count++;
}

/* Whether one of the first `tables` tables covers `at`. The result holds up to `*end`. */
static bool
is_covered(const struct frame_writing *writing, unsigned tables, uint64_t at, uint64_t *end)
{
	const struct dump_syms_parts *parts = writing->parts;
	bool covered = false;

	for (unsigned table = 0; table < tables; table++) {
		struct frame_extent extent;

		if (!writing->tables[table])
			continue;
		frame_tables_extent(parts->binaries, parts->module, table, at, &extent);
		covered |= extent.entry;
		*end = extent.last < *end ? extent.last : *end;
	}
	return covered;
}

/*
 * Write the current row for code that the first `tables` tables do not cover, if the row has a CFA
 * and a return address. Returns the size of that code.
 */
static uint64_t
write_row(struct frame_writing *writing, unsigned tables, uint64_t first, uint64_t last)
{
	const struct written_rule *rules = writing->rules;
	uint64_t bytes = 0;

	for (uint64_t at = first, end;; at = end + 1) {
		end = last;
		const bool covered = is_covered(writing, tables, at, &end);
		if (!covered && has_rule(&rules[CLAIM_CFA]) &&
		    has_rule(&rules[CLAIM_RETURN_ADDRESS]))
			add_row(writing, at);
		else
			end_run(writing, at);
		bytes += covered ? 0 : end - at + 1;
		if (end >= last)
			return bytes;
	}
}

/* Call frame information ----------------------------------------------------------------------- */

/* Take the current row from a cursor; false if its entry has no rows from here on. */
static bool
take_row(struct frame_writing *writing, const struct cfi_table *table, const struct cfi_row *row)
{
	const enum claim_kind cfa = row->claims[CLAIM_CFA].kind;
	uint64_t left = row->changed & all_columns(writing);

	writing->expensive |= row->problem == frame_table_expensive;
	if (row->problem != NULL || cfa == CLAIM_SILENT || cfa == CLAIM_UNDEFINED)
		return false;
	if ((left >> CLAIM_CFA & 1) != 0)
		left |= writing->words;
	for (; left != 0; left &= left - 1) {
		const unsigned column = (unsigned)__builtin_ctzll(left);
		const struct claim *claim = &row->claims[column];
		const char *expression = NULL, *cannot;
		bool uses_pc = false;

		struct claim sum = claim->kind != CLAIM_EXPRESSION
			? *claim
			: cfi_expression_claim(table, column, claim, row->first, &uses_pc);
		/* Without a caller the return address is 0. */
		if (column == CLAIM_RETURN_ADDRESS && claim->kind == CLAIM_UNDEFINED)
			expression = "0";
		if (claim->kind == CLAIM_EXPRESSION &&
		    (uses_pc || sum.kind != CLAIM_RULE || sum.base < 0)) {
			expression = cfi_expression_text(table, column, claim, &writing->texts,
							 &cannot);
			sum.kind = CLAIM_SILENT;
		}
		set_rule(writing, column, sum, expression);
	}
	return true;
}

/*
 * Get the entry that unwinders use at the first address of `listed`. The linker's index may lead to
 * another entry there. False: unwinders find no entry that begins there.
 */
static bool
find_entry(const struct cfi_table *table, const struct cfi_entry *listed, struct cfi_entry *entry)
{
	uint64_t offset;

	*entry = *listed;
	if (listed->last < listed->first || listed->first < table->binary->linked_base)
		return false;
	switch (cfi_table_indexed(table, listed->first, &offset)) {
	case CFI_INDEXED:
		if (offset != listed->offset &&
		    (!cfi_entry_at(table, offset, entry) || entry->first != listed->first))
			return false;
		entry->last = entry->last < listed->last ? entry->last : listed->last;
		return true;
	case CFI_NOT_INDEXED:
		return false;
	default:
		return true;
	}
}

/* Write the rows of table `number` for code that no earlier table covers. */
static void
write_cfi(struct frame_writing *writing, unsigned number, const struct cfi_table *table)
{
	const uint64_t linked = table->binary->linked_base;
	struct cfi_table one = *table;
	struct cfi_entry entry;
	struct cfi_cursor cursor;
	struct cfi_row row;

	one.entries = &entry;
	one.count = 0;
	cfi_cursor_begin(&cursor, &one, 0);
	one.count = 1;
	for (size_t i = 0; i < table->count; i++) {
		if (!find_entry(table, &table->entries[i], &entry))
			continue;
		uint64_t end = entry.last + 1;
		arena_reset(&writing->texts);
		cfi_cursor_enter(&cursor, 0);
		while (end > entry.last && cfi_cursor_next(&cursor, &row)) {
			if (take_row(writing, table, &row)) {
				write_row(writing, number, row.first - linked, row.last - linked);
				continue;
			}
			end = row.first;
			if (row.problem != NULL)
				writing->parts->lost_bytes += entry.last - end + 1;
		}
		end_run(writing, end - linked);
	}
}

/* Other tables --------------------------------------------------------------------------------- */

static void
take_found(struct frame_writing *writing, const struct unwind_row *row)
{
	const struct arch *arch = writing->parts->arch;
	const char *cannot;

	memset(writing->rules, 0, sizeof(writing->rules));
	writing->changed = all_columns(writing);
	for (unsigned column = 0; column < claim_columns(arch); column++) {
		const struct claim *claim = &row->claims[column];

		if (claim->kind == CLAIM_RULE || claim->kind == CLAIM_EXPRESSION)
			set_rule(writing, column, *claim,
				 claim->kind == CLAIM_RULE
					 ? NULL
					 : unwind_row_expression(row, arch, column, &writing->texts,
								 &cannot));
	}
}

/* Write the entries of table `number`, which is not call frame information. */
static void
write_frames(struct frame_writing *writing, unsigned number)
{
	struct dump_syms_parts *parts = writing->parts;
	struct frame_cursor cursor;
	const struct unwind_row *row = &cursor.row;
	uint64_t begins = 0, end = 0;

	frame_cursor_begin(&cursor, parts->binaries, parts->module, number);
	while (frame_cursor_next(&cursor)) {
		if (row->presumed)
			continue;
		if (row->begins != begins || row->problem != NULL)
			end_run(writing, end);
		if (row->begins != begins)
			arena_reset(&writing->texts);
		begins = row->begins;
		end = row->last + 1;
		if (row->problem != NULL) {
			parts->lost_bytes += row->last - row->first + 1;
			continue;
		}
		take_found(writing, row);
		write_row(writing, number, row->first, row->last);
	}
	end_run(writing, end);
	writing->expensive |= cursor.expensive;
	arena_free(&cursor.arena);
}

static void
write_table(struct frame_writing *writing, unsigned number)
{
	struct dump_syms_parts *parts = writing->parts;
	const struct cfi_table *table =
		frame_tables_cfi(parts->binaries, parts->module, number);
	const struct binary *file = frame_tables_file(parts->binaries, parts->module, number);

	writing->tables[number] = file != NULL;
	if (file == NULL)
		return;
	writing->expensive = false;
	if (table != NULL)
		write_cfi(writing, number, table);
	else
		write_frames(writing, number);
	if (writing->expensive)
		binaries_report_limit(parts->binaries, file, "the unwind rules", "rows");
}

/* SFrame --------------------------------------------------------------------------------------- */

static void
take_sframe(struct frame_writing *writing, const struct unwind_row *row)
{
	const struct arch *arch = writing->parts->arch;
	const unsigned columns[] = { CLAIM_CFA, CLAIM_RETURN_ADDRESS,
				     CLAIM_REGISTER + (unsigned)arch->fp };

	for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
		set_rule(writing, columns[i], row->claims[columns[i]], NULL);
	/* A record needs a CFA, even for a frame without a caller. */
	if (row->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_UNDEFINED) {
		writing->rules[CLAIM_CFA].expression = arch->registers[arch->sp].name;
		writing->rules[CLAIM_RETURN_ADDRESS].expression = "0";
	}
}

/* Write the rows of the module's SFrame section for code without a frame table. */
static void
write_sframe(struct frame_writing *writing)
{
	struct dump_syms_parts *parts = writing->parts;
	const struct rule_module module = {
		.arch = parts->arch, .binaries = parts->binaries, .number = parts->module,
		.sframe = sframes_load(parts->binaries, parts->module),
		.sframe_bias = parts->linked_base };
	struct unwind_source source;
	const struct binary *file = binaries_peek(parts->binaries, parts->module, LOCATE_IMAGE);
	uint64_t left = LIMIT_SFRAME_WRITTEN + (file != NULL ? file->file.size : 0);
	struct sframe_function function = { .number = 0 }, before = { .number = 0 };
	uint64_t end = 0;

	if (!unwind_source_open(&source, unwind_source_kind_named("SFrame"), &module, false))
		return;
	while (left > 0 && source.kind->reader->next(&source)) {
		const struct unwind_row *row = &source.row;

		left--;
		sframe_find(module.sframe, row->first + module.sframe_bias, &function);
		if (row->first != end || function.number != before.number || row->problem != NULL)
			end_run(writing, end);
		if (row->problem != NULL)
			continue;
		take_sframe(writing, row);
		parts->sframe_bytes += write_row(writing, FRAME_TABLES, row->first, row->last);
		before = function;
		end = row->last + 1;
	}
	if (left == 0 && file != NULL)
		binaries_report_limit(parts->binaries, file, "the SFrame section", "rows");
	end_run(writing, end);
	unwind_sources_close(&source, 1);
}

void
dump_syms_read_frames(struct dump_syms_parts *parts)
{
	struct frame_writing writing = { .parts = parts };

	for (unsigned number = 0; number < FRAME_TABLES; number++)
		write_table(&writing, number);
	memset(writing.rules, 0, sizeof(writing.rules));
	write_sframe(&writing);
	arena_free(&writing.texts);
	parts->frames.failed |= writing.run.failed;
	free(writing.run.items);
}
