/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/symbol_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/file/binary_search.h"
#include "report/report.h"

/* A place that was looked at, or a file that is nearly right. */
struct finding {
	struct symbols_place place;	/* of a place */
	const char *path, *what, *help;	/* of a near miss: all of its own */
	bool near;
};

struct symbol_search {
	struct arena *arena;
	const struct module *module;
	size_t index;			/* of the module */
	bool configured;
	const struct symfile *symfile;
	enum symbols_state state;
	struct finding *findings;
	size_t count, capacity, near_count;
	const char *used;		/* path; NULL: none */
	const struct binary_search *binary;
	struct search_lines lines;
};

static const struct {
	const char *name, *what;	/* stable in JSON; in words */
} ways[SYMBOLS_WAY_COUNT] = {
	[SYMBOLS_GIVEN] = { "given", "the file that was given" },
	[SYMBOLS_BY_NAME] = { "name", "NAME/ID/NAME.sym" },
	[SYMBOLS_BY_NAME_PACKED] = { "compressed", "NAME/ID/NAME.sym, compressed" },
	[SYMBOLS_BY_NAME_FOLDED] = { "other-case", "NAME/ID/NAME.sym with letters of another case" },
	[SYMBOLS_BY_CODE] = { "code-id", "CODE_FILE/CODE_ID/CODE_FILE.sym" },
	[SYMBOLS_BY_UNIFIED] = { "unified", "Symbolicator's unified layout" },
	[SYMBOLS_BY_RECORD] = { "module-record", "files of the directory by their MODULE record" },
	[SYMBOLS_BY_SERVER] = { "server", "a symbol server" },
};

static const char *const outcomes[] = {
	[SYMBOLS_NOT_THERE] = "not-there",
	[SYMBOLS_REFUSED] = "refused",
	[SYMBOLS_FETCHED] = "fetched",
	[SYMBOLS_USED] = "used",
};

/* The records that are counted, in the order of their use for a walk. */
static const struct {
	enum symbol_record_kind kind;
	const char *name, *key;
} counted[] = {
	{ SYMBOL_FUNC, "FUNC", "func" },
	{ SYMBOL_PUBLIC, "PUBLIC", "public" },
	{ SYMBOL_FILE, "FILE (lines)", "file" },
	{ SYMBOL_INLINE_ORIGIN, "INLINE_ORIGIN", "inline_origin" },
	{ SYMBOL_STACK_CFI_INIT, "STACK CFI INIT", "stack_cfi_init" },
	{ SYMBOL_STACK_CFI, "STACK CFI", "stack_cfi" },
	{ SYMBOL_STACK_WIN, "STACK WIN", "stack_win" },
};

static const char *
copied(struct symbol_search *search, const char *text)
{
	return text == NULL ? NULL : arena_copy(search->arena, text, strlen(text));
}

static struct finding *
add_finding(struct symbol_search *search)
{
	struct finding *findings = arena_grow(search->arena, search->findings, search->count,
					      &search->capacity, sizeof(*findings));

	if (findings == NULL)
		return NULL;
	search->findings = findings;
	findings[search->count] = (struct finding){ .near = false };
	return &findings[search->count++];
}

static void
see_place(void *context, const struct symbols_place *place)
{
	struct symbol_search *search = context;
	struct finding *finding = add_finding(search);

	if (finding == NULL)
		return;
	finding->place = *place;
	finding->place.path = copied(search, place->path);
	finding->place.why = copied(search, place->why);
	if (place->outcome == SYMBOLS_USED)
		search->used = finding->place.path;
}

static void
see_near(void *context, const char *path, const char *what, const char *help)
{
	struct symbol_search *search = context;
	struct finding *finding = add_finding(search);

	if (finding == NULL)
		return;
	finding->near = true;
	finding->path = copied(search, path);
	finding->what = copied(search, what);
	finding->help = copied(search, help);
	search->near_count++;
}

static void
add_line(struct symbol_search *search, const char *label, enum role role, const char *text)
{
	search_lines_add(&search->lines, label, role, text);
}

static void
add_wanted(struct symbol_search *search)
{
	const struct module *module = search->module;
	const char *none = "none: the dump has no CodeView record, or it says no id";

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
add_place(struct symbol_search *search, const struct symbols_place *place, bool first)
{
	const char *what = ways[place->way].what;

	add_line(search, first ? "looked at" : NULL, ROLE_NORMAL, place->path);
	if (place->outcome == SYMBOLS_NOT_THERE)
		what = arena_format(search->arena, "  not there   %s%s%s", what,
				    place->why == NULL ? "" : ": ",
				    place->why == NULL ? "" : place->why);
	else if (place->outcome == SYMBOLS_REFUSED)
		what = arena_format(search->arena, "  ! refused   %s", place->why);
	else if (place->outcome == SYMBOLS_FETCHED)
		what = arena_format(search->arena, "  fetched   from %s, and kept", what);
	else
		what = arena_format(search->arena, "  used   %s", what);
	add_line(search, NULL, place->outcome == SYMBOLS_REFUSED ? ROLE_CHANGED : ROLE_DIM, what);
}

static void
add_places(struct symbol_search *search)
{
	bool first = true;

	for (size_t i = 0; i < search->count; i++)
		if (!search->findings[i].near) {
			add_place(search, &search->findings[i].place, first);
			first = false;
		}
	if (!search->configured)
		add_line(search, "looked at", ROLE_DIM, "nothing: no directory or file of symbols "
			 "was given");
	else if (first)
		add_line(search, "looked at", ROLE_DIM,
			 "nothing: the module has no name or id to look for");
}

static void
add_records(struct symbol_search *search)
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
		add_line(search, "has", ROLE_CHANGED, "! no record that says anything of an address");
}

static bool
has_unwind_records(const struct symfile *symfile)
{
	return symfile_count(symfile, SYMBOL_STACK_CFI_INIT) != 0 ||
	       symfile_count(symfile, SYMBOL_STACK_WIN) != 0;
}

/* What a walk can't have from the symbol file. */
static struct binary_search_needs
needs_of(const struct symbol_search *search)
{
	const struct symfile *symfile = search->symfile;

	return (struct binary_search_needs){
		.names = symfile == NULL || symfile_count(symfile, SYMBOL_FUNC) == 0,
		.rules = symfile == NULL || !has_unwind_records(symfile),
	};
}

/* What is missing of a file that is used. */
static void
add_lacks(struct symbol_search *search)
{
	const struct symfile *symfile = search->symfile;
	const struct binary_search_needs needs = needs_of(search);
	const uint64_t messages = message_total(symfile_messages(symfile));

	if (needs.rules && !binary_search_has_rules(search->binary))
		add_line(search, "help", ROLE_NORMAL,
			 "no STACK records: callers are found by frame pointers or guessed by scans; "
			 "dump the symbols of the file with its unwind sections");
	if (needs.names)
		add_line(search, "help", ROLE_NORMAL,
			 "no FUNC records: names are the nearest PUBLIC below, and there are no "
			 "lines; dump the symbols of the file with debug information");
	if (messages != 0)
		add_line(search, "messages", ROLE_CHANGED,
			 arena_format(search->arena, "! %" PRIu64 "; 'unspool lint' tells them, and "
				      "what they do to a walk", messages));
}

/* How to get symbols of a module that nothing is known of. */
static void
add_general_help(struct symbol_search *search)
{
	const struct module *module = search->module;
	const char *name = place_base_name(module->debug_file[0] != '\0' ? module->debug_file
									 : module->code_file);

	if (module->debug_id[0] == '\0')
		add_line(search, "help", ROLE_NORMAL,
			 "without an id no symbols can be told to be the right ones");
	else if (crash_is_kernels(module))
		add_line(search, "help", ROLE_NORMAL,
			 "it is the kernel's own code, in no file: copy it from the memory of a process "
			 "on a machine with the same kernel, and give the copy to 'dump_syms'");
	else
		add_line(search, "help", ROLE_NORMAL,
			 arena_format(search->arena, "write them with 'dump_syms %s' of the build "
				      "with this id, and name the file or its directory", name));
}

/* Files that are nearly right. */
static void
add_near(struct symbol_search *search)
{
	bool first = true;

	for (size_t i = 0; i < search->count; i++) {
		const struct finding *finding = &search->findings[i];

		if (!finding->near)
			continue;
		add_line(search, first ? "near" : NULL, ROLE_NORMAL, finding->path);
		add_line(search, NULL, ROLE_CHANGED,
			 arena_format(search->arena, "  ! %s", finding->what));
		add_line(search, NULL, ROLE_NORMAL,
			 arena_format(search->arena, "  %s", finding->help));
		first = false;
	}
}

static void
add_help(struct symbol_search *search)
{
	const struct binary_search *binary = search->binary;
	const struct binary_search_needs needs = needs_of(search);

	add_near(search);
	const bool near = binary_search_near(binary, &search->lines);
	if (search->symfile != NULL)
		add_lacks(search);
	else if (search->state != SYMBOLS_ABSENT && search->configured)
		return;
	else if (search->near_count == 0 && !near && !binary_search_is_enough(binary))
		add_general_help(search);
	if (search->near_count == 0 || binary_search_is_asked(binary))
		binary_search_help(binary, &needs, &search->lines);
}

static void
look(struct symbol_search *search, struct symbols *symbols)
{
	search->configured = symbols_configured(symbols);
	search->symfile = symbols_peek(symbols, search->index, &search->state);
	symbols_search(symbols, search->index, see_place, search);
	if (search->state == SYMBOLS_ABSENT ||
	    (search->symfile != NULL && !has_unwind_records(search->symfile) &&
	     symfile_count(search->symfile, SYMBOL_FUNC) == 0 &&
	     symfile_count(search->symfile, SYMBOL_PUBLIC) == 0))
		symbols_near_misses(symbols, search->index, see_near, search);
}

static void
add_state(struct symbol_search *search)
{
	if (search->state == SYMBOLS_LOADING)
		add_line(search, "state", ROLE_DIM, "the file is being looked for or read");
	else if (search->state == SYMBOLS_PENDING && search->configured)
		add_line(search, "state", ROLE_DIM, "not read yet");
}

/* Where what is said of the symbols leads: to the file, else to where the dump says the id. */
static struct target
symbols_target(const struct symbol_search *search)
{
	struct target target = report_place_target(search->module->identity_place);

	if (search->symfile != NULL) {
		target = report_no_target();
		target.kind = TARGET_MODULE;
		target.module = search->index;
	}
	return target;
}

const struct symbol_search *
symbol_search_make(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t module, struct arena *arena)
{
	struct symbol_search *search = arena_alloc(arena, sizeof(*search));

	if (search == NULL)
		return NULL;
	*search = (struct symbol_search){
		.arena = arena, .module = &crash->modules[module], .index = module,
		.binary = binary_search_make(crash, binaries, module, arena),
		.lines = { .arena = arena,
			   .target = report_place_target(crash->modules[module].identity_place) },
	};
	if (search->binary == NULL)
		return NULL;
	look(search, symbols);
	add_wanted(search);
	search->lines.target = symbols_target(search);
	add_places(search);
	add_state(search);
	add_records(search);
	binary_search_gains(search->binary, &search->lines);
	search->lines.target = symbols_target(search);
	add_help(search);
	binary_search_places(search->binary, &search->lines);
	return search;
}

enum symbols_state
symbol_search_state(const struct symbol_search *search)
{
	return search->state;
}

bool
symbol_search_knows_binaries(const struct symbol_search *search)
{
	return binary_search_is_done(search->binary);
}

bool
symbol_search_found(const struct symbol_search *search)
{
	return search->symfile != NULL || binary_search_has_names(search->binary);
}

void
symbol_search_brief(const struct symbol_search *search, struct row *row)
{
	row_add_text(row, ROLE_TITLE, text_of(place_base_name(search->module->code_file)));
	row_add(row, ROLE_NORMAL, "   ");
	if (search->symfile != NULL && search->used != NULL)
		row_add_text(row, ROLE_NORMAL, text_of(search->used));
	else if (search->used != NULL)
		row_add(row, ROLE_DIM, "a file that is not read");
	else if (!binary_search_brief(search->binary, row))
		row_add(row, ROLE_DIM, "no symbols%s%s",
			binary_search_is_asked(search->binary) ? ", no file of its own" : "",
			search->near_count != 0 ? ", but nearly" : "");
}

static void
fill_title(const void *context, struct row *row)
{
	symbol_search_brief(context, row);
}

struct listing
symbol_search_listing(const struct symbol_search *search, size_t columns, struct arena *arena)
{
	const struct search_lines_options options = {
		.lines = &search->lines, .title = fill_title, .context = search,
		.whole = search->module->code_file, .columns = columns,
		.target = report_place_target(search->module->identity_place),
	};

	return search_lines_listing(&options, arena);
}

static void
write_findings(struct json *json, const struct symbol_search *search)
{
	json_array(json, "places");
	for (size_t i = 0; i < search->count; i++) {
		const struct symbols_place *place = &search->findings[i].place;

		if (search->findings[i].near)
			continue;
		json_object(json, NULL);
		json_string(json, "path", place->path);
		json_string(json, "way", ways[place->way].name);
		json_string(json, "outcome", outcomes[place->outcome]);
		json_string(json, "why", place->why);
		json_object_end(json);
	}
	json_array_end(json);
	json_array(json, "near");
	for (size_t i = 0; i < search->count; i++) {
		const struct finding *finding = &search->findings[i];

		if (!finding->near)
			continue;
		json_object(json, NULL);
		json_string(json, "path", finding->path);
		json_string(json, "what", finding->what);
		json_string(json, "help", finding->help);
		json_object_end(json);
	}
	json_array_end(json);
}

void
symbol_search_json(struct json *json, const struct symbol_search *search)
{
	const struct module *module = search->module;

	json_string(json, "module", module->code_file);
	json_string(json, "code_id", module->code_id[0] == '\0' ? NULL : module->code_id);
	json_string(json, "debug_file", module->debug_file[0] == '\0' ? NULL : module->debug_file);
	json_string(json, "debug_id", module->debug_id[0] == '\0' ? NULL : module->debug_id);
	json_string(json, "file", search->symfile != NULL ? search->used : NULL);
	write_findings(json, search);
	json_array(json, "help");
	for (size_t i = 0; i < search->lines.count; i++)
		if (search->lines.items[i].label != NULL &&
		    strcmp(search->lines.items[i].label, "help") == 0)
			json_string(json, NULL, search->lines.items[i].text);
	json_array_end(json);
	binary_search_json(json, "binaries", search->binary);
	if (search->symfile == NULL) {
		json_null(json, "records");
		return;
	}
	json_object(json, "records");
	for (size_t i = 0; i < ARRAY_COUNT(counted); i++)
		json_number(json, counted[i].key, symfile_count(search->symfile, counted[i].kind));
	json_object_end(json);
	json_number(json, "messages", message_total(symfile_messages(search->symfile)));
}
