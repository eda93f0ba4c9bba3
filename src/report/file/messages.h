/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MESSAGES_H
#define REPORT_FILE_MESSAGES_H

#include "base/message.h"
#include "locate/binaries.h"
#include "document/listing.h"

/** Whose messages are listed. */
struct messages_sources {
	const struct crash *crash;
	struct symbols *symbols;		/* NULL: none */
	struct binaries *binaries;		/* NULL: none */
	const struct message_list *const *more;	/* of functions that were looked at */
	size_t more_count;
};

/**
 * All messages of a crash, of the searches for its symbols and files, of every symbol file and
 * SFrame section that is loaded and of `more`; behind each kind of an input a row says how many
 * were not kept. With `columns` long ones are wrapped for that width, and their rows have the
 * same target: the message's place.
 */
struct listing
messages_listing(const struct messages_sources *sources, size_t columns, struct arena *arena);

/** How many messages such a listing tells of, those that were not kept included. */
uint64_t
messages_total(const struct listing *listing);

#endif
