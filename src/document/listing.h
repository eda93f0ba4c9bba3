/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_LISTING_H
#define DOCUMENT_LISTING_H

#include "document/row.h"
#include "walk/walk.h"

/**
 * Rows on demand: the data of every view of the explorer and every batch report.
 *
 * A listing is immutable; new contents need a new listing. Making a listing costs only its index.
 * Each row is made when it is needed, so a view of a million rows draws as fast as a view of ten.
 * Each row has a target: the place that Enter leads to, usually the row's origin.
 */
enum target_kind {
	TARGET_NONE,
	TARGET_EVENT,		/* an event of the current step */
	TARGET_PLACE,		/* bytes of a symbol file or the dump */
	TARGET_FRAME,		/* a frame of the walk; `call` is its inlined call */
	TARGET_THREAD,
	TARGET_MEMORY,		/* an address of the process */
	TARGET_CODE,
	TARGET_REGISTER,	/* the origin of register `reg` of frame `frame` */
	TARGET_SOURCE,		/* the source of call `call` of frame `frame` */
	TARGET_MODULE,
	TARGET_METHOD,		/* the step of the selected frame by `method` alone */
	TARGET_FOLD,		/* rows of the same view, folded into this one */
};

struct target {
	enum target_kind kind;
	uint32_t event;
	struct place place;
	size_t thread;		/* index in crash->threads */
	size_t frame, call;
	size_t module;		/* index in crash->modules */
	int reg;
	enum method_id method;
	uint64_t address;
};

/** A target of a kind, and the members that follow: `TARGET(TARGET_MEMORY, .address = 16)`. */
#define TARGET(...) \
	((struct target){ .event = TRACE_NONE, .reg = ARCH_NO_REGISTER, .method = METHOD_COUNT, \
			  .kind = __VA_ARGS__ })

struct listing {
	size_t count;
	size_t current;		/* the row from which a view of the listing starts */
	/** Fill a cleared row with the column headings, which stay visible; NULL: none. */
	void (*head)(const struct listing *listing, size_t columns, struct row *row);
	/** Fill a cleared row with the line that stays visible below the rows; NULL: none. */
	void (*foot)(const struct listing *listing, struct row *row);
	/** Fill a cleared row, cut to `columns` columns (0: uncut). */
	void (*fill)(const struct listing *listing, size_t index, size_t columns, struct row *row);
	/** The target of a row; NULL: no row has one. */
	struct target (*target)(const struct listing *listing, size_t index);
	/** One line about a row: its value and the bytes that the value comes from; NULL: none. */
	void (*explain)(const struct listing *listing, size_t index, struct row *row);
	const void *context;
};

/**
 * Write the column headings, cut to `columns` (0: not cut), into a cleared row. They must exist.
 */
void
listing_head(const struct listing *listing, size_t columns, struct row *row);

/** Write a row of the listing into a cleared row, cut to `columns` (0: not cut). */
void
listing_fill(const struct listing *listing, size_t index, size_t columns, struct row *row);

struct target
listing_target(const struct listing *listing, size_t index);

void
listing_explain(const struct listing *listing, size_t index, struct row *row);

/** Rows of a listing that are shown within another listing. */
struct listing_part {
	struct listing listing;
	size_t first, count;
};

/**
 * Join several listings, one after the other. The headings of a part become the row before its
 * first row. The result is in `arena`.
 */
struct listing
listing_joined(const struct listing_part *parts, size_t count, struct arena *arena);

/** The part of a joined listing that contains a row, and the row's index there; NULL: none. */
const struct listing *
listing_part_of(const struct listing *listing, size_t row, size_t *own);

/** A listing with a message instead of rows; `text` is borrowed. */
struct listing
listing_message(const char *text);

/** A listing with the message "out of memory". */
struct listing
listing_out_of_memory(void);

/** Whether a listing was made by listing_message(). */
bool
listing_is_message(const struct listing *listing);

/** Write `count` rows of a listing from row `first` on, with headings and foot, as uncut text. */
void
listing_write(const struct output *output, const struct listing *listing, size_t first,
	      size_t count);

/** `listing` itself, or a message wrapped into rows of `columns` columns (0: not wrapped). */
struct listing
listing_wrapped(struct listing listing, size_t columns);

#endif
