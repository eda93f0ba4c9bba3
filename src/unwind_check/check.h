/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_CHECK_H
#define UNWIND_CHECK_CHECK_H

#include "rules/unwind_source.h"

/**
 * Compares all sources of a module, from its first address to its last.
 *
 * Sources that have rules for the same register at the same address must agree; if they do not, one
 * source is wrong. A report names records of the first source: STACK CFI, if the module has it.
 */
enum unwind_code {
	UNWIND_DIFFERS,		/* two sources have different rules */
	/* One source has a rule; in another source the register is unchanged */
	UNWIND_NOT_SAVED,
	UNWIND_LATE,		/* the rule is right, but begins too late */
	UNWIND_EARLY,		/* the rule is right, but begins too early */
	UNWIND_CODE,		/* the code contradicts the rule */
	UNWIND_HOLE,		/* no record, where another source has one */
	UNWIND_EXTRA,		/* a record, where no other source has one */
	UNWIND_BROKEN,		/* a record that cannot be used */
	UNWIND_MISFIT,		/* symbol file for another binary: nothing else is compared */
	UNWIND_OUTERMOST,	/* a return address where another source has no caller */
	UNWIND_EXPRESSION,	/* an expression that another source lacks */
	UNWIND_CODES,
};

/** Codes up to here are certain defects; the others are limits of the formats. */
#define UNWIND_CERTAIN UNWIND_MISFIT

struct unwind_code_info {
	const char *name;	/* "rule-differs" */
	const char *wrong;
	const char *effect;
};

extern const struct unwind_code_info unwind_code_table[UNWIND_CODES];

/** Consecutive addresses for which sources differ in the same way. */
struct unwind_difference {
	uint64_t first, last;		/* relative to the module's base */
	enum unwind_code code;
	unsigned column;		/* column of the claims; CLAIM_COLUMNS: none */
	unsigned sources;		/* bits of sources with a claim */
	unsigned guilty;		/* number of the source whose record is named first */
	uint64_t begins;		/* UNWIND_LATE, UNWIND_EARLY: right address of the rule */
	/* Reason why a record or the file cannot be used; NULL: none */
	const char *problem;
	struct claim claims[UNWIND_SOURCES];
	uint64_t records[UNWIND_SOURCES];	/* offset of each source's record */
};

struct unwind_totals {
	uint64_t rows[UNWIND_SOURCES], bytes[UNWIND_SOURCES];
	uint64_t compared;		/* runs of addresses at which two sources have claims */
	uint64_t bytes_compared;
	/* Number of compared functions and of all functions in the first source; 0: not counted */
	uint64_t entries, entry_count;
};

struct unwind_check {
	const struct arch *arch;
	struct unwind_source *sources;
	size_t count;
	/** Called for each difference, in order of its last address; false stops. */
	bool (*tell)(void *context, const struct unwind_difference *difference);
	/** Called now and then by the calling thread while code is run, or NULL. */
	bool (*progress)(void *watcher, uint64_t done, uint64_t total);
	void *watcher;
	/** Called now and then by any thread, or NULL; true stops the comparison. */
	bool (*stop)(void);
	void *context;
	uint64_t first, last;		/* addresses to compare */
};

/** Compare; false if it was stopped. */
bool
unwind_check_run(const struct unwind_check *check, struct unwind_totals *totals);

#endif
