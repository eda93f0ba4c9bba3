/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_STRICT_H
#define SYMBOLS_STRICT_H

#include "symbols/records.h"

/**
 * Symbol files as rust-minidump reads them: all records of a file, or none.
 *
 * A file is refused as a whole if it has anything but records in their right places. Fields are
 * separated by blanks and tabs, numbers have at most the digits of 32 or 64 bits, names are UTF-8.
 * Only lines too long for the reader's buffer are skipped.
 *
 * Sources: parser.rs and mod.rs in rust-minidump's breakpad-symbols/src/sym_file, and the buffer of
 * the crate `circular`.
 */

/** The place where rust-minidump stops reading a file. */
struct strict_refusal {
	const char *why;	/* NULL: the file is accepted */
	uint64_t offset;	/* start of the refused line */
};

/**
 * Called for each accepted record and each skipped line. A skipped line has the kind
 * SYMBOL_KIND_COUNT, and only its start is known. False ends the reading.
 */
typedef bool
strict_visitor(void *context, const struct symbol_record *record);

/** Read a file; `visit` may be NULL. Returns whether rust-minidump accepts it. */
bool
strict_read(const char *data, uint64_t size, strict_visitor *visit, void *context,
	    struct strict_refusal *refusal);

#endif
