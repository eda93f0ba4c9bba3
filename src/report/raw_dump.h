/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_RAW_DUMP_H
#define REPORT_RAW_DUMP_H

#include "report/listing.h"

/**
 * The bytes of a dump, 16 a row, with carets below those of `marked` (a place in the dump;
 * without an input nothing is marked). The head says what structure they belong to. A row
 * leads to the memory that its bytes are of, where they are of any.
 */
struct listing
raw_dump_listing(const struct crash *crash, struct place marked, struct arena *arena);

/** The row that shows the byte at `offset`, or the last one. */
size_t
raw_dump_row(const struct listing *dump, uint64_t offset);

#endif
