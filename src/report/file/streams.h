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
 * What a stream holds is decoded by dump/describe.h; here are only words. A listing of a
 * stream has a row for each field, which leads to the field's bytes or to the thread, module
 * or memory that it names. Where a stream has many records (threads, modules, handles), they
 * are folded: one row each, with what tells them apart, and one of them may be open.
 */
#define STREAMS_NONE SIZE_MAX	/* no stream, no record */

struct streams_options {
	bool brief;			/* the header and the directory alone */
	bool hex;			/* raw bytes too: stacks, memory, whole streams */
	const size_t *chosen;		/* indexes of the streams to show; NULL: all */
	size_t chosen_count;
	struct message_list *messages;	/* gets the defects of streams; NULL: none */
};

/** Sections of text, one a stream: `name = value`, as minidump_dump's users expect them. */
void
streams_text(const struct output *output, const struct crash *crash,
	     const struct streams_options *options);

/** What the JSON document consists of. */
extern const struct fact streams_document_facts[];

/** The streams as one JSON document, see data/unspool-streams.schema.json. */
void
streams_json(const struct output *output, const struct crash *crash,
	     const struct streams_options *options, bool pretty);

/** The header's fields and a row for each entry of the directory, which leads to its stream. */
struct listing
streams_directory(const struct crash *crash, struct arena *arena);

/** The stream that a row of the directory is about; STREAMS_NONE in a row of the header. */
size_t
streams_directory_stream(const struct listing *directory, size_t row);

/**
 * One stream (an index in crash->streams). `open` is the record whose fields are shown where
 * records are folded; STREAMS_NONE: none.
 */
struct listing
streams_listing(const struct crash *crash, size_t stream, size_t open, struct arena *arena);

/**
 * The folded record (its number in the stream) that a row is about, to be given as `open`;
 * STREAMS_NONE where nothing is folded there.
 */
size_t
streams_record(const struct listing *listing, size_t row);

/** The row where a folded record begins; 0 where there is none. */
size_t
streams_record_row(const struct listing *listing, size_t record);

/**
 * The next stream of a name from `from` on: "ModuleList" in any case, "ModuleList#2" for the
 * second one, a type as "0x4" or "4". STREAMS_NONE: there is none.
 */
size_t
streams_named(const struct crash *crash, const char *name, size_t from);

#endif
