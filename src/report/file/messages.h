/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MESSAGES_H
#define REPORT_FILE_MESSAGES_H

#include "base/message.h"
#include "locate/binaries.h"
#include "document/listing.h"

/** The inputs whose messages are listed. */
struct messages_sources {
	const struct crash *crash;
	struct symbols *symbols;		/* NULL: none */
	struct binaries *binaries;		/* NULL: none */
	const struct message_list *const *more;	/* messages about functions that were analysed */
	size_t more_count;
};

/**
 * All messages of a crash, of the searches for its symbols and files, of every symbol file and
 * SFrame section that is loaded and of `more`; after each input's messages of a kind, a row counts
 * those that were dropped. With `columns`, long messages are wrapped for that width, and all rows
 * of a message lead to its place.
 */
struct listing
messages_listing(const struct messages_sources *sources, size_t columns, struct arena *arena);

/** The number of messages of such a listing, including those that were dropped. */
uint64_t
messages_total(const struct listing *listing);

#endif
