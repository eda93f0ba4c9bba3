/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULE_SEARCH_H
#define REPORT_FILE_MODULE_SEARCH_H

#include "debug_info/binary_survey.h"
#include "document/facts.h"
#include "report/lines.h"

/**
 * The search for a module's symbols: the ID to match, the places searched for symbol files and for
 * the module's own files, the contents of these files, and remedies. `unspool symbols` and the
 * explorer show the search.
 */
struct module_search {
	struct arena *arena;
	const struct crash *crash;
	const struct module *module;
	size_t index;
	bool configured;		/* the options allow a search for symbol files */
	const struct symfile *symfile;
	enum symbols_state state;
	const struct binaries *binaries;	/* NULL: the module's own files are not searched */
	const struct binary_survey *survey;	/* NULL: not made yet */
	struct locate_place *places;	/* places for symbol files, then for the module's files */
	size_t count, capacity, missed;
	size_t symbol_places;
	struct locate_near_list near;	/* near misses of symbol files; `survey` has the others */
	const char *used;		/* path of the symbol file in use; NULL: none */
	/* Reason why `used` does not belong to the module's own file; NULL: it does */
	const char *misfit;
	/* The module's own files have unwind rules, source lines, a PDB with names */
	bool has_rules, has_lines, has_pdb;
	/* Rows below the title; those labelled "help" are remedies */
	struct lines lines;
};

/**
 * Search for the symbols of a loaded module. Lists directories and opens files, but loads nothing.
 * Reports the contents of a symbol file only if the file is already loaded. Reports the contents of
 * the module's own files only if binaries_survey ran. `binaries` may be NULL. The result lives in
 * `arena`. NULL when out of memory.
 */
const struct module_search *
module_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena);

/** Fill a row with its title: the module's name and the outcome. */
void
module_search_brief(const struct module_search *search, struct row *row);

/** The search as the members of an open object. */
FACTS_DECLARE(module_search, const struct module_search *search);

#endif
