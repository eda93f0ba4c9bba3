/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/sframe_trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "sframe/sframe_field.h"

/* Rows shown on either side of the one in force. */
#define ROWS_AROUND 12u
/* Bytes of a field in hex: as many as a descriptor has at most, two digits and a blank each. */
#define HEX_SIZE 64

/* The fact that was recorded last: rows and fields go below it. */
static uint32_t
last_event(const struct step *step)
{
	return step->trace->count > 0 ? (uint32_t)step->trace->count - 1 : TRACE_NONE;
}

static void
add(struct step *step, uint32_t parent, struct event event)
{
	event.reg = ARCH_NO_REGISTER;
	event.from = TRACE_NONE;
	trace_add(step->trace, parent, event);
}

static void
add_fields(struct step *step, uint32_t parent, const struct sframe_table *table,
	   const struct sframe_field *fields, size_t count)
{
	char hex[HEX_SIZE];

	for (size_t i = 0; i < count; i++) {
		const char *bytes = sframe_hex(table, fields[i].place, hex, sizeof(hex));

		add(step, parent,
		    (struct event){ .kind = EVENT_FIELD, .status = EVENT_NOTE,
				    .place = fields[i].place,
				    .name = text_of(trace_text(step->trace, "%s", bytes)),
				    .text = trace_text(step->trace, "%s", fields[i].meaning) });
	}
}

static void
add_note(struct step *step, uint32_t parent, const char *text)
{
	add(step, parent,
	    (struct event){ .kind = EVENT_ROW, .status = EVENT_NOTE, .text = text });
}

static const char *
row_text(struct step *step, const struct sframe_function *function, const struct sframe_row *row)
{
	const struct sframe_table *table = function->table;
	const uint64_t address = sframe_row_address(function, row);
	char cfa[32], fp[32], ra[32];

	if (row->problem != NULL || row->outermost)
		return trace_text(step->trace, "%016" PRIx64 "  %s", address,
				  row->problem != NULL ? row->problem : "RA undefined");
	return trace_text(step->trace, "%016" PRIx64 "  %-10s%-10s%s%s", address,
			  sframe_cell(table, &row->cfa, SFRAME_COLUMN_CFA, cfa, sizeof(cfa)),
			  sframe_cell(table, &row->fp, SFRAME_COLUMN_FP, fp, sizeof(fp)),
			  sframe_cell(table, &row->ra, SFRAME_COLUMN_RA, ra, sizeof(ra)),
			  row->signed_ra ? "[s]" : "");
}

/* Rows `first` to `last` of a function; `chosen` may be none of them. */
static void
add_rows(struct step *step, uint32_t parent, const struct sframe_function *function,
	 uint32_t first, uint32_t last, uint32_t chosen)
{
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
			add(step, parent,
			    (struct event){ .kind = EVENT_ROW, .place = row.place,
					    .status = row.number == chosen ? EVENT_OK : EVENT_NOTE,
					    .text = row_text(step, function, &row) });
	if (cursor.problem != NULL)
		add(step, parent,
		    (struct event){ .kind = EVENT_ROW, .status = EVENT_FAILED,
				    .place = cursor.place,
				    .text = trace_text(step->trace, "row %" PRIu32 ": %s",
						       cursor.number, cursor.problem) });
	else if (cursor.number < function->row_count)
		add_note(step, parent, trace_text(step->trace, "%" PRIu32 " more behind",
						  function->row_count - cursor.number));
}

void
sframe_trace_function(struct step *step, const struct sframe_function *function)
{
	struct sframe_field fields[SFRAME_FIELDS];

	if (step->trace == NULL)
		return;
	step_fact(step, function->place,
		  "function descriptor %" PRIu32 " covers %" PRIx64 " to %" PRIx64 " (%" PRIu64
		  " bytes); %" PRIu32 " row%s%s%s",
		  function->number, function->address,
		  function->address + (function->size > 0 ? function->size - 1 : 0),
		  (uint64_t)function->size,
		  function->row_count, function->row_count == 1 ? "" : "s",
		  function->masked ? ", repeating" : "", function->signal ? ", signal frame" : "");
	const uint32_t fact = last_event(step);
	size_t count = sframe_function_fields(function, fields);
	add_fields(step, fact, function->table, fields, count);
	trace_close(step->trace, fact);
}

void
sframe_trace_row(struct step *step, const struct sframe_function *function,
		 const struct sframe_row *row)
{
	struct sframe_field fields[SFRAME_FIELDS];
	const uint32_t number = row->number;

	if (step->trace == NULL)
		return;
	step_fact(step, row->place, "row %" PRIu32 ", from %" PRIx64 " on%s", number,
		  sframe_row_address(function, row),
		  row->signed_ra ? function->key_b ? "; the return address is signed with key B"
						   : "; the return address is signed with key A"
				 : "");
	const uint32_t fact = last_event(step);
	add_rows(step, fact, function, number > ROWS_AROUND ? number - ROWS_AROUND : 0,
		 number + ROWS_AROUND, number);
	size_t count = sframe_row_fields(function, row, fields);
	add_fields(step, fact, function->table, fields, count);
	trace_close(step->trace, fact);
	if (row->odd != NULL)
		step_fact(step, row->place, "%s", row->odd);
}

void
sframe_trace_rows(struct step *step, const struct sframe_function *function)
{
	if (step->trace == NULL || function->row_count == 0 || function->problem != NULL)
		return;
	add_rows(step, step->attempt, function, 0, 2 * ROWS_AROUND, UINT32_MAX);
}
