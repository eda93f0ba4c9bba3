/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "system/config.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/servers.h"
#include "ui/explorer.h"

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
	fprintf(stderr, "unspool: --size wants COLUMNSxROWS up to 1000, not '%s'\n", text);
	return false;
}

/* Texts of the explorer are safe for a terminal. */
static void
complain(const char *text)
{
	fflush(stdout);
	fprintf(stderr, "unspool: %s\n", text);
}

/* A list with more at its end; the caller frees its items. */
static bool
extend(struct cmd_list *list, const char *const *more, size_t count)
{
	const char **items = calloc(list->count + count + 1, sizeof(*items));

	if (items == NULL)
		return false;
	for (size_t i = 0; i < list->count; i++)
		items[i] = list->items[i];
	for (size_t i = 0; i < count; i++)
		items[list->count + i] = more[i];
	*list = (struct cmd_list){ items, list->count + count };
	return true;
}

/* How the modules' own files are opened. */
struct opening {
	const struct cmd_options *options;
	struct debuginfod *servers;	/* NULL: none */
};

/* Open the modules' own files as at the start, with more places. */
static struct binaries *
open_binaries(const void *context, const struct crash *crash, const char *const *more, size_t count)
{
	const struct opening *opening = context;
	struct cmd_options with = *opening->options;
	const struct cmd_list before = with.more_binaries;
	struct binaries *binaries = NULL;

	if (extend(&with.more_binaries, more, count))
		binaries = cmd_binaries_open_again(crash, &with, opening->servers);
	if (with.more_binaries.items != before.items)
		free(with.more_binaries.items);
	return binaries;
}

/* `other` is the dump of --against, or NULL. */
static enum cmd_status
run(struct cmd_input *input, const struct cmd_input *other, const struct opening *opening,
    struct config *config)
{
	const struct cmd_options *options = opening->options;
	const struct explorer_other beside = {
		.crash = other != NULL ? &other->crash : NULL,
		.symbols = other != NULL ? other->symbols : NULL,
		.binaries = other != NULL ? other->binaries : NULL,
	};
	const struct fetch_options fetch = cmd_servers_later(input, options);
	const struct output output = cmd_output();
	bool failed = false;
	struct explorer_options explorer = {
		.crash = &input->crash,
		.symbols = input->symbols,
		.binaries = input->binaries,
		.open_binaries = open_binaries,
		.binaries_context = opening,
		.fetch = &fetch,
		.other = other != NULL ? &beside : NULL,
		.policy = options->policy,
		.compat = options->compat,
		.source_maps = options->source_maps.items,
		.source_map_count = options->source_maps.count,
		.color = options->color,
		.ascii = options->ascii,
		.script = options->script,
		.record = options->record,
		.plain = options->plain,
		.no_state = options->no_state,
		.config = config,
		.output = &output,
		.complain = complain,
		.failed = &failed,
	};
	struct error error = { 0 };

	if (!parse_size(options->size, &explorer.columns, &explorer.rows))
		return CMD_USAGE;
	if (explorer_run(&explorer, &error) == ERROR_NONE)
		return failed ? CMD_FINDINGS : CMD_DONE;
	cmd_print_error(&error, options->script != NULL ? options->script : "terminal");
	return CMD_UNREADABLE;
}

static enum error_code
read_config(struct config *config, const struct cmd_options *options, struct error *error)
{
	char buffer[4096];
	const char *path = options->no_config	       ? NULL
			   : options->config != NULL   ? options->config
						       : config_path(buffer, sizeof(buffer));

	*config = (struct config){ 0 };
	return path == NULL ? ERROR_NONE
			    : config_read(config, path, options->config != NULL, error);
}

/*
 * What the configuration file says stands behind what the command line says; for symbols the
 * environment comes between the two.
 */
static bool
add_config(struct cmd_options *options, const struct config *config)
{
	const char *environment = getenv("UNSPOOL_SYMBOLS");
	const bool served = options->symbol_urls.count == 0 && getenv("UNSPOOL_SYMBOLS_URL") != NULL;
	const bool other = options->path_count < 2 && options->symbol_paths.count == 0 &&
			   environment != NULL && environment[0] != '\0';

	options->system_binaries |= config->system_binaries == CONFIG_ON;
	if (config->demangle != CONFIG_UNSAID && !options->policy_set[POLICY_DEMANGLE] &&
	    options->compat == POLICY_UNSPOOL)
		options->policy.value[POLICY_DEMANGLE] = config->demangle == CONFIG_ON;
	if (extend(&options->symbol_paths, config->symbols.items, other ? 0 : config->symbols.count) &&
	    extend(&options->symbol_urls, config->symbol_urls.items,
		   served ? 0 : config->symbol_urls.count) &&
	    extend(&options->more_binaries, config->binaries.items, config->binaries.count) &&
	    extend(&options->source_maps, config->source_maps.items, config->source_maps.count))
		return true;
	fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
	return false;
}

static enum cmd_status
open_and_run(const struct cmd_options *options, struct config *config)
{
	const bool both = options->against != NULL;
	struct symbols_cache *cache = both ? symbols_cache_create() : NULL;
	struct cmd_input input, other = { 0 };

	enum cmd_status status = cmd_input_open_shared(&input, options, cache);
	if (status == CMD_DONE && both)
		status = cmd_open_other(&other, options, cache);
	const struct opening opening = {
		.options = options,
		.servers = cache != NULL ? symbols_cache_debuginfod(cache) : input.debuginfod,
	};
	if (status == CMD_DONE)
		status = run(&input, both ? &other : NULL, &opening, config);
	if (status == CMD_DONE)
		status = cmd_finish(&input, options);
	cmd_input_close(&input);
	if (both)
		cmd_input_close(&other);
	symbols_cache_free(cache);
	return status;
}

enum cmd_status
cmd_explore(const struct cmd_options *options)
{
	struct cmd_options with = *options;
	struct config config;
	struct error error = { 0 };
	enum cmd_status status;

	if (options->script == NULL && !options->plain && !isatty(STDOUT_FILENO))
		return cmd_walk(options);
	if (read_config(&config, options, &error) != ERROR_NONE) {
		cmd_print_error(&error, options->config != NULL ? options->config
								: "configuration");
		status = CMD_UNREADABLE;
	} else if (!add_config(&with, &config)) {
		status = CMD_UNREADABLE;
	} else {
		status = open_and_run(&with, &config);
	}
	if (with.symbol_paths.items != options->symbol_paths.items)
		free(with.symbol_paths.items);
	if (with.more_binaries.items != options->more_binaries.items)
		free(with.more_binaries.items);
	if (with.symbol_urls.items != options->symbol_urls.items)
		free(with.symbol_urls.items);
	if (with.source_maps.items != options->source_maps.items)
		free(with.source_maps.items);
	config_free(&config);
	return status;
}
