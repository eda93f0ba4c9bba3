/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_MODULE_SEARCH_H
#define REPORT_FILE_MODULE_SEARCH_H

#include "document/facts.h"
#include "document/listing.h"

/**
 * Why a module has the symbols that it has, or none: the id that is wanted, every place that was
 * looked at for symbols and for its own files, what these have and what would help.
 * `unspool symbols` and the explorer show it.
 */
struct module_search;

/**
 * Search for the symbols of a loaded module. Loads nothing: what the file has is told if it is
 * loaded, and of its own files (`binaries` may be NULL) what binaries_survey found
 * before. Lists directories and looks into files. Lives in `arena`; NULL when out of memory.
 */
const struct module_search *
module_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena);

/** How far the module's symbols were when the search was made. */
enum symbols_state
module_search_state(const struct module_search *search);

/** Whether all was known then of the module's own files, as far as they are to be looked for. */
bool
module_search_knows_binaries(const struct module_search *search);

/** Whether there is a symbol file that is used, or a file of the module's own that has names. */
bool
module_search_found(const struct module_search *search);

/**
 * Its rows: a title with the module's name, the rest indented and, with `columns`, wrapped for
 * that width. Lives in `arena` and borrows `search`.
 */
struct listing
module_search_listing(const struct module_search *search, size_t columns, struct arena *arena);

/** The title and the outcome in one row. */
void
module_search_brief(const struct module_search *search, struct row *row);

/** The search as the members of an object that is open. */
FACTS_DECLARE(module_search, const struct module_search *search);

#endif
