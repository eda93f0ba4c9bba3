/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULE_SEARCH_INTERNAL_H
#define REPORT_FILE_MODULE_SEARCH_INTERNAL_H

#include "debug_info/binary_survey.h"
#include "report/file/module_search.h"
#include "report/lines.h"

/** What the parts of a module's search share. */

struct module_search {
	struct arena *arena;
	const struct crash *crash;
	const struct module *module;
	size_t index;			/* of the module */
	bool configured;		/* symbol files are to be looked for */
	const struct symfile *symfile;
	enum symbols_state state;
	const struct binaries *binaries;	/* NULL: none are to be looked for */
	const struct binary_survey *survey;	/* NULL: not made yet */
	struct locate_place *places;	/* symbol files, then the module's own files */
	size_t count, capacity, missed;
	struct locate_near_miss *near;	/* the same */
	size_t near_count, near_capacity;
	size_t symbol_places, symbol_near;	/* how many of each are of symbol files */
	const char *used;		/* path of the symbol file; NULL: none */
	/* Why it does not belong to the module's own file; NULL: it does */
	const char *misfit;
	struct lines lines;
};

/** Whether the module's own files say how to unwind. */
bool
module_search_has_rules(const struct module_search *search);

/** Whether they have lines. */
bool
module_search_has_lines(const struct module_search *search);

/** Add lines with the label "help": what the symbol file lacks, and what would help. */
void
module_search_help(struct module_search *search);

#endif
