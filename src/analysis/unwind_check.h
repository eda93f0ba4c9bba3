/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_UNWIND_CHECK_H
#define ANALYSIS_UNWIND_CHECK_H

#include "sframe/sframe.h"
#include "rules/linear.h"

/**
 * Two sources of unwind rules for one module, side by side.
 *
 * A module may have STACK CFI in its symbol file and an SFrame section in its own. Both describe
 * the same code, so wherever both speak they must agree about the CFA, the return address and
 * the frame pointer; where they do not, one of the tables is broken. Addresses count from the
 * module's base.
 */
struct unwind_source {
	const char *name;		/* "STACK CFI", "SFrame" */
	const void *table;
	/** The first address above `address` at which the rules may change; false: none. */
	bool (*change)(const struct unwind_source *source, uint64_t address, uint64_t *change);
	/**
	 * The rules in force at `address`, in `arena`, or a set that says what is wrong with them.
	 * NULL where the source does not cover it; `*problem` then says why, where something is
	 * wrong.
	 */
	const struct rule_set *(*rules)(const struct unwind_source *source,
					const struct arch *arch, uint64_t address,
					struct arena *arena, const char **problem);
};

/** The STACK CFI records of a symbol file, which outlives the source. */
struct unwind_source
unwind_source_stack_cfi(const struct symfile *symfile);

/**
 * The rows of an SFrame section whose addresses are `bias` above those of the module. What it
 * needs lives in `arena`; false when out of memory.
 */
bool
unwind_source_sframe(struct unwind_source *source, const struct sframe *sframe, uint64_t bias,
		     struct arena *arena);

/** A run of addresses in which the sources say different things in the same way. */
struct unwind_difference {
	uint64_t from, to;		/* first and last address */
	enum linear_what what;
	struct linear_rule rules[2];	/* of each source */
};

struct unwind_totals {
	uint64_t compared;		/* addresses at which both speak and a rule may change */
	uint64_t differences;
	uint64_t bytes_both;		/* of code that both cover */
	uint64_t bytes_one[2];		/* that only one of them covers */
	uint64_t problems[2];		/* places where a source's own records cannot be used */
};

/**
 * Compare two sources from the lowest to the highest address. `tell` is called for each
 * difference, in order of address; what it is given is good until it returns.
 */
void
unwind_check(const struct arch *arch, const struct unwind_source sources[2],
	     void (*tell)(void *context, const struct unwind_difference *difference),
	     void *context, struct unwind_totals *totals);

/** "CFA", "return address" or "frame pointer". */
extern const char *const unwind_what_names[LINEAR_WHATS];

#endif
