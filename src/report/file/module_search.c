/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/module_search_internal.h"

#include <stdio.h>
#include <string.h>

#include "analysis/symbol_fit.h"
#include "report/report.h"

static const char *const outcomes[] = {
	[LOCATE_NOT_THERE] = "not-there",
	[LOCATE_REFUSED] = "refused",
	[LOCATE_FETCHED] = "fetched",
	[LOCATE_ASIDE] = "debug-only",
	[LOCATE_USED] = "used",
};

static const struct {
	const char *name, *label;	/* stable name in JSON; label at the first place in text */
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
	return text == NULL ? NULL : arena_copy(search->arena, text, strlen(text));
}

static void
see_place(void *context, const struct locate_place *place)
{
	struct module_search *search = context;
	struct locate_place *copy =
		ARENA_PUSH(search->arena, search->places, search->count, search->capacity);

	if (copy == NULL)
		return;
	*copy = *place;
	copy->path = copied(search, place->path);
	copy->why = copied(search, place->why);
	if (place->kind == LOCATE_SYMBOLS && place->outcome == LOCATE_USED)
		search->used = copy->path;
	if (copy->path == NULL)
		search->count--;
}

static void
add_line(struct module_search *search, const char *label, enum role role, const char *text)
{
	lines_add(&search->lines, label, role, text);
}

static void
add_wanted(struct module_search *search)
{
	const struct module *module = search->module;
	const char *none = "none: the dump has no CodeView record with an ID";

	add_line(search, "debug id", ROLE_NORMAL,
		 module->debug_id[0] == '\0'
			 ? none
			 : arena_format(search->arena, "%s of %s", module->debug_id,
					module->debug_file[0] == '\0'
						? "no debug file"
						: place_base_name(module->debug_file)));
	search->lines.target = report_place_target(module->place);
	add_line(search, "code id", ROLE_NORMAL,
		 module->code_id[0] == '\0'
			 ? "none"
			 : arena_format(search->arena, "%s of %s", module->code_id,
					place_base_name(module->code_file)));
}

static void
add_symbol_places(struct module_search *search)
{
	for (size_t i = 0; i < search->symbol_places; i++) {
		const struct locate_place *place = &search->places[i];
		const bool refused = place->outcome == LOCATE_REFUSED;
		const char *what = locate_way_words(place->way);

		add_line(search, i == 0 ? "looked at" : NULL, ROLE_NORMAL, place->path);
		if (place->outcome == LOCATE_NOT_THERE)
			what = arena_format(search->arena, "  not there   %s%s%s", what,
					    place->why == NULL ? "" : ": ",
					    place->why == NULL ? "" : place->why);
		else if (refused)
			what = arena_format(search->arena, "  ! refused   %s", place->why);
		else if (place->outcome == LOCATE_FETCHED)
			what = arena_format(search->arena, "  fetched   from %s, and kept", what);
		else
			what = arena_format(search->arena, "  used   %s", what);
		add_line(search, NULL, refused ? ROLE_CHANGED : ROLE_DIM, what);
	}
	if (!search->configured)
		add_line(search, "looked at", ROLE_DIM, "nothing: no symbol path was given");
	else if (search->symbol_places == 0)
		add_line(search, "looked at", ROLE_DIM,
			 "nothing: the module has neither a name nor an ID");
}

static void
add_records(struct module_search *search)
{
	const struct symfile *symfile = search->symfile;
	char buffer[32];
	bool first = true;

	if (symfile == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(counted); i++) {
		const size_t count = symfile_count(symfile, counted[i].kind);

		if (count == 0)
			continue;
		add_line(search, first ? "has" : NULL, ROLE_NORMAL,
			 arena_format(search->arena, "%s %s",
				      report_count(count, buffer, sizeof(buffer)),
				      counted[i].name));
		first = false;
	}
	if (first)
		add_line(search, "has", ROLE_CHANGED, "! no records with addresses");
	if (search->misfit != NULL)
		add_line(search, "wrong", ROLE_BAD,
			 arena_format(search->arena,
				      "! the symbol file does not belong to the binary: "
				      "%s",
				      search->misfit));
}

/* Searches for symbol files, and takes over the survey of the module's own files. */
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
	search->misfit = symbol_misfit(binaries, symbols, search->crash, search->index);
	search->missed = binaries_places(binaries, search->index, see_place, search);
}

/* The target of a file: its bytes if it was opened. */
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
	add_line(search, NULL, role,
		 arena_format(search->arena, "  %s   %s%s%s", looks[place->outcome].words,
			      whole ? "" : below, both ? "   " : "",
			      whole || both ? locate_way_words(place->way) : ""));
	if (place->why != NULL)
		add_line(search, NULL, role, arena_format(search->arena, "    %s", place->why));
	if (place->outcome == LOCATE_ASIDE)
		add_line(search, NULL, role, "    a debug file without code");
}

/* Whether a place has no debug file and none is needed. */
static bool
is_needless(const struct module_search *search, const struct locate_place *place)
{
	return place->kind == LOCATE_DEBUG && place->outcome == LOCATE_NOT_THERE &&
	       search->survey->debug == NULL && module_search_has_lines(search);
}

/* Adds the needless places as one line, and resets their count. */
static void
add_needless(struct module_search *search, size_t *count)
{
	if (*count == 0)
		return;
	search->lines.target = report_place_target(search->module->place);
	add_line(search, "debug", ROLE_DIM,
		 arena_format(search->arena, "not there in %zu place%s, and not needed: the binary "
			      "has DWARF", *count, plural(*count)));
	*count = 0;
}

/* Adds the places searched for the module's own files, with results; long, so they come last. */
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
		add_line(search, "binary", ROLE_DIM, "not searched yet");
	else if (search->count == search->symbol_places && search->symfile == NULL)
		add_line(search, "binary", ROLE_DIM,
			 binaries_asks_servers(search->binaries)
				 ? "nothing: servers are asked only by an ID and only for "
				   "modules without symbols"
				 : "nothing: no given file has its ID or name");
	for (size_t i = search->symbol_places; i < search->count; i++) {
		const struct locate_place *place = &search->places[i];
		const char *label = kinds[place->kind].label;

		if (is_needless(search, place)) {
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
			add_line(search, goes_on ? NULL : label, ROLE_NORMAL,
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
		add_line(search, NULL, ROLE_DIM,
			 arena_format(search->arena, "and %zu more, not listed", search->missed));
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
		{ source->symbol_count, "function%s in ", source->table },
		{ source->export_count, "exported function%s", "" },
	};
	char buffer[32], what[64];

	search->lines.target = file_target(source->binary);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].count == 0)
			continue;
		snprintf(what, sizeof(what), rows[i].what, plural(rows[i].count));
		add_line(search, *label, ROLE_NORMAL,
			 arena_format(search->arena, "%s %s%s   %s",
				      report_count(rows[i].count, buffer, sizeof(buffer)), what,
				      rows[i].where, file));
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
		add_line(search, label, ROLE_NORMAL,
			 arena_format(search->arena, "unwind rules of %s", rules));
		label = NULL;
	}
	for (size_t i = 0; i < survey->name_count; i++)
		add_names(search, &survey->names[i], &label);
	if (label != NULL && survey->image != NULL)
		add_line(search, label, ROLE_CHANGED,
			 "! only code: neither unwind rules nor names");
}

static void
module_search_fill_title(const void *context, struct row *row)
{
	module_search_brief(context, row);
}

const struct module_search *
module_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena)
{
	const struct target identity = report_place_target(crash->modules[module].identity_place);
	/* Lines about symbols lead to their file, else to the id in the dump. */
	struct target symbols_target = identity;
	struct module_search *search = arena_alloc(arena, sizeof(*search));

	if (search == NULL)
		return NULL;
	*search = (struct module_search){
		.arena = arena, .crash = crash, .module = &crash->modules[module], .index = module,
		.near = { .arena = arena },
		.lines = { .arena = arena, .label_role = ROLE_DIM, .label_column = 2,
			   .text_column = 12, .wraps = true, .title = module_search_fill_title,
			   .context = search, .title_explanation = crash->modules[module].code_file,
			   .title_target = identity, .target = identity },
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
		add_line(search, "state", ROLE_DIM, "the file is being searched or read");
	else if (search->state == SYMBOLS_PENDING && search->configured)
		add_line(search, "state", ROLE_DIM, "not read yet");
	add_records(search);
	add_gains(search);
	search->lines.target = symbols_target;
	module_search_help(search);
	add_own_places(search);
	return search;
}

enum symbols_state
module_search_state(const struct module_search *search)
{
	return search->state;
}

bool
module_search_knows_binaries(const struct module_search *search)
{
	return search->binaries == NULL || search->survey != NULL;
}

bool
module_search_found(const struct module_search *search)
{
	return search->symfile != NULL ||
	       (search->survey != NULL && search->survey->name_count > 0);
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
			module_search_has_lines(search) ? "lines" : NULL,
			module_search_has_rules(search) ? "unwind rules" : NULL,
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

struct listing
module_search_listing(const struct module_search *search, size_t columns, struct arena *arena)
{
	return lines_listing(&search->lines, columns, arena);
}

static const struct fact_names search_outcomes = FACT_NAMES(outcomes);
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
