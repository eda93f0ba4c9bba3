/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/binary_search.h"

#include <stdio.h>
#include <string.h>

#include "locate/binary_places.h"
#include "locate/binary_survey.h"
#include "locate/debuginfod.h"
#include "report/report.h"

struct binary_search {
	struct arena *arena;
	const struct crash *crash;
	const struct binaries *binaries;	/* NULL: nothing is to be looked for */
	const struct module *module;
	const struct binary_survey *survey;	/* NULL: nobody has asked yet */
	struct binaries_place *places;
	size_t count, capacity, missed;
};

static const struct {
	const char *name, *what;	/* stable in JSON; in words */
} ways[BINARIES_WAY_COUNT] = {
	[BINARIES_GIVEN] = { "given", "the file or directory that was given" },
	[BINARIES_BY_BUILD_ID] = { "build-id", "by its build id" },
	[BINARIES_BY_CACHE] = { "debuginfod-cache", "by its build id, in a cache of debuginfod" },
	[BINARIES_BY_CODE_ID] = { "code-id", "NAME/CODE_ID/NAME" },
	[BINARIES_BY_DEBUG_ID] = { "debug-id", "NAME/DEBUG_ID/NAME" },
	[BINARIES_BY_KEY] = { "server-key", "by its build id, as symbol servers have it" },
	[BINARIES_BY_PATH] = { "path", "by its path below the directory" },
	[BINARIES_BY_NAME] = { "name", "by its name" },
	[BINARIES_BY_LINK] = { "debuglink", "named in .gnu_debuglink" },
	[BINARIES_BY_SUPPLEMENT] = { "debugaltlink", "named in .gnu_debugaltlink" },
	[BINARIES_WITHIN] = { "debugdata", "packed in its .gnu_debugdata" },
	[BINARIES_BY_SERVER] = { "server", "asked for at debuginfod servers" },
};

static const char *const outcomes[] = {
	[BINARIES_NOT_THERE] = "not-there",
	[BINARIES_REFUSED] = "refused",
	[BINARIES_ASIDE] = "debug-only",
	[BINARIES_USED] = "used",
};

static const struct {
	const char *name, *label;	/* stable in JSON; at the left of the first place */
} kinds[BINARIES_KINDS] = {
	[BINARIES_IMAGE] = { "binary", "binary" },
	[BINARIES_DEBUG] = { "debug", "debug" },
	[BINARIES_MINI] = { "debugdata", "debug" },
	[BINARIES_SUPPLEMENT] = { "supplement", "dwz" },
};

/* Making ---------------------------------------------------------------------------------------- */

static const char *
copied(const struct binary_search *search, const char *text)
{
	return text == NULL ? NULL : arena_copy(search->arena, text, strlen(text));
}

static void
see_place(void *context, const struct binaries_place *place)
{
	struct binary_search *search = context;
	struct binaries_place *places = arena_grow(search->arena, search->places, search->count,
						   &search->capacity, sizeof(*places));

	if (places == NULL)
		return;
	search->places = places;
	places[search->count] = *place;
	places[search->count].path = copied(search, place->path);
	places[search->count].why = copied(search, place->why);
	search->count += places[search->count].path != NULL;
}

const struct binary_search *
binary_search_make(const struct crash *crash, struct binaries *binaries, size_t module,
		   struct arena *arena)
{
	struct binary_search *search = arena_alloc(arena, sizeof(*search));

	if (search == NULL)
		return NULL;
	*search = (struct binary_search){ .arena = arena, .crash = crash,
					  .module = &crash->modules[module] };
	if (!binaries_configured(binaries))
		return search;
	search->binaries = binaries;
	search->survey = binaries_surveyed(binaries, module);
	if (search->survey != NULL)
		search->missed = binaries_places(binaries, module, see_place, search);
	return search;
}

bool
binary_search_is_asked(const struct binary_search *search)
{
	return search->binaries != NULL;
}

bool
binary_search_is_done(const struct binary_search *search)
{
	return search->binaries == NULL || search->survey != NULL;
}

bool
binary_search_has_names(const struct binary_search *search)
{
	return search->survey != NULL && search->survey->name_count > 0;
}

bool
binary_search_has_rules(const struct binary_search *search)
{
	return search->survey != NULL &&
	       (search->survey->table_count > 0 || search->survey->sframe != NULL);
}

static bool
has_lines(const struct binary_search *search)
{
	for (size_t i = 0; search->survey != NULL && i < search->survey->name_count; i++)
		if (search->survey->names[i].unit_count > 0)
			return true;
	return false;
}

bool
binary_search_is_enough(const struct binary_search *search)
{
	/* Of PE files it is never enough: their names and lines are in a PDB. */
	return search->survey != NULL && search->survey->image != NULL &&
	       search->survey->image->format == BINARY_ELF;
}

/* Rows ------------------------------------------------------------------------------------------ */

/* A file that was opened leads to its bytes. */
static struct target
file_target(const struct binary *binary)
{
	return report_place_target((struct place){
		.input = binary != NULL ? &binary->file.input : NULL, .length = 1 });
}

static struct target
place_target(const struct binary_search *search, const struct binaries_place *place)
{
	const struct binary_survey *survey = search->survey;
	const struct binary *files[] = { survey->image, survey->debug, survey->supplement };

	for (size_t i = 0; i < ARRAY_COUNT(files); i++)
		if (files[i] != NULL && strcmp(files[i]->file.input.name, place->path) == 0)
			return file_target(files[i]);
	return report_place_target(search->module->place);
}

/* Whether two places are in the same directory; a place that is none is by itself. */
static bool
same_directory(const struct binaries_place *a, const struct binaries_place *b)
{
	return a->directory_length != 0 && a->directory_length == b->directory_length &&
	       strncmp(a->path, b->path, a->directory_length) == 0;
}

/* What is said of a place behind its outcome: its path below the directory, and how it came. */
static const char *
place_text(const struct binaries_place *place, struct arena *arena)
{
	const char *below = place->path + place->directory_length;
	const char *what = ways[place->way].what;

	below += strspn(below, "/");
	if (place->directory_length == 0)
		return what;
	return place->outcome == BINARIES_NOT_THERE
		       ? below
		       : arena_format(arena, "%s   %s", below, what);
}

static void
add_place(const struct binaries_place *place, struct search_lines *lines)
{
	static const struct {
		const char *words;
		enum role role;
	} looks[] = {
		[BINARIES_NOT_THERE] = { "not there", ROLE_DIM },
		[BINARIES_REFUSED] = { "! refused", ROLE_CHANGED },
		[BINARIES_ASIDE] = { "used", ROLE_NORMAL },
		[BINARIES_USED] = { "used", ROLE_NORMAL },
	};
	const enum role role = looks[place->outcome].role;

	search_lines_add(lines, NULL, role,
			 arena_format(lines->arena, "  %s   %s", looks[place->outcome].words,
				      place_text(place, lines->arena)));
	if (place->why != NULL)
		search_lines_add(lines, NULL, role,
				 arena_format(lines->arena, "    %s", place->why));
	if (place->outcome == BINARIES_ASIDE)
		search_lines_add(lines, NULL, role,
				 "    for debugging alone: its code was stripped away");
}

/* Whether nothing but places without a debug file is told of one that nobody misses. */
static bool
is_needless(const struct binary_search *search, const struct binaries_place *place)
{
	return place->kind == BINARIES_DEBUG && place->outcome == BINARIES_NOT_THERE &&
	       search->survey->debug == NULL && has_lines(search);
}

/* Those places in one line, and forget them. */
static void
add_needless(const struct binary_search *search, size_t *count, struct search_lines *lines)
{
	if (*count == 0)
		return;
	lines->target = report_place_target(search->module->place);
	search_lines_add(lines, "debug", ROLE_DIM,
			 arena_format(lines->arena, "not there in %zu place%s, and not needed: the "
				      "binary has DWARF", *count, *count == 1 ? "" : "s"));
	*count = 0;
}

void
binary_search_places(const struct binary_search *search, struct search_lines *lines)
{
	const struct binaries_place *last = NULL;
	size_t needless = 0;

	if (search->binaries == NULL)
		return;
	lines->target = report_place_target(search->module->place);
	if (search->survey == NULL)
		search_lines_add(lines, "binary", ROLE_DIM, "not looked for yet");
	else if (search->count == 0)
		search_lines_add(lines, "binary", ROLE_DIM,
				 binaries_asks_servers(search->binaries)
					 ? "nothing: servers are asked by build id, and where "
					   "there are no symbols"
					 : "nothing: no file that was given has its id or name");
	for (size_t i = 0; i < search->count; i++) {
		const struct binaries_place *place = &search->places[i];
		const char *label = kinds[place->kind].label;
		if (is_needless(search, place)) {
			needless++;
			continue;
		}
		add_needless(search, &needless, lines);
		const bool goes_on =
			last != NULL && strcmp(label, kinds[last->kind].label) == 0;

		lines->target = place_target(search, place);
		if (!goes_on || !same_directory(last, place))
			search_lines_add(lines, goes_on ? NULL : label, ROLE_NORMAL,
					 place->directory_length == 0
						 ? place->path
						 : arena_copy(lines->arena, place->path,
							      place->directory_length));
		add_place(place, lines);
		last = place;
	}
	add_needless(search, &needless, lines);
	lines->target = report_place_target(search->module->place);
	if (search->missed > 0)
		search_lines_add(lines, NULL, ROLE_DIM,
				 arena_format(lines->arena, "and %zu more, of which there was no "
					      "room to note any", search->missed));
}

/* The list of unwind tables, or NULL. */
static const char *
rules_of(const struct binary_search *search)
{
	const struct binary_survey *survey = search->survey;
	const char *list = NULL;

	for (size_t i = 0; i < survey->table_count; i++)
		list = list == NULL ? survey->tables[i]
				    : arena_format(search->arena, "%s, %s", list,
						   survey->tables[i]);
	if (survey->sframe == NULL)
		return list;
	return arena_format(search->arena, "%s%sSFrame (%s)", list != NULL ? list : "",
			    list != NULL ? ", " : "", survey->sframe);
}

static const char *
file_in_words(const struct binary_search *search, const struct binary *binary)
{
	return binary == search->survey->image	 ? "the binary"
	       : binary == search->survey->debug ? "the debug file"
						 : "its .gnu_debugdata";
}

static void
add_names(const struct binary_search *search, const struct debug_info_source *source,
	  const char **label, struct search_lines *lines)
{
	const char *file = file_in_words(search, source->binary);
	const struct {
		size_t count;
		const char *what, *where;
	} rows[] = {
		{ source->unit_count, "unit%s of DWARF", ": names, lines and inlined calls" },
		{ source->symbol_count, "function%s in ", source->table },
		{ source->export_count, "exported function%s", "" },
	};
	char buffer[32], what[64];

	lines->target = file_target(source->binary);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].count == 0)
			continue;
		snprintf(what, sizeof(what), rows[i].what, rows[i].count == 1 ? "" : "s");
		search_lines_add(lines, *label, ROLE_NORMAL,
				 arena_format(lines->arena, "%s %s%s   %s",
					      report_count(rows[i].count, buffer, sizeof(buffer)),
					      what, rows[i].where, file));
		*label = NULL;
	}
}

void
binary_search_gains(const struct binary_search *search, struct search_lines *lines)
{
	const struct binary_survey *survey = search->survey;
	const char *label = "gives", *rules;

	if (survey == NULL)
		return;
	rules = rules_of(search);
	lines->target = file_target(survey->image);
	if (rules != NULL) {
		search_lines_add(lines, label, ROLE_NORMAL,
				 arena_format(lines->arena, "unwind rules of %s", rules));
		label = NULL;
	}
	for (size_t i = 0; i < survey->name_count; i++)
		add_names(search, &survey->names[i], &label, lines);
	if (label != NULL && survey->image != NULL)
		search_lines_add(lines, label, ROLE_CHANGED,
				 "! code alone: neither unwind rules nor names");
}

/* What would help ------------------------------------------------------------------------------- */

static void
help(const struct binary_search *search, struct search_lines *lines, const char *text)
{
	lines->target = report_place_target(search->module->place);
	search_lines_add(lines, "help", ROLE_NORMAL, text);
}

bool
binary_search_near(const struct binary_search *search, struct search_lines *lines)
{
	const struct binary_survey *survey = search->survey;

	for (size_t i = 0; survey != NULL && i < survey->near_count; i++) {
		const struct binary_near *near = &survey->near[i];

		lines->target = report_place_target(search->module->place);
		search_lines_add(lines, i == 0 ? "near" : NULL, ROLE_NORMAL, near->path);
		search_lines_add(lines, NULL, ROLE_CHANGED,
				 arena_format(lines->arena, "  ! %s", near->what));
		search_lines_add(lines, NULL, ROLE_NORMAL,
				 arena_format(lines->arena, "  %s", near->help));
	}
	return survey != NULL && survey->near_count > 0;
}

/* What else may be tried: on this machine files count by their ids alone. */
static const char *
more_places(const struct binary_search *search)
{
	const struct module *module = search->module;
	const bool known = *module->code_id != '\0' || *module->debug_id != '\0';
	const bool machine = !binaries_in_system(search->binaries);
	const bool servers =
		debuginfod_is_built_in() && !binaries_asks_servers(search->binaries);

	if (search->crash->system.os != CRASH_OS_LINUX || !known || (!machine && !servers))
		return "";
	return arena_format(search->arena, "; %s%s%s",
			    machine ? "'--system-binaries' looks on this machine" : "",
			    machine && servers ? ", and " : "",
			    servers ? "servers are asked where DEBUGINFOD_URLS names some" : "");
}

static void
help_to_find(const struct binary_search *search, struct search_lines *lines)
{
	const enum crash_os os = search->crash->system.os;
	const struct module *module = search->module;
	const char *name = place_base_name(module->code_file);
	const char *id = *module->code_id != '\0' ? module->code_id : module->debug_id;

	/* Mach-O files aren't read. */
	if (os == CRASH_OS_MAC || os == CRASH_OS_IOS || *name == '\0' || crash_is_kernels(module))
		return;
	if (search->binaries == NULL)
		help(search, lines, arena_format(
			lines->arena, "its own file has names and unwind rules, too: name it or "
			"its directory with '--binaries'%s", more_places(search)));
	else
		help(search, lines, arena_format(
			lines->arena, "find '%s'%s%s, and name it or its directory with "
			"'--binaries'%s", name, *id == '\0' ? "" : " of the build with the id ", id,
			more_places(search)));
}

/* Where a debug file is looked for by a build id. */
static const char *
debug_place(const struct binary_search *search, const char *id)
{
	return strlen(id) > 2 ? arena_format(search->arena, ".build-id/%.2s/%s.debug", id, id + 2)
			      : "NAME.debug";
}

static void
help_with_lines(const struct binary_search *search, struct search_lines *lines)
{
	const struct binary *image = search->survey->image;

	if (image == NULL || image->format != BINARY_ELF || has_lines(search))
		return;
	if (!debug_info_reads_dwarf()) {
		help(search, lines, "unspool was built without libdw, which reads .eh_frame and "
		     "DWARF");
		return;
	}
	help(search, lines, arena_format(
		lines->arena, "no DWARF, so no lines and no inlined calls: install its debug "
		"file, or name a directory that has '%s' with '--binaries'%s",
		debug_place(search, image->id), more_places(search)));
}

static void
help_with_supplement(const struct binary_search *search, struct search_lines *lines)
{
	const struct binary_survey *survey = search->survey;

	if (survey->supplement_id[0] == '\0' || survey->supplement != NULL)
		return;
	help(search, lines, arena_format(
		lines->arena, "dwz moved some names to another file, which is missing: name a "
		"directory that has '%s' with '--binaries'",
		debug_place(search, survey->supplement_id)));
}

void
binary_search_help(const struct binary_search *search, const struct binary_search_needs *needs,
		   struct search_lines *lines)
{
	const struct binary_survey *survey = search->survey;

	if (!binary_search_is_done(search) || (!needs->names && !needs->rules) ||
	    (survey != NULL && survey->near_count > 0))
		return;
	if (survey == NULL || survey->image == NULL)
		help_to_find(search, lines);
	else if (needs->rules && !binary_search_has_rules(search) && debug_info_reads_dwarf())
		help(search, lines, "no unwind sections: callers are found by frame pointers or "
		     "guessed by scans");
	if (survey == NULL || !needs->names)
		return;
	help_with_lines(search, lines);
	help_with_supplement(search, lines);
}

bool
binary_search_brief(const struct binary_search *search, struct row *row)
{
	const struct binary_survey *survey = search->survey;

	if (survey == NULL || (survey->image == NULL && survey->name_count == 0))
		return false;
	row_add_text(row, ROLE_NORMAL,
		     text_of((survey->image != NULL ? survey->image : survey->names[0].binary)
				     ->file.input.name));
	const char *parts[] = {
		survey->name_count > 0 ? "names" : NULL,
		has_lines(search) ? "lines" : NULL,
		binary_search_has_rules(search) ? "unwind rules" : NULL,
	};
	const char *before = ": ";
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		if (parts[i] != NULL) {
			row_add(row, ROLE_NORMAL, "%s%s", before, parts[i]);
			before = ", ";
		}
	return true;
}

/* JSON ------------------------------------------------------------------------------------------ */

static void
write_file(struct json *json, const char *name, const struct binary *binary)
{
	json_string(json, name, binary != NULL ? binary->file.input.name : NULL);
}

static void
write_places(struct json *json, const struct binary_search *search)
{
	json_array(json, "places");
	for (size_t i = 0; i < search->count; i++) {
		const struct binaries_place *place = &search->places[i];

		json_object(json, NULL);
		json_string(json, "file", kinds[place->kind].name);
		json_string(json, "path", place->path);
		json_string(json, "way", ways[place->way].name);
		json_string(json, "outcome", outcomes[place->outcome]);
		json_string(json, "why", place->why);
		json_object_end(json);
	}
	json_array_end(json);
	json_number(json, "places_not_noted", search->missed);
	json_array(json, "near");
	for (size_t i = 0; i < search->survey->near_count; i++) {
		json_object(json, NULL);
		json_string(json, "path", search->survey->near[i].path);
		json_string(json, "what", search->survey->near[i].what);
		json_string(json, "help", search->survey->near[i].help);
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_gains(struct json *json, const struct binary_survey *survey)
{
	json_array(json, "unwind");
	for (size_t i = 0; i < survey->table_count; i++)
		json_string(json, NULL, survey->tables[i]);
	if (survey->sframe != NULL)
		json_string(json, NULL, ".sframe");
	json_array_end(json);
	json_array(json, "names");
	for (size_t i = 0; i < survey->name_count; i++) {
		const struct debug_info_source *source = &survey->names[i];

		json_object(json, NULL);
		write_file(json, "path", source->binary);
		json_number(json, "dwarf_units", source->unit_count);
		json_string(json, "table", source->table);
		json_number(json, "functions", source->symbol_count);
		json_number(json, "exports", source->export_count);
		json_object_end(json);
	}
	json_array_end(json);
}

void
binary_search_json(struct json *json, const char *name, const struct binary_search *search)
{
	const struct binary_survey *survey = search->survey;

	if (survey == NULL) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	write_file(json, "binary", survey->image);
	write_file(json, "debug", survey->debug);
	write_file(json, "supplement", survey->supplement);
	write_places(json, search);
	write_gains(json, survey);
	json_object_end(json);
}
