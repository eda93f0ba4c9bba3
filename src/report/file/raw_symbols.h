/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_SYMBOLS_H
#define REPORT_FILE_RAW_SYMBOLS_H

#include "document/listing.h"
#include "symbols/symbols.h"

/**
 * The lines of a symbol file. The line of `marked` has a '>' and, if the place is only part of the
 * line, a row of carets under it. If rows are not cut, lines are complete (up to 1 MiB); a view
 * that scrolls sideways can then cut a line and its carets at the same column. If `open` is set, a
 * row for each field (name, value, base, meaning) follows the marked line. That line leads to its
 * related record: function -> unwind record and back, line -> file, inlined call -> name. Malformed
 * or refused lines have a '!'. The explanation of a line has its defect and its fields.
 */
struct listing
raw_symbols_listing(const struct symfile *symfile, struct place marked, bool open,
		    struct arena *arena);

/** The 1-based line that a row shows or belongs to; 0: the listing is of another kind. */
uint32_t
raw_symbols_line(const struct listing *symbols, size_t row);

/** The row of a 1-based line, or the last row. */
size_t
raw_symbols_row(const struct listing *symbols, uint32_t line);

#endif
