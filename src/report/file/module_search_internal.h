/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULE_SEARCH_INTERNAL_H
#define REPORT_FILE_MODULE_SEARCH_INTERNAL_H

#include "debug_info/binary_survey.h"
#include "report/file/module_search.h"
#include "report/lines.h"

/** State shared by the parts of a module's search. */

struct module_search {
	struct arena *arena;
	const struct crash *crash;
	const struct module *module;
	size_t index;			/* index of the module */
	bool configured;		/* the options allow a search for symbol files */
	const struct symfile *symfile;
	enum symbols_state state;
	const struct binaries *binaries;	/* NULL: the module's own files are not searched */
	const struct binary_survey *survey;	/* NULL: not made yet */
	struct locate_place *places;	/* places for symbol files, then for the module's own */
	size_t count, capacity, missed;
	size_t symbol_places;		/* the number for symbol files */
	struct locate_near_list near;	/* near misses of symbol files; the survey has the others */
	const char *used;		/* path of the symbol file in use; NULL: none */
	/* Reason why it does not belong to the module's own file; NULL: it belongs */
	const char *misfit;
	struct lines lines;
};

/** Whether the module's own files have unwind rules. */
bool
module_search_has_rules(const struct module_search *search);

/** Whether the module's own files have source lines. */
bool
module_search_has_lines(const struct module_search *search);

/** Add lines labelled "help": the parts that the symbol file lacks, and remedies. */
void
module_search_help(struct module_search *search);

#endif
