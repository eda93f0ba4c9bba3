/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/place.h"

/**
 * Defects of an input that did not stop its processing.
 *
 * A list belongs to one loaded thing and lives in its arena. All messages are counted;
 * the first LIMIT_MESSAGES_PER_KIND of each kind are kept.
 */
enum message_severity {
	MESSAGE_NOTE,
	MESSAGE_WARNING,
	MESSAGE_ERROR,
	MESSAGE_SEVERITIES,
};

enum message_kind {
#define M(id, name, severity) MESSAGE_##id,
#include "base/message.def"
#undef M
	MESSAGE_KIND_COUNT
};

struct message {
	enum message_kind kind;
	struct place place;
	const char *text;	/* the problem: lower case, no full stop */
	const char *hint;	/* the replacement for the bad part; NULL: none */
};

struct message_list {
	struct arena *arena;
	struct message *messages;
	size_t count, capacity;
	uint64_t seen[MESSAGE_KIND_COUNT];	/* number by kind, including messages not kept */
};

/** Make an empty list whose texts live in `arena`. */
void
message_list_init(struct message_list *list, struct arena *arena);

/**
 * Add a message. `text` is formatted like printf; a line feed in it separates the text from the
 * hint ("the problem\nwhat was done instead").
 */
void
message_add(struct message_list *list, enum message_kind kind, struct place place,
	    const char *format, ...) ATTRIBUTE_PRINTF(4, 5);

/** Report that a line of the user's own file is skipped: it has `what`, but `expected` is valid. */
void
message_line_skipped(struct message_list *list, enum message_kind kind, struct place place,
		     const char *what, const char *expected);

/** The stable name of each kind, and its severity. */
extern const struct message_info {
	const char *name;
	enum message_severity severity;
} message_table[MESSAGE_KIND_COUNT];

/** "note", "warning" or "error". */
extern const char *const message_severity_names[MESSAGE_SEVERITIES];

/** The number of all messages, including those that were not kept. */
uint64_t
message_total(const struct message_list *list);

#endif
