/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_STREAMS_H
#define REPORT_FILE_STREAMS_H

#include "base/message.h"
#include "document/facts.h"
#include "document/listing.h"
#include "base/output.h"

/**
 * The streams of a dump, field by field: as text, as JSON, and as listings.
 *
 * dump/describe.h decodes the streams; the words are made here. A listing of a stream has a row for
 * each field. The row leads to the field's bytes, or to the thread, module or memory that the field
 * names. If a stream has many records (threads, modules, handles), they are folded: a record has
 * one row with the value that identifies it. One record may be open.
 */
#define STREAMS_NONE SIZE_MAX	/* no stream, no record */

struct streams_options {
	bool brief;			/* the header and the directory alone */
	bool hex;			/* add raw bytes: stacks, memory, complete streams */
	const size_t *chosen;		/* indexes of the streams to show; NULL: all */
	size_t chosen_count;
	struct message_list *messages;	/* receives the defects of streams; NULL: none */
};

/** Sections of text, one for each stream: `name = value`, as in the output of minidump_dump. */
void
streams_text(const struct output *output, const struct crash *crash,
	     const struct streams_options *options);

/** The members of the JSON document. */
extern const struct fact streams_document_facts[];

/** Write the streams as one JSON document, see data/unspool-streams.schema.json. */
void
streams_json(const struct output *output, const struct crash *crash,
	     const struct streams_options *options, bool pretty);

/** The header's fields, and a row for each directory entry. The row leads to the entry's stream. */
struct listing
streams_directory(const struct crash *crash, struct arena *arena);

/** The stream that a row of the directory is about; STREAMS_NONE for a row of the header. */
size_t
streams_directory_stream(const struct listing *directory, size_t row);

/**
 * One stream (an index in crash->streams). If its records are folded, only the record with number
 * `open` shows its fields (STREAMS_NONE: no record does).
 */
struct listing
streams_listing(const struct crash *crash, size_t stream, size_t open, struct arena *arena);

/**
 * The number of the folded record in a row, as a value for `open`; STREAMS_NONE: the row has no
 * folded record.
 */
size_t
streams_record(const struct listing *listing, size_t row);

/** The row where a folded record begins; 0: not found. */
size_t
streams_record_row(const struct listing *listing, size_t record);

/**
 * The next stream named `name` from index `from` on. A name is "ModuleList" in any case,
 * "ModuleList#2" (the second ModuleList), or a type ("0x4" or "4"). STREAMS_NONE: not found.
 */
size_t
streams_named(const struct crash *crash, const char *name, size_t from);

#endif
