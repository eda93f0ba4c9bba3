/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/symbol_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/wrap.h"

/* Columns of the words at the left. */
#define LABEL_COLUMNS 12u
/* Columns of text below which nothing is wrapped. */
#define LEAST_TEXT 16u

/* A place that was looked at, or a file that is nearly right. */
struct finding {
	struct symbols_place place;	/* of a place */
	const char *path, *what, *help;	/* of a near miss: all of its own */
	bool near;
};

struct line {
	const char *label;		/* NULL: the line goes on */
	enum role role;
	const char *text;
};

/* What a row shows of a line. */
struct part {
	size_t line;
	struct text text;
	size_t indent;
	bool first;
};

struct rows {
	const struct symbol_search *search;
	struct part *parts;
	size_t count, capacity;
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
	struct line *lines;
	size_t line_count, line_capacity;
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
	struct line *lines = arena_grow(search->arena, search->lines, search->line_count,
					&search->line_capacity, sizeof(*lines));

	if (lines == NULL || text == NULL)
		return;
	search->lines = lines;
	lines[search->line_count++] = (struct line){ label, role, text };
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

/* What is missing of a file that is used. */
static void
add_lacks(struct symbol_search *search)
{
	const struct symfile *symfile = search->symfile;
	const uint64_t messages = message_total(symfile_messages(symfile));

	if (!has_unwind_records(symfile))
		add_line(search, "help", ROLE_NORMAL,
			 "no STACK records: callers are found by frame pointers or guessed by scans; "
			 "dump the symbols of the file with its unwind sections");
	if (symfile_count(symfile, SYMBOL_FUNC) == 0)
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
			 "without an id no symbols can be told to be the right ones; '--binaries' "
			 "takes the module's own file");
	else
		add_line(search, "help", ROLE_NORMAL,
			 arena_format(search->arena, "write them with 'dump_syms %s' of the build "
				      "with this id, and name the file or its directory", name));
}

static void
add_help(struct symbol_search *search)
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
	if (search->symfile != NULL)
		add_lacks(search);
	else if (first && (search->state == SYMBOLS_ABSENT || !search->configured))
		add_general_help(search);
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

const struct symbol_search *
symbol_search_make(const struct crash *crash, struct symbols *symbols, size_t module,
		   struct arena *arena)
{
	struct symbol_search *search = arena_alloc(arena, sizeof(*search));

	if (search == NULL)
		return NULL;
	*search = (struct symbol_search){ .arena = arena, .module = &crash->modules[module],
					  .index = module };
	look(search, symbols);
	add_wanted(search);
	add_places(search);
	add_state(search);
	add_records(search);
	add_help(search);
	return search;
}

enum symbols_state
symbol_search_state(const struct symbol_search *search)
{
	return search->state;
}

bool
symbol_search_found(const struct symbol_search *search)
{
	return search->symfile != NULL;
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
	else
		row_add(row, ROLE_DIM, "no symbols%s",
			search->near_count != 0 ? ", but nearly" : "");
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct rows *rows = listing->context;
	const size_t begin = row->width;

	if (index == 0) {
		symbol_search_brief(rows->search, row);
	} else {
		const struct part *part = &rows->parts[index - 1];
		const struct line *line = &rows->search->lines[part->line];

		row_add(row, ROLE_DIM, "  %s",
			line->label == NULL || !part->first ? "" : line->label);
		row_pad(row, begin + LABEL_COLUMNS + part->indent);
		row_add_text(row, line->role, part->text);
	}
	if (columns != 0)
		row_cut(row, columns);
}

static bool
is_line(const struct line *line, const char *label)
{
	return line->label != NULL && strcmp(line->label, label) == 0;
}

/* What is said of a file that is read leads there, the rest to where the dump says the id. */
static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct rows *rows = listing->context;
	const struct symbol_search *search = rows->search;
	const struct line *line = index == 0 ? NULL : &search->lines[rows->parts[index - 1].line];

	if (line != NULL && is_line(line, "code id"))
		return report_place_target(search->module->place);
	if (line == NULL || is_line(line, "debug id") || search->symfile == NULL)
		return report_place_target(search->module->identity_place);
	struct target target = report_no_target();
	target.kind = TARGET_MODULE;
	target.module = search->index;
	return target;
}

/* The whole line, where the row may have been cut. */
static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct rows *rows = listing->context;
	const struct symbol_search *search = rows->search;

	if (index > 0)
		row_add_text(row, ROLE_NORMAL,
			     text_of(search->lines[rows->parts[index - 1].line].text));
	else
		row_add_text(row, ROLE_NORMAL, text_of(search->module->code_file));
}

static bool
add_part(struct rows *rows, struct part part, struct arena *arena)
{
	struct part *parts = arena_grow(arena, rows->parts, rows->count, &rows->capacity,
					sizeof(*parts));

	if (parts == NULL)
		return false;
	rows->parts = parts;
	parts[rows->count++] = part;
	return true;
}

/* The rows of a line; what goes on in the next row is indented as its beginning is. */
static void
add_parts(struct rows *rows, size_t line, size_t columns, struct arena *arena)
{
	struct text rest = text_of(rows->search->lines[line].text);
	struct part part = { .line = line, .first = true };

	while (part.indent < rest.length && rest.start[part.indent] == ' ')
		part.indent++;
	rest = (struct text){ rest.start + part.indent, rest.length - part.indent };
	const size_t width = columns < LABEL_COLUMNS + part.indent + LEAST_TEXT
				     ? SIZE_MAX : columns - LABEL_COLUMNS - part.indent;
	do {
		part.text = columns == 0 ? rest : wrap_line(rest, width, 0);
		rest.length -= (size_t)(part.text.start + part.text.length - rest.start);
		rest.start = part.text.start + part.text.length;
		while (rest.length > 0 && rest.start[0] == ' ') {
			rest.start++;
			rest.length--;
		}
		if (!add_part(rows, part, arena))
			return;
		part.first = false;
	} while (rest.length > 0);
}

struct listing
symbol_search_listing(const struct symbol_search *search, size_t columns, struct arena *arena)
{
	struct rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL)
		return listing_message("memory ran out");
	rows->search = search;
	for (size_t i = 0; i < search->line_count; i++)
		add_parts(rows, i, columns, arena);
	return (struct listing){ .count = rows->count + 1, .fill = fill_row,
				 .target = row_target, .explain = explain_row, .context = rows };
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
