/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/module_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/symbol_fit.h"
#include "locate/fetch.h"
#include "report/report.h"

static const struct {
	const char *name, *label;	/* stable name in JSON; label of the first place in text */
} kinds[LOCATE_KINDS] = {
	[LOCATE_IMAGE] = { "binary", "binary" },
	[LOCATE_DEBUG] = { "debug", "debug" },
	[LOCATE_MINI] = { "debugdata", "debug" },
	[LOCATE_SUPPLEMENT] = { "supplement", "dwz" },
	[LOCATE_SPLIT] = { "split", "split" },
	[LOCATE_SYMBOLS] = { "symbols", "looked at" },
};

/* The records that are counted, in the order of their use by a walk. */
static const struct {
	enum symbol_record_kind kind;
	const char *name;
} counted[] = {
	{ SYMBOL_FUNC, "FUNC" },
	{ SYMBOL_PUBLIC, "PUBLIC" },
	{ SYMBOL_FILE, "FILE (lines)" },
	{ SYMBOL_INLINE_ORIGIN, "INLINE_ORIGIN" },
	{ SYMBOL_STACK_CFI_INIT, "STACK CFI INIT" },
	{ SYMBOL_STACK_CFI, "STACK CFI" },
	{ SYMBOL_STACK_WIN, "STACK WIN" },
};

static const char *
copied(struct module_search *search, const char *text)
{
	return text == NULL ? NULL : arena_string(search->arena, text);
}

static void
see_place(void *context, const struct locate_place *place)
{
	struct module_search *search = context;
	struct locate_place copy = *place;

	copy.path = copied(search, place->path);
	copy.why = copied(search, place->why);
	if (place->kind == LOCATE_SYMBOLS && place->outcome == LOCATE_USED)
		search->used = copy.path;
	if (copy.path != NULL)
		ARENA_ADD(search->arena, search->places, search->count, search->capacity, &copy);
}

static void
add_wanted(struct module_search *search)
{
	const struct module *module = search->module;
	struct lines *lines = &search->lines;

	if (module->debug_id[0] == '\0')
		lines_add(lines, "debug id", ROLE_NORMAL,
			  "none: the dump has no CodeView record with an ID");
	else
		lines_add_format(lines, "debug id", ROLE_NORMAL, "%s of %s", module->debug_id,
				 module->debug_file[0] == '\0'
					 ? "no debug file" : place_base_name(module->debug_file));
	lines->target = report_place_target(module->place);
	if (module->code_id[0] == '\0')
		lines_add(lines, "code id", ROLE_NORMAL, "none");
	else
		lines_add_format(lines, "code id", ROLE_NORMAL, "%s of %s", module->code_id,
				 place_base_name(module->code_file));
}

static void
add_symbol_places(struct module_search *search)
{
	struct lines *lines = &search->lines;

	for (size_t i = 0; i < search->symbol_places; i++) {
		const struct locate_place *place = &search->places[i];
		const char *way = locate_way_words(place->way);

		lines_add(lines, i == 0 ? "looked at" : NULL, ROLE_NORMAL, place->path);
		if (place->outcome == LOCATE_NOT_THERE)
			lines_add_format(lines, NULL, ROLE_DIM, "  not there   %s%s%s", way,
					 place->why == NULL ? "" : ": ", text_or_empty(place->why));
		else if (place->outcome == LOCATE_REFUSED)
			lines_add_format(lines, NULL, ROLE_CHANGED, "  ! refused   %s", place->why);
		else if (place->outcome == LOCATE_FETCHED)
			lines_add_format(lines, NULL, ROLE_DIM, "  fetched   from %s, and kept",
					 way);
		else
			lines_add_format(lines, NULL, ROLE_DIM, "  used   %s", way);
	}
	if (!search->configured)
		lines_add(lines, "looked at", ROLE_DIM, "no symbol file: no symbol path was given");
	else if (search->symbol_places == 0)
		lines_add_format(lines, "looked at", ROLE_DIM,
				 "no symbol file: the module has no %s",
				 search->module->debug_id[0] == '\0' ? "debug id" : "name");
}

static void
add_records(struct module_search *search)
{
	const struct symfile *symfile = search->symfile;
	struct lines *lines = &search->lines;
	bool first = true;

	if (symfile == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(counted); i++) {
		const size_t count = symfile_count(symfile, counted[i].kind);

		if (count == 0)
			continue;
		lines_add_format(lines, first ? "has" : NULL, ROLE_NORMAL, "%s %s",
			report_count(count).text, counted[i].name);
		first = false;
	}
	if (first)
		lines_add(lines, "has", ROLE_CHANGED, "! no records with addresses");
	if (search->misfit != NULL)
		lines_add_format(lines, "wrong", ROLE_BAD,
				 "! the symbol file does not belong to the binary: %s",
				 search->misfit);
}

/* Searches for symbol files, and uses the survey of the module's own files if it exists. */
static void
look(struct module_search *search, struct symbols *symbols, struct binaries *binaries)
{
	const struct symfile *symfile;

	search->configured = symbols_configured(symbols);
	symfile = search->symfile = symbols_peek(symbols, search->index, &search->state);
	symbols_search(symbols, search->index, see_place, search);
	search->symbol_places = search->count;
	if (search->state == SYMBOLS_ABSENT ||
	    (symfile != NULL && symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0 &&
	     symfile_count(symfile, SYMBOL_STACK_WIN) == 0 &&
	     symfile_count(symfile, SYMBOL_FUNC) == 0 &&
	     symfile_count(symfile, SYMBOL_PUBLIC) == 0))
		symbols_near_misses(symbols, search->index, &search->near);
	if (!binaries_configured(binaries))
		return;
	search->binaries = binaries;
	search->survey = binaries_surveyed(binaries, search->index);
	if (search->survey == NULL)
		return;
	search->has_rules = search->survey->table_count > 0 || search->survey->sframe != NULL;
	for (size_t i = 0; i < search->survey->name_count; i++) {
		const struct debug_info_source *names = &search->survey->names[i];

		search->has_rules |= names->frame_count > 0;
		search->has_lines |= names->unit_count + names->module_count > 0;
		search->has_pdb |= names->binary->format == BINARY_PDB;
	}
	search->misfit = symbol_misfit(binaries, symbols, search->crash, search->index);
	search->missed = binaries_places(binaries, search->index, see_place, search);
}

static struct target
file_target(const struct binary *binary)
{
	return report_place_target((struct place){
		.input = binary != NULL ? &binary->file.input : NULL, .length = 1 });
}

static struct target
place_target(const struct module_search *search, const struct locate_place *place)
{
	const struct binary_survey *survey = search->survey;
	const struct binary *files[] = { survey->image, survey->debug, survey->supplement };

	for (size_t i = 0; i < ARRAY_COUNT(files); i++)
		if (files[i] != NULL && strcmp(files[i]->file.input.name, place->path) == 0)
			return file_target(files[i]);
	return report_place_target(search->module->place);
}

static void
add_own_place(struct module_search *search, const struct locate_place *place)
{
	static const struct {
		const char *words;
		enum role role;
	} looks[] = {
		[LOCATE_NOT_THERE] = { "not there", ROLE_DIM },
		[LOCATE_REFUSED] = { "! refused", ROLE_CHANGED },
		[LOCATE_FETCHED] = { "fetched", ROLE_NORMAL },
		[LOCATE_ASIDE] = { "used", ROLE_NORMAL },
		[LOCATE_USED] = { "used", ROLE_NORMAL },
	};
	const enum role role = looks[place->outcome].role;
	const bool whole = place->directory_length == 0;
	const bool both = !whole && place->outcome != LOCATE_NOT_THERE;
	const char *below = place->path + place->directory_length;

	/* The path below the directory, and the way the place was derived. */
	below += strspn(below, "/");
	lines_add_format(&search->lines, NULL, role, "  %s   %s%s%s", looks[place->outcome].words,
			 whole ? "" : below, both ? "   " : "",
			 whole || both ? locate_way_words(place->way) : "");
	if (place->why != NULL)
		lines_add_format(&search->lines, NULL, role, "    %s", place->why);
	if (place->outcome == LOCATE_ASIDE)
		lines_add(&search->lines, NULL, role, "    a debug file without code");
}

/* Adds one line for the skipped places, and resets their count. */
static void
add_needless(struct module_search *search, size_t *count)
{
	if (*count == 0)
		return;
	search->lines.target = report_place_target(search->module->place);
	lines_add_format(&search->lines, "debug", ROLE_DIM,
			 "not found in %zu place%s, but not needed: the binary has DWARF", *count,
			 plural(*count));
	*count = 0;
}

/* Adds the places searched for the module's own files. The list is long, so it comes last. */
static void
add_own_places(struct module_search *search)
{
	struct lines *lines = &search->lines;
	const struct locate_place *last = NULL;
	size_t needless = 0;

	if (search->binaries == NULL)
		return;
	lines->target = report_place_target(search->module->place);
	if (search->survey == NULL)
		lines_add(lines, "binary", ROLE_DIM, "not searched yet");
	else if (search->count == search->symbol_places && search->symfile == NULL)
		lines_add(lines, "binary", ROLE_DIM,
			  binaries_asks_servers(search->binaries)
				  ? "nothing: servers are asked only for modules that have an ID "
				    "but no symbols"
				  : "nothing: no given file has its ID or name");
	for (size_t i = search->symbol_places; i < search->count; i++) {
		const struct locate_place *place = &search->places[i];
		const char *label = kinds[place->kind].label;

		/* A debug file is not needed if the binary has lines. */
		if (place->kind == LOCATE_DEBUG && place->outcome == LOCATE_NOT_THERE &&
		    search->survey->debug == NULL && search->has_lines) {
			needless++;
			continue;
		}
		add_needless(search, &needless);
		const bool goes_on = last != NULL && strcmp(label, kinds[last->kind].label) == 0;
		/* A place without a directory has its own line. */
		const bool together = goes_on && place->directory_length != 0 &&
				      place->directory_length == last->directory_length &&
				      strncmp(place->path, last->path, last->directory_length) == 0;

		lines->target = place_target(search, place);
		if (!together)
			lines_add(lines, goes_on ? NULL : label, ROLE_NORMAL,
				  place->directory_length == 0
					  ? place->path
					  : arena_copy(search->arena, place->path,
						       place->directory_length));
		add_own_place(search, place);
		last = place;
	}
	add_needless(search, &needless);
	lines->target = report_place_target(search->module->place);
	if (search->missed > 0)
		lines_add_format(lines, NULL, ROLE_DIM, "and %zu more, not listed", search->missed);
}

static void
add_names(struct module_search *search, const struct debug_info_source *source,
	  const char **label)
{
	const char *file = source->binary == search->survey->image   ? "the binary"
			   : source->binary == search->survey->debug ? "the debug file"
								     : "its .gnu_debugdata";
	const struct {
		size_t count;
		const char *what, *where;
	} rows[] = {
		{ source->unit_count, "unit%s of DWARF", ": names, lines and inlined calls" },
		{ source->module_count, "module%s of a PDB", ": names, lines and inlined calls" },
		{ source->module_count == 0 ? source->public_count : 0, "public symbol%s",
		  " of a stripped PDB: names without lines" },
		{ source->frame_count, "unwind record%s", " of FrameData and FPO data" },
		{ source->split_count - source->split_missing,
		  "split unit%s", ": names and inlined calls in .dwo or .dwp files" },
		{ source->split_missing, "split unit%s", " without .dwo or .dwp file: lines" },
		{ source->object_count - source->object_missing, "object file%s",
		  ": lines and inlined calls" },
		{ source->object_missing, "missing object file%s", ": lines" },
		{ source->symbol_count, "function%s in ", source->table },
		{ source->export_count, "exported function%s", "" },
	};
	char what[64];

	search->lines.target = file_target(source->binary);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].count == 0)
			continue;
		snprintf(what, sizeof(what), rows[i].what, plural(rows[i].count));
		lines_add_format(&search->lines, *label, ROLE_NORMAL, "%s %s%s   %s",
			report_count(rows[i].count).text, what, rows[i].where, file);
		*label = NULL;
	}
}

/* Adds the contents of the module's own files. */
static void
add_gains(struct module_search *search)
{
	const struct binary_survey *survey = search->survey;
	const char *label = "gives", *rules = NULL;

	if (survey == NULL)
		return;
	for (size_t i = 0; i < survey->table_count; i++)
		rules = rules == NULL ? survey->tables[i]
				      : arena_format(search->arena, "%s, %s", rules,
						     survey->tables[i]);
	if (survey->sframe != NULL)
		rules = arena_format(search->arena, "%s%sSFrame (%s)", rules != NULL ? rules : "",
				     rules != NULL ? ", " : "", survey->sframe);
	search->lines.target = file_target(survey->image);
	if (rules != NULL) {
		lines_add_format(&search->lines, label, ROLE_NORMAL, "unwind rules of %s", rules);
		label = NULL;
	}
	for (size_t i = 0; i < survey->name_count; i++)
		add_names(search, &survey->names[i], &label);
	if (label != NULL && survey->image != NULL)
		lines_add(&search->lines, label, ROLE_CHANGED,
			  "! only code: neither unwind rules nor names");
}

/* Parts that the module lacks, and remedies ---------------------------------------------------- */

/* The parts that a walk lacks because there is no symbol file. */
struct module_needs {
	bool names, rules;
};

#define HELP(search, ...) lines_add_format(&(search)->lines, "help", ROLE_NORMAL, __VA_ARGS__)

static void
add_lacks(struct module_search *search, const struct module_needs *needs)
{
	const struct symfile *symfile = search->symfile;
	const uint64_t messages = message_total(symfile_messages(symfile));

	if (search->misfit != NULL)
		HELP(search, "names, lines and rules are those of other code: make the symbol file "
			     "from this binary with 'unspool dump-syms'");
	if (needs->rules && !search->has_rules)
		HELP(search, "no STACK records: callers are found by frame pointers or guessed by "
			     "scans; dump the symbols of the file with its unwind sections");
	if (needs->names)
		HELP(search, "no FUNC records: names are those of PUBLIC records, if any, and "
			     "there are no lines; dump the symbols of the file with debug "
			     "information");
	if (messages != 0)
		lines_add_format(&search->lines, "messages", ROLE_CHANGED, "! %" PRIu64
				 "; 'unspool lint' prints them with their effect on a walk",
				 messages);
}

/* Adds ways to get symbols for a module without near misses. */
static void
add_general_help(struct module_search *search)
{
	const struct module *module = search->module;
	const char *name = place_base_name(module->debug_file[0] != '\0' ? module->debug_file
									 : module->code_file);

	if (module->debug_id[0] == '\0')
		HELP(search, "without an ID symbols cannot be matched");
	else if (crash_is_kernels(module))
		HELP(search, "it is the kernel's own code, in no file: copy it from the memory of "
			     "a process on a machine with the same kernel, and run "
			     "'unspool dump-syms' on the copy");
	else
		HELP(search, "make a symbol file: run 'unspool dump-syms' on the %s that has this "
			     "id, and give the result as SYMBOLS", name);
}

/* Adds near misses: files that are almost right. */
static void
add_near(struct module_search *search, const struct locate_near_list *near_misses)
{
	struct lines *lines = &search->lines;

	for (size_t i = 0; i < near_misses->count; i++) {
		const struct locate_near_miss *near = &near_misses->items[i];

		lines_add(lines, i == 0 ? "near" : NULL, ROLE_NORMAL, near->path);
		lines_add_format(lines, NULL, ROLE_CHANGED, "  ! %s", near->what);
		lines_add_format(lines, NULL, ROLE_NORMAL, "  %s", near->help);
	}
}

/* Options that add places to search. Files in these places are found only by the module's ID. */
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
	const struct module *module = search->module;
	const char *name = place_base_name(module->code_file);
	const char *id = *module->code_id != '\0' ? module->code_id : module->debug_id;

	if (*name == '\0' || crash_is_kernels(module))
		return;
	if (search->binaries == NULL)
		HELP(search, "the module's own file also has names and unwind rules: give it or "
			     "its directory with '--binaries'%s", more_places(search));
	else
		HELP(search, "find '%s'%s%s, and name it or its directory with '--binaries'%s",
		     name, *id == '\0' ? "" : " of the build with the ID ", id,
		     more_places(search));
}

/* The path below a debug directory for a build id. */
static const char *
debug_place(struct module_search *search, const char *id)
{
	return strlen(id) > 2 ? arena_format(search->arena, ".build-id/%.2s/%s.debug", id, id + 2)
			      : "NAME.debug";
}

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
	else if (needs->rules && !search->has_rules)
		HELP(search, "no unwind sections: callers are found by frame pointers or guessed "
			     "by scans");
	if (survey == NULL || !needs->names)
		return;
	const struct binary *image = survey->image;
	if (image != NULL && image->format == BINARY_ELF && !search->has_lines)
		HELP(search, "no DWARF, so no lines and no inlined calls: install its debug file, "
			     "or give a directory that has '%s' with '--binaries'%s",
		     debug_place(search, image->id), more_places(search));
	if (survey->supplement_id[0] != '\0' && survey->supplement == NULL)
		HELP(search, "dwz moved some names to a missing file: give a directory that has "
			     "'%s' with '--binaries'", debug_place(search, survey->supplement_id));
}

/* Adds lines labelled "help": the parts that the symbol file lacks, and remedies. */
static void
add_help(struct module_search *search)
{
	const struct symfile *symfile = search->symfile;
	const struct binary *image = search->survey != NULL ? search->survey->image : NULL;
	const struct module_needs needs = {
		.names = symfile == NULL || symfile_count(symfile, SYMBOL_FUNC) == 0,
		.rules = symfile == NULL || (symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0 &&
					     symfile_count(symfile, SYMBOL_STACK_WIN) == 0),
	};
	/*
	 * True if the module's own files suffice without a symbol file. A PDB suffices alone. A PE
	 * file suffices only with DWARF, because its names and lines are otherwise in a PDB.
	 */
	const bool enough = search->has_pdb ||
			    (image != NULL && (image->format == BINARY_ELF ||
					       search->has_lines));
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
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++) {
		const struct debug_info_source *source = &search->survey->names[i];

		if (source->split_missing > 0)
			HELP(search, "%zu of %zu units of split DWARF are missing: give the "
				     "directory of the .dwo files, or '%s.dwp', with '--binaries'",
			     source->split_missing, source->split_count,
			     place_base_name(source->binary->file.input.name));
	}
}

/* The whole search ----------------------------------------------------------------------------- */

const struct module_search *
module_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena)
{
	const struct target identity = report_place_target(crash->modules[module].identity_place);
	/* Lines about symbols lead to the symbol file or, without one, to the id in the dump. */
	struct target symbols_target = identity;
	struct module_search *search = arena_alloc(arena, sizeof(*search));

	if (search == NULL)
		return NULL;
	*search = (struct module_search){
		.arena = arena, .crash = crash, .module = &crash->modules[module], .index = module,
		.near = { .arena = arena },
		.lines = { .arena = arena, .label_role = ROLE_DIM, .label_column = 2,
			   .text_column = 12, .wraps = true, .target = identity },
	};
	look(search, symbols, binaries);
	add_wanted(search);
	if (search->symfile != NULL) {
		symbols_target = TARGET(TARGET_NONE);
		symbols_target.kind = TARGET_MODULE;
		symbols_target.module = module;
	}
	search->lines.target = symbols_target;
	add_symbol_places(search);
	if (search->state == SYMBOLS_LOADING)
		lines_add(&search->lines, "state", ROLE_DIM, "the file is being searched or read");
	else if (search->state == SYMBOLS_PENDING && search->configured)
		lines_add(&search->lines, "state", ROLE_DIM, "not read yet");
	add_records(search);
	add_gains(search);
	search->lines.target = symbols_target;
	add_help(search);
	add_own_places(search);
	return search;
}

void
module_search_brief(const struct module_search *search, struct row *row)
{
	const struct binary_survey *survey = search->survey;
	const bool own = survey != NULL && (survey->image != NULL || survey->name_count > 0);
	const char *before = ": ";

	row_add_text(row, ROLE_TITLE, text_of(place_base_name(search->module->code_file)));
	row_add(row, ROLE_NORMAL, "   ");
	if (search->symfile != NULL && search->used != NULL) {
		row_add_text(row, ROLE_NORMAL, text_of(search->used));
	} else if (search->used != NULL) {
		row_add(row, ROLE_DIM, "a file that is not read");
	} else if (own) {
		const struct binary *file = survey->image != NULL ? survey->image
								  : survey->names[0].binary;
		const char *parts[] = {
			survey->name_count > 0 ? "names" : NULL,
			search->has_lines ? "lines" : NULL,
			search->has_rules ? "unwind rules" : NULL,
		};

		row_add_text(row, ROLE_NORMAL, text_of(file->file.input.name));
		for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
			if (parts[i] != NULL) {
				row_add(row, ROLE_NORMAL, "%s%s", before, parts[i]);
				before = ", ";
			}
	} else {
		row_add(row, ROLE_DIM, "no symbols%s%s",
			search->binaries != NULL ? ", no file of its own" : "",
			search->near.count != 0 ? ", but a similar file" : "");
	}
}

static const struct fact_names search_outcomes = FACT_WORDS(
	[LOCATE_NOT_THERE] = "not-there",
	[LOCATE_REFUSED] = "refused",
	[LOCATE_FETCHED] = "fetched",
	[LOCATE_ASIDE] = "debug-only",
	[LOCATE_USED] = "used");
static const struct fact_names search_kinds = FACT_NAMES_IN(kinds);
static const char *const ways[] = {
#define W(id, name, words) name,
#include "locate/way.def"
#undef W
};
static const struct fact_names search_ways = FACT_NAMES(ways);

static const char *
path_of(const struct binary *binary)
{
	return binary != NULL ? binary->file.input.name : NULL;
}

#define FACTS "report/file/module_search_facts.def"
#include "document/describe_facts.h"
