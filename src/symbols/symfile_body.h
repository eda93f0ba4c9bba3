/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMFILE_BODY_H
#define SYMBOLS_SYMFILE_BODY_H

#include "symbols/symfile_internal.h"

/**
 * The lines and inlined calls of one function, read on request.
 *
 * They are between its FUNC record and the next FUNC or PUBLIC record, and may be mixed with other
 * records.
 */

/** The inlined calls around an address, outermost first. */
struct chain {
	const struct span *calls[LIMIT_INLINE_DEPTH];
	size_t count;
};

/** Ranges of lines or of inlined calls, with their records. */
struct range_list {
	struct span *spans;	/* `index` of a span: an index in `sources` */
	struct range_source {
		uint64_t where;
		uint32_t call;	/* index of its record in `inlined`, if it is a call */
	} *sources;
	size_t count, span_capacity, source_capacity;
	bool any;		/* the function has a record of this kind */
};

/** An INLINE record without its ranges. */
struct inlined_record {
	int64_t level, above;	/* its level, and that of the previous call */
	int64_t line, file;
	uint64_t origin;
};

struct body {
	const struct symfile *symfile;
	const struct symfile_view *view;
	struct arena scratch;
	struct range_list lines, calls;
	struct inlined_record *inlined;
	size_t inlined_count, inlined_capacity;
	enum nesting nesting;
	int64_t last_depth;
	struct chain *chain;	/* calls around `address` */
	bool failed;		/* out of memory */
	bool all;		/* the calls of the whole function */
	bool near;		/* keep only ranges that decide for `address` if nothing overlaps */
	bool overlaps;		/* the lines do not ascend, or overlap */
	uint64_t last;		/* end of the last line record */
	uint64_t address;
};

/** The record of a range of `calls`. */
const struct inlined_record *
body_inlined(const struct body *body, const struct span *span);

/**
 * Read the requested parts of the function whose record is at `where`: valid lines, sorted, and
 * either the chain around `address` or all calls in the order of the file. False when out of
 * memory. The lists are in `scratch`, which must be freed in any case.
 */
bool
body_make(struct body *body, uint64_t where);

/**
 * Find the calls around an address by their levels; `spans` may have calls elsewhere. True if each
 * level occurs once around the address, so that levels determine the nesting. (A dumper may merge
 * equal calls. Their record may then precede some callers and extend past the ends of others.)
 */
bool
body_chain_by_levels(const struct body *body, const struct span *spans, size_t count,
		     uint64_t address, struct chain *chain);

/** Find the calls around an address in sorted, nested ranges; if too many, only the inner calls. */
void
body_chain_by_ranges(const struct span *spans, size_t count, uint64_t address,
		     struct chain *chain);

/** Keep the calls that nest by their ranges, as Breakpad does. False when out of memory. */
bool
body_select_calls(struct body *body);

/**
 * Long functions that are looked up repeatedly, for example by the frames of a recursion.
 *
 * A look-up reads all records of its function. The third look-up of a function with much text keeps
 * the records, so that later look-ups search in sorted ranges. The cache does not change answers.
 * All readers of a symbol file share one cache.
 */
struct kept_functions;

/** Maximum number of ranges around an address for a look-up: one more than can be used. */
#define KEPT_AROUND (LIMIT_INLINE_DEPTH + 1)

/** An empty cache, or NULL when out of memory. */
struct kept_functions *
body_kept_create(void);

/** `kept` may be NULL. */
void
body_kept_free(struct kept_functions *kept);

/** Set the minimum size of the text of kept functions; for tests. */
void
body_kept_least(struct kept_functions *kept, uint64_t least);

/**
 * Fill the lines and the chain around `body->address` of the FUNC in `row`, like body_make; false
 * if the function is not kept. The lists are borrowed from the symbol file, and the chain's ranges
 * are in `around`.
 */
bool
body_kept_find(struct body *body, uint32_t row, struct span around[KEPT_AROUND]);

#endif
