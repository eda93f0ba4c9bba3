/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_DIFF_INTERNAL_H
#define ANALYSIS_SYMBOL_DIFF_INTERNAL_H

#include "analysis/symbol_diff.h"
#include "base/hash.h"
#include "base/limits.h"

/** Shared by the files of a comparison of symbol files. */

enum { SYMBOL_DIFF_TEXT = 2048 };

/* The answer of a file about an aspect at an address. */
struct symbol_diff_answer {
	bool there;
	char text[SYMBOL_DIFF_TEXT];
	struct text name;	/* name in the file that `text` shows; empty: not a name */
	struct place place;
};

/* A difference that continues if the next addresses give the same answers. */
struct symbol_diff_open {
	uint64_t last, hash;
	size_t run;			/* number of its run, from 1; 0: not kept */
};

/* The function that was read last, and the calls that are open at the last address. */
struct symbol_diff_body {
	struct arena arena;
	struct function_body body;
	size_t next;			/* index of the first call above the last address */
	size_t open[LIMIT_INLINE_DEPTH];	/* indices of calls, outermost first */
	size_t open_count;
};

/* A name of rules in either file, with its rules at the current addresses. */
struct compared_rule {
	struct text name;
	const struct rule *rules[2];	/* NULL: none */
	/* Facts about their programs, updated when a program changes. */
	bool known, unchanged;
	const struct program *programs[2];
	struct linear sums[2];
	bool same;			/* same text, or both keep the register */
	struct symbol_diff_open open;
};

/* A STACK CFI INIT record of one file, whose rows are read one at a time. */
struct symbol_diff_rows {
	struct arena arena;
	struct rule_rows *rows;		/* NULL: none */
	struct rule_change row;		/* the current row; without a set: none */
	const struct program *cfa;	/* its rule for .cfa, or NULL */
	struct linear linear;
	struct compared_rule *rules[LIMIT_RULES];	/* in the order of the set */
	size_t count;
};

struct symbol_comparison {
	struct symbol_diff *diff;
	const struct symbol_diff_options *options;
	const struct arch *arch;
	const struct symfile *files[2];
	struct policy symbols;
	struct policy policy;
	uint64_t *changes;		/* addresses of possible changes; sorted before use */
	size_t change_count, change_capacity;
	enum symbol_diff_what what;	/* aspect being compared */
	struct arena scratch;		/* memory of the changes */
	struct arena work;		/* memory for one address */
	struct symbol_diff_answer answers[2];
	struct symbol_diff_open open;	/* for aspects with one answer at each address */
	struct symbol_diff_rows rows[2];	/* the current INIT records */
	struct hash rules;		/* compared rules by their names */
	struct hash inits;		/* first differences of INIT records, by their offsets */
	struct symbol_diff_body bodies[2];
};

/** Record that an aspect may change at an address. */
void
symbol_diff_change(struct symbol_comparison *comparison, uint64_t address);

/** Sort the noted addresses and remove duplicates. */
void
symbol_diff_sort_changes(struct symbol_comparison *comparison);

/**
 * Add the answers from `first` to `last`, if they differ; `rule` may be empty. They continue the
 * run of `open`, if it ends before `first` and has the same answers; NULL: no run.
 */
void
symbol_diff_tell(struct symbol_comparison *comparison, struct symbol_diff_open *open,
		 struct text rule, uint64_t first, uint64_t last);

/** Continue a run to `last`. */
void
symbol_diff_continue(struct symbol_comparison *comparison, struct symbol_diff_open *open,
		     uint64_t last);

void
symbol_diff_forget(struct symbol_comparison *comparison);

/** Set the answer of a file to a text. */
void
symbol_diff_say(struct symbol_diff_answer *answer, struct text text);

/** Set the answer to the STACK WIN record in force at an address. */
void
symbol_diff_ask_win(struct symbol_comparison *comparison, int file, uint64_t address,
		    struct symbol_diff_answer *answer);

bool
symbol_diff_answers_differ(const struct symbol_comparison *comparison);

/** Open the rows of the INIT record of a file that covers an address, and read the first. */
void
symbol_diff_open_rows(struct symbol_comparison *comparison, int file, uint64_t address);

/** Read the next row; false after the last row. */
bool
symbol_diff_next_row(struct symbol_comparison *comparison, int file);

/** End the reading of rows. */
void
symbol_diff_close_rows(struct symbol_comparison *comparison, int file);

/** The next rule that differs in the current rows, from `*at` on (0: the first), or NULL. */
struct compared_rule *
symbol_diff_next_rule(const struct symbol_comparison *comparison, size_t *at);

/** Compare STACK CFI by address. */
void
symbol_diff_rules(struct symbol_comparison *comparison);

/** Compare functions and linker symbols by name. */
void
symbol_diff_by_name(struct symbol_comparison *comparison);

#endif
