/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DESCRIBE_H
#define DUMP_DESCRIBE_H

#include "base/message.h"
#include "base/text.h"
#include "crash/crash.h"

/**
 * The bytes of a dump, field by field, for a visitor.
 *
 * The model (crash/crash.h) has the facts that walking and analysis need. All fields of a stream
 * are decoded here when the stream is shown, in the order of the file, and go to a sink; none is
 * stored. Streams, their JSON, the JSON of walks and the explorer's views are sinks. A stream has
 * values and records; a record (a thread, a module, a CPU context) has values and records again,
 * at most DESCRIBE_DEPTH deep. Fields have the names of Breakpad's minidump_format.h where it has
 * one.
 *
 * A defect costs its own value, which is then `broken` and says so in its note; the rest
 * goes on.
 */
#define DESCRIBE_DEPTH 8u
#define DESCRIBE_NO_INDEX SIZE_MAX

/** How a value is meant to be written. */
enum describe_kind {
	DESCRIBE_DECIMAL,
	DESCRIBE_SIGNED,	/* `number` is an int64_t */
	DESCRIBE_HEX,
	DESCRIBE_WORD,		/* `text`: an identifier, a date, a word of ours */
	DESCRIBE_TEXT,		/* `text`: a string of the dump */
	DESCRIBE_BYTES,		/* `text`: bytes of the dump, maybe many */
	DESCRIBE_NONE,		/* only the note says something */
};

/** The thing that a value refers to. */
enum describe_link {
	DESCRIBE_LINK_NONE,
	DESCRIBE_LINK_ADDRESS,	/* `linked` is an address of the process */
	DESCRIBE_LINK_THREAD,	/* the id of a thread */
	DESCRIBE_LINK_MODULE,	/* an index in crash->modules */
};

/** One value; all pointers are good until the sink returns. */
struct describe_value {
	const char *name;		/* "thread_id", or a key that the dump holds */
	enum describe_kind kind;
	uint64_t number;
	unsigned digits;		/* hexadecimal digits that the field has room for */
	struct text text;
	const char *note;		/* what it means: names of flags, a time; NULL: nothing */
	bool key;			/* tells its record apart from others */
	bool derived;			/* found elsewhere, or computed: no field of the record */
	bool broken;			/* not as the format says; the note says what is wrong */
	bool private;			/* environment, command line, memory: may be confidential */
	enum describe_link link;
	uint64_t linked;
	struct place place;		/* the value's bytes; without input: none */
};

/** A structure or an entry of a list. */
struct describe_record {
	const char *name;		/* "thread" */
	size_t index;			/* DESCRIBE_NO_INDEX: no entry of a list */
	const char *note;		/* its kind ("amd64"); NULL: nothing to say */
	struct text line;		/* the text that it is; empty: it is a structure */
	struct place place;
};

/** How much of a record a sink takes. */
enum describe_detail {
	DESCRIBE_SKIP,		/* nothing, and no end */
	DESCRIBE_KEYS,		/* values with `key` */
	DESCRIBE_ALL,
};

/** The remaining budget: streams may share bytes, and entries the things that they point to. */
struct describe_budget {
	uint64_t bytes;		/* streams, and contexts and records that entries point to */
	uint64_t text;		/* bytes of strings */
	uint64_t links;		/* structures that entries only point to */
	bool exceeded;		/* there was more than `bytes`, which a message says */
};

/** The budget for a dump, by its size. */
struct describe_budget
describe_budget(const struct crash *crash);

/** Members that a sink has no use for are NULL: without `begin` records are skipped. */
struct describe_sink {
	enum describe_detail (*begin)(void *context, const struct describe_record *record);
	void (*value)(void *context, const struct describe_value *value);
	void (*end)(void *context);
	void *context;
	/** Gets the defects of streams that the loader does not read; may be NULL. */
	struct message_list *messages;
	/** What all calls with this sink together may tell; NULL: each call may tell as much. */
	struct describe_budget *budget;
};

/** Tell the values of the header. */
void
describe_header(const struct crash *crash, const struct describe_sink *sink);

/** Tell the entries of the directory, a record each; none of a dump that is text. */
void
describe_directory(const struct crash *crash, const struct describe_sink *sink);

/**
 * Describe stream `stream` (an index in crash->streams). A stream without a layout, also one of
 * an unknown type, is shown as bytes.
 */
void
describe_stream(const struct crash *crash, size_t stream, const struct describe_sink *sink);

/**
 * Tell the registers and processor state of a context, flags with their names. Nothing where its
 * bytes are text or fit no layout.
 */
void
describe_processor(const struct crash *crash, const struct crash_context *context,
		   const struct describe_sink *sink);

/**
 * Name what lies at an offset of the dump, with the words of its stream ("ThreadList, thread
 * 0xbf4, stack +0x1639", "Exception, context, ebp"). Describes streams to find it. Always
 * terminates; returns `buffer`.
 */
const char *
describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size);

/** How far a type of stream is known. */
enum describe_known {
	DESCRIBE_UNKNOWN,	/* no specification names it */
	DESCRIBE_NAMED,		/* known by name; its layout is not public, or it has none */
	DESCRIBE_DECODED,
};

enum describe_known
describe_known(uint32_t type);

/** The vendor that assigned a stream type, by its high half: "Google"; NULL: unknown. */
const char *
describe_vendor(uint32_t type);

/** How many other streams share bytes with this one, 2 for more; `*first` gets the first one. */
size_t
describe_overlaps(const struct crash *crash, size_t stream, size_t *first);

#endif
