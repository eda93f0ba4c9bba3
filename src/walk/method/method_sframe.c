/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "sframe/sframe_field.h"
#include "walk/step.h"

/*
 * Uses an SFrame row as rules. A section in the dump's memory takes precedence over the section in
 * the module's file, because the process used it.
 */

/* The CFA is a stack pointer, which all architectures with SFrame align to this. */
#define CFA_ALIGNMENT 8u

/* Rows shown on either side of the one in force. */
#define ROWS_AROUND 12u
/* Size of the text of a field in hex: two digits and a blank for each byte. */
#define HEX_SIZE 64

/* Adds the bytes of a descriptor or row and their meanings under its fact. */
static void
add_fields(struct step *step, uint32_t parent, const struct sframe_table *table,
	   const struct sframe_field *fields, size_t count)
{
	char hex[HEX_SIZE];

	for (size_t i = 0; i < count; i++) {
		const char *bytes = sframe_hex(table, fields[i].place, hex, sizeof(hex));

		step_event(step, parent,
			   (struct event){ .kind = EVENT_FIELD, .status = EVENT_NOTE,
					   .place = fields[i].place,
					   .name = text_of(trace_text(step->trace, "%s", bytes)),
					   .text = trace_text(step->trace, "%s",
							      fields[i].meaning) });
	}
	trace_close(step->trace, parent);
}

static void
add_note(struct step *step, uint32_t parent, const char *text)
{
	step_event(step, parent,
		   (struct event){ .kind = EVENT_ROW, .status = EVENT_NOTE, .text = text });
}

/* Adds rows `first` to `last` of a function, with a mark at `chosen` if it is one of them. */
static void
add_rows(struct step *step, uint32_t parent, const struct sframe_function *function,
	 uint32_t first, uint32_t last, uint32_t chosen)
{
	char text[SFRAME_ROW_TEXT];
	struct sframe_cursor cursor;
	struct sframe_row row;

	add_note(step, parent,
		 function->masked ? "STARTPC[m]        CFA       FP        RA"
				  : "STARTPC           CFA       FP        RA");
	if (first > 0)
		add_note(step, parent,
			 trace_text(step->trace, "%" PRIu32 " more before", first));
	sframe_rows(function, &cursor);
	while (cursor.number <= last && cursor.number < LIMIT_SFRAME_ROWS &&
	       sframe_next_row(&cursor, &row))
		if (row.number >= first)
			step_event(step, parent,
				   (struct event){ .kind = EVENT_ROW, .place = row.place,
						   .status = row.number == chosen ? EVENT_OK
										  : EVENT_NOTE,
						   .text = trace_text(
							   step->trace, "%s",
							   sframe_row_text(function, &row,
									   text)) });
	if (cursor.problem != NULL)
		step_event(step, parent,
			   (struct event){ .kind = EVENT_ROW, .status = EVENT_FAILED,
					   .place = cursor.place,
					   .text = trace_text(step->trace, "row %" PRIu32 ": %s",
							      cursor.number, cursor.problem) });
	else if (cursor.number < function->row_count)
		add_note(step, parent, trace_text(step->trace, "%" PRIu32 " more follow",
						  function->row_count - cursor.number));
}

static void
trace_function(struct step *step, const struct sframe_function *function)
{
	struct sframe_field fields[SFRAME_FIELDS];

	const uint32_t fact = step_fact(step, function->place,
		"function descriptor %" PRIu32 " covers %#" PRIx64 " to %#" PRIx64
		", %s bytes; %" PRIu32 " row%s%s%s",
		function->number, function->address,
		function->address + (function->size > 0 ? function->size - 1 : 0),
		text_both_bases(function->size).text, function->row_count,
		plural(function->row_count), function->masked ? ", repeating" : "",
		function->signal ? ", signal frame" : "");
	size_t count = sframe_function_fields(function, fields);
	add_fields(step, fact, function->table, fields, count);
}

/* Records the row in force as a fact, with the rows around it and its fields. */
static void
trace_row(struct step *step, const struct sframe_function *function, const struct sframe_row *row)
{
	struct sframe_field fields[SFRAME_FIELDS];
	const uint32_t number = row->number;

	const uint32_t fact = step_fact(
		step, row->place, "row %" PRIu32 ", from %#" PRIx64 " on%s", number,
		sframe_row_address(function, row),
		row->signed_ra ? function->key_b ? "; the return address is signed with key B"
						 : "; the return address is signed with key A"
			       : "");
	add_rows(step, fact, function, number > ROWS_AROUND ? number - ROWS_AROUND : 0,
		 number + ROWS_AROUND, number);
	size_t count = sframe_row_fields(function, row, fields);
	add_fields(step, fact, function->table, fields, count);
	if (row->odd != NULL)
		step_fact(step, row->place, "%s", row->odd);
}

/* The verdict of a look-up without a usable row. */
static enum verdict_kind
answer(struct step *step, enum sframe_found found, const struct sframe_function *function,
       const char *problem)
{
	switch (found) {
	case SFRAME_NO_FUNCTION:
		return step_refuse(step, "no function descriptor covers %#" PRIx64,
				   step->callee->lookup);
	case SFRAME_NO_ROWS:
		return step_refuse(step, "function descriptor %" PRIu32 " has no rows",
				   function->number);
	case SFRAME_NO_ROW:
		return step_refuse(step,
				   "the rows of function descriptor %" PRIu32
				   " begin after %#" PRIx64,
				   function->number, step->callee->lookup);
	case SFRAME_OUTERMOST:
		return step_bottom(step, "outermost function: its SFrame row says that the "
				      "return address is undefined");
	case SFRAME_BROKEN:
	case SFRAME_ROW:
		break;
	}
	return step_refuse(step, "function descriptor %" PRIu32 ": %s", function->number, problem);
}

/* Checks that a CFA from the frame pointer is not below the stack pointer. */
static enum verdict_kind
check_cfa(struct step *step, const struct sframe_row *row, uint64_t cfa)
{
	const struct arch *arch = step->arch;
	const bool by_fp = row->cfa.base == sframe_registers(step->sframe_abi)->fp;

	if (!step_check(step, CHECK_CFA_ALIGNED, cfa % CFA_ALIGNMENT == 0, "CFA %#" PRIx64, cfa))
		return step_refuse(step, "the CFA %#" PRIx64 " is not aligned", cfa);
	if (by_fp && !row->cfa.dereference &&
	    !step_check(step, CHECK_FP_ORDER, step->fp >= step->sp, "%s %#" PRIx64 ", %s %#" PRIx64,
			arch->registers[arch->fp].label, step->fp,
			arch->registers[arch->sp].label, step->sp))
		return step_refuse(step, "the frame pointer lies below the stack pointer");
	return VERDICT_TAKEN;
}

/* SFrame restores program counter, stack pointer and frame pointer; the rest is unknown. */
static enum verdict_kind
restore(struct step *step, const struct sframe_row *row, const struct rule_set *set,
	struct frame *caller)
{
	ATTRIBUTE_UNINITIALIZED struct outcome outcomes[LIMIT_RULES];
	const struct arch *arch = step->arch;
	bool has_fp = false;

	if (step_evaluate_set(step, set, outcomes) != VERDICT_TAKEN ||
	    check_cfa(step, row, outcomes[set->cfa].value) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	step_set(step, caller, arch->pc, outcomes[set->return_address].value,
		 outcomes[set->return_address].from, "");
	step_set_all(step, set, outcomes, caller, "its rule fails");
	for (size_t i = 0; i < set->count; i++)
		has_fp = has_fp || (set->rules[i].target == RULE_REGISTER &&
				    set->rules[i].reg == arch->fp);
	if (!has_fp && !step_keep(step, caller, arch->fp, "unchanged: the row does not track it"))
		step_unknown(step, arch->fp, "unknown in the callee already");
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved && reg != arch->fp &&
		    !registers_known(&caller->registers, reg))
			step_unknown(step, reg, "not restored by SFrame");
	step_strip_register(step, caller, step->arch->pc);
	return VERDICT_TAKEN;
}

enum verdict_kind
method_sframe(struct step *step, struct frame *caller)
{
	const struct sframe *sframe = walk_sframe(step->walk, step->callee->module);
	struct sframe_function function;
	struct sframe_row row;
	const char *problem = "";

	enum sframe_found found =
		sframe_lookup(sframe, step->callee->lookup, &function, &row, &problem);
	if (step->trace != NULL && found != SFRAME_NO_FUNCTION) {
		trace_function(step, &function);
		if (found == SFRAME_ROW || (found == SFRAME_OUTERMOST && function.row_count > 0))
			trace_row(step, &function, &row);
		else if (function.row_count != 0 && function.problem == NULL)
			add_rows(step, step->attempt, &function, 0, 2 * ROWS_AROUND, UINT32_MAX);
	}
	if (found != SFRAME_ROW)
		return answer(step, found, &function, problem);
	if (!step->callee->interrupted && sframe_is_unsaved(&row.ra))
		return step_refuse(step, "in this row the return address is still in a register, "
					 "but the function has made a call");
	step_begin_caller(step, caller, TRUST_SFRAME);
	caller->interrupted = function.signal;
	step->sframe_abi = function.table->abi;
	const struct rule_set *set =
		rule_set_sframe(step_arena(step), step->arch, &function, &row);
	return restore(step, &row, step_edited_rules(step, set), caller);
}

bool
method_has_sframe(const struct step *step)
{
	return walk_sframe(step->walk, step->callee->module) != NULL;
}
