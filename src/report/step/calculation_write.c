/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "report/step/calculation_write.h"
#include "document/row.h"

/* The output of a calculation: a row for each token, then the value of each rule or variable. */

enum {
	TOKEN_COLUMN = 7,
	TOKEN_WIDEST = 24,
	STACK_WIDEST = 60,
	CELLS_SHOWN = 64,
};

struct calculation_writer {
	const struct calculation *calculation;
	struct arena arena;
	struct row row;
	size_t token_width, stack_width;
};

/* Lists the cells of a postfix stack, deepest first; returns their number. */
static size_t
list_cells(const struct cell *top, const struct cell *cells[CELLS_SHOWN])
{
	size_t count = 0;

	for (const struct cell *at = top; at != NULL && count < CELLS_SHOWN; at = at->below)
		count++;
	for (size_t i = count; i-- > 0; top = top->below)
		cells[i] = top;
	return count;
}

static void
add_stack(const struct calculation *calculation, const struct cell *top, struct row *row)
{
	const struct cell *cells[CELLS_SHOWN];
	const size_t count = list_cells(top, cells);
	const struct trace *trace = &calculation->trace;

	if (count > 0 && cells[0]->below != NULL)
		row_add(row, ROLE_DIM, ".. ");
	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = cells[i];
		const struct event *made =
			cell->from < trace->count ? &trace->events[cell->from] : NULL;
		char value[32];

		/*
		 * A number of the expression is shown as written there, any other value as an
		 * address.
		 */
		if (made != NULL && made->kind == EVENT_TOKEN && made->detail == OPERATION_NUMBER)
			snprintf(value, sizeof(value), "%.*s", TEXT_UPTO(made->name, 31));
		else
			snprintf(value, sizeof(value), "0x%" PRIx64, cell->value);
		row_add_text(row, ROLE_NORMAL, cell->name);
		if (cell->name.length == 0)
			row_add(row, ROLE_NORMAL, "%s", value);
		else if (cell->known)
			row_add(row, ROLE_NORMAL, " (%s)", value);
		else
			row_add(row, ROLE_BAD, " (?)");
		if (i + 1 < count)
			row_add(row, ROLE_NORMAL, " ");
	}
}

static void
add_reason(const struct calculation *calculation, uint32_t token, struct row *row)
{
	const struct event *at = &calculation->trace.events[token];
	const struct event *read = token + 1 < at->end ? at + 1 : NULL;

	if (at->status == EVENT_FAILED)
		row_add(row, ROLE_BAD, "! %s", at->text);
	else if (read != NULL && read->kind == EVENT_READ)
		row_add(row, ROLE_NORMAL, "the word at 0x%" PRIx64, read->address);
	else if (at->detail == OPERATION_ASSIGN)
		row_add(row, ROLE_NORMAL, "%s := 0x%" PRIx64, at->text, at->value);
	else if (at->detail == OPERATION_NAME && at->stack != NULL && at->stack->known)
		row_add(row, ROLE_DIM, "%s",
			at->stack->from == TRACE_NONE		  ? "given"
			: calculation->parts[0].name.length > 0 ? "the result of its rule"
								  : "set by the program");
	else if (at->detail == OPERATION_NAME)
		row_add(row, ROLE_DIM, "no value yet");
}

static bool
is_token(const struct calculation *calculation, uint32_t event)
{
	return calculation->trace.events[event].kind == EVENT_TOKEN;
}

static void
write_part(struct calculation_writer *writer, const struct calculation_part *part,
	   const struct output *output)
{
	const struct calculation *calculation = writer->calculation;
	struct row *row = &writer->row;
	unsigned count = 0;

	if (part->name.length > 0) {
		row_add(row, ROLE_TITLE, "rule ");
		row_add_text(row, ROLE_TITLE, part->name);
		row_write(output, row);
	}
	for (uint32_t i = part->first; i < part->end; i++) {
		if (!is_token(calculation, i))
			continue;
		row_add(row, ROLE_DIM, "%5u  ", ++count);
		row_add_text(row, ROLE_NORMAL, calculation->trace.events[i].name);
		row_pad(row, TOKEN_COLUMN + writer->token_width);
		row_add(row, ROLE_NORMAL, "  ");
		add_stack(calculation, calculation->trace.events[i].stack, row);
		row_pad(row, TOKEN_COLUMN + writer->token_width + 2 + writer->stack_width);
		row_add(row, ROLE_NORMAL, "  ");
		add_reason(calculation, i, row);
		row_write(output, row);
	}
}

/* Adds a value in every notation that a reader may search for. */
static void
add_value(const struct calculation *calculation, uint64_t value, struct row *row)
{
	const unsigned bits = calculation->arch->word_size * 8;
	const bool negative = (value >> (bits - 1) & 1) != 0;

	row_add(row, ROLE_NORMAL, "0x%" PRIx64 "  %" PRIu64, value, value);
	if (negative)
		row_add(row, ROLE_NORMAL, "  -%" PRIu64, arch_wrap(calculation->arch, 0 - value));
}

static void
write_results(struct calculation_writer *writer, const struct output *output)
{
	const struct calculation *calculation = writer->calculation;
	struct row *row = &writer->row;

	for (size_t i = 0; i < calculation->part_count; i++) {
		const struct calculation_part *part = &calculation->parts[i];

		if (part->good && calculation->win)
			continue;
		if (part->name.length > 0)
			row_add_text(row, ROLE_NORMAL, part->name);
		row_add(row, ROLE_NORMAL, part->name.length > 0 ? " = " : "= ");
		if (part->good)
			add_value(calculation, part->value, row);
		else
			row_add(row, ROLE_BAD, "? %s", part->failure);
		row_write(output, row);
	}
	const struct program *program =
		calculation->part_count > 0 ? calculation->parts[0].program : NULL;
	for (size_t i = 0; calculation->win && program != NULL && i < program->name_count; i++) {
		if (!calculation->variables[i].assigned)
			continue;
		row_add_text(row, ROLE_NORMAL, program->names[i].text);
		row_add(row, ROLE_NORMAL, " = ");
		add_value(calculation, calculation->variables[i].value, row);
		row_write(output, row);
	}
}

void
calculation_write(const struct calculation *calculation, const struct output *output)
{
	struct calculation_writer writer = { .calculation = calculation, .token_width = 5,
					     .stack_width = 11 };
	const struct trace *trace = &calculation->trace;

	row_init(&writer.row, &writer.arena);
	for (uint32_t i = 0; i < trace->count; i++) {
		if (!is_token(calculation, i))
			continue;
		row_clear(&writer.row);
		row_add_text(&writer.row, ROLE_NORMAL, trace->events[i].name);
		row_widen(&writer.token_width, writer.row.width, TOKEN_WIDEST);
		row_clear(&writer.row);
		add_stack(calculation, trace->events[i].stack, &writer.row);
		row_widen(&writer.stack_width, writer.row.width, STACK_WIDEST);
	}
	row_clear(&writer.row);
	row_add(&writer.row, ROLE_DIM, "  tok  token");
	row_pad(&writer.row, TOKEN_COLUMN + writer.token_width);
	row_add(&writer.row, ROLE_DIM, "  stack after");
	row_pad(&writer.row, TOKEN_COLUMN + writer.token_width + 2 + writer.stack_width);
	row_add(&writer.row, ROLE_DIM, "  why (%s%s)", calculation->arch->name,
		calculation->arch_chosen ? "" : ", guessed");
	row_write(output, &writer.row);
	for (size_t i = 0; i < calculation->part_count; i++)
		write_part(&writer, &calculation->parts[i], output);
	write_results(&writer, output);
	arena_free(&writer.arena);
}

#define FACTS "report/step/calculation_facts.def"
#include "document/describe_facts.h"
