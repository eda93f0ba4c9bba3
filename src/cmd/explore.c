/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/policy_rows.h"
#include "cmd/explore.h"
#include "locate/symbol_path.h"
#include "system/config.h"
#include "system/directory.h"

static bool
parse_size(const char *text, unsigned *columns, unsigned *rows)
{
	char end;

	*columns = 80;
	*rows = 24;
	if (text == NULL)
		return true;
	if (sscanf(text, "%ux%u%c", columns, rows, &end) == 2 && *columns > 0 && *rows > 0 &&
	    *columns <= 1000 && *rows <= 1000)
		return true;
	cmd_say("--size is COLUMNSxROWS, each up to 1000, not '%s'", text);
	return false;
}

/* The explorer's texts are already safe for a terminal. */
static void
explore_complain(const char *text)
{
	cmd_say("%s", text);
}

/* A copy of a list with more items appended. */
static bool
extend(struct arena *arena, struct cmd_list *list, const char *const *more, size_t count)
{
	const char **items = arena_array(arena, list->count + count, sizeof(*items));

	if (items == NULL)
		return false;
	for (size_t i = 0; i < list->count + count; i++)
		items[i] = i < list->count ? list->items[i] : more[i - list->count];
	*list = (struct cmd_list){ items, list->count + count };
	return true;
}

/* The dump and the dump of --against. */
struct dumps {
	struct cmd_input input, other;
	struct explorer_other beside;	/* `other` in the form that the explorer needs */
};

/* The dumps that are shown, and the dumps that were shown before the last reload or change. */
struct reopening {
	const struct explore_options *own;
	struct symbols_cache *cache;
	struct dumps *shown, *spare;
	struct cmd_list list;		/* paths that :dump opens */
};

/* Open the modules' files as at the start, and also search further places. */
static struct binaries *
open_binaries(const void *context, const struct crash *crash, const char *const *more, size_t count)
{
	const struct reopening *reopening = context;
	struct cmd_options with = reopening->own->common;
	struct binaries *binaries = NULL;
	struct arena arena = { 0 };

	bool good = true;
	for (size_t i = 0; good && i < count; i++)
		good = extend(&arena, symbol_path_recognise(more[i]) ? &with.more_servers
								     : &with.more_binaries,
			      &more[i], 1);
	if (good)
		binaries = cmd_binaries_open(crash, &with, &reopening->shown->input);
	arena_free(&arena);
	return binaries;
}

static void
close_dumps(struct dumps *dumps)
{
	cmd_input_close(&dumps->input);
	cmd_input_close(&dumps->other);
	*dumps = (struct dumps){ 0 };
}

/* Open the dumps. Stores the reason of a failure in `error`, or prints it if `error` is NULL. */
static enum cmd_status
open_dumps(struct dumps *dumps, const struct explore_options *own, struct symbols_cache *cache,
	   struct error *error)
{
	const struct cmd_options *options = &own->common;
	struct error failed = { 0 };
	enum cmd_status status =
		own->open != NULL ? own->open(&dumps->input, own, error != NULL ? error : &failed)
				  : cmd_input_open(&dumps->input, options, options->paths[0], cache,
						   error);

	if (failed.code != ERROR_NONE)
		cmd_print_error(&failed, options->paths[0]);
	if (status == CMD_DONE && options->against != NULL)
		status = cmd_input_open(&dumps->other, options, options->against, cache, error);
	dumps->beside = (struct explorer_other){
		.crash = &dumps->other.crash,
		.symbols = dumps->other.symbols,
		.binaries = dumps->other.binaries,
	};
	return status;
}

/* Open a dump of the list and the dump of --against in their present state. */
static enum error_code
open_again(void *context, struct explorer_options *explorer, struct error *error)
{
	struct reopening *reopening = context;
	struct dumps *next = reopening->spare;

	close_dumps(next);
	if (explorer->dump < reopening->list.count)
		reopening->own->common.paths[0] = reopening->list.items[explorer->dump];
	if (open_dumps(next, reopening->own, reopening->cache, error) != CMD_DONE) {
		close_dumps(next);
		return error->code != ERROR_NONE ? error->code : error_memory(error);
	}
	explorer->crash = &next->input.crash;
	explorer->symbols = next->input.symbols;
	explorer->binaries = next->input.binaries;
	explorer->fetch = &next->input.fetch;
	explorer->signature_rules = next->input.rules;
	explorer->other = reopening->own->common.against != NULL ? &next->beside : NULL;
	reopening->spare = reopening->shown;
	reopening->shown = next;
	return ERROR_NONE;
}

static enum cmd_status
explore(struct reopening *reopening, struct config *config)
{
	struct cmd_input *input = &reopening->shown->input;
	const struct explore_options *own = reopening->own;
	const struct cmd_options *options = &own->common;
	struct explorer_options explorer = own->explorer;
	struct error error = { 0 };
	bool failed = false;

	explorer.crash = &input->crash;
	explorer.symbols = input->symbols;
	explorer.binaries = input->binaries;
	explorer.open_binaries = open_binaries;
	explorer.binaries_context = reopening;
	explorer.dumps = reopening->list.items;
	explorer.dump_count = reopening->list.count;
	/* The newest dump of a directory is the last in the list. */
	explorer.dump = directory_exists(options->paths[0]) ? reopening->list.count - 1 : 0;
	explorer.open_again = open_again;
	explorer.set_address = own->set_address;
	explorer.address_context = own->open_context;
	explorer.open_context = reopening;
	explorer.fetch = &input->fetch;
	explorer.other = options->against != NULL ? &reopening->shown->beside : NULL;
	explorer.policy = options->policy;
	explorer.compat = options->compat;
	explorer.signature_rules = input->rules;
	explorer.source_maps = options->source_maps.items;
	explorer.source_map_count = options->source_maps.count;
	explorer.arguments = options->arguments.items;
	explorer.argument_count = options->arguments.count;
	explorer.config = config;
	if (explorer.output == NULL)
		explorer.output = &cmd_output;
	if (explorer.complain == NULL)
		explorer.complain = explore_complain;
	explorer.failed = &failed;
	explorer.color = options->color;
	if (!parse_size(own->size, &explorer.columns, &explorer.rows))
		return CMD_USAGE;
	if (explorer_run(&explorer, &error) == ERROR_NONE)
		return failed ? CMD_FINDINGS : CMD_DONE;
	/* Without a script the error needs no prefix: it names the terminal or a file. */
	return cmd_print_error(&error, explorer.script != NULL ? explorer.script : explorer.play);
}

/*
 * Append the settings of the configuration file to those of the command line. For symbols, the
 * settings of the environment are between them.
 */
static bool
add_config(struct arena *arena, struct cmd_options *options, const struct config *config)
{
	const char *environment = getenv("UNSPOOL_SYMBOLS");
	const bool served = options->symbol_urls.count == 0 && getenv(
		"UNSPOOL_SYMBOLS_URL") != NULL;
	const bool other = options->path_count < 2 && options->symbol_paths.count == 0 &&
			   environment != NULL && environment[0] != '\0';

	if (options->signature_rules == NULL && config->signature_rules.count > 0)
		options->signature_rules =
			config->signature_rules.items[config->signature_rules.count - 1];
	options->system_binaries |= config->system_binaries == CONFIG_ON;
	options->no_system_binaries |= config->system_binaries == CONFIG_OFF;
	options->offline |= config->offline == CONFIG_ON;
	options->follow_pointers |= config->follow_pointers == CONFIG_ON;
	if (config->demangle != CONFIG_UNSAID && !options->policy_set[POLICY_DEMANGLE] &&
	    options->compat == POLICY_UNSPOOL)
		options->policy.value[POLICY_DEMANGLE] = config->demangle == CONFIG_ON;
	return extend(arena, &options->symbol_paths, config->symbols.items,
		      other ? 0 : config->symbols.count) &&
	       extend(arena, &options->symbol_urls, config->symbol_urls.items,
		      served ? 0 : config->symbol_urls.count) &&
	       extend(arena, &options->more_binaries, config->binaries.items,
		      config->binaries.count) &&
	       extend(arena, &options->source_maps, config->source_maps.items,
		      config->source_maps.count);
}

static enum cmd_status
open_and_explore(const struct explore_options *own, struct config *config)
{
	const struct cmd_options *options = &own->common;
	struct dumps first = { 0 }, second = { 0 };
	struct explore_options one = *own;
	struct reopening reopening = { .own = &one, .shown = &first, .spare = &second };
	struct cmd_list paths = { 0 };
	struct arena arena = { 0 };

	if (own->open == NULL) {
		if (!cmd_sort_paths(options, 1, &arena, &reopening.list, &paths)) {
			arena_free(&arena);
			return cmd_out_of_memory();
		}
		paths.items[0] = options->paths[0];
		one.common.paths = paths.items;
		one.common.path_count = paths.count;
	}
	if (options->against != NULL || reopening.list.count > 1)
		reopening.cache = symbols_cache_create();
	enum cmd_status status = open_dumps(&first, &one, reopening.cache, NULL);
	if (status == CMD_DONE)
		status = explore(&reopening, config);
	if (status == CMD_DONE)
		status = cmd_finish(&reopening.shown->input, options);
	close_dumps(&first);
	close_dumps(&second);
	symbols_cache_free(reopening.cache);
	arena_free(&arena);
	return status;
}

enum cmd_status
cmd_explore_with(const struct explore_options *options)
{
	struct explore_options own = *options;
	struct config config = { 0 };
	static const char name[] = "copy-command ";
	const char *copy_command = NULL;
	struct error error = { 0 };
	enum cmd_status status;
	struct arena arena = { 0 };

	if (own.explorer.script == NULL && own.explorer.script_text == NULL &&
	    !own.explorer.plain && !isatty(STDOUT_FILENO))
		return cmd_sandbox(&own.common, NULL, false) ? cmd_walk_plainly(&own.common)
							     : CMD_INCOMPLETE;
	const char *path = own.no_config	? NULL
			   : own.config != NULL ? own.config
						: directory_of_user(&arena, DIRECTORY_CONFIG,
								    "unspool/config");
	if (path != NULL &&
	    config_read(&config, path, own.config != NULL, &error) != ERROR_NONE) {
		status = cmd_print_error(&error, path);
	} else if (!add_config(&arena, &own.common, &config)) {
		status = cmd_out_of_memory();
	} else {
		if (own.common.sandbox == NULL && config.sandbox == CONFIG_OFF)
			own.common.sandbox = "off";
		/*
		 * Only the configured program is used for copies, because a program that
		 * is typed later cannot be run.
		 */
		for (size_t i = 0; i < config.line_count; i++)
			if (strcmp(config.lines[i].word, "set") == 0 &&
			    strncmp(config.lines[i].rest, name, sizeof(name) - 1) == 0)
				copy_command = config.lines[i].rest + sizeof(name) - 1;
		status = cmd_sandbox(&own.common, copy_command, true)
				 ? open_and_explore(&own, &config) : CMD_INCOMPLETE;
	}
	arena_free(&arena);
	config_free(&config);
	return status;
}

static enum cmd_status
explore_run(const struct cmd_options *options)
{
	struct explore_options own = *(const struct explore_options *)options;
	struct error error = { 0 };
	struct explorer_options *explorer = &own.explorer;

	if (explorer->at != NULL && explorer_check_place(explorer->at, &error) != ERROR_NONE)
		return cmd_usage(options, "--at: %s", error.text);
	if (explorer->play != NULL && (explorer->script != NULL || explorer->record != NULL))
		return cmd_usage(options, "--play takes neither --script nor --record");
	explorer->plain |= explorer->play != NULL && !isatty(STDOUT_FILENO);
	return cmd_explore_with(&own);
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, explore_options, member)
	{ "--ascii", 0, NULL, "", STORE(FLAG, explorer.ascii) },
	{ "--at", 0, "PLACE", "begin at a place, as :at prints it", STORE(TEXT, explorer.at) },
	{ "--lesson", 0, "DIR", "", STORE(TEXT, explorer.lesson) },
	{ "--script", 0, "FILE", "take keys and commands from FILE (--size 80x24)",
	  STORE(TEXT, explorer.script) },
	{ "--play", 0, "FILE", "play FILE on the screen, forwards and backwards",
	  STORE(TEXT, explorer.play) },
	{ "--plain", 0, NULL, "no screen: read commands and print rows",
	  STORE(FLAG, explorer.plain) },
	{ "--record", 0, "FILE", "write the session to FILE, for --script and --play",
	  STORE(OUTPUT, explorer.record) },
	{ "--config", 0, "FILE", "read FILE, not unspool/config (--no-config: none)",
	  STORE(TEXT, config) },
	{ "--no-config", 0, NULL, "", STORE(FLAG, no_config) },
	{ "--no-state", 0, NULL, "do not save the state of this session",
	  STORE(FLAG, explorer.no_state) },
	{ "--size", 0, "COLUMNSxROWS", "", STORE(TEXT, size) },
	/* Hidden, because the help must fit on a screen. */
	{ "--binaries", 0, "PLACE", "directory or server with programs, libraries, PDBs",
	  CMD_STORE(LIST, cmd_options, binaries) },
	{ "--system-binaries", 0, NULL, "", CMD_STORE(FLAG, cmd_options, system_binaries) },
	{ "--signature-rules", 0, "FILE", "", CMD_STORE(TEXT, cmd_options, signature_rules) },
	{ "--version", 'V', NULL, "print the version and what is built in",
	  CMD_STORE(FLAG, cmd_options, show_version) },
};

const struct cmd_command cmd_explore = {
	.name = "explore", .arguments = "DUMP... [SYMBOLS...]",
	.help = "open the explorer; without a terminal, print the walk",
	.least = 1, CMD_OWN(own_options, explore_options),
	.groups = (CMD_GROUPS_OF_WALK & ~(CMD_GROUP_THREAD | CMD_GROUP_STRICT)) |
		  CMD_GROUP_SIGNATURE | CMD_GROUP_AGAINST | CMD_GROUP_SOURCE | CMD_GROUP_FOREIGN,
	.guard = CMD_GUARD_OWN, .run_alone = explore_run, .interactive = true,
};
