/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_RAW_DUMP_H
#define REPORT_FILE_RAW_DUMP_H

#include "document/listing.h"
#include "report/file/raw_file.h"

/**
 * The bytes of a dump or a module's file, 16 a row, with carets below those of `marked` (a place
 * in it; without an input nothing is marked). The head says what structure they belong to. A row
 * of a dump leads to the memory that its bytes are of, where they are of any.
 */
struct listing
raw_dump_listing(const struct raw_file *file, struct place marked, struct arena *arena);

/** The row that shows the byte at `offset`, or the last one. */
size_t
raw_dump_row(const struct listing *dump, uint64_t offset);

#endif
