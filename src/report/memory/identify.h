/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_IDENTIFY_H
#define REPORT_MEMORY_IDENTIFY_H

#include "inspect/expression.h"
#include "document/facts.h"
#include "report/lines.h"

/**
 * What an address is: everything that the crash says of a value, each with what says so.
 */
struct identification {
	struct arena arena;
	struct surroundings *around;
	struct text typed;
	struct expression expression;
	uint64_t value;
	struct lines lines;	/* the facts; their labels are stable: "module" */
	struct listing listing;	/* of the facts, a row each */
};

/**
 * Say what `typed` is. `scope` gives registers and variables their values and says which frames
 * come first. NULL when out of memory.
 */
struct identification *
identify_create(struct surroundings *around, const struct expression_scope *scope,
		struct text typed);

/** Harmless on NULL. */
void
identify_free(struct identification *identify);

/** The facts as the members of an object that is open. */
FACTS_DECLARE(identification, const struct identification *found);

#endif
