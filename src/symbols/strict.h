/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_STRICT_H
#define SYMBOLS_STRICT_H

#include "symbols/records.h"

/**
 * Symbol files as rust-minidump reads them: all records of a file, or none.
 *
 * A file with anything but records in their right places is refused as a whole. Fields are
 * separated by blanks and tabs, numbers have at most the digits of 32 or 64 bits, names are UTF-8.
 * Only lines too long for the reader's buffer are skipped.
 *
 * Source: rust-minidump's breakpad-symbols/src/sym_file, parser.rs and mod.rs, and the buffer of
 * the crate circular.
 */

/** The place where rust-minidump stops reading a file. */
struct strict_refusal {
	const char *why;	/* NULL: it accepts the file */
	uint64_t offset;	/* start of the refused line */
};

/**
 * Called for each accepted record, and for a skipped line: its kind is SYMBOL_KIND_COUNT, and only
 * its start is known. False ends the reading.
 */
typedef bool
strict_visitor(void *context, const struct symbol_record *record);

/** Read a file; `visit` may be NULL. Returns whether rust-minidump accepts it. */
bool
strict_read(const char *data, uint64_t size, strict_visitor *visit, void *context,
	    struct strict_refusal *refusal);

#endif
