/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/around.h"
#include "report/stack/way.h"

static void
print_json(const struct walk *walk, const struct listing *way, int reg, bool pretty)
{
	const struct output output = cmd_output();
	struct json json;

	json_begin(&json, &output, pretty);
	json_object(&json, NULL);
	json_number(&json, "thread", walk->thread);
	json_string(&json, "register", walk->arch->registers[reg].label);
	json_array(&json, "frames");
	way_json(way, &json);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}

static enum cmd_status
print_way(struct walk *walk, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct arena arena;
	int reg;

	if (!cmd_find_register(walk, options, &reg))
		return CMD_USAGE;
	walk_run(walk, 0);
	arena_init(&arena, 0);
	const struct listing way = way_listing(walk, reg, &arena);
	if (options->json)
		print_json(walk, &way, reg, options->pretty);
	else
		cmd_print_listing(&output, &way);
	arena_free(&arena);
	return CMD_DONE;
}

enum cmd_status
cmd_way(const struct cmd_options *options)
{
	if (options->reg != NULL)
		return cmd_on_walk(options, print_way);
	fprintf(stderr, "unspool: 'way' wants '--register NAME'\n");
	return CMD_USAGE;
}
