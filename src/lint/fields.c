/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lint/lint_internal.h"

/*
 * Fields in the form of the specification: one space before each, lower-case hexadecimal without
 * 0x, plain decimal. The reader of records notes departures, which are reported here.
 */

static size_t
skip_of(const struct lint_reading *reading, const char *at)
{
	return (size_t)(at - reading->record.start);
}

static bool
all_of(struct text text, const char *set)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.start[i] == '\0' || strchr(set, text.start[i]) == NULL)
			return false;
	return text.length > 0;
}

/* Reports a field that is not a number, or has the wrong base. */
static void
report_bad(struct lint_reading *reading, unsigned number, const struct field_form *form,
	   struct text field)
{
	static const char hex_digits[] = "0123456789abcdefABCDEF", digits[] = "0123456789";
	const bool decimal = field_is_decimal(form->kind);
	const bool large = all_of(field, decimal ? digits : hex_digits);
	const bool base = decimal && !large && all_of(field, "0123456789abcdefABCDEFxX") &&
			  all_of((struct text){ field.start, 1 }, hex_digits);

	lint_report(reading, base ? LINT_NUMBER_BASE : LINT_MALFORMED_RECORD,
		skip_of(reading, field.start), field.length,
		large ? "field %u (%s) does not fit into 64 bits as a %s number: '%.*s'%s"
		      : "field %u (%s) should be a %s number, not '%.*s'%s",
		number, form->name, decimal ? "decimal" : "hexadecimal", TEXT_UPTO(field, 60),
		memchr(field.start, '\t', field.length) != NULL ? "; tabs do not separate fields"
			: base					? "; the record is lost"
								: "");
}

bool
lint_field(struct lint_reading *reading, unsigned number, const struct field_form *form,
	   const struct symbol_field *field)
{
	const size_t skip = skip_of(reading, field->text.start);
	const bool rest = form->kind == FIELD_REST || form->kind == FIELD_RULES;

	if (field->state & FIELD_SPACED)
		lint_report(reading, LINT_FIELD_SPACES, rest ? skip : skip - field->spaces,
			    field->spaces, "before field %u%s", number,
			    rest ? ", which contains it" : "");
	if (field->state & FIELD_MISSING)
		lint_report(reading, LINT_MALFORMED_RECORD, reading->record.length, 1,
			    "field %u (%s) is missing", number, form->name);
	if (field->state & FIELD_BAD)
		report_bad(reading, number, form, field->text);
	if (field->state & FIELD_ODD)
		lint_report(reading, LINT_NUMBER_BASE, skip, field->text.length,
			"field %u (%s) has the notation '%.*s'", number, form->name,
			TEXT_UPTO(field->text, 60));
	if (field->state & FIELD_WIDE)
		lint_report(reading, LINT_NUMBER_RANGE, skip, field->text.length,
			    "field %u (%s) %s", number, form->name,
			    field->value > UINT32_MAX ? "does not fit into 32 bits"
						      : "has too many digits");
	/* Numbers of STACK records are used up to their first bad character. */
	if ((field->state & FIELD_MISSING) == 0 &&
	    ((field->state & FIELD_BAD) == 0 || form->kind == FIELD_LOOSE ||
	     form->kind == FIELD_LOOSE_SIZE))
		return true;
	lint_bad_record(reading);
	return false;
}

unsigned
lint_field_number(const struct symbol_record *record, size_t index)
{
	unsigned number = record->kind == SYMBOL_LINE ? 1 : 2;

	for (size_t i = 0; i < index; i++)
		number += i >= record->count || record->fields[i].state != FIELD_ABSENT;
	return number;
}

bool
lint_odd_fields(struct lint_reading *reading, const struct symbol_record *record)
{
	for (size_t i = 0; i < record->count; i++)
		if (record->fields[i].state != FIELD_ABSENT &&
		    !lint_field(reading, lint_field_number(record, i),
				&record_forms[record->kind].fields[i], &record->fields[i]))
			return false;
	return true;
}
