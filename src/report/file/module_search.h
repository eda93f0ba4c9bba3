/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULE_SEARCH_H
#define REPORT_FILE_MODULE_SEARCH_H

#include "document/facts.h"
#include "document/listing.h"

/**
 * Why a module has its symbols, or has none: the id to match, every place searched for symbols and
 * for its own files, their contents, and remedies. `unspool symbols` and the explorer show it.
 */
struct module_search;

/**
 * Search for the symbols of a loaded module. Loads nothing: contents are reported of a loaded
 * symbol file, and of the module's own files (`binaries` may be NULL) if binaries_survey ran. Lists
 * directories and opens files. Lives in `arena`; NULL when out of memory.
 */
const struct module_search *
module_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena);

/** The state of the module's symbols when the search was made. */
enum symbols_state
module_search_state(const struct module_search *search);

/** Whether the survey of the module's own files was complete then, or none was to be made. */
bool
module_search_knows_binaries(const struct module_search *search);

/** Whether a symbol file is used, or a file of the module's own has names. */
bool
module_search_found(const struct module_search *search);

/**
 * Its rows: a title with the module's name, the rest indented and, with `columns`, wrapped at that
 * width. Lives in `arena` and borrows `search`.
 */
struct listing
module_search_listing(const struct module_search *search, size_t columns, struct arena *arena);

/** Fill a row with the title and the outcome. */
void
module_search_brief(const struct module_search *search, struct row *row);

/** The search as the members of an object that is open. */
FACTS_DECLARE(module_search, const struct module_search *search);

#endif
