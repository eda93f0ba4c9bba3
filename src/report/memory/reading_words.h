/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_READING_WORDS_H
#define REPORT_MEMORY_READING_WORDS_H

#include "document/row.h"
#include "inspect/reading.h"

/** What a value can be read as, in words. */

/** Say in a few words what the value is; nothing where nothing is known. */
void
reading_add(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row);

/**
 * Say what stands where the value points, pointer by pointer: ` -> -> "text"`. A string is
 * quoted and cut. Nothing where the dump lacks the bytes, or they are redacted.
 */
void
reading_add_chain(
	const struct reading_source *source, const struct reading *reading, struct row *row);

#endif
