/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_IDENTIFY_H
#define REPORT_MEMORY_IDENTIFY_H

#include "inspect/expression.h"
#include "document/facts.h"
#include "report/lines.h"

/** The meaning of an address: all facts of the crash about a value, each with its place. */
struct identification {
	struct arena arena;
	struct surroundings *around;
	struct text typed;
	struct expression expression;
	uint64_t value;
	struct lines lines;	/* the facts; labels such as "module" are stable */
	struct listing listing;
};

/**
 * Identify `typed`. `scope` gives registers and variables their values and decides which frames
 * come first. NULL when out of memory.
 */
struct identification *
identify_create(struct surroundings *around, const struct expression_scope *scope,
		struct text typed);

/** Lists of names, as gdb's "info types" prints them. Slots: addresses of imported functions. */
enum identify_names {
	IDENTIFY_SLOTS, IDENTIFY_FUNCTIONS, IDENTIFY_VARIABLES, IDENTIFY_TYPES
};

/**
 * The names that contain `text`, each with its address, in all modules whose files are open. Types
 * come from the frame's module only. For IDENTIFY_SLOTS, `text` is the name of a module; if it is
 * empty, the slots of the frame's module are listed.
 */
struct identification *
identify_names(struct surroundings *around, const struct expression_scope *scope,
	       enum identify_names which, struct text text);

/** Accepts NULL. */
void
identify_free(struct identification *identify);

/** The facts as the members of an open object. */
FACTS_DECLARE(identification, const struct identification *found);

#endif
