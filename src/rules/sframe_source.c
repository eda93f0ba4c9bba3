/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/unwind_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sorted.h"

/* The reader of SFrame sections. Functions come in address order, a PLT's rows block by block. */

/* Limit of blocks of a function whose rows repeat. A PLT has one block for each entry. */
#define MOST_BLOCKS 65536u

struct sframe_state {
	size_t function_number;		/* number of the next function by address */
	struct sframe_function function;
	bool open;			/* there is a current function */
	uint64_t begins;
	/* Address of the current block; address after the function */
	uint64_t block, end;
	unsigned blocks;
	struct sframe_cursor cursor;
	struct sframe_row next;
	bool has_next;
};

static bool
exists(const struct unwind_source *source)
{
	return source->module->sframe != NULL;
}

static bool
open_source(struct unwind_source *source)
{
	const struct rule_module *module = source->module;

	if (module->sframe->function_count == 0)
		return false;
	source->state = arena_alloc(&source->arena, sizeof(struct sframe_state));
	source->entries = module->sframe->function_count;
	return source->state != NULL;
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct sframe_state *state = source->state;
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function function;
	size_t at;

	BISECT(at, sframe->function_count,
	       sframe_ordered(sframe, at, &function) && function.address - bias <= address);
	*state = (struct sframe_state){ .function_number = at > 0 ? at - 1 : 0 };
}

/* Begin the rows of a function, or of its next block. */
static void
begin_rows(struct sframe_state *state)
{
	sframe_rows(&state->function, &state->cursor);
	state->has_next = sframe_next_row(&state->cursor, &state->next);
	state->blocks++;
}

static bool
next_function(struct unwind_source *source)
{
	struct sframe_state *state = source->state;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function behind;

	if (!sframe_ordered(source->module->sframe, state->function_number, &state->function))
		return false;
	state->begins = state->block = state->function.address - bias;
	state->end = state->block + state->function.size;
	/* If functions overlap, the later function ends the earlier one. */
	if (sframe_ordered(source->module->sframe, ++state->function_number, &behind) &&
	    behind.address - bias < state->end)
		state->end = behind.address - bias;
	state->open = true;
	state->blocks = 0;
	begin_rows(state);
	return true;
}

static struct claim
claim_of(const struct unwind_source *source, unsigned column, const struct sframe_rule *rule)
{
	const struct arch *arch = source->module->arch;
	const int base = rule->base == SFRAME_CFA ? LINEAR_CFA
						  : arch_dwarf_register(arch, rule->base);
	const bool inside = rule->kind == SFRAME_IN_REGISTER;

	if (base == ARCH_NO_REGISTER)
		return (struct claim){ .kind = CLAIM_EXPRESSION };
	return claim_sum(arch, column, base, inside ? 0 : rule->offset,
			 !inside && rule->dereference);
}

/* The three claims of a row; an outermost row claims only that there is no caller. */
static void
take_claims(const struct unwind_source *source, const struct sframe_row *from,
	    struct claim claims[CLAIM_COLUMNS])
{
	const struct arch *arch = source->module->arch;
	const unsigned fp = CLAIM_REGISTER + (unsigned)arch->fp;

	claims[CLAIM_CFA] = claims[CLAIM_RETURN_ADDRESS] = (struct claim){ .kind = CLAIM_SILENT };
	claims[fp] = (struct claim){ .kind = CLAIM_SAME };
	if (from->outermost) {
		claims[CLAIM_RETURN_ADDRESS].kind = CLAIM_UNDEFINED;
		claims[fp].kind = CLAIM_SILENT;
		return;
	}
	claims[CLAIM_CFA] = claim_of(source, CLAIM_CFA, &from->cfa);
	if (!sframe_is_unsaved(&from->ra))
		claims[CLAIM_RETURN_ADDRESS] =
			claim_of(source, CLAIM_RETURN_ADDRESS, &from->ra);
	else if (arch->lr != ARCH_NO_REGISTER)
		claims[CLAIM_RETURN_ADDRESS] =
			claim_sum(arch, CLAIM_RETURN_ADDRESS, arch->lr, 0, false);
	if (sframe_is_unsaved(&from->fp))
		return;
	claims[fp] = claim_of(source, fp, &from->fp);
}

static void
take_row(struct unwind_source *source, const struct sframe_row *from)
{
	const struct sframe_state *state = source->state;
	struct unwind_row *row = &source->row;

	unwind_row_clear(source);
	row->begins = state->begins;
	row->record = row->entry = from->place.offset;
	row->problem = from->problem;
	for (unsigned i = 0; i < claim_columns(source->module->arch); i++)
		row->records[i] = from->place.offset;
	take_claims(source, from, row->claims);
	if (from->outermost)
		return;
	row->records[CLAIM_CFA] = from->cfa.place.offset;
	if (!sframe_is_unsaved(&from->fp))
		row->records[CLAIM_REGISTER + source->module->arch->fp] = from->fp.place.offset;
}

/* Report the rest of a function as unreadable. */
static bool
take_problem(struct unwind_source *source, uint64_t first, uint64_t record, const char *problem)
{
	struct sframe_state *state = source->state;

	source->row.first = first;
	source->row.last = state->end - 1;
	source->row.problem = problem;
	source->row.record = source->row.entry = record;
	state->open = false;
	return true;
}

static bool
next_in_function(struct unwind_source *source)
{
	struct sframe_state *state = source->state;
	const struct sframe_function *function = &state->function;
	const bool repeats = function->masked && function->repeat > 0;
	const uint64_t limit = repeats && state->end - state->block > function->repeat
				       ? state->block + function->repeat : state->end;

	if (state->block >= state->end)
		return state->open = false;
	if (function->problem != NULL || state->cursor.problem != NULL)
		return take_problem(source, state->block, function->place.offset,
				    function->problem != NULL ? function->problem
							      : state->cursor.problem);
	if (!state->has_next || state->next.offset >= limit - state->block) {
		state->open = repeats && limit < state->end && state->blocks < MOST_BLOCKS;
		state->block = limit;
		if (state->open)
			begin_rows(state);
		return false;
	}
	take_row(source, &state->next);
	source->row.first = state->block + state->next.offset;
	state->has_next = sframe_next_row(&state->cursor, &state->next);
	/* A row ends where the next one begins. */
	if (state->cursor.problem != NULL)
		return take_problem(source, source->row.first, state->cursor.place.offset,
				    state->cursor.problem);
	source->row.last = state->has_next && state->next.offset < limit - state->block
				   ? state->block + state->next.offset - 1 : limit - 1;
	return source->row.last >= source->row.first;
}

static bool
next(struct unwind_source *source)
{
	struct sframe_state *state = source->state;

	for (;;) {
		if (!state->open && !next_function(source))
			return false;
		if (state->open && next_in_function(source))
			return true;
	}
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct sframe_state *state = source->state;
	struct sframe_function function;
	struct place place = { .input = state->function.place.input, .offset = record };

	if (place.input == NULL && sframe_function(source->module->sframe, 0, &function))
		place.input = function.place.input;
	return place;
}

/* Rules of one row ----------------------------------------------------------------------------- */

/* Maximum size of one expression: a register, a number, two operators. */
#define EXPRESSION 64

struct rule_writer {
	struct arena *arena;
	const struct arch *arch;
	struct rule_part parts[4];	/* CFA, return address, stack and frame pointer */
	size_t count;
	const char *problem;
};

static const char *
name_of(struct rule_writer *writer, int dwarf)
{
	const int reg = arch_dwarf_register(writer->arch, dwarf);
	const char *name = reg >= 0 ? writer->arch->registers[reg].name : NULL;

	if (name == NULL)
		writer->problem = "a rule names a register that the architecture does not have";
	return name != NULL ? name : "";
}

static void
add(struct rule_writer *writer, const char *name, const char *expression, struct place place)
{
	char *copy = arena_string(writer->arena, expression);

	if (copy == NULL) {
		writer->problem = OUT_OF_MEMORY;
		return;
	}
	writer->parts[writer->count++] = (struct rule_part){
		.name = text_of(name), .expression = text_of(copy), .record = place };
}

/* Adds a rule: "base", "base offset +" or "base offset + ^". */
static void
add_rule(struct rule_writer *writer, const char *name, const struct sframe_rule *rule)
{
	const char *base = rule->base == SFRAME_CFA ? ".cfa" : name_of(writer, rule->base);
	char expression[EXPRESSION];

	if (rule->kind == SFRAME_IN_REGISTER)
		snprintf(expression, sizeof(expression), "%s", base);
	else
		snprintf(expression, sizeof(expression), "%s %" PRId64 " +%s", base, rule->offset,
			 rule->dereference ? " ^" : "");
	add(writer, name, expression, rule->place);
}

const struct rule_set *
rule_set_sframe(struct arena *arena, const struct arch *arch,
		const struct sframe_function *function, const struct sframe_row *row)
{
	const struct sframe_registers *numbers = sframe_registers(function->table->abi);
	struct rule_writer writer = { .arena = arena, .arch = arch };
	char expression[EXPRESSION];

	add_rule(&writer, ".cfa", &row->cfa);
	if (!sframe_is_unsaved(&row->ra))
		add_rule(&writer, ".ra", &row->ra);
	else if (arch->lr == ARCH_NO_REGISTER)
		writer.problem = "the row has no rule for the return address";
	else
		add(&writer, ".ra", arch->registers[arch->lr].name, row->place);
	snprintf(expression, sizeof(expression), ".cfa %d +", arch->cfa_to_sp);
	add(&writer, name_of(&writer, numbers->sp), arch->cfa_to_sp != 0 ? expression : ".cfa",
	    row->cfa.place);
	if (!sframe_is_unsaved(&row->fp))
		add_rule(&writer, name_of(&writer, numbers->fp), &row->fp);
	struct rule_set *set = rule_set_parts(arena, arch, writer.parts, writer.count);
	if (set == NULL)
		return NULL;
	set->record = row->place;
	set->problem = writer.problem;
	return set;
}

/* Tables --------------------------------------------------------------------------------------- */

static bool
covers(const struct unwind_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function function;

	if (!sframe_find(sframe, address + bias, &function))
		return false;
	*first = function.address - bias;
	*last = *first + function.size - 1;
	return true;
}

static void
fill_row(struct rule_tables *tables, const struct sframe_function *function,
	const struct sframe_row *row, uint64_t address)
{
	if (row->problem != NULL) {
		rule_tables_defect(tables, address, row->place, row->problem);
		return;
	}
	const struct rule_set none = { .cfa = -1, .return_address = -1 };
	const struct rule_set *set =
		row->outermost ? &none
			       : rule_set_sframe(tables->arena, tables->arch, function, row);
	tables->failed = tables->failed || set == NULL;
	if (set == NULL)
		return;
	struct rule_row *added = rule_tables_row(tables, address, row->place, set);
	if (row->outermost)
		rule_tables_outermost(tables, added);
}

/* Add the rows of one block of a function (PLT-like functions have several). False at a defect. */
static bool
add_rows(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	 uint64_t end)
{
	struct sframe_cursor cursor;
	struct sframe_row row;

	sframe_rows(function, &cursor);
	while (rule_tables_more(tables) && sframe_next_row(&cursor, &row)) {
		const uint64_t address = start + row.offset;

		if (row.offset > end - start || address > tables->last)
			break;
		fill_row(tables, function, &row, address);
	}
	if (cursor.problem == NULL)
		return true;
	rule_tables_record(tables, start + cursor.previous, cursor.place, cursor.problem);
	return false;
}

static void
add_function(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	     uint64_t last)
{
	uint64_t at = start;

	if (function->problem != NULL) {
		rule_tables_defect(tables, at, function->place, function->problem);
		return;
	}
	const uint64_t block = function->masked ? function->repeat : function->size;
	if (tables->first > start)
		at += (tables->first - start) / block * block;
	for (; at <= last && at <= tables->last && rule_tables_more(tables); at += block)
		if (!add_rows(tables, function, at, last - at < block ? last : at + block - 1))
			break;
}

static bool
function_after(const struct unwind_source *source, uint64_t address,
	       struct sframe_function *function)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	size_t at;

	BISECT(at, sframe->function_count,
	       sframe_ordered(sframe, at, function) && function->address - bias <= address);
	return sframe_ordered(sframe, at, function);
}

static void
show(const struct unwind_source *source, struct rule_tables *tables)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function function, next;
	uint64_t at = tables->first;

	while (rule_tables_more(tables)) {
		if (sframe_find(sframe, at + bias, &function)) {
			const uint64_t start = function.address - bias;
			uint64_t last = start + function.size - 1;

			/* If functions overlap, the later function ends the earlier one. */
			if (function_after(source, at, &next) &&
			    next.address - bias <= last)
				last = next.address - bias - 1;
			add_function(tables, &function, start, last);
			if (last >= tables->last)
				break;
			at = last + 1;
			continue;
		}
		rule_tables_nothing(tables, at);
		if (!function_after(source, at, &function) ||
		    function.address - bias > tables->last)
			break;
		at = function.address - bias;
	}
}

const struct unwind_reader unwind_reader_sframe = {
	exists, open_source, seek, next, place, NULL, covers, show,
};
