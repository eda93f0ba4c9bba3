/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_DIFF_INTERNAL_H
#define ANALYSIS_SYMBOL_DIFF_INTERNAL_H

#include "analysis/symbol_diff.h"
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
	enum symbol_diff_what what;
	const char *rule;
	uint64_t last, hash;
	size_t index;		/* index of its run; SIZE_MAX: not kept */
};

enum { SYMBOL_DIFF_OPEN = 64 };

/* The function that was read last, and the calls that are open at the last address. */
struct symbol_diff_body {
	struct arena arena;
	struct function_body body;
	size_t next;			/* index of the first call above the last address */
	size_t open[LIMIT_INLINE_DEPTH];	/* indices of calls, outermost first */
	size_t open_count;
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
	struct symbol_diff_open open[SYMBOL_DIFF_OPEN];
	size_t open_count;
	struct symbol_diff_body bodies[2];
};

/** Record that an aspect may change at an address. */
void
symbol_diff_change(struct symbol_comparison *comparison, uint64_t address);

/** Sort the noted addresses and remove duplicates. */
void
symbol_diff_sort_changes(struct symbol_comparison *comparison);

/** Add the answers from `first` to `last`, if they differ; `rule` may be empty. */
void
symbol_diff_tell(struct symbol_comparison *comparison, struct text rule, uint64_t first,
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

/** The rules of STACK CFI of a range. */
struct symbol_diff_rows {
	struct arena *arena;		/* memory of the rows */
	struct rule_change *list;
	size_t count, capacity;
};

/** Add the rows of the INIT record and the deltas that cover `first` to `last`. */
void
symbol_diff_add_rows(struct symbol_comparison *comparison, int file, uint64_t first, uint64_t last,
		     struct symbol_diff_rows *rows);

/** Compare STACK CFI by address. */
void
symbol_diff_rules(struct symbol_comparison *comparison);

/** Whether two sets have the same rules. `rule` is set to the name of a rule that differs. */
bool
symbol_diff_same_set(const struct symbol_comparison *comparison, const struct rule_set *one,
		     const struct rule_set *other, struct text *rule);

/** Compare functions and linker symbols by name. */
void
symbol_diff_by_name(struct symbol_comparison *comparison);

#endif
