/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MESSAGES_H
#define REPORT_FILE_MESSAGES_H

#include "base/message.h"
#include "locate/binaries.h"
#include "document/listing.h"

struct messages_sources {
	const struct crash *crash;
	struct symbols *symbols;		/* NULL: none */
	struct binaries *binaries;		/* NULL: none */
	const struct message_list *const *more;	/* messages about functions that were analysed */
	size_t more_count;
};

/**
 * All messages of a crash, of the searches for its symbols and files, of the loaded symbol files
 * and SFrame sections, and of `more`. If messages of a kind were dropped, a row has their number.
 * If `columns` is not 0, long messages are wrapped at that width. All rows of a message lead to its
 * place.
 */
struct listing
messages_listing(const struct messages_sources *sources, size_t columns, struct arena *arena);

/** The number of messages in a messages_listing(), including dropped messages. */
uint64_t
messages_total(const struct listing *listing);

#endif
