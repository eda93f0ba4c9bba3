/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
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

static enum cmd_status
run(const struct cmd_input *input, const struct cmd_options *options)
{
	struct explorer_options explorer = {
		.crash = &input->crash,
		.symbols = input->symbols,
		.binaries = input->binaries,
		.policy = options->policy,
		.compat = options->compat,
		.source_maps = options->source_maps.items,
		.source_map_count = options->source_maps.count,
		.color = options->color,
		.ascii = options->ascii,
		.script = options->script,
	};
	struct error error = { 0 };

	if (!parse_size(options->size, &explorer.columns, &explorer.rows))
		return CMD_USAGE;
	if (explorer_run(&explorer, &error) == ERROR_NONE)
		return CMD_DONE;
	cmd_print_error(&error, options->script != NULL ? options->script : "terminal");
	return CMD_UNREADABLE;
}

enum cmd_status
cmd_explore(const struct cmd_options *options)
{
	struct cmd_input input;

	if (options->script == NULL && !isatty(STDOUT_FILENO))
		return cmd_walk(options);
	enum cmd_status status = cmd_input_open(&input, options);
	if (status == CMD_DONE)
		status = run(&input, options);
	if (status == CMD_DONE)
		status = cmd_finish(&input, options);
	cmd_input_close(&input);
	return status;
}
