/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/subject.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "binary/sframe_find.h"
#include "binary/sframes.h"
#include "dump/dump.h"
#include "symbols/records.h"

/* Opening --------------------------------------------------------------------------------------- */

static enum cmd_status
open_dump(struct subject *subject, const struct cmd_options *options, const char **paths,
	  size_t count)
{
	struct cmd_options own = *options;

	subject->kind = SUBJECT_DUMP;
	own.paths = paths;
	own.path_count = count;
	const enum cmd_status status = cmd_input_open(&subject->input, &own);
	if (status != CMD_DONE)
		return status;
	cmd_show_progress(&subject->input);
	module_map_build(&subject->modules, &subject->input.crash, &subject->policy,
			 &subject->arena);
	return CMD_DONE;
}

/* Symbol files of the program's build id, among what was named. */
static void
open_symbols(struct subject *subject, const struct cmd_options *options, const char **paths,
	     size_t count)
{
	const size_t more = options->symbol_paths.count;
	const char **all = arena_array(&subject->arena, count + more + 1, sizeof(*all));
	char *debug_id = arena_alloc(&subject->arena, BINARY_DEBUG_ID);

	if (all == NULL || debug_id == NULL || count + more == 0)
		return;
	memcpy(all, paths, count * sizeof(*all));
	if (more > 0)
		memcpy(all + count, options->symbol_paths.items, more * sizeof(*all));
	binary_debug_id(subject->binary, debug_id);
	subject->module = (struct module){
		.code_file = place_base_name(subject->path),
		.debug_file = place_base_name(subject->path),
		.debug_id = debug_id, .code_id = subject->binary->id, .version = "",
		.size = UINT64_MAX,
	};
	subject->symbols = symbols_create(&subject->module, 1, all, count + more);
}

static enum cmd_status
open_binary(struct subject *subject, const struct cmd_options *options, const char **paths,
	    size_t count)
{
	struct sframe_bytes bytes;
	struct error error = { 0 };
	const char *why_not;

	subject->kind = SUBJECT_BINARY;
	elf_symbols_read(&subject->names, subject->binary);
	if (sframe_in_binary(subject->binary, &bytes, &why_not)) {
		subject->has_sframe = sframe_open_binary(&subject->sframe, subject->binary, &bytes,
							 0, &error) == ERROR_NONE;
		if (!subject->has_sframe)
			cmd_print_error(&error, subject->path);
	}
	open_symbols(subject, options, paths + 1, count - 1);
	return CMD_DONE;
}

static enum cmd_status
open_symfile(struct subject *subject)
{
	struct error error = { 0 };

	subject->kind = SUBJECT_SYMBOLS;
	if (symfile_open(&subject->symfile, subject->path, &error) != ERROR_NONE) {
		cmd_print_error(&error, subject->path);
		return CMD_UNREADABLE;
	}
	return CMD_DONE;
}

enum cmd_status
subject_open(struct subject *subject, const struct cmd_options *options, const char **paths,
	     size_t count)
{
	struct error error = { 0 };

	*subject = (struct subject){ .path = paths[0], .policy = options->policy };
	arena_init(&subject->arena, 0);
	const enum error_code code = binary_open(&subject->binary, paths[0], &error);
	if (code == ERROR_NONE)
		return open_binary(subject, options, paths, count);
	if (code != ERROR_NOT_FOUND) {
		cmd_print_error(&error, paths[0]);
		return CMD_UNREADABLE;
	}
	if (dump_recognise(paths[0]))
		return open_dump(subject, options, paths, count);
	return open_symfile(subject);
}

void
subject_close(struct subject *subject)
{
	if (subject->kind == SUBJECT_DUMP)
		cmd_input_close(&subject->input);
	if (subject->has_sframe)
		sframe_close(&subject->sframe);
	elf_symbols_free(&subject->names);
	symbols_free(subject->symbols);
	symfile_close(subject->symfile);
	binary_close(subject->binary);
	arena_free(&subject->arena);
}

void
subject_print_messages(const struct subject *subject)
{
	enum symbols_state state;
	const struct symfile *symfile = subject->symfile;

	if (subject->kind == SUBJECT_DUMP)
		cmd_print_messages(&subject->input);
	if (subject->has_sframe)
		cmd_print_message_list(&subject->sframe.messages);
	if (subject->symbols != NULL) {
		cmd_print_message_list(symbols_messages(subject->symbols));
		symfile = symbols_peek(subject->symbols, 0, &state);
	}
	if (symfile != NULL)
		cmd_print_message_list(symfile_messages(symfile));
}

/* Addresses ------------------------------------------------------------------------------------- */

static bool
to_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 16);
	return errno == 0 && end != text && *end == '\0' && isxdigit((unsigned char)*text);
}

bool
subject_is_address(const char *text)
{
	const char *plus = strrchr(text, '+');
	uint64_t number;

	return to_number(plus != NULL ? plus + 1 : text, &number);
}

const char *
subject_module_name(const struct subject *subject, size_t module)
{
	if (subject->kind == SUBJECT_DUMP)
		return place_base_name(subject->input.crash.modules[module].code_file);
	return place_base_name(subject->path);
}

static size_t
module_count(const struct subject *subject)
{
	return subject->kind == SUBJECT_DUMP ? subject->input.crash.module_count : 1;
}

/* A module by the base name of its code or debug file; a lone one by any name. */
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

static bool
find_in_modules(const struct subject *subject, struct subject_place *place)
{
	const uint64_t base = subject->binary != NULL ? subject->binary->linked_base : 0;

	if (subject->kind != SUBJECT_DUMP) {
		place->address = place->shown >= base ? place->shown - base : place->shown;
		return place->known = true;
	}
	const int module = module_map_find(&subject->modules, place->shown);
	place->known = module != MODULE_NONE;
	if (!place->known)
		return false;
	place->module = (size_t)module;
	place->address = place->shown - subject->input.crash.modules[module].base;
	return true;
}

bool
subject_place_of(const struct subject *subject, const char *text, struct subject_place *place)
{
	const char *plus = strrchr(text, '+');

	*place = (struct subject_place){ 0 };
	if (plus == NULL)
		return to_number(text, &place->shown) && find_in_modules(subject, place);
	if (!to_number(plus + 1, &place->address) ||
	    !module_named(subject, text, (size_t)(plus - text), &place->module))
		return false;
	place->shown = place->address;
	if (subject->kind == SUBJECT_DUMP)
		place->shown += subject->input.crash.modules[place->module].base;
	return place->known = true;
}

struct rule_module
subject_module(struct subject *subject, size_t module)
{
	struct rule_module known = { .policy = &subject->policy, .parameters = -1 };

	switch (subject->kind) {
	case SUBJECT_DUMP:
		known.arch = subject->input.crash.system.arch;
		known.symfile = symbols_load(subject->input.symbols, module);
		known.sframe = sframes_load(binaries_sframes(subject->input.binaries), module);
		known.sframe_bias = subject->input.crash.modules[module].base;
		break;
	case SUBJECT_BINARY:
		known.arch = binary_arch(subject->binary);
		known.symfile = subject->symbols != NULL ? symbols_load(subject->symbols, 0)
							 : NULL;
		known.sframe = subject->has_sframe ? &subject->sframe : NULL;
		known.sframe_bias = subject->binary->linked_base;
		break;
	case SUBJECT_SYMBOLS:
		known.arch = arch_of_symbols(symfile_identity(subject->symfile).arch);
		known.symfile = subject->symfile;
		break;
	}
	return known;
}

/* Functions by name ----------------------------------------------------------------------------- */

struct naming {
	struct subject *subject;
	const char *name;
	void (*found)(void *context, const struct subject_place *place);
	void *context;
	size_t count;
};

static void
tell(struct naming *naming, size_t module, uint64_t address)
{
	struct subject_place place = { .module = module, .address = address, .shown = address,
				       .known = true };

	if (naming->subject->kind == SUBJECT_DUMP)
		place.shown += naming->subject->input.crash.modules[module].base;
	if (naming->subject->binary != NULL)
		place.shown += naming->subject->binary->linked_base;
	naming->count++;
	naming->found(naming->context, &place);
}

static void
search_symbols(struct naming *naming, size_t module, const struct symfile *symfile,
	       enum symbol_record_kind kind)
{
	const char *data = (const char *)symfile_file(symfile)->data;
	uint64_t offset;
	uint32_t length;

	for (size_t i = 0; symfile_record(symfile, kind, i, &offset, &length); i++) {
		const struct text record = { data + offset, length };
		struct function function;

		if ((kind == SYMBOL_FUNC ? record_func(record, &function)
					 : record_public(record, &function)) &&
		    demangle_is_called(function.name, text_of(naming->name)))
			tell(naming, module, function.address);
	}
}

static void
search_module(struct naming *naming, size_t module)
{
	struct subject *subject = naming->subject;
	const struct symfile *symfile = subject_module(subject, module).symfile;
	const size_t before = naming->count;

	if (symfile != NULL)
		search_symbols(naming, module, symfile, SYMBOL_FUNC);
	if (symfile != NULL && naming->count == before)
		search_symbols(naming, module, symfile, SYMBOL_PUBLIC);
	for (size_t i = 0; naming->count == before && i < subject->names.count; i++)
		if (demangle_is_called(text_of(subject->names.items[i].name), text_of(naming->name)))
			tell(naming, module,
			     subject->names.items[i].address - subject->binary->linked_base);
}

size_t
subject_functions(struct subject *subject, const char *name,
		  void (*found)(void *context, const struct subject_place *place), void *context)
{
	struct naming naming = { subject, name, found, context, 0 };
	const char *mark = strchr(name, '!');
	size_t only;

	if (mark != NULL && module_named(subject, name, (size_t)(mark - name), &only)) {
		naming.name = mark + 1;
		search_module(&naming, only);
		return naming.count;
	}
	for (size_t i = 0; i < module_count(subject); i++)
		search_module(&naming, i);
	return naming.count;
}
