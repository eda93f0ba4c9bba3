/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_DIFF_INTERNAL_H
#define ANALYSIS_SYMBOL_DIFF_INTERNAL_H

#include "analysis/symbol_diff.h"
#include "base/limits.h"

/** What the files of a comparison of symbol files share. */

enum { SYMBOL_DIFF_TEXT = 2048 };

/* What a file says of an aspect at an address. */
struct symbol_diff_answer {
	bool there;
	char text[SYMBOL_DIFF_TEXT];
	struct text name;	/* that `text` is, as the file has it; empty: it is no name */
	struct place place;
};

/* A difference that goes on if the next addresses say the same. */
struct symbol_diff_open {
	enum symbol_diff_what what;
	const char *rule;
	uint64_t last, hash;
	size_t index;		/* of the run that is kept; SIZE_MAX: none is */
};

enum { SYMBOL_DIFF_OPEN = 64 };

struct symbol_comparison {
	struct symbol_diff *diff;
	const struct symbol_diff_options *options;
	const struct arch *arch;
	const struct symfile *files[2];
	struct symbols_policy symbols;
	struct policy policy;
	uint64_t *changes;		/* sorted before they are used */
	size_t change_count, change_capacity;
	enum symbol_diff_what what;	/* the aspect that is compared */
	struct arena scratch;		/* of the changes */
	struct arena work;		/* of one address */
	struct symbol_diff_answer answers[2];
	struct symbol_diff_open open[SYMBOL_DIFF_OPEN];
	size_t open_count;
	struct symbol_diff_bodies *bodies[2];	/* functions that were read; NULL: none */
};

/** Something may change at an address. */
void
symbol_diff_change(struct symbol_comparison *comparison, uint64_t address);

/** What the files say from `first` to `last`, where that differs; `rule` may be empty. */
void
symbol_diff_tell(struct symbol_comparison *comparison, struct text rule, uint64_t first,
		 uint64_t last);

void
symbol_diff_forget(struct symbol_comparison *comparison);

/** A text becomes what a file says. */
void
symbol_diff_say(struct symbol_diff_answer *answer, struct text text);

/** The STACK WIN record that counts at an address, as its answer. */
void
symbol_diff_ask_win(struct symbol_comparison *comparison, int file, uint64_t address,
		    struct symbol_diff_answer *answer);

bool
symbol_diff_answers_differ(const struct symbol_comparison *comparison);

/**
 * The body of the function that a file names at an address, or NULL: no FUNC record does. What
 * this and the next two return lives until another address is asked about, each above the one
 * before.
 */
const struct function_body *
symbol_diff_body(struct symbol_comparison *comparison, int file, uint64_t address);

/** The line at an address, or NULL. */
const struct source_line *
symbol_diff_line(struct symbol_comparison *comparison, int file, uint64_t address);

/** The inlined calls around an address, innermost first; returns how many. */
size_t
symbol_diff_calls(struct symbol_comparison *comparison, int file, uint64_t address,
		  const struct inline_call *calls[LIMIT_INLINE_DEPTH]);

void
symbol_diff_bodies_free(struct symbol_comparison *comparison);

/** STACK CFI, by address. */
void
symbol_diff_rules(struct symbol_comparison *comparison);

/** Whether two sets have the same rules; `rule` is a name of which they have not. */
bool
symbol_diff_same_set(const struct symbol_comparison *comparison, const struct rule_set *one,
		     const struct rule_set *other, struct text *rule);

/** Functions and linker symbols by their names. */
void
symbol_diff_by_name(struct symbol_comparison *comparison);

#endif
