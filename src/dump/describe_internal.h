/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DESCRIBE_INTERNAL_H
#define DUMP_DESCRIBE_INTERNAL_H

#include "base/compiler.h"
#include "dump/describe.h"
#include "dump/field.h"
#include "dump/minidump_internal.h"

/**
 * Shared by describers. A describer is a member of a row of stream.def; most describers are only
 * a table of fields and a loop.
 */

struct describe {
	const struct crash *crash;
	const struct stream *stream;
	const struct describe_sink *sink;
	struct arena arena;			/* texts of the current record */
	enum describe_detail detail[DESCRIBE_DEPTH + 1];
	unsigned depth;
	struct describe_budget own;		/* the budget if the sink has none */
	struct describe_budget *left;
	bool loading;				/* the loader turns the values into annotations */
};

/**
 * Describe the bytes of a stream, with its defects; `loading`: the dump is being loaded, so missing
 * bytes have been reported already.
 */
void
describe_stream_bytes(const struct crash *crash, const struct stream *stream,
		      const struct reader *window, const struct describe_sink *sink, bool loading);

/** Begin a record, to be ended with describe_end; false if the sink skips it. */
bool
describe_begin(struct describe *describe, struct describe_record record);

void
describe_end(struct describe *describe);

/** Whether the current record is shown with all its values and records. */
bool
describe_whole(const struct describe *describe);

void
describe_value(struct describe *describe, struct describe_value value);

/** Report a defect at `place`, as a value called `name` and as a message. */
void
describe_broken(struct describe *describe, const char *name, struct place place,
		const char *format, ...) ATTRIBUTE_PRINTF(4, 5);

/** Describe the fields of a structure that are in `window`. */
void
describe_fields(struct describe *describe, struct structure fields, const struct reader *window);

/** Like describe_fields(), but reports a defect if the window has fewer than `size` bytes. */
void
describe_structure(struct describe *describe, struct structure fields, const struct reader *window,
		   uint64_t size);

/** The meaning of `number`, or NULL; lives until the record ends. */
const char *
describe_meaning(struct describe *describe, const struct meanings *meanings, uint64_t number);

/** Describe the string at `rva`, in units of 2 bytes (UTF-16) or 1 (UTF-8), as a derived value. */
void
describe_string(struct describe *describe, const char *name, uint64_t rva, unsigned unit, bool key);

/** The UTF-8 string at `rva`, or NULL. */
const char *
describe_utf8_text(struct describe *describe, uint64_t rva, struct place *place);

/** Describe a text as a derived value; nothing if it is NULL or empty. */
void
describe_text(struct describe *describe, const char *name, enum describe_kind kind,
	      const char *text, struct place place);

void
describe_bytes(struct describe *describe, const char *name, const struct reader *window,
	       uint64_t offset, uint64_t size);

/** Describe the available bytes of the file at `offset`; `value` has their name. */
void
describe_data(struct describe *describe, struct describe_value value, uint64_t offset,
	      uint64_t size);

/** Describe the process's memory at address `base`, whose bytes are at `offset` in the file. */
void
describe_memory(struct describe *describe, const char *name, uint64_t base, uint64_t offset,
		uint64_t size);

/**
 * The bytes of the file at a location, taken from the budget. False: the file has none, or the
 * budget is used up; a broken value was described.
 */
bool
describe_window(struct describe *describe, const char *name, struct descriptor location,
		struct reader *window);

/** Describe the entries of an open list: their fields, and the values that layout->tell adds. */
void
describe_entries(struct describe *describe, const struct list *list,
		 const struct list_layout *layout);

/** Like list_clip(), but also reports missing entries as a defect. */
void
describe_clip(struct describe *describe, const struct reader *window, uint64_t offset,
	      struct list *list);

/**
 * Count a structure that an entry points to against the budget, because many entries may point to
 * one long list. False at the limit, which is described once as a broken value.
 */
bool
describe_link(struct describe *describe, const char *name);

/**
 * Cut the bytes of a string to LIMIT_STRING and take them from the budget. False: the budget is
 * used up; a broken value was described.
 */
bool
describe_take_text(struct describe *describe, const char *name, struct reader *bytes);

bool
describe_begin_entry(struct describe *describe, const char *name, uint64_t index,
		     const struct reader *entry);

/** Begin the record of a structure that claims `claimed` bytes, with a defect if it has fewer. */
bool
describe_begin_clipped(struct describe *describe, const char *name, const char *note,
		       const struct reader *bytes, uint64_t claimed);

/* context.c */

/** Describe the CPU context at a location as the record "context"; nothing if it is empty. */
void
describe_context(struct describe *describe, struct descriptor location);

/** Describe the bytes of a context of `size` bytes; nothing if they fit no layout. */
void
describe_registers(struct describe *describe, const struct reader *bytes, uint32_t size);

void
microdump_describe(struct describe *describe, const struct reader *window);

#endif
