/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMFILE_BODY_H
#define SYMBOLS_SYMFILE_BODY_H

#include "symbols/symfile_internal.h"

/**
 * The lines and inlined calls of one function, read on request.
 *
 * They lie between its FUNC record and the next FUNC or PUBLIC; records of other kinds may
 * stand among them.
 */

/** The inlined calls around an address, outermost first. */
struct chain {
	const struct span *calls[LIMIT_INLINE_DEPTH];
	size_t count;
};

/** Ranges of a list that cost no allocation: most look-ups have fewer around their address. */
#define RANGES_FEW 8u

struct body {
	const struct symfile *symfile;
	const struct symfile_view *view;
	struct message_list *messages;
	struct arena scratch;
	struct range_list lines, calls;
	struct span few_spans[2][RANGES_FEW];		/* what the lists begin with */
	struct range_source few_sources[2][RANGES_FEW];
	const struct range_list *selecting;	/* which of them is being selected from */
	enum nesting nesting;
	int64_t last_depth;
	struct chain *chain;	/* around `address` */
	bool failed;		/* memory has run out */
	bool one;		/* what covers `address` is enough, without messages */
	bool all;		/* the calls of the whole function */
	uint64_t address;
};

/**
 * Read what is asked for of the function whose record is at `where`: lines that count, sorted, and
 * the chain around `address`, or all calls as they stand in the file. False, and reported, when out
 * of memory. The lists are in `scratch`, which is to be freed in either case.
 */
bool
body_make(struct body *body, uint64_t where);

/**
 * The calls around an address by their levels; `spans` may have others, too. Returns whether that
 * is how they nest: dumpers that give equal calls one record write it before some of their callers
 * and across the ends of others, but each level is around an address once.
 */
bool
body_chain_by_levels(const struct body *body, const struct span *spans, size_t count,
		     uint64_t address, struct chain *chain);

/** The calls around an address in sorted ranges that nest; of too many the inner ones. */
void
body_chain_by_ranges(const struct span *spans, size_t count, uint64_t address,
		     struct chain *chain);

/** Leave the calls that nest by their ranges, as Breakpad does; false when out of memory. */
bool
body_select_calls(struct body *body);

#endif
