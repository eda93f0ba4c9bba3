/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_READING_WORDS_H
#define REPORT_MEMORY_READING_WORDS_H

#include "document/row.h"
#include "inspect/reading.h"

/** The reading of a value, in words. */

/** Describe the value in a few words; adds nothing if it is unknown. */
void
reading_add(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row);

/**
 * Add the variable whose memory contains a word, and a colon if its reading has words. Adds nothing
 * if no variable is known.
 */
void
reading_add_owner(const struct reading_source *source, uint64_t address,
	const struct reading *reading, struct row *row);

/**
 * Describe the memory that the value points to, pointer by pointer: ` -> -> "text"`. A string is
 * quoted and cut. Adds nothing if the dump lacks the bytes or they are redacted.
 */
void
reading_add_chain(
	const struct reading_source *source, const struct reading *reading, struct row *row);

#endif
