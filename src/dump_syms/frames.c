/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/limits.h"
#include "dump_syms/dump_syms_internal.h"
#include "dump_syms/packed_frames.h"
#include "frame_table/frame_tables.h"
#include "sframe/sframes.h"

/*
 * Rows of frame tables, and of SFrame where there are none, as STACK CFI records: all rules of an
 * entry's first row, then those that change. Where a row cannot be written, the record ends and
 * another one begins behind it, so that no older rule holds there.
 */

/* A row as it is written; NULL: the row has no rule, or none that can be written. */
struct written_row {
	const char *cfa, *return_address;
	const char *rules[ARCH_REGISTERS];
};

struct frame_writing {
	struct dump_syms_parts *parts;
	bool tables[FRAME_TABLES];	/* that the module has */
	struct arena arenas[2];		/* of the row before and of this one */
	struct written_row rows[2];
	unsigned current;
	struct symbol_text run;		/* rules of the record that is written; empty: none is */
	uint64_t start;			/* of its code */
	uint64_t steps, most_steps;	/* rows that were run to find others behind them */
	bool expensive;			/* an entry of the table at work was not run */
	struct packed_frames packed;	/* of the table at work */
};

/* An expression that is no more than a register and an offset, or the word there. */
struct plain_sum {
	const char *name;
	size_t length;
	long long offset;
	bool dereference;
};

static bool
read_sum(const char *expression, struct plain_sum *sum)
{
	char *end;

	*sum = (struct plain_sum){ .name = expression, .length = strcspn(expression, " ") };
	const char *at = expression + sum->length;
	if (*at == ' ' && at[1] != '^') {
		sum->offset = strtoll(at + 1, &end, 10);
		if (strncmp(end, " +", 2) != 0)
			return false;
		at = end + 2;
	}
	sum->dereference = strcmp(at, " ^") == 0;
	return sum->dereference || *at == '\0';
}

/* An expression counted from the CFA if both count from one register: fewer rows change it. */
static const char *
from_cfa(const char *cfa, const char *expression, struct arena *arena)
{
	struct plain_sum base, sum;

	if (cfa == NULL || expression == NULL || !read_sum(cfa, &base) || base.dereference ||
	    !read_sum(expression, &sum) || sum.length != base.length ||
	    strncmp(sum.name, base.name, sum.length) != 0 || !sum.dereference)
		return expression;
	return arena_format(arena, ".cfa %lld + ^", sum.offset - base.offset);
}

/* What is written of a row; false where it cannot be: there is no CFA or no return address. */
static bool
write_down(const struct frame_writing *writing, const struct frame_table_row *row,
	   struct written_row *written, struct arena *arena)
{
	const int sp = writing->parts->arch->sp;

	*written = (struct written_row){ .cfa = row->cfa.expression };
	/* Where there is no caller, the return address is 0. */
	written->return_address = from_cfa(written->cfa, row->return_address.expression, arena);
	if (row->outermost)
		written->return_address = "0";
	for (size_t i = 0; i < row->count; i++)
		written->rules[row->rules[i].reg] =
			from_cfa(written->cfa, row->rules[i].expression, arena);
	/* The stack pointer is the CFA without a rule. */
	if (written->rules[sp] != NULL && strcmp(written->rules[sp], ".cfa") == 0)
		written->rules[sp] = NULL;
	return written->cfa != NULL && written->return_address != NULL;
}

static void
add_rule(struct symbol_text *text, const char *name, const char *rule, const char *before)
{
	/* A rule that ends: the register has its value again. */
	if (rule == NULL)
		rule = name;
	if (before != NULL && strcmp(rule, before) == 0)
		return;
	const char *const parts[] = { " ", name, ": ", rule };
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		symbol_text_string(text, parts[i]);
}

/* Write the rules that a row has otherwise than the one before (NULL: none). */
static void
write_rules(struct frame_writing *writing, const struct written_row *row,
	    const struct written_row *before)
{
	const struct arch *arch = writing->parts->arch;
	struct symbol_text *text = &writing->run;

	add_rule(text, ".cfa", row->cfa, before != NULL ? before->cfa : NULL);
	add_rule(text, ".ra", row->return_address, before != NULL ? before->return_address : NULL);
	for (int reg = 0; reg < arch->register_count; reg++) {
		const char *name = arch->registers[reg].name;
		const char *old = before != NULL ? before->rules[reg] : NULL;

		if (row->rules[reg] != NULL || old != NULL)
			add_rule(text, name, row->rules[reg], old);
	}
}

/* Hand over the record whose code ends before `end`. */
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

/* Add a row to the record that is written, or begin one with it. */
static void
add_row(struct frame_writing *writing, uint64_t address)
{
	const struct written_row *row = &writing->rows[writing->current];
	struct symbol_text *run = &writing->run;
	const size_t start = run->count;

	if (start == 0) {
		writing->start = address;
		write_rules(writing, row, NULL);
		return;
	}
	symbol_text_string(run, "\nSTACK CFI ");
	symbol_text_hex(run, address);
	const size_t head = run->count;
	write_rules(writing, row, &writing->rows[writing->current ^ 1]);
	if (run->count == head)
		run->count = start;
	else
		writing->parts->frame_count++;
}

/* Write the rows of an entry from `first` to `last` of table `table`. */
static void
write_entry(struct frame_writing *writing, unsigned table, uint64_t first, uint64_t last)
{
	struct dump_syms_parts *parts = writing->parts;
	const char *problem = NULL;
	uint64_t row_number = 0;

	for (uint64_t at = first, next;; at = next) {
		const struct frame_table_question question = { .module = parts->module,
			.relative = at, .exact = true, .table = table };

		writing->current ^= 1;
		struct arena *arena = &writing->arenas[writing->current];
		arena_reset(arena);
		const struct frame_table_row *row =
			frame_tables_find(parts->binaries, &question, arena, &problem);
		if (row == NULL) {
			writing->expensive |= problem == frame_table_expensive;
			end_run(writing, at);
			return;
		}
		if (write_down(writing, row, &writing->rows[writing->current], arena))
			add_row(writing, at);
		else
			end_run(writing, at);
		next = frame_tables_next(parts->binaries, &question, row);
		if (next <= at || next > last)
			break;
		/* Each row is found by running the entry from its start. */
		writing->steps += ++row_number;
		if (writing->steps > writing->most_steps) {
			end_run(writing, next);
			return;
		}
	}
	end_run(writing, last + 1);
}

/*
 * Whether one of the first `tables` tables has `at`; brings `*end` to where that changes before
 * it.
 */
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

/* Write those parts of an entry that no table before has. */
static void
write_rest(struct frame_writing *writing, unsigned table, const struct frame_extent *entry)
{
	const uint64_t last = entry->last;

	for (uint64_t at = entry->first;;) {
		uint64_t end = last;

		if (!is_covered(writing, table, at, &end) &&
		    !(entry->led_to && packed_frames_write(&writing->packed, at, end)))
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

	const struct binary *file = frame_tables_file(parts->binaries, parts->module, table);
	writing->tables[table] = file != NULL;
	if (file == NULL)
		return;
	packed_frames_open(&writing->packed, parts, table);
	writing->expensive = false;
	writing->most_steps = writing->steps + LIMIT_FRAME_STEPS + 16 * file->file.size;
	for (uint64_t at = 0; writing->steps <= writing->most_steps; at = extent.last + 1) {
		frame_tables_extent(parts->binaries, parts->module, table, at, &extent);
		if (extent.entry)
			write_rest(writing, table, &extent);
		if (extent.last == UINT64_MAX || extent.last < at)
			break;
	}
	if (writing->steps > writing->most_steps || writing->expensive)
		binaries_report_limit(parts->binaries, file, "the unwind rules", "rows");
	packed_frames_close(&writing->packed);
}

/* SFrame --------------------------------------------------------------------------------------- */

/* The expression of a claim; NULL: it says nothing, or that the value is still there. */
static const char *
row_expression(const struct arch *arch, unsigned column, const struct claim *claim,
		 struct arena *arena)
{
	char rule[96];

	if (claim->kind != CLAIM_RULE)
		return NULL;
	claim_postfix(arch, column, claim, rule, sizeof(rule));
	const char *expression = strchr(rule, ':');
	return expression != NULL ? arena_copy(arena, expression + 2, strlen(expression + 2))
				  : NULL;
}

/* Begin or continue a record with the rules of a row. */
static void
write_claims(struct frame_writing *writing, const struct unwind_row *from, uint64_t address)
{
	const struct arch *arch = writing->parts->arch;
	const unsigned fp = CLAIM_REGISTER + (unsigned)arch->fp;

	writing->current ^= 1;
	struct arena *arena = &writing->arenas[writing->current];
	struct written_row *row = &writing->rows[writing->current];
	arena_reset(arena);
	*row = (struct written_row){
		.cfa = row_expression(arch, CLAIM_CFA, &from->claims[CLAIM_CFA], arena),
		.return_address = row_expression(arch, CLAIM_RETURN_ADDRESS,
						   &from->claims[CLAIM_RETURN_ADDRESS], arena) };
	row->rules[arch->fp] = row_expression(arch, fp, &from->claims[fp], arena);
	/* Without a caller there is no CFA, but a record needs one. */
	if (from->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_UNDEFINED) {
		row->cfa = arch->registers[arch->sp].name;
		row->return_address = "0";
	}
	if (row->cfa != NULL && row->return_address != NULL)
		add_row(writing, address);
	else
		end_run(writing, address);
}

/* Write the rows of the module's SFrame section where no frame table has any. */
static void
write_sframe(struct frame_writing *writing)
{
	static const struct unwind_source_kind kind = { .name = "SFrame",
							.speaks = UNWIND_MENTIONED };
	struct dump_syms_parts *parts = writing->parts;
	const struct rule_module module = {
		.arch = parts->arch, .binaries = parts->binaries, .number = parts->module,
		.sframe = sframes_load(parts->binaries, parts->module),
		.sframe_bias = parts->linked_base };
	struct unwind_source source = { .kind = &kind, .module = &module };
	const struct unwind_reader *reader = &unwind_reader_sframe;
	const struct binary *file = binaries_peek(parts->binaries, parts->module, LOCATE_IMAGE);
	uint64_t left = LIMIT_SFRAME_WRITTEN + (file != NULL ? file->file.size : 0);
	struct sframe_function function = { .number = 0 }, before = { .number = 0 };
	uint64_t behind = 0;

	if (!reader->open(&source))
		return;
	reader->seek(&source, 0);
	while (left > 0 && reader->next(&source)) {
		const struct unwind_row *row = &source.row;

		left--;
		sframe_find(module.sframe, row->first + module.sframe_bias, &function);
		for (uint64_t at = row->first, end; at <= row->last; at = end + 1) {
			end = row->last;
			if (at != behind || function.number != before.number)
				end_run(writing, behind);
			if (row->problem != NULL || is_covered(writing, FRAME_TABLES, at, &end))
				continue;
			write_claims(writing, row, at);
			parts->sframe_bytes += end - at + 1;
			before = function;
			behind = end + 1;
		}
	}
	if (left == 0 && file != NULL)
		binaries_report_limit(parts->binaries, file, "the SFrame section", "rows");
	end_run(writing, behind);
	arena_free(&source.arena);
}

void
dump_syms_read_frames(struct dump_syms_parts *parts)
{
	struct frame_writing writing = { .parts = parts };

	for (unsigned table = 0; table < FRAME_TABLES; table++)
		write_table(&writing, table);
	write_sframe(&writing);
	arena_free(&writing.arenas[0]);
	arena_free(&writing.arenas[1]);
	parts->frames.failed |= writing.run.failed;
	free(writing.run.items);
}
