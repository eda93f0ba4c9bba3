/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DESCRIBE_H
#define DUMP_DESCRIBE_H

#include "base/message.h"
#include "base/text.h"
#include "crash/crash.h"

/**
 * The bytes of a dump, field by field, for a visitor.
 *
 * The model (crash/crash.h) has the facts that walking and analysis need. When a stream is shown,
 * all its fields are decoded here in the order of the file and go to a sink; none is stored.
 * Printed streams, their JSON, the JSON of walks and the explorer's views come from sinks. A stream
 * has values and records; a record (a thread, a module, a CPU context) has values and records
 * again, at most DESCRIBE_DEPTH deep. Fields that Breakpad's minidump_format.h has are named as
 * there.
 *
 * A defect affects only its own value, which is then `broken` and explained in its note.
 */
#define DESCRIBE_DEPTH 8u
#define DESCRIBE_NO_INDEX SIZE_MAX

enum describe_kind {
	DESCRIBE_DECIMAL,
	DESCRIBE_SIGNED,	/* `number` is an int64_t */
	DESCRIBE_HEX,
	DESCRIBE_WORD,		/* `text`: an identifier, a date, a word chosen by unspool */
	DESCRIBE_TEXT,		/* `text`: a string of the dump */
	DESCRIBE_BYTES,		/* `text`: bytes of the dump, maybe many */
	DESCRIBE_NONE,		/* no value, only a note */
};

/** The thing that a value refers to. */
enum describe_link {
	DESCRIBE_LINK_NONE,
	DESCRIBE_LINK_ADDRESS,	/* `linked` is an address of the process */
	DESCRIBE_LINK_THREAD,	/* a thread ID */
	DESCRIBE_LINK_MODULE,	/* an index in crash->modules */
};

/** One value; all pointers are valid until the sink returns. */
struct describe_value {
	const char *name;		/* "thread_id", or a key that the dump holds */
	enum describe_kind kind;
	uint64_t number;
	unsigned digits;		/* hexadecimal digits of the field's size */
	struct text text;
	/* Meaning of the value: names of flags, a time; NULL: none */
	const char *note;
	bool key;			/* identifies its record */
	/* derived: found elsewhere or computed, not a field of the record */
	bool derived;
	bool broken;			/* malformed; the note says why */
	bool private;			/* environment, command line, memory: may be confidential */
	enum describe_link link;
	uint64_t linked;
	struct place place;		/* place of the value's bytes; input NULL: none */
};

/** A structure or an entry of a list. */
struct describe_record {
	const char *name;		/* "thread" */
	size_t index;			/* DESCRIBE_NO_INDEX: not an entry of a list */
	const char *note;		/* kind of the structure ("amd64"); NULL: none */
	struct text line;		/* the record's text; empty: it is a structure */
	struct place place;
};

/** The parts of a record that a sink receives. */
enum describe_detail {
	DESCRIBE_SKIP,		/* nothing; `end` is not called */
	DESCRIBE_KEYS,		/* values with `key` */
	DESCRIBE_ALL,
};

/** The remaining budget. It is needed because streams and entries may refer to the same bytes. */
struct describe_budget {
	uint64_t bytes;		/* streams, and the contexts and records that entries point to */
	uint64_t text;		/* bytes of strings */
	uint64_t links;		/* number of structures that entries point to */
	bool exceeded;		/* `bytes` was exceeded, and a message says so */
};

/** The budget for a dump, by its size. */
struct describe_budget
describe_budget(const struct crash *crash);

/** A sink may leave members NULL. Without `begin`, records are skipped. */
struct describe_sink {
	enum describe_detail (*begin)(void *context, const struct describe_record *record);
	void (*value)(void *context, const struct describe_value *value);
	void (*end)(void *context);
	void *context;
	/** List for the defects of streams that the loader does not read; may be NULL. */
	struct message_list *messages;
	/** The shared budget of all calls with this sink; NULL: each call has its own. */
	struct describe_budget *budget;
};

void
describe_header(const struct crash *crash, const struct describe_sink *sink);

/** Describe each entry of the directory as a record; nothing if the dump is text. */
void
describe_directory(const struct crash *crash, const struct describe_sink *sink);

/**
 * Describe stream `stream` (an index in crash->streams). A stream without a layout or of an unknown
 * type is shown as bytes.
 */
void
describe_stream(const struct crash *crash, size_t stream, const struct describe_sink *sink);

/**
 * Describe the registers and processor state of a context, and name the flags that are set. Does
 * nothing if the context's bytes are text or fit no layout.
 */
void
describe_processor(const struct crash *crash, const struct crash_context *context,
		   const struct describe_sink *sink);

/**
 * The name of the structure or value at an offset of the dump, as its stream calls it ("ThreadList,
 * thread 0xbf4, stack +0x1639", "Exception, context, ebp"). Describes streams to find it. Ends the
 * text with NUL, and returns `buffer`.
 */
const char *
describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size);

/** How much is known about a type of stream. */
enum describe_known {
	DESCRIBE_UNKNOWN,	/* no specification names the type */
	DESCRIBE_NAMED,		/* known by name, but without a public layout */
	DESCRIBE_DECODED,
};

enum describe_known
describe_known(uint32_t type);

/** The vendor ("Google") of a stream type, from the type's high half; NULL: unknown. */
const char *
describe_vendor(uint32_t type);

/** Count the other streams that share bytes with `stream`, at most 2; `*first` is one of them. */
size_t
describe_overlaps(const struct crash *crash, size_t stream, size_t *first);

#endif
