/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_PACKED_H
#define UNWIND_CHECK_PACKED_H

#include "unwind_check/source.h"

/**
 * Entries of sources compared without their rows being laid out.
 *
 * Nearly all rows of a module's sources say the same. The next row of a side changes only the
 * claims that its bytes change, so a row costs little more than to read it. An entry that has no
 * packed form (an expression, an unusual text, damage) and an entry in which two sides differ are
 * left to the rows of source.h, which say what it is.
 */
struct packed_side {
	struct unwind_source *source;
	size_t entry, count;		/* the entry at work, and how many there are */
	bool overlap;			/* some were cut where they lie over others */
	uint64_t first, last;		/* its code */
	uint64_t next;			/* where its next row begins; above `last`: nowhere */
	uint64_t changed;		/* columns that the last row changed: bits */
	/* The claims of the last row, which the reader keeps up to the next one */
	const struct claim *claims;
	void *state;			/* of the reader */
};

/** How the entries of a source are read; each returns false where there is no packed form. */
struct packed_reader {
	/** How many entries there are, in `count`. */
	bool (*open)(struct packed_side *side);
	/** Where the code of an entry begins and ends; empty entries end below their beginning. */
	void (*extent)(const struct packed_side *side, size_t entry, uint64_t *first,
		       uint64_t *last);
	/** Make `claims` those of the first row of the entry at work. */
	bool (*begin)(struct packed_side *side);
	/** Go on with the row that begins at `next`. */
	bool (*next)(struct packed_side *side);
};

/** Sides of a check, from entry to entry. */
struct packed_check {
	struct packed_side sides[UNWIND_SOURCES];
	size_t count;
	unsigned columns;
	/* Sides whose entry at work is that of the last span: bits */
	unsigned held;
};

/** Addresses that entries cover, from where none begins before them to where none reaches. */
struct packed_span {
	uint64_t first, last;
	unsigned covering;		/* sides with an entry there: bits */
	bool alike;			/* one entry each, of the same code */
};

/** Runs of addresses in a span, for the totals of a check. */
struct packed_totals {
	uint64_t rows[UNWIND_SOURCES];
	uint64_t runs;
};

/** Begin with the first entries that reach `address`; false where a source cannot be read so. */
bool
packed_check_open(struct packed_check *check, const struct arch *arch,
		  struct unwind_source *sources, size_t count);

void
packed_check_seek(struct packed_check *check, uint64_t address);

/** The next span; false behind the last one. */
bool
packed_check_next(struct packed_check *check, struct packed_span *span);

/** Whether all rows of the entries of a span, the last one that was told, say the same. */
bool
packed_check_agrees(struct packed_check *check, const struct packed_span *span,
		    struct packed_totals *totals);

/** Where the last entry of a side begins; false: it has none. */
bool
packed_check_last(const struct packed_check *check, unsigned side, uint64_t *first);

/** Entries of the side that has most. */
size_t
packed_check_entries(const struct packed_check *check);

/**
 * An address near the end of `part` of `parts` of all entries, at which no entry begins and behind
 * which none reaches from below: what differs on either side has nothing to do with each other.
 */
uint64_t
packed_check_cut(struct packed_check *check, size_t part, size_t parts);

extern const struct packed_reader packed_reader_stack_cfi;

#endif
