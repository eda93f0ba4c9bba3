/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "system/door.h"
#include "system/file.h"
#include "ui/request/requests.h"
#include "walk/location.h"

/* Limit on the frames whose names one Tab looks up, because each lookup reads symbols. */
#define MOST_NAMED_FRAMES 1000u
#define MOST_FILES 20000u

static void
add_nothing(struct explorer *explorer, struct completion *completion)
{
	(void)explorer;
	(void)completion;
}

static void
add_marks(struct explorer *explorer, struct completion *completion)
{
	for (unsigned i = 0; i < SESSION_MARKS; i++)
		if (explorer->session.look.trail.marks[i].there)
			completion_add(completion,
				       text_of((char[]){ (char)('a' + (int)i), '\0' }));
}

static void
add_keys(struct explorer *explorer, struct completion *completion)
{
	const struct binding *binding;
	char name[BINDING_NAME_SIZE];

	(void)explorer;
	for (size_t i = 0; (binding = binding_at(i)) != NULL; i++)
		completion_add(completion, text_of(binding_label(binding, name)));
}

static void
add_commands(struct explorer *explorer, struct completion *completion)
{
	struct completion inner;

	(void)explorer;
	/* Complete the command that begins at byte `from` of the line. */
	completion_begin(&inner, completion->line + completion->from);
	keymap_complete(inner.line, &inner);
	/* A term of several words begins before the last word of a command. */
	const bool apart = completion->count > 0 && inner.from > 0;
	completion->from += apart ? 0 : inner.from;
	for (size_t i = 0; !apart && i < inner.count; i++)
		completion_add(completion, text_of(inner.words[i]));
	completion_free(&inner);
}

static void
add_terms(struct explorer *explorer, struct completion *completion)
{
	const struct glossary_entry *entry;

	for (size_t i = 0; (entry = glossary_at(i)) != NULL; i++)
		completion_add(completion, text_of(entry->term));
	add_commands(explorer, completion);
}

static void
add_settings(struct explorer *explorer, struct completion *completion)
{
	const struct setting *setting;

	(void)explorer;
	for (size_t i = 0; (setting = settings_at(i)) != NULL; i++)
		completion_add(completion, text_of(setting->name));
}

static void
add_words(struct completion *completion, const char *words)
{
	while (*(words += strspn(words, " ")) != '\0') {
		size_t length = strcspn(words, " ");

		completion_add(completion, (struct text){ words, length });
		words += length;
	}
}

static void
add_values(struct explorer *explorer, struct completion *completion)
{
	const char *line = completion->line;
	const struct setting *setting;
	size_t end = completion->from, start;

	(void)explorer;
	/* The previous word names the setting. */
	while (end > 0 && line[end - 1] == ' ')
		end--;
	for (start = end; start > 0 && line[start - 1] != ' ';)
		start--;
	for (size_t i = 0; (setting = settings_at(i)) != NULL; i++)
		if (text_is((struct text){ line + start, end - start }, setting->name))
			add_words(completion, setting->values);
}

static void
add_number(struct completion *completion, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	completion_add(completion, text_of(text));
}

static void
add_threads(struct explorer *explorer, struct completion *completion)
{
	const struct crash *crash = explorer->session.open.crash;
	char id[24];

	for (size_t i = 0; i < crash->thread_count; i++) {
		add_number(completion, i);
		if (crash->threads[i].name != NULL)
			completion_add(completion, text_of(crash->threads[i].name));
		/* Offer ids only after two characters, or a list would have each thread twice. */
		if (completion_typed(completion).length < 2)
			continue;
		snprintf(id, sizeof(id), "0x%" PRIx32, crash->threads[i].id);
		completion_add(completion, text_of(id));
	}
}

static void
add_frames(struct explorer *explorer, struct completion *completion)
{
	const struct walk *walk = session_walk(&explorer->session);

	for (size_t i = 0; walk != NULL && i < walk->count; i++)
		add_number(completion, i);
}

static void
add_views(struct explorer *explorer, struct completion *completion)
{
	(void)explorer;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		completion_add(completion, text_of(layout_view_name((enum layout_view)i)));
}

/* Complete a place: its parts are separated by commas, and `view=` takes a view. */
static void
add_spots(struct explorer *explorer, struct completion *completion)
{
	static const char view[] = "view=";
	const char *typed = completion->line + completion->from, *comma = strrchr(typed, ',');
	const char *part, *last = comma != NULL ? comma + 1 : typed;

	completion->from = (size_t)(last - completion->line);
	completion->open = true;
	if (strncmp(last, view, sizeof(view) - 1) == 0) {
		completion->from += sizeof(view) - 1;
		add_views(explorer, completion);
		return;
	}
	for (size_t i = 0; (part = spot_part(i)) != NULL; i++)
		completion_add(completion, text_of(part));
}

static void
add_functions(struct explorer *explorer, struct completion *completion)
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_PUBLIC };
	struct session *session = &explorer->session;
	struct function function;

	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(session->open.symbols, i, NULL);

		for (size_t k = 0; symfile != NULL && k < ARRAY_COUNT(kinds); k++)
			for (size_t at = 0; symfile_function_at(symfile, kinds[k], at, &function);
			     at++)
				completion_add(completion, function.name);
	}
}

static void
add_modules(struct explorer *explorer, struct completion *completion)
{
	const struct crash *crash = explorer->session.open.crash;

	for (size_t i = 0; i < crash->module_count; i++)
		completion_add(completion, text_of(place_base_name(crash->modules[i].code_file)));
}

static void
add_registers(struct explorer *explorer, struct completion *completion)
{
	const struct walk *walk = session_walk(&explorer->session);

	for (int i = 0; walk != NULL && i < walk->arch->register_count; i++)
		completion_add(completion, text_of(walk->arch->registers[i].label));
}

/* Offer a variable and the enumerators of its type. */
static void
add_variable(struct completion *completion, const struct debug_variable *variable,
	     struct arena *arena)
{
	const struct debug_type *type = debug_type_of(&variable->entry, arena);
	struct debug_enumerator *all;
	const size_t count = type != NULL && type->kind == DEBUG_TYPE_ENUMERATION
				     ? debug_type_enumerators(type, arena, &all) : 0;

	completion_add(completion, text_of(variable->name));
	for (size_t i = 0; i < count; i++)
		completion_add(completion, text_of(all[i].name));
}

/* Offer the variables of the selected frame, of its inlined calls and of its unit. */
static void
add_variables(struct explorer *explorer, struct completion *completion)
{
	struct session *session = &explorer->session;
	struct arena arena = { 0 };
	struct value_frame *variables =
		session_frame(session) == NULL ? NULL
		: frame_variables_of(session_walk(session), &session->look.memory.view,
				     session->look.stack.frame, &arena);

	for (size_t i = 0; variables != NULL && i < variables->scopes.count; i++)
		for (size_t j = 0; j < variables->scopes.items[i].count; j++)
			add_variable(completion, &variables->scopes.items[i].variables[j], &arena);
	struct debug_variable *globals;
	const size_t count =
		variables != NULL ? frame_variables_globals(variables, &arena, &globals) : 0;
	for (size_t i = 0; i < count; i++)
		add_variable(completion, &globals[i], &arena);
	arena_free(&arena);
}

static bool
is_in_name(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || letter == ':' ||
	       (letter & 0x80) != 0;
}

/* The byte where the value that ends at `end` begins: "&list[i]->next" -> 1. */
static size_t
value_begin(const char *line, size_t from, size_t end)
{
	size_t depth = 0;

	while (end > from) {
		const char last = line[end - 1];

		depth += last == ']' || last == ')';
		if (depth == 0 && !is_in_name(last) && last != '.' && last != '$' &&
		    !(last == '>' && end > from + 1 && line[end - 2] == '-') &&
		    !(last == '-' && line[end] == '>'))
			break;
		depth -= depth > 0 && (last == '[' || last == '(');
		end--;
	}
	return end;
}

/* Offer the members of the value that ends at `end`. */
static void
add_members(struct explorer *explorer, struct completion *completion, size_t from, size_t end)
{
	struct session *session = &explorer->session;
	struct arena arena = { 0 };
	const size_t begin = value_begin(completion->line, from, end);
	const char **names;
	struct value_frame *variables =
		session_frame(session) == NULL ? NULL
		: frame_variables_of(session_walk(session), &session->look.memory.view,
				     session->look.stack.frame, &arena);
	const size_t count =
		variables == NULL ? 0
		: value_expression_members(variables, session->look.call,
			  (struct text){ completion->line + begin, end - begin }, &arena, &names);

	for (size_t i = 0; i < count; i++)
		completion_add(completion, text_of(names[i]));
	arena_free(&arena);
}

/* Complete the last name of an expression: a member, a register or a variable. */
static void
add_expression(struct explorer *explorer, struct completion *completion)
{
	const char *line = completion->line;
	const size_t from = completion->from;
	size_t at = strlen(line);

	while (at > from && is_in_name(line[at - 1]))
		at--;
	const char sign = at > from ? line[at - 1] : '\0';
	const bool arrow = sign == '>' && at > from + 1 && line[at - 2] == '-';
	if (at == from)
		return;
	completion->from = at;
	completion->open = true;
	if (arrow || sign == '.') {
		add_members(explorer, completion, from, at - (arrow ? 2 : 1));
	} else if (sign == '$') {
		add_registers(explorer, completion);
	} else {
		add_variables(explorer, completion);
		if (completion_typed(completion).length > 0)
			add_functions(explorer, completion);
	}
}

static void
add_places(struct explorer *explorer, struct completion *completion)
{
	const struct walk *walk = session_walk(&explorer->session);
	struct location location;
	struct arena arena = { 0 };

	add_words(completion, "frame sym: dump:");
	for (size_t i = 0; walk != NULL && i < walk->count && i < MOST_NAMED_FRAMES; i++) {
		location_of(walk, walk->frames[i].lookup, &arena, &location);
		for (size_t call = 0; call < location.call_count; call++)
			completion_add(completion, location.calls[call].name);
		arena_reset(&arena);
	}
	arena_free(&arena);
	add_registers(explorer, completion);
	add_variables(explorer, completion);
	if (completion_typed(completion).length > 0)
		add_functions(explorer, completion);
	if (completion->total == 0)
		add_expression(explorer, completion);
}

static void
add_files(struct explorer *explorer, struct completion *completion)
{
	const char *typed = completion->line + completion->from, *slash = strrchr(typed, '/');
	const size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - typed);
	char folder[4096], path[8192];
	const struct dirent *entry;
	struct stat status;
	struct arena arena = { 0 };

	(void)explorer;
	if (length >= sizeof(folder))
		return;
	snprintf(folder, sizeof(folder), "%.*s", (int)length, typed);
	const char *there = length == 0 ? "." : file_expand_home(&arena, folder);
	DIR *directory = there == NULL ? NULL : door_list(there);
	for (unsigned i = 0; directory != NULL && i < MOST_FILES; i++) {
		entry = readdir(directory);
		if (entry == NULL)
			break;
		if (entry->d_name[0] == '.' && typed[length] != '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", there, entry->d_name);
		const bool inside = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
		snprintf(path, sizeof(path), "%s%s%s", folder, entry->d_name, inside ? "/" : "");
		const uint64_t total = completion->total;
		completion_add(completion, text_of(path));
		completion->open |= inside && completion->total > total;
	}
	if (directory != NULL)
		closedir(directory);
	arena_free(&arena);
}

static void
add_streams(struct explorer *explorer, struct completion *completion)
{
	const struct crash *crash = explorer->session.open.crash;

	for (size_t i = 0; i < crash->stream_count; i++)
		completion_add(completion, text_of(crash->streams[i].name));
}

static void
add_plans(struct explorer *explorer, struct completion *completion)
{
	(void)explorer;
	for (unsigned i = 0; layout_plan_name(i) != NULL; i++)
		completion_add(completion, text_of(layout_plan_name(i)));
}

static void
add_methods(struct explorer *explorer, struct completion *completion)
{
	(void)explorer;
	for (unsigned i = 0; i < METHOD_COUNT; i++) {
		char name[64];

		completion_add(completion,
			       text_of(method_option((enum method_id)i, name, sizeof(name))));
	}
}

/* Complete the last of several names separated by commas. */
static void
add_method_list(struct explorer *explorer, struct completion *completion)
{
	const char *comma = strrchr(completion->line + completion->from, ',');

	if (comma != NULL)
		completion->from = (size_t)(comma + 1 - completion->line);
	completion->open = true;
	add_methods(explorer, completion);
}

/* Offer all symbol files ("app.sym:") and the records that the step used ("app.sym:45"). */
static void
add_records(struct explorer *explorer, struct completion *completion)
{
	struct session *session = &explorer->session;
	const struct trace *trace = &session->step.view.trace;
	char text[256];

	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(session->open.symbols, i, NULL);

		if (symfile == NULL)
			continue;
		snprintf(text, sizeof(text), "%s:",
			 place_base_name(symfile_file(symfile)->input.name));
		completion_add(completion, text_of(text));
	}
	for (size_t i = 0; session->step.exists && i < trace->count; i++) {
		const struct place *place = &trace->events[i].place;

		if (place->line == 0)
			continue;
		snprintf(text, sizeof(text), "%s:%" PRIu32, place_base_name(place->input->name),
			 place->line);
		completion_add(completion, text_of(text));
	}
	completion->open = true;
}

/* Offer the current line of the record that the previous word names. */
static void
add_record_line(struct explorer *explorer, struct completion *completion)
{
	const struct edit_step step = { .walk = session_walk(&explorer->session),
					.frame = explorer->session.look.stack.frame };
	const char *name = completion->line + strcspn(completion->line, " ");
	struct record_edit edit;

	if (session_frame(&explorer->session) != NULL && edit_take_record(&step, &name, &edit))
		completion_add(completion, edit.now);
}

static void
add_policy_rows(struct explorer *explorer, struct completion *completion)
{
	(void)explorer;
	for (unsigned i = 0; i < POLICY_COUNT; i++)
		completion_add(completion, text_of(policy_table[i].name));
}

static const struct {
	const char *word;
	void (*add)(struct explorer *explorer, struct completion *completion);
	bool blanks;
} arguments[] = {
#define A(word, function, blanks) { #word, add_##function, blanks },
#include "ui/request/argument.def"
};

bool
complete_is_path(struct text word)
{
	for (size_t i = 0; i < ARRAY_COUNT(arguments); i++)
		if (text_is(word, arguments[i].word))
			return arguments[i].add == add_files;
	return false;
}

void
complete_line(struct explorer *explorer, struct completion *completion)
{
	size_t from;
	struct text word = keymap_argument(completion->line, &from);

	if (explorer->prompt.kind != PROMPT_COMMAND && !explorer->print.plain)
		return;
	keymap_complete(completion->line, completion);
	for (size_t i = 0; i < ARRAY_COUNT(arguments); i++) {
		/* A lesson or a played script lists no directory. */
		if (!text_is(word, arguments[i].word) ||
		    (explorer->asker != NULL && arguments[i].add == add_files))
			continue;
		if (arguments[i].blanks && completion->count == 0)
			completion->from = from;
		arguments[i].add(explorer, completion);
	}
	/* A number follows "sym:" and "dump:" without a blank. */
	const char *colon = strchr(text_or_empty(completion->common), ':');
	completion->open |= colon != NULL && colon[1] == '\0';
	completion_sort(completion);
}
