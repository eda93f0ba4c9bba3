/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_DIFF_H
#define ANALYSIS_SYMBOL_DIFF_H

#include "rules/fold.h"
#include "rules/rule_set.h"

/**
 * What two symbol files of one module say differently, by address or by name, not by line.
 *
 * Records in another order, of other sizes, or written in other words are no difference where the
 * same comes of them at every address. By name two builds of a program are compared: a function
 * may be anywhere, and what is said of it counts from its beginning.
 */
enum symbol_diff_what {
	SYMBOL_DIFF_NAME,		/* of the function or linker symbol */
	SYMBOL_DIFF_LINE,		/* "file:line" */
	SYMBOL_DIFF_INLINE,		/* inlined calls, innermost first */
	SYMBOL_DIFF_RULE,		/* of STACK CFI; `rule` says for what */
	SYMBOL_DIFF_WIN,		/* the STACK WIN record that counts */
	SYMBOL_DIFF_PARAMETERS,		/* their size, in FUNC and PUBLIC records */
	SYMBOL_DIFF_SIZE,		/* of a function; by name only */
	SYMBOL_DIFF_MODULE,		/* the MODULE record; without an address, as INFO records */
	SYMBOL_DIFF_INFO,
	SYMBOL_DIFF_WHATS
};

/** A run of addresses about which the files disagree in the same way. */
struct symbol_diff_run {
	enum symbol_diff_what what;
	uint64_t first, last;
	const char *rule;		/* ".cfa", "$rbx"; NULL: not of a rule */
	const char *says[2];		/* NULL: this file says nothing */
	const char *mangled[2];		/* a name as the file has it; NULL: as it is said */
	struct place places[2];		/* of what says so */
	/* That the first file names there, else the second; or NULL */
	const char *function;
	const char *function_mangled;	/* as the file has it; NULL: as it is shown */
};

struct symbol_diff_options {
	bool lines;			/* lines and, by address, inlined calls, too */
	bool by_name;
	size_t most;			/* runs kept; 0: all */
	const struct policy *policy;	/* whether names are compared as they are shown */
};

struct symbol_diff {
	struct arena arena;
	struct symbol_diff_run *runs;	/* by address */
	size_t count, capacity;
	size_t totals[SYMBOL_DIFF_WHATS];	/* true counts */
	bool memory_ended;		/* what is there is not all */
};

/** Compare two files. symbol_diff_free is due. */
void
symbol_diff_make(struct symbol_diff *diff, const struct arch *arch,
		 const struct symfile *const files[2], const struct symbol_diff_options *options);

void
symbol_diff_free(struct symbol_diff *diff);

/** Whether a difference is one of the whole files, without an address. */
static inline bool
symbol_diff_of_file(const struct symbol_diff_run *run)
{
	return run->what >= SYMBOL_DIFF_MODULE;
}

/** "name", "line", "inlined calls", "rule", "STACK WIN", ... */
extern const char *const symbol_diff_names[SYMBOL_DIFF_WHATS];

#endif
