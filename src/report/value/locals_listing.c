/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/frame_saves.h"
#include "report/report.h"
#include "report/value/locals_internal.h"
#include "report/value/value_parts.h"

/* Rows of variables. Only the parts of open rows are read. */

enum { MOST_DEPTH = 24, MOST_ROWS = 4096 };

struct local_row {
	enum { ROW_CALL, ROW_VARIABLE, ROW_STEP, ROW_PART, ROW_MORE, ROW_ARGUMENT,
	       ROW_EXPRESSION } kind;
	size_t call;
	size_t number;				/* number of ROW_VARIABLE in the call */
	unsigned depth;
	const struct debug_variable *variable;	/* variable of ROW_VARIABLE */
	const char *name;			/* name of a part */
	enum variable_location location;
	const struct location_result *result;
	const char *how;
	struct typed_value value;
	uint64_t id;
	const struct location_step *step;	/* step of ROW_STEP */
	const struct entry_argument *argument;	/* argument of ROW_ARGUMENT */
	bool opens, open;
	const char *wrong;			/* error of an expression; NULL: it has a value */
	uint64_t more;				/* number of elements that ROW_MORE leaves out */
};

struct locals_rows {
	const struct locals *locals;
	struct arena *arena;
	struct local_row *items;
	size_t count, capacity;
};

void
locals_state_free(struct locals_state *state)
{
	hash_free(&state->open);
	while (state->expression_count > 0)
		free(state->expressions[--state->expression_count]);
}

static const char opened[] = "open", closed[] = "closed";

static bool
is_open(const struct locals_state *state, uint64_t row)
{
	return state != NULL && hash_find(&state->open, row, 1) == opened;
}

void
locals_toggle(struct locals_state *state, uint64_t row)
{
	hash_put(&state->open, row, 1, is_open(state, row) ? closed : opened);
}

/* Making --------------------------------------------------------------------------------------- */

/* A number for part `index` of the row `parent`; never 0. */
static uint64_t
row_hash(uint64_t parent, uint64_t index)
{
	return ((parent ^ (index + 1)) * UINT64_C(0x9e3779b97f4a7c15) ^ parent >> 29) | 1;
}

static struct local_row *
add_row(struct locals_rows *rows)
{
	return rows->count < MOST_ROWS
		       ? ARENA_PUSH(rows->arena, rows->items, rows->count, rows->capacity) : NULL;
}

static void
add_parts(struct locals_rows *rows, size_t parent);

/* Adds a row for a part and, if this row is open, rows for the part's own parts. */
static void
add_part(struct locals_rows *rows, size_t parent, uint64_t index, const char *name,
	 const struct typed_value *value)
{
	const struct local_row above = rows->items[parent];
	struct local_row *row = add_row(rows);

	if (row == NULL)
		return;
	*row = (struct local_row){ .kind = ROW_PART, .call = above.call, .depth = above.depth + 1,
				   .name = name, .value = *value, .id = row_hash(above.id, index) };
	row->opens = row->depth < MOST_DEPTH && value_has_parts(value, rows->arena);
	row->open = row->opens && is_open(rows->locals->state, row->id);
	if (row->open)
		add_parts(rows, rows->count - 1);
}

/* Adds the parts of a row. If elements are left out, a last row has their number. */
static void
add_parts(struct locals_rows *rows, size_t parent)
{
	const struct local_row above = rows->items[parent];
	const struct value_parts parts = value_parts_of(&above.value, rows->arena);

	for (size_t i = 0; i < parts.count; i++)
		add_part(rows, parent, i, parts.items[i].name, &parts.items[i].value);
	struct local_row *row = parts.more > 0 ? add_row(rows) : NULL;
	if (row != NULL)
		*row = (struct local_row){ .kind = ROW_MORE, .call = above.call,
					   .depth = above.depth + 1, .value = above.value,
					   .more = parts.more };
}

/* Adds a row for each operation of a variable's location. */
static void
add_steps(struct locals_rows *rows, size_t parent)
{
	const struct local_row above = rows->items[parent];

	for (size_t i = 0; above.result != NULL && i < above.result->step_count; i++) {
		struct local_row *row = add_row(rows);

		if (row == NULL)
			return;
		*row = (struct local_row){ .kind = ROW_STEP, .call = above.call,
					   .depth = above.depth + 1, .value = above.value,
					   .step = &above.result->steps[i] };
	}
}

static void
add_variable(struct locals_rows *rows, size_t call, uint64_t index,
	     const struct debug_variable *variable)
{
	const struct locals *locals = rows->locals;
	struct variable_value found;
	struct local_row *row = add_row(rows);

	if (row == NULL)
		return;
	if (!variable_value_of(locals->variables, variable, rows->arena, &found)) {
		rows->count--;
		return;
	}
	*row = (struct local_row){ .kind = ROW_VARIABLE, .call = call, .variable = variable,
				   .number = (size_t)index,
				   .name = *variable->name != '\0' ? variable->name : "(unnamed)",
				   .location = found.location, .result = found.result,
				   .how = found.how, .value = found.value };
	row->id = row_hash(row_hash(row_hash(locals->walk->thread, locals->frame), call), index);
	const size_t own = rows->count - 1;
	const bool parts = value_has_parts(&row->value, rows->arena);
	row->opens = parts || (row->result != NULL && row->result->step_count > 0);
	row->open = row->opens && is_open(locals->state, row->id);
	if (row->open || (locals->state != NULL && locals->state->steps))
		add_steps(rows, own);
	if (rows->items[own].open && parts)
		add_parts(rows, own);
}

static void
add_expressions(struct locals_rows *rows)
{
	const struct locals *locals = rows->locals;

	for (size_t i = 0; locals->state != NULL && i < locals->state->expression_count; i++) {
		const char *text = locals->state->expressions[i];
		const struct value_expression found = value_expression_of(
			locals->variables, 0, text_of(text), NULL, rows->arena);
		struct local_row *row = add_row(rows);

		if (row == NULL)
			return;
		*row = (struct local_row){ .kind = ROW_EXPRESSION, .name = text,
					   .wrong = found.wrong, .number = i + 1,
					   .value = found.value.value };
		row->id = row_hash(row_hash(0, i), strlen(text));
		row->opens = row->wrong == NULL && value_has_parts(&row->value, rows->arena);
		row->open = row->opens && is_open(locals->state, row->id);
		if (row->open)
			add_parts(rows, rows->count - 1);
	}
}

static void
add_call(struct locals_rows *rows, size_t call, const struct debug_variable *variables,
	 size_t count)
{
	struct local_row *row = add_row(rows);

	if (row != NULL)
		*row = (struct local_row){ .kind = ROW_CALL, .call = call, .more = count };
	for (size_t i = 0; i < count; i++)
		add_variable(rows, call, i, &variables[i]);
}

static void
add_arguments(struct locals_rows *rows)
{
	const struct entry_arguments *arguments = &rows->locals->arguments;
	const size_t calls = locals_call_count(rows->locals);
	bool rest = false;

	for (size_t i = 0; i < calls; i++)
		add_call(rows, i, NULL, 0);
	for (size_t i = 0; i < arguments->count + rest; i++) {
		const struct entry_argument *argument =
			i < arguments->count ? &arguments->items[i] : NULL;

		/* Registers without a reliable value share the last row. */
		if (argument != NULL && !argument->known && argument->reg != ARCH_NO_REGISTER) {
			rest = true;
			continue;
		}
		struct local_row *row = add_row(rows);
		if (row != NULL)
			*row = (struct local_row){ .kind = ROW_ARGUMENT, .argument = argument,
						   .call = calls - 1 };
	}
}

/* Rows ----------------------------------------------------------------------------------------- */

static void
fill_call(const struct locals *locals, const struct local_row *own, size_t columns,
	  struct row *row)
{
	const struct call *named = locals_call_of(locals, own->call);

	if (own->call == locals_call_count(locals)) {
		row_add(row, ROLE_TITLE, "   static variables of the unit");
		return;
	}
	if (own->call == 0) {
		const struct frame *frame = &locals->walk->frames[locals->frame];

		row_add(row, ROLE_TITLE, " frame %zu  ", locals->frame);
		row_add(row, report_trust_role(frame->trust), "%s  ", frame_tag(frame));
	} else {
		row_add(row, ROLE_DIM, "   inlined into  ");
	}
	const char *source = "";
	struct arena scratch = { 0 };
	const bool has_line = named != NULL && named->has_line;
	if (has_line)
		source = text_or_empty(arena_format(&scratch, "  %.*s:%" PRIu32,
						    (int)text_base_name(named->file).length,
						    text_base_name(named->file).start,
						    named->line));
	const size_t used = row->width + text_width(text_of(source));
	row_add_name(row, ROLE_NORMAL, columns == 0 ? 0 : columns > used ? columns - used : 1,
		     locals_function_name(locals, own->call));
	row_add_text(row, ROLE_NORMAL, text_of(source));
	arena_free(&scratch);
	const bool last = own->call + 1 == locals_call_count(locals);
	const char *through = last ? value_frame_through(locals->variables) : NULL;
	if (through != NULL && *through != '\0') {
		row_add(row, ROLE_DIM, "  (through ");
		row_add_text(row, ROLE_DIM, text_of(through));
		row_add(row, ROLE_DIM, ", which jumped here)");
	}
	if (locals->variables->why != NULL && last)
		row_add(row, ROLE_DIM, "  (%s)", locals->variables->why);
	else if (locals->variables->why == NULL && own->more == 0)
		row_add(row, ROLE_DIM, "  (no variables)");
}

static void
fill_value(const struct locals *locals, const struct local_row *own, size_t columns,
	   struct row *row)
{
	const bool marks = locals->state != NULL && !locals->state->steps;
	const bool left_out = locals->budget != NULL && locals->budget->exceeded;

	if (own->kind == ROW_EXPRESSION)
		row_add(row, ROLE_DIM, "%2zu: ", own->number);
	if (own->wrong != NULL) {
		row_add_text(row, ROLE_TITLE, text_of(own->name));
		row_add(row, ROLE_UNKNOWN, "  %s", own->wrong);
		return;
	}
	const struct value_text_options options = { .reasons = true, .library = true,
						    .most = columns };
	struct arena scratch = { 0 };

	row_add(row, ROLE_NORMAL, marks ? " %*s%s " : "  %*s%s", (int)(2 * own->depth), "",
		!marks ? " " : own->open ? "-" : own->opens ? "+" : " ");
	/* Name and value have priority over template arguments. */
	row_add_name(row, ROLE_DIM, columns == 0 ? 0 : columns < 60 ? 20 : columns / 3,
		     text_of(own->value.type->name));
	row_add(row, ROLE_NORMAL, " ");
	row_add_text(row, ROLE_TITLE, text_of(own->name));
	row_add(row, ROLE_NORMAL, " = ");
	row_add_text(row, own->value.why != NULL ? ROLE_UNKNOWN : ROLE_NORMAL,
		     text_of(left_out ? LOCALS_LEFT_OUT
				      : value_text(&own->value, &options, &scratch)));
	arena_free(&scratch);
	const bool argument = own->kind == ROW_VARIABLE && own->variable->argument;
	if (own->kind == ROW_VARIABLE && own->variable->shadowed)
		row_add(row, ROLE_DIM, "  (hidden by an inner one)");
	/* Read-only data that the dump lacks are read from the module's file. */
	uint8_t byte;
	const bool filed = own->value.in_memory &&
		memory_place(locals->variables->memory, own->value.address, 1).input == NULL &&
		value_read(locals->variables, own->value.address, &byte, 1) == 1;
	if (own->how != NULL && own->value.why == NULL)
		row_add(row, ROLE_DIM, "  [%s%s%s]", argument ? "argument, " : "", own->how,
			filed ? ", from the file" : "");
	else if (argument)
		row_add(row, ROLE_DIM, "  [argument]");
}

static int
register_of(const struct locals *locals, const struct location_step *step)
{
	return step->reg < 0 ? ARCH_NO_REGISTER
			     : arch_dwarf_register(locals->walk->arch, (int)step->reg);
}

static void
fill_step(const struct locals *locals, const struct local_row *own, struct row *row)
{
	const struct location_step *step = own->step;
	const int digits = report_digits(locals->walk->arch);

	row_add(row, ROLE_NORMAL, "   %*s", (int)(2 * own->depth), "");
	row_add(row, ROLE_CODE, "%s", text_or_empty(step->operation));
	row_pad(row, row->width < 32 ? 32 : row->width + 1);
	if (step->reads)
		row_add(row, ROLE_NORMAL, "[%0*" PRIx64 "] ", digits, step->address);
	if (locals->walk->crash->redacted)
		return;
	if (step->depth > 0)
		row_add(row, ROLE_NORMAL, "= %" PRIx64, step->top);
	const int reg = register_of(locals, step);
	if (reg == ARCH_NO_REGISTER)
		return;
	row_add(row, ROLE_NORMAL, "%s%s", step->depth > 0 ? "  " : "",
		locals->walk->arch->registers[reg].label);
	const struct frame_origin origin = frame_origin_of(locals->walk, locals->frame, reg);
	const bool unwritten = origin.kind == ORIGIN_UNWRITTEN;
	const struct registers *registers =
		&locals->walk->frames[unwritten ? origin.frame : locals->frame].registers;
	if (own->value.why != NULL || !registers_known(registers, reg))
		return;
	row_add(row, ROLE_NORMAL, " %0*" PRIx64, digits, registers->value[reg]);
	if (unwritten)
		row_add(row, ROLE_DIM, ", as in frame %zu: no code that ran since has written it",
			origin.frame);
	else if (origin.kind == ORIGIN_SAVED)
		row_add(row, ROLE_DIM, ", saved by frame %zu at %0*" PRIx64, origin.frame, digits,
			origin.address);
}

/* Fills a row with a register or word of an argument without debug information. */
static void
fill_argument(const struct locals *locals, const struct local_row *own, struct row *row)
{
	const struct entry_argument *argument = own->argument;
	const struct arch *arch = locals->walk->arch;
	const int digits = report_digits(arch);
	const bool stack = argument != NULL && argument->reg == ARCH_NO_REGISTER;

	if (argument == NULL) {
		row_add(row, ROLE_DIM, "   not known:");
		for (size_t i = 0; i < locals->arguments.count; i++)
			if (!locals->arguments.items[i].known)
				row_add(row, ROLE_DIM, " %s", arch->registers[
					locals->arguments.items[i].reg].label);
		row_add(row, ROLE_DIM, ", which may have been written since the function's entry");
		return;
	}
	if (stack)
		row_add(row, ROLE_NORMAL, "   argument word %zu  [%0*" PRIx64 "] ",
			(size_t)(argument - locals->arguments.items) + 1, digits,
			argument->address);
	else
		row_add(row, ROLE_NORMAL, "   argument register %-4s ",
			arch->registers[argument->reg].label);
	if (!argument->known)
		row_add(row, ROLE_UNKNOWN, "%s", argument->why);
	else if (stack && locals->walk->crash->redacted)
		row_add(row, ROLE_UNKNOWN, "%s", CRASH_REDACTED);
	else
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, digits, argument->value);
	if (argument->known && argument->why != NULL)
		row_add(row, ROLE_DIM, "  %s", argument->why);
}

static void
locals_listing_fill_row(const struct listing *listing, size_t index, size_t columns,
			struct row *row)
{
	const struct locals_rows *rows = listing->context;
	const struct local_row *own = &rows->items[index];

	if (own->kind == ROW_CALL)
		fill_call(rows->locals, own, columns, row);
	else if (own->kind == ROW_STEP)
		fill_step(rows->locals, own, row);
	else if (own->kind == ROW_ARGUMENT)
		fill_argument(rows->locals, own, row);
	else if (own->kind == ROW_MORE)
		row_add(row, ROLE_DIM, "   %*s%" PRIu64 " more element%s",
			(int)(2 * own->depth), "", own->more, plural(own->more));
	else
		fill_value(rows->locals, own, columns, row);
	/* A byte of text costs 8 bytes of the budget: the text of a structure is slow to make. */
	locals_spend(rows->locals->budget, 8 * strlen(row_text(row)));
	locals_spend_work(rows->locals, index == 0 ? rows->arena->used : 0, rows->count);
}

/* Makes a row lead to a word of memory, or to a register whose value is known in the frame. */
static void
lead_to(const struct locals *locals, bool memory, uint64_t address, int reg, struct target *target)
{
	if (memory) {
		target->kind = TARGET_MEMORY;
		target->address = address;
	} else if (registers_known(&locals->walk->frames[locals->frame].registers, reg)) {
		target->kind = TARGET_REGISTER;
		target->reg = reg;
	}
}

static struct target
locals_listing_row_target(const struct listing *listing, size_t index)
{
	const struct locals_rows *rows = listing->context;
	const struct locals *locals = rows->locals;
	const struct local_row *own = &rows->items[index];
	struct target target = TARGET(TARGET_NONE);

	target.thread = locals->walk->thread;
	target.frame = locals->frame;
	target.call = own->call;
	if (own->kind == ROW_CALL) {
		target.kind = own->call < locals_call_count(locals) ? TARGET_SOURCE : TARGET_NONE;
	} else if (own->kind == ROW_STEP) {
		lead_to(locals, own->step->reads, own->step->address,
			register_of(locals, own->step), &target);
	} else if (own->kind == ROW_ARGUMENT) {
		if (own->argument != NULL)
			lead_to(locals, own->argument->reg == ARCH_NO_REGISTER,
				own->argument->address, own->argument->reg, &target);
	} else if (own->value.in_memory) {
		target.kind = TARGET_MEMORY;
		target.address = own->value.address;
	} else if (own->kind == ROW_VARIABLE && own->location == VARIABLE_REGISTER &&
		   own->value.why == NULL) {
		/* A row of a vector register leads nowhere. */
		target.reg = arch_dwarf_register(locals->walk->arch,
						 (int)own->result->parts[0].number);
		target.kind = target.reg != ARCH_NO_REGISTER ? TARGET_REGISTER : TARGET_NONE;
	}
	return target;
}

static void
locals_listing_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct locals_rows *rows = listing->context;
	const struct local_row *own = &rows->items[index];
	const bool step = own->kind == ROW_STEP;
	const bool word = own->kind == ROW_ARGUMENT && own->argument != NULL &&
			  own->argument->reg == ARCH_NO_REGISTER;

	locals_listing_fill_row(listing, index, 0, row);
	if (!(step ? own->step->reads : word || own->value.in_memory))
		return;
	const uint64_t address = step ? own->step->address
				 : word ? own->argument->address : own->value.address;
	report_add_place(row, memory_place(rows->locals->variables->memory, address, 1));
}

struct listing
locals_listing(const struct locals *locals, struct arena *arena)
{
	const struct debug_scopes *scopes = &locals->variables->scopes;
	struct locals_rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL)
		return listing_out_of_memory();
	*rows = (struct locals_rows){ .locals = locals, .arena = arena };
	add_expressions(rows);
	if (locals->arguments.count > 0)
		add_arguments(rows);
	else if (locals->variables->why != NULL && rows->count > 0)
		add_call(rows, 0, NULL, 0);
	else if (locals->variables->why != NULL)
		return listing_message(text_or_empty(arena_format(arena, "   no variables: %s",
								  locals->variables->why)));
	for (size_t i = 0; i < scopes->count; i++)
		add_call(rows, i, scopes->items[i].variables, scopes->items[i].count);
	if (locals->global_count > 0)
		add_call(rows, scopes->count, locals->globals, locals->global_count);
	return (struct listing){ .count = rows->count,
				 .fill = locals_listing_fill_row,
				 .target = locals_listing_row_target,
				 .explain = locals_listing_explain_row,
				 .context = rows };
}

uint64_t
locals_row(const struct listing *listing, size_t row)
{
	const struct locals_rows *rows = listing->context;

	return listing->fill == locals_listing_fill_row && row < rows->count &&
			       rows->items[row].opens
		       ? rows->items[row].id
		       : 0;
}

bool
locals_variable(const struct listing *listing, size_t row, struct variable_place *place)
{
	const struct locals_rows *rows = listing->context;

	if (listing->fill != locals_listing_fill_row || row >= rows->count ||
	    rows->items[row].kind == ROW_CALL || rows->items[row].kind == ROW_ARGUMENT)
		return false;
	/* A part follows its variable or expression. */
	while (rows->items[row].kind != ROW_VARIABLE)
		if (rows->items[row--].kind == ROW_EXPRESSION)
			return false;
	*place = (struct variable_place){ rows->items[row].call, rows->items[row].number };
	return true;
}
