/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_FIELDS_H
#define REPORT_FILE_RAW_FIELDS_H

#include "document/row.h"
#include "symbols/symbols.h"

/**
 * The fields of a record of a symbol file: what each is called, how it is written and what it
 * means. Source: google/breakpad docs/symbol_files.md.
 */
struct raw_field {
	const char *name;		/* as the specification calls it */
	const char *base;		/* "hex", "dec", "text", "postfix" or "flag" */
	const char *meaning;
	struct text value;		/* bytes of the file */
	uint64_t offset;		/* of the value in the file */
	enum symbol_record_kind refers;	/* SYMBOL_FILE, SYMBOL_INLINE_ORIGIN; else SYMBOL_LINE */
};

/**
 * The fields of the record `record`, which stands at `offset`, in `arena`; none of a line that is
 * no record. Fields that the record lacks are not there.
 */
size_t
raw_fields(struct text record, uint64_t offset, struct arena *arena, struct raw_field **fields);

/** What the record is ("STACK CFI INIT", "line"); NULL: no kind of record that is known. */
const char *
raw_fields_kind(struct text record);

/** A row about a field: name, value, base, what it stands for here, what it means. */
void
raw_field_row(const struct symfile *symfile, const struct raw_field *field, size_t name_width,
	      size_t value_width, struct row *row);

/** The record that a field names by its number, or no place. */
struct place
raw_field_leads(const struct symfile *symfile, const struct raw_field *field);

/**
 * Where a record leads: from a function to its unwind record and back, from a line to its file,
 * from an inlined call to its name. No place where it leads nowhere.
 */
struct place
raw_record_leads(const struct symfile *symfile, struct text record);

/**
 * What is wrong with a record: its form, or what was found when it was read; false: nothing.
 */
bool
raw_record_problem(const struct symfile *symfile, struct text record, uint64_t offset,
		   char *buffer, size_t size);

#endif
