/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "cmd/cmd.h"
#include "report/stack/way.h"

static void
print_json(const struct walk *walk, const struct listing *way, int reg, bool pretty)
{
	struct json json;

	json_begin(&json, &cmd_output, pretty);
	json_object(&json, NULL);
	json_number(&json, "thread", walk->thread);
	json_string(&json, "register", walk->arch->registers[reg].label);
	json_array(&json, "frames");
	way_json(way, &json);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}

struct way_options {
	struct cmd_options common;
	const char *reg;
};

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct way_options *own = (const struct way_options *)options;
	struct walk *walk = input->walk;
	struct arena arena;
	int reg;

	if (own->reg == NULL)
		return cmd_usage(options, "'--register NAME' is missing");
	if (!cmd_find_register(walk, own->reg, &reg))
		return CMD_USAGE;
	walk_run(walk, 0);
	arena_init(&arena, 0);
	const struct listing way = way_listing(walk, reg, &arena);
	if (options->json)
		print_json(walk, &way, reg, options->pretty);
	else
		cmd_print_listing(&way);
	arena_free(&arena);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--register", 'r', "NAME", "of this register", CMD_STORE(TEXT, way_options, reg) },
};

const struct cmd_command cmd_way = {
	.name = "way", .arguments = "DUMP [SYMBOLS...]",
	.help = "print a register's way through the frames",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, way_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.run = run,
};
