/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_LOOKUP_H
#define REPORT_CODE_LOOKUP_H

#include "document/facts.h"
#include "rules/rule_table.h"
#include "walk/location.h"

/**
 * Everything about one address of a module: function, line, inlined calls, shadowed functions, and
 * the unwind rules in force, each with its record.
 */
struct lookup {
	const char *module;
	uint64_t address;		/* relative to the module's base */
	uint64_t shown;			/* address as the user wrote it */
	const struct symfile *symfile;	/* NULL: no symbols */
	/* The module's own file is loaded and may name functions */
	bool has_file;
	struct symbol symbol;
	struct call *calls;		/* innermost first; the last is the function itself */
	size_t call_count;		/* 0: no source names the address */
	struct rule_run run;
	struct rule_tables tables;
	bool ruled;			/* a source has rules in force */
};

/** Look up `address` of a module in all its sources. Lists live in `arena`. */
void
lookup_make(struct lookup *lookup, const struct rule_module *module, uint64_t address,
	    struct arena *arena);

void
lookup_text(const struct output *output, const struct lookup *lookup);

/** Write two lines for each call, its function and file:line, like `addr2line -f -i`. */
void
lookup_brief(const struct output *output, const struct lookup *lookup);

FACTS_DECLARE(lookup, const struct lookup *lookup);

/** An address outside every module, as facts. */
FACTS_DECLARE(lookup_nowhere, const char *address);

#endif
