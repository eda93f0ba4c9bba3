/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_DIFF_H
#define ANALYSIS_SYMBOL_DIFF_H

#include "rules/fold.h"
#include "rules/rule_set.h"

/**
 * The differences of two symbol files of one module. Records are compared by address or by name,
 * not by line. Records in another order, size or notation do not differ if they have the same
 * meaning at every address. The comparison by name is for two builds of a program. A function may
 * then be at any address, and addresses count from its beginning.
 */
enum symbol_diff_what {
	SYMBOL_DIFF_NAME,		/* name of the function or linker symbol */
	SYMBOL_DIFF_LINE,		/* "file:line" */
	SYMBOL_DIFF_INLINE,		/* inlined calls, innermost first */
	SYMBOL_DIFF_RULE,		/* rule of STACK CFI; `rule` names the register */
	SYMBOL_DIFF_WIN,		/* STACK WIN record in force */
	SYMBOL_DIFF_PARAMETERS,		/* size of the parameters in FUNC and PUBLIC records */
	SYMBOL_DIFF_SIZE,		/* size of a function; by name only */
	SYMBOL_DIFF_MODULE,		/* MODULE record; has no address, like INFO */
	SYMBOL_DIFF_INFO,
	SYMBOL_DIFF_WHATS
};

/** A run of addresses about which the files disagree in the same way. */
struct symbol_diff_run {
	enum symbol_diff_what what;
	uint64_t first, last;
	const char *rule;		/* ".cfa", "$rbx"; NULL: not about a rule */
	const char *says[2];		/* answer of each file; NULL: none */
	const char *mangled[2];		/* name in the file; NULL: same as `says` */
	struct place places[2];		/* records that give `says` */
	/* function at the run in the first file, else in the second; or NULL */
	const char *function;
	const char *function_mangled;	/* name in the file; NULL: as shown */
};

struct symbol_diff_options {
	bool lines;			/* also compare lines; by address, also inlined calls */
	bool by_name;
	size_t most;			/* maximum number of runs kept; 0: all */
	const struct policy *policy;	/* how names are shown for the comparison; NULL: default */
};

struct symbol_diff {
	struct arena arena;
	struct symbol_diff_run *runs;	/* sorted by first address */
	size_t count, capacity;
	size_t totals[SYMBOL_DIFF_WHATS];	/* counts of all runs, also of those not kept */
	bool memory_ended;		/* out of memory: the result is incomplete */
};

/** Compare two files. Free with symbol_diff_free. */
void
symbol_diff_make(struct symbol_diff *diff, const struct arch *arch,
		 const struct symfile *const files[2], const struct symbol_diff_options *options);

void
symbol_diff_free(struct symbol_diff *diff);

/** Whether a difference is about the files as a whole, without an address. */
static inline bool
symbol_diff_of_file(const struct symbol_diff_run *run)
{
	return run->what >= SYMBOL_DIFF_MODULE;
}

/** "name", "line", "inlined calls", "rule", "STACK WIN", ... */
extern const char *const symbol_diff_names[SYMBOL_DIFF_WHATS];

#endif
