/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "dump_syms/dump_syms_internal.h"
#include "frame_table/frame_tables.h"

/*
 * Rows of frame tables as STACK CFI records: all rules of an entry's first row, then those that
 * change. Where a row cannot be written, the record ends and another one begins behind it, so that
 * no older rule holds there.
 */

struct frame_writing {
	struct dump_syms_parts *parts;
	struct arena arenas[2];		/* of the row before and of this one */
	unsigned current;
	bool tables[FRAME_TABLES];	/* that the module has */
};

static void
add_rule(struct symbol_text *text, const char *name, const char *expression)
{
	symbol_text_string(text, " ");
	symbol_text_string(text, name);
	symbol_text_string(text, ": ");
	symbol_text_string(text, expression);
}

static const char *
name_of(const struct frame_writing *writing, int reg)
{
	return writing->parts->arch->registers[reg].name;
}

/* The expression of a rule; NULL: it has none, or needs none (the stack pointer is the CFA). */
static const char *
written(const struct frame_writing *writing, const struct frame_table_rule *rule)
{
	const bool implied = rule->reg == writing->parts->arch->sp && rule->expression != NULL &&
			     strcmp(rule->expression, ".cfa") == 0;

	return implied ? NULL : rule->expression;
}

/* The same of a register in a row. */
static const char *
expression_of(const struct frame_writing *writing, const struct frame_table_row *row, int reg)
{
	for (size_t i = 0; row != NULL && i < row->count; i++)
		if (row->rules[i].reg == reg)
			return written(writing, &row->rules[i]);
	return NULL;
}

static bool
same(const char *one, const char *other)
{
	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

/* The return address: 0 where there is no caller. */
static const char *
return_address(const struct frame_table_row *row)
{
	return row->outermost ? "0" : row->return_address.expression;
}

static bool
can_write(const struct frame_table_row *row)
{
	return row->cfa.expression != NULL && return_address(row) != NULL;
}

/* Write what a row has that the one before (NULL: none) has not, behind the record's own fields. */
static void
write_rules(struct frame_writing *writing, const struct frame_table_row *row,
	    const struct frame_table_row *before)
{
	struct symbol_text *text = &writing->parts->frames;

	if (before == NULL || !same(row->cfa.expression, before->cfa.expression))
		add_rule(text, ".cfa", row->cfa.expression);
	if (before == NULL || !same(return_address(row), return_address(before)))
		add_rule(text, ".ra", return_address(row));
	for (size_t i = 0; i < row->count; i++) {
		const int reg = row->rules[i].reg;
		const char *expression = written(writing, &row->rules[i]);

		if (expression != NULL && !same(expression, expression_of(writing, before, reg)))
			add_rule(text, name_of(writing, reg), expression);
	}
	for (size_t i = 0; before != NULL && i < before->count; i++) {
		const int reg = before->rules[i].reg;

		if (written(writing, &before->rules[i]) != NULL &&
		    expression_of(writing, row, reg) == NULL)
			add_rule(text, name_of(writing, reg), name_of(writing, reg));
	}
	symbol_text_string(text, "\n");
	writing->parts->frame_count++;
}

/* Write the rows of an entry from `first` to `last` of table `table`. */
static void
write_entry(struct frame_writing *writing, unsigned table, uint64_t first, uint64_t last)
{
	struct dump_syms_parts *parts = writing->parts;
	struct symbol_text *text = &parts->frames;
	const struct frame_table_row *before = NULL;
	const char *problem;

	for (uint64_t at = first;;) {
		const struct frame_table_question question = { .module = parts->module,
			.relative = at, .exact = true, .table = table };

		writing->current ^= 1;
		struct arena *arena = &writing->arenas[writing->current];
		arena_reset(arena);
		const struct frame_table_row *row =
			frame_tables_find(parts->binaries, &question, arena, &problem);
		if (row == NULL)
			return;
		const uint64_t next = frame_tables_next(parts->binaries, &question, row);
		const bool good = can_write(row);
		const size_t start = text->count;
		if (good && before == NULL) {
			symbol_text_string(text, "STACK CFI INIT ");
			symbol_text_hex(text, at);
			symbol_text_string(text, " ");
			symbol_text_hex(text, last - at + 1);
		} else if (good) {
			symbol_text_string(text, "STACK CFI ");
			symbol_text_hex(text, at);
		}
		const size_t head = text->count;
		if (good)
			write_rules(writing, row, before);
		if (good && text->count == head + 1) {
			text->count = start;
			parts->frame_count--;
		}
		before = good ? row : NULL;
		if (next <= at || next > last)
			return;
		at = next;
	}
}

/* Write those parts of an entry that no table before has. */
static void
write_rest(struct frame_writing *writing, unsigned table, uint64_t first, uint64_t last)
{
	struct dump_syms_parts *parts = writing->parts;

	for (uint64_t at = first;;) {
		bool covered = false;
		uint64_t end = last;

		for (unsigned before = 0; before < table; before++) {
			struct frame_extent extent;

			if (!writing->tables[before])
				continue;
			frame_tables_extent(parts->binaries, parts->module, before, at, &extent);
			covered |= extent.entry;
			end = extent.last < end ? extent.last : end;
		}
		if (!covered)
			write_entry(writing, table, at, end);
		if (end >= last)
			return;
		at = end + 1;
	}
}

static void
write_table(struct frame_writing *writing, unsigned table)
{
	struct dump_syms_parts *parts = writing->parts;
	struct frame_extent extent;

	writing->tables[table] =
		frame_tables_file(parts->binaries, parts->module, table) != NULL;
	if (!writing->tables[table])
		return;
	for (uint64_t at = 0;; at = extent.last + 1) {
		frame_tables_extent(parts->binaries, parts->module, table, at, &extent);
		if (extent.entry)
			write_rest(writing, table, extent.first, extent.last);
		if (extent.last == UINT64_MAX || extent.last < at)
			return;
	}
}

void
dump_syms_read_frames(struct dump_syms_parts *parts)
{
	struct frame_writing writing = { .parts = parts };

	for (unsigned table = 0; table < FRAME_TABLES; table++)
		write_table(&writing, table);
	arena_free(&writing.arenas[0]);
	arena_free(&writing.arenas[1]);
}
