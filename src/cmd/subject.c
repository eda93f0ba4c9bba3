/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/sorted.h"
#include "debug_info/debug_info.h"
#include "sframe/sframes.h"
#include "dump/dump.h"
#include "system/directory.h"
#include "system/file.h"

/* Opening -------------------------------------------------------------------------------------- */

static enum cmd_status
open_binary(struct subject *subject, const struct cmd_options *options, struct binary *binary)
{
	static const struct {
		const char *why, *hint;
	} refused[] = {
		[BINARY_RELOCATABLE] = { "a relocatable file: its sections have no addresses "
					 "before it is linked",
					 "link it and use the linked file" },
		[BINARY_CORE] = { "a core file is neither a program nor a minidump",
				  "name the program that wrote it" },
	};
	struct error error = { 0 };

	if (binary->use != BINARY_LOADED) {
		error_plain(&error, ERROR_FORMAT, "%s", refused[binary->use].why);
		error_hint(&error, "%s", refused[binary->use].hint);
		cmd_print_error(&error, subject->path);
		binary_close(binary);
		return CMD_UNREADABLE;
	}
	subject->kind = SUBJECT_BINARY;
	subject->binary = binary;
	return cmd_input_open_binary(&subject->input, options, binary, NULL);
}

enum cmd_status
subject_open(struct subject *subject, const struct cmd_options *options)
{
	const char *path = options->paths[0];
	struct error error = { 0 };
	enum cmd_status status;
	struct binary *binary;
	struct stat file;

	*subject = (struct subject){ .path = path, .policy = options->policy };
	const enum error_code code = binary_open(&binary, path, &error);
	if (code == ERROR_NONE) {
		status = open_binary(subject, options, binary);
	} else if (code == ERROR_NOT_FOUND &&
		   !(file_stat(path, &file) && (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)))) {
		error_hint(&error, "only these can be read from a pipe or device; give a dump or "
				   "a symbol file by its own path");
		return cmd_print_error(&error, path);
	} else if (directory_exists(path) || (code == ERROR_NOT_FOUND && dump_recognise(path))) {
		subject->kind = SUBJECT_DUMP;
		status = cmd_input_open(&subject->input, options, options->paths[0], NULL, NULL);
	} else if (code == ERROR_NOT_FOUND &&
		   cmd_open_symbols(&subject->symfile, path, &error) == ERROR_NONE) {
		cmd_learn_records(symfile_file(subject->symfile));
		return CMD_DONE;
	} else {
		return cmd_print_error(&error, path);
	}
	if (status != CMD_DONE)
		return status;
	cmd_show_progress(&subject->input);
	if (subject->kind == SUBJECT_DUMP)
		module_map_build(&subject->modules, &subject->input.crash, &subject->policy,
				 &subject->arena);
	return CMD_DONE;
}

void
subject_refuse_others(struct subject *subject, const struct cmd_options *options)
{
	const struct cmd_list named[] = {
		{ options->paths + 1, options->path_count - 1 },
		options->symbol_paths,
		options->binaries,
	};

	if (subject->kind != SUBJECT_SYMBOLS)
		return;
	for (size_t list = 0; list < ARRAY_COUNT(named); list++)
		for (size_t i = 0; i < named[list].count; i++) {
			cmd_say("'%s' is not used: with the symbol file '%s', no other file is "
				"read",
				named[list].items[i], subject->path);
			subject->input.refused = true;
		}
}

void
subject_close(struct subject *subject)
{
	if (subject->kind != SUBJECT_SYMBOLS)
		cmd_input_close(&subject->input);
	symfile_close(subject->symfile);
	arena_free(&subject->arena);
}

void
subject_print_messages(const struct subject *subject)
{
	if (subject->kind != SUBJECT_SYMBOLS)
		cmd_print_messages(&subject->input);
	else
		cmd_note_refused(&subject->input);
	if (subject->symfile == NULL)
		return;
	cmd_print_message_list(symfile_messages(subject->symfile));
	cmd_print_message_list(symfile_strict_messages(subject->symfile));
}

/* Addresses ------------------------------------------------------------------------------------ */

bool
subject_is_address(const char *text)
{
	const char *plus = strrchr(text, '+');
	uint64_t number;

	return text_number(text_of(plus != NULL ? plus + 1 : text), 16, &number);
}

const char *
subject_module_name(const struct subject *subject, size_t module)
{
	if (subject->kind != SUBJECT_SYMBOLS)
		return place_base_name(subject->input.crash.modules[module].code_file);
	return place_base_name(subject->path);
}

static size_t
module_count(const struct subject *subject)
{
	return subject->kind == SUBJECT_DUMP ? subject->input.crash.module_count : 1;
}

/* Find a dump's module by the base name of its code or debug file. Other subjects ignore `name`. */
static bool
module_named(const struct subject *subject, const char *name, size_t length, size_t *module)
{
	for (*module = 0; *module < module_count(subject); ++*module) {
		const char *code = subject_module_name(subject, *module), *debug = code;

		if (subject->kind != SUBJECT_DUMP)
			return true;
		debug = place_base_name(subject->input.crash.modules[*module].debug_file);
		if ((strlen(code) == length && strncmp(code, name, length) == 0) ||
		    (strlen(debug) == length && strncmp(debug, name, length) == 0))
			return true;
	}
	return false;
}

bool
subject_place_of(const struct subject *subject, const char *text, struct subject_place *place)
{
	const uint64_t base = subject->binary != NULL ? subject->binary->linked_base : 0;
	const char *plus = strrchr(text, '+');
	int module;

	*place = (struct subject_place){ 0 };
	if (plus != NULL) {
		if (!text_number(text_of(plus + 1), 16, &place->address) ||
		    !module_named(subject, text, (size_t)(plus - text), &place->module))
			return false;
		place->shown = place->address;
		if (subject->kind == SUBJECT_DUMP)
			place->shown += subject->input.crash.modules[place->module].base;
		return true;
	}
	if (!text_number(text_of(text), 16, &place->shown))
		return false;
	if (subject->kind != SUBJECT_DUMP) {
		place->address = place->shown >= base ? place->shown - base : place->shown;
		return true;
	}
	if ((module = module_map_find(&subject->modules, place->shown)) == MODULE_NONE)
		return false;
	place->module = (size_t)module;
	place->address = place->shown - subject->input.crash.modules[module].base;
	return true;
}

struct rule_module
subject_module(struct subject *subject, size_t module)
{
	struct rule_module known = { .policy = &subject->policy, .parameters = -1,
				     .number = module };
	struct cmd_input *input = &subject->input;

	if (subject->kind == SUBJECT_SYMBOLS) {
		known.arch = arch_of_symbols(symfile_identity(subject->symfile).arch);
		known.symfile = symfile_under(subject->symfile, known.policy);
		return known;
	}
	known.arch = input->crash.system.arch;
	known.symfile = symfile_under(symbols_load(input->symbols, module), known.policy);
	known.sframe = sframes_load(input->binaries, module);
	known.sframe_bias = input->crash.modules[module].base;
	known.binaries = input->binaries;
	return known;
}

enum cmd_status
subject_needs_registers(struct subject *subject)
{
	const bool symbols = subject->kind == SUBJECT_SYMBOLS;

	if (arch_known(subject_module(subject, 0).arch))
		return CMD_DONE;
	cmd_say("%s an unknown architecture: registers have no names",
		!symbols ? "the file is for"
		: symfile_count(subject->symfile, SYMBOL_MODULE) == 0
			? "without a MODULE record the file is for" : "the MODULE record names");
	return CMD_UNREADABLE;
}

/* Functions by name ---------------------------------------------------------------------------- */

/* A search for a name, and its addresses in the current module. */
struct naming {
	struct subject *subject;
	const char *name;
	void (*found)(void *context, const struct subject_place *place);
	void *context;
	size_t count;			/* number of functions found in all modules */
	struct arena arena;
	uint64_t *addresses;
	size_t address_count, capacity;
};

static void
take_address(struct naming *naming, uint64_t address)
{
	ARENA_ADD(&naming->arena, naming->addresses, naming->address_count, naming->capacity,
		  &address);
}

static void
subject_take_name(void *context, const char *name, uint64_t address)
{
	struct naming *naming = context;

	if (demangle_is_called(text_of(name), text_of(naming->name)))
		take_address(naming, address);
}

SORTED_VALUES(compare_addresses, uint64_t)

static void
search_symbols(struct naming *naming, const struct symfile *symfile, enum symbol_record_kind kind)
{
	struct function function;

	for (size_t i = 0; symfile_function_at(symfile, kind, i, &function); i++)
		if (demangle_is_called(function.name, text_of(naming->name)))
			take_address(naming, function.address);
}

/* Search records, then the file's tables, then all of DWARF, until one has the name. */
static void
search_module(struct naming *naming, size_t module)
{
	const struct subject *subject = naming->subject;
	const struct rule_module known = subject_module(naming->subject, module);
	struct subject_place place = { .module = module };

	if (known.symfile != NULL)
		search_symbols(naming, known.symfile, SYMBOL_FUNC);
	if (known.symfile != NULL && naming->address_count == 0)
		search_symbols(naming, known.symfile, SYMBOL_PUBLIC);
	if (naming->address_count == 0)
		debug_info_functions(known.binaries, module, DEBUG_NAMES_TABLES, subject_take_name,
				     naming);
	if (naming->address_count == 0)
		debug_info_functions(known.binaries, module, DEBUG_NAMES_DWARF, subject_take_name,
				     naming);
	/* Report each address once, in ascending order. */
	SORT(naming->addresses, naming->address_count, compare_addresses);
	for (size_t i = 0; i < naming->address_count; i++) {
		if (i > 0 && naming->addresses[i] == naming->addresses[i - 1])
			continue;
		place.address = place.shown = naming->addresses[i];
		if (subject->kind != SUBJECT_SYMBOLS)
			place.shown += subject->input.crash.modules[module].base;
		naming->count++;
		naming->found(naming->context, &place);
	}
	naming->address_count = 0;
}

size_t
subject_functions(struct subject *subject, const char *name,
		  void (*found)(void *context, const struct subject_place *place), void *context)
{
	struct naming naming = { .subject = subject, .name = name, .found = found,
				 .context = context };
	const char *mark = strchr(name, '!');
	size_t only;

	if (mark != NULL && module_named(subject, name, (size_t)(mark - name), &only)) {
		naming.name = mark + 1;
		search_module(&naming, only);
	} else {
		for (size_t i = 0; i < module_count(subject); i++)
			search_module(&naming, i);
	}
	arena_free(&naming.arena);
	return naming.count;
}

/* Near names ----------------------------------------------------------------------------------- */

struct near_naming {
	struct text_near near;
	struct arena *arena;
	const char *best;
};

static void
offer_text(struct near_naming *naming, struct text name)
{
	const char *parameters = memchr(name.start, '(', name.length);

	if (parameters != NULL && parameters > name.start)
		name.length = (size_t)(parameters - name.start);
	if (text_near_offer(&naming->near, name))
		naming->best = text_copy(naming->arena, name);
}

static void
offer_name(void *context, const char *name, uint64_t address)
{
	struct near_naming *naming = context;

	(void)address;
	offer_text(naming, text_of(name));
}

const char *
subject_near_function(struct subject *subject, const char *name, struct arena *arena)
{
	struct near_naming naming = { .near = text_near(text_of(name)), .arena = arena };
	struct function function;

	for (size_t module = 0; module < module_count(subject); module++) {
		const struct rule_module known = subject_module(subject, module);

		for (size_t i = 0; known.symfile != NULL &&
				   symfile_function_at(known.symfile, SYMBOL_FUNC, i, &function);
		     i++)
			offer_text(&naming, function.name);
		debug_info_functions(known.binaries, module, DEBUG_NAMES_TABLES, offer_name,
				     &naming);
	}
	return naming.best;
}
