/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_BINARY_SEARCH_H
#define REPORT_FILE_BINARY_SEARCH_H

#include "document/json.h"
#include "report/file/search_lines.h"

/**
 * What a search for a module's own files found: every place that was looked at, what the files are
 * good for, and what would help. A part of symbol_search.
 */
struct binary_search;

/** What the module's symbol file does not say. */
struct binary_search_needs {
	bool names, rules;
};

/**
 * What is known of the files of a loaded module; looks for nothing (see binaries_survey).
 * `binaries` may be NULL. Lives in `arena`; NULL when out of memory.
 */
const struct binary_search *
binary_search_make(const struct crash *crash, struct binaries *binaries, size_t module,
		   struct arena *arena);

/** Whether files are to be looked for at all. */
bool
binary_search_is_asked(const struct binary_search *search);

/** Whether somebody has looked for all files, or nobody is to look for any. */
bool
binary_search_is_done(const struct binary_search *search);

/** Whether the files name functions. */
bool
binary_search_has_names(const struct binary_search *search);

/** Whether they say how to unwind. */
bool
binary_search_has_rules(const struct binary_search *search);

/**
 * Whether a symbol file would say nothing that the module's file, at least together with its debug
 * file, does not say.
 */
bool
binary_search_is_enough(const struct binary_search *search);

/** What the files have. */
void
binary_search_gains(const struct binary_search *search, struct search_lines *lines);

/** Every place and what was there; long, so it comes last. */
void
binary_search_places(const struct binary_search *search, struct search_lines *lines);

/** Files that are nearly right; whether there are any. */
bool
binary_search_near(const struct binary_search *search, struct search_lines *lines);

/** What would help, in lines with the label "help". */
void
binary_search_help(const struct binary_search *search, const struct binary_search_needs *needs,
		   struct search_lines *lines);

/** The file that is used in place of symbols, and for what; false where there is none. */
bool
binary_search_brief(const struct binary_search *search, struct row *row);

/** An object, or null where nothing was to be looked for. */
void
binary_search_json(struct json *json, const char *name, const struct binary_search *search);

#endif
