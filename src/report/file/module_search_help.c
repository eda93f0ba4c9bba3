/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/module_search_internal.h"

#include <inttypes.h>
#include <string.h>

#include "locate/fetch.h"
#include "report/report.h"

/* The parts that a module lacks, and remedies. */

/* The parts that a walk lacks because no symbol file has them. */
struct module_needs {
	bool names, rules;
};

bool
module_search_has_rules(const struct module_search *search)
{
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++)
		if (search->survey->names[i].frame_count > 0)
			return true;
	return search->survey != NULL &&
	       (search->survey->table_count > 0 || search->survey->sframe != NULL);
}

bool
module_search_has_lines(const struct module_search *search)
{
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++)
		if (search->survey->names[i].unit_count + search->survey->names[i].module_count > 0)
			return true;
	return false;
}

/* Whether a PDB gives names, even one with public symbols alone: dump_syms makes as few. */
static bool
has_pdb(const struct module_search *search)
{
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++)
		if (search->survey->names[i].binary->format == BINARY_PDB)
			return true;
	return false;
}

static void
help(struct module_search *search, const char *text)
{
	lines_add(&search->lines, "help", ROLE_NORMAL, text);
}

/* Adds the parts that are missing in the file that is used. */
static void
add_lacks(struct module_search *search, const struct module_needs *needs)
{
	const struct symfile *symfile = search->symfile;
	const uint64_t messages = message_total(symfile_messages(symfile));

	if (search->misfit != NULL)
		help(search,
		     "names, lines and rules are those of other code: make the symbol file from "
		     "this binary with 'unspool dump-syms'");
	if (needs->rules && !module_search_has_rules(search))
		help(search, "no STACK records: callers are found by frame pointers or guessed by "
			     "scans; "
			 "dump the symbols of the file with its unwind sections");
	if (needs->names)
		help(search, "no FUNC records: names are the nearest PUBLIC below, and there are "
			     "no "
			 "lines; dump the symbols of the file with debug information");
	if (messages != 0)
		lines_add(&search->lines, "messages", ROLE_CHANGED,
				 arena_format(search->arena, "! %" PRIu64 "; 'unspool lint' prints "
									  "them with their effect "
									  "on a walk", messages));
}

/* Adds ways to get symbols for a module without any clue. */
static void
add_general_help(struct module_search *search)
{
	const struct module *module = search->module;
	const char *name = place_base_name(module->debug_file[0] != '\0' ? module->debug_file
									 : module->code_file);

	if (module->debug_id[0] == '\0')
		help(search, "without an ID symbols cannot be matched");
	else if (crash_is_kernels(module))
		help(search, "it is the kernel's own code, in no file: copy it from the memory of "
			     "a process "
			 "on a machine with the same kernel, and run 'dump_syms' on the copy");
	else
		help(search, arena_format(search->arena,
					  "make a symbol file: run dump_syms on "
					  "the %s that has this id, and give the result as SYMBOLS",
					  name));
}

/* Adds near misses: files that are almost right. */
static void
add_near(struct module_search *search, const struct locate_near_list *near_misses)
{
	struct lines *lines = &search->lines;

	for (size_t i = 0; i < near_misses->count; i++) {
		const struct locate_near_miss *near = &near_misses->items[i];

		lines_add(lines, i == 0 ? "near" : NULL, ROLE_NORMAL, near->path);
		lines_add(lines, NULL, ROLE_CHANGED,
				 arena_format(lines->arena, "  ! %s", near->what));
		lines_add(lines, NULL, ROLE_NORMAL,
				 arena_format(lines->arena, "  %s", near->help));
	}
}

/* More places to try: on this machine files must match by id. */
static const char *
more_places(struct module_search *search)
{
	const struct module *module = search->module;
	const bool known = *module->code_id != '\0' || *module->debug_id != '\0';
	const bool machine = !binaries_in_system(search->binaries);
	const bool servers = fetch_is_built_in() && !binaries_asks_servers(search->binaries);

	if (search->crash->system.os == CRASH_OS_WINDOWS && known && fetch_is_built_in() &&
	    !binaries_asks_servers(search->binaries))
		return "; _NT_SYMBOL_PATH or '--symbols-url' names symbol servers to ask";
	if (search->crash->system.os != CRASH_OS_LINUX || !known || (!machine && !servers))
		return "";
	return arena_format(search->arena, "; %s%s%s",
			    machine ? "'--system-binaries' searches this machine" : "",
			    machine && servers ? ", and " : "",
			    servers ? "DEBUGINFOD_URLS sets servers to ask" : "");
}

static void
help_to_find(struct module_search *search)
{
	const enum crash_os os = search->crash->system.os;
	const struct module *module = search->module;
	const char *name = place_base_name(module->code_file);
	const char *id = *module->code_id != '\0' ? module->code_id : module->debug_id;

	/* Mach-O files are not read. */
	if (os == CRASH_OS_MAC || os == CRASH_OS_IOS || *name == '\0' || crash_is_kernels(module))
		return;
	if (search->binaries == NULL)
		help(search,
		     arena_format(
			     search->arena,
			     "the module's own file also has names and unwind rules: give it or "
			     "its directory with '--binaries'%s",
			     more_places(search)));
	else
		help(search, arena_format(
			search->arena, "find '%s'%s%s, and name it or its directory with "
			"'--binaries'%s", name, *id == '\0' ? "" : " of the build with the ID ", id,
			more_places(search)));
}

/* The path below a debug directory for a build id. */
static const char *
debug_place(struct module_search *search, const char *id)
{
	return strlen(id) > 2 ? arena_format(search->arena, ".build-id/%.2s/%s.debug", id, id + 2)
			      : "NAME.debug";
}

/* Adds remedies for missing files of the module's own. */
static void
help_with_own_files(struct module_search *search, const struct module_needs *needs)
{
	const struct binary_survey *survey = search->survey;

	if ((search->binaries != NULL && survey == NULL) || (!needs->names && !needs->rules) ||
	    (survey != NULL && survey->near.count > 0))
		return;
	search->lines.target = report_place_target(search->module->place);
	if (survey == NULL || survey->image == NULL)
		help_to_find(search);
	else if (needs->rules && !module_search_has_rules(search))
		help(search, "no unwind sections: callers are found by frame pointers or "
		     "guessed by scans");
	if (survey == NULL || !needs->names)
		return;
	const struct binary *image = survey->image;
	if (image != NULL && image->format == BINARY_ELF && !module_search_has_lines(search))
		help(search, arena_format(search->arena,
					  "no DWARF, so no lines and no inlined calls: install its "
					  "debug file, or give a directory that has '%s' with "
					  "'--binaries'%s",
					  debug_place(search, image->id), more_places(search)));
	if (survey->supplement_id[0] != '\0' && survey->supplement == NULL)
		help(search, arena_format(
			search->arena, "dwz moved some names to a missing file: give a directory "
				       "that has '%s' with '--binaries'",
			debug_place(search, survey->supplement_id)));
}

/* Adds remedies for missing split DWARF. */
static void
help_with_split(struct module_search *search)
{
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++) {
		const struct debug_info_source *source = &search->survey->names[i];

		if (source->split_missing > 0)
			help(search,
			     arena_format(
				     search->arena,
				     "%zu of %zu units of split DWARF are missing: give the "
				     "directory of the .dwo files, or '%s.dwp', with '--binaries'",
				     source->split_missing, source->split_count,
				     place_base_name(source->binary->file.input.name)));
	}
}

void
module_search_help(struct module_search *search)
{
	const struct symfile *symfile = search->symfile;
	const struct binary *image = search->survey != NULL ? search->survey->image : NULL;
	const struct module_needs needs = {
		.names = symfile == NULL || symfile_count(symfile, SYMBOL_FUNC) == 0,
		.rules = symfile == NULL || (symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0 &&
					     symfile_count(symfile, SYMBOL_STACK_WIN) == 0),
	};
	/*
	 * Whether a symbol file would add nothing to the module's file with its debug file. For PE
	 * files without DWARF the module's file is never enough: their names and lines are in a
	 * PDB, which is enough on its own.
	 */
	const bool enough = has_pdb(search) ||
			    (image != NULL && (image->format == BINARY_ELF ||
					       module_search_has_lines(search)));
	const struct target target = search->lines.target;

	add_near(search, &search->near);
	search->lines.target = report_place_target(search->module->place);
	if (search->survey != NULL)
		add_near(search, &search->survey->near);
	search->lines.target = target;
	if (symfile != NULL)
		add_lacks(search, &needs);
	else if (search->state != SYMBOLS_ABSENT && search->configured)
		return;
	else if (search->near.count == 0 && !enough &&
		 (search->survey == NULL || search->survey->near.count == 0))
		add_general_help(search);
	if (search->near.count == 0 || search->binaries != NULL)
		help_with_own_files(search, &needs);
	help_with_split(search);
}
