/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULES_H
#define REPORT_FILE_MODULES_H

#include "document/listing.h"

struct module_search;

/** State of the rows under a loaded module. */
struct modules_report {
	bool open;
	struct arena arena;			/* memory of `search` */
	const struct module_search *search;	/* NULL: not made yet */
};

/** The modules that are unfolded, and the results of their searches. */
struct modules_state {
	struct modules_report *reports;	/* one report for each loaded module */
	size_t count;
};

struct modules_options {
	const struct crash *crash;
	struct symbols *symbols;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	struct modules_state *state;	/* if a report is open, `symbols` must not be NULL */
	size_t columns;			/* width for wrapping reports; 0: not wrapped */
};

/** False when out of memory. */
bool
modules_state_init(struct modules_state *state, const struct crash *crash);

void
modules_state_free(struct modules_state *state);

/** Drop the results, because other places will be searched. Existing listings become invalid. */
void
modules_state_forget(struct modules_state *state);

/**
 * The modules of a crash by address with the state of their symbols; unloaded modules come last.
 * Loads nothing, but the explanation of a row searches for the module's own file and SFrame
 * section. A row leads to its loaded module, or to the unloaded module's entry in the dump. The
 * rows of its module_search follow an unfolded module. A module is searched for when it is first
 * unfolded, and again after its symbols change. A new search invalidates earlier listings.
 */
struct listing
modules_listing(const struct modules_options *options, struct arena *arena);

/** A row: the index of its module in display order, and its distance from the module's own row. */
struct modules_spot {
	size_t entry, line;
};

/** The module and line of a row of the listing. */
struct modules_spot
modules_spot(const struct listing *modules, size_t row);

/** The row of a module's line, or the module's last row if it has no such line. */
size_t
modules_row_of_spot(const struct listing *modules, struct modules_spot spot);

/** The loaded module (index in crash->modules) of a row; SIZE_MAX: none. */
size_t
modules_module(const struct listing *modules, size_t row);

/** The row of a loaded module (index in crash->modules); 0 if it has none. */
size_t
modules_row(const struct listing *modules, size_t module);

#endif
