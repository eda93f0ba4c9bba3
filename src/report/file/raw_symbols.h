/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_SYMBOLS_H
#define REPORT_FILE_RAW_SYMBOLS_H

#include "document/listing.h"
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
	bool is_size;			/* it counts bytes */
	enum symbol_record_kind refers;	/* SYMBOL_FILE, SYMBOL_INLINE_ORIGIN; else SYMBOL_LINE */
};

/**
 * The fields of the record `record`, which stands at `offset`, in `arena`; none of a line that is
 * no record. Fields that the record lacks are not there.
 */
size_t
raw_fields(struct text record, uint64_t offset, struct arena *arena, struct raw_field **fields);

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

/**
 * The lines of a symbol file, the one of `marked` with a '>' and, where the place is only a
 * part of it, a row with carets below that part. Uncut rows have whole lines, so that a view
 * that scrolls sideways may cut both rows at the same column; lines longer than 1 MiB are
 * shown up to there. Where `open` is set, a row for each field of that line stands behind it: its
 * name, value, base and meaning. The line of `marked` leads on: from a function to its unwind
 * record and back, from a line to its file. Lines that are malformed or were refused have a '!'.
 */
struct listing
raw_symbols_listing(const struct symfile *symfile, struct place marked, bool open,
		    struct arena *arena);

/** The 1-based line that a row shows or belongs to; 0 of another listing. */
uint32_t
raw_symbols_line(const struct listing *symbols, size_t row);

/** The row of a 1-based line, or the last one. */
size_t
raw_symbols_row(const struct listing *symbols, uint32_t line);

/**
 * The fields of the record in a line by their names ("FUNC address 1000 size 54
 * parameter_size 0 name main"), as the specification of symbol files has them.
 */
void
raw_symbols_fields(const struct symfile *symfile, uint32_t line, struct row *row);

#endif
