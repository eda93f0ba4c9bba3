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
	bool more;		/* continues the value of the line before */
	bool derived, broken;
	const char *name;
	const char *value;	/* value; for a record, the value that identifies it, or NULL */
	const char *note;	/* NULL: none */
	size_t columns;		/* width of the column of names */
	struct text bytes;	/* bytes of the value, if they may be shown */
	size_t number;		/* number of its outermost record, or STREAMS_NONE */
	enum describe_link link;
	uint64_t linked;
	struct place place;
};

/** Lines in order of the input, up to a limit or until out of memory. */
struct streams_lines {
	const struct crash *crash;
	struct arena *arena;
	struct streams_line *lines;
	size_t count, capacity;
	size_t limit;		/* maximum number of lines; 0: no limit */
	size_t lost;		/* number of lines over the limit */
	unsigned depth;
	size_t records;		/* number of outermost records so far */
	bool folded;		/* each outermost record is one line, except `open` */
	size_t open;		/* number of the record that is not folded, or STREAMS_NONE */
	struct streams_line *folding;
	bool folding_text;		/* the folded line already has a text */
};

struct describe_sink
streams_lines_sink(struct streams_lines *lines);

void
streams_lines_align(struct streams_lines *lines);

/** Words for how far a stream is decoded: "fields", "bytes", "unknown". */
extern const struct fact_names streams_known_names;

/** A record as facts; it contains values and further records. */
FACTS_DECLARE(streams_record, const struct describe_record *record);

#endif
