/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULES_H
#define REPORT_FILE_MODULES_H

#include "document/listing.h"

struct module_search;

/** What is unfolded beneath a loaded module. */
struct modules_report {
	bool open;
	struct arena arena;			/* of the search */
	const struct module_search *search;	/* NULL: not made yet */
};

/** Which modules are unfolded, and what was found of their symbols. */
struct modules_state {
	struct modules_report *reports;	/* one a loaded module */
	size_t count;
};

struct modules_options {
	const struct crash *crash;
	struct symbols *symbols;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	struct modules_state *state;	/* NULL: nothing unfolds; else there are symbols */
	size_t columns;			/* that reports are wrapped for; 0: not wrapped */
};

/** False when out of memory. */
bool
modules_state_init(struct modules_state *state, const struct crash *crash);

void
modules_state_free(struct modules_state *state);

/** Forget what was found: other places are looked at now. Listings end with it. */
void
modules_state_forget(struct modules_state *state);

/**
 * The modules of a crash by address with the state of their symbols, unloaded ones last. Nothing
 * is loaded for it, but a row's explanation looks for the module's own file and its SFrame
 * section, and says where they were found. A loaded module's row has it as target, an unloaded
 * one's its entry in the dump. Beneath a module that is unfolded stand the rows of its
 * module_search, which is made when it is first shown and when its symbols have got further;
 * listings that were made before end then.
 */
struct listing
modules_listing(const struct modules_options *options, struct arena *arena);

/** A row: which of the modules, in the order of their rows, and how far beneath its own row. */
struct modules_spot {
	size_t entry, line;
};

/** The spot of a row of the listing. */
struct modules_spot
modules_spot(const struct listing *modules, size_t row);

/** The row of a spot, or the last one that the module has. */
size_t
modules_row_of_spot(const struct listing *modules, struct modules_spot spot);

/** The loaded module (index in crash->modules) that a row tells of; SIZE_MAX: none. */
size_t
modules_module(const struct listing *modules, size_t row);

/** The row of a loaded module (index in crash->modules); 0 where there is none. */
size_t
modules_row(const struct listing *modules, size_t module);

#endif
