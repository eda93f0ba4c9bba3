/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_STREAMS_INTERNAL_H
#define REPORT_FILE_STREAMS_INTERNAL_H

#include "dump/describe.h"
#include "document/facts.h"
#include "report/file/streams.h"

/** One line of a described stream: a record's title or a value. */
struct streams_line {
	unsigned depth;
	bool record;
	bool more;		/* goes on with the value of the line before */
	bool derived, broken;
	const char *name;
	const char *value;	/* of a record: what tells it apart; NULL: none */
	const char *note;	/* NULL: none */
	size_t columns;		/* that the names of it and its neighbours take */
	struct text bytes;	/* of a value of bytes, where they may be shown */
	size_t number;		/* of the outermost record that it is in, else STREAMS_NONE */
	enum describe_link link;
	uint64_t linked;
	struct place place;
};

/** Lines as they come, until there are too many or out of memory. */
struct streams_lines {
	const struct crash *crash;
	struct arena *arena;
	struct streams_line *lines;
	size_t count, capacity;
	size_t limit;		/* of lines; 0: none */
	size_t lost;		/* lines beyond it */
	unsigned depth;
	size_t records;		/* outermost records so far */
	bool folded;		/* outermost records are one line each, */
	size_t open;		/* but this one */
	struct streams_line *folding;	/* the record that is being folded */
	bool folding_text;		/* which is text already */
};

/** The sink that makes lines. */
struct describe_sink
streams_lines_sink(struct streams_lines *lines);

/** Find the columns of all lines. */
void
streams_lines_align(struct streams_lines *lines);

/** Whether a redacted crash keeps this value to itself. */
bool
streams_is_private(const struct crash *crash, const struct describe_value *value);

/** Bytes as hexadecimal digits, or that they are redacted; NULL when out of memory. */
const char *
streams_hex(const struct crash *crash, struct arena *arena, struct text bytes);

/** What the directory says of how far a stream is known: "fields", "bytes", "unknown". */
extern const struct fact_names streams_known_names;

/** A record as facts; it consists of values and of records again. */
FACTS_DECLARE(streams_record, const struct describe_record *record);

#endif
