/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/stack/stack.h"

struct history_options {
	struct cmd_options common;
	const char *reg;
};

static enum cmd_status
register_history_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct history_options *own = (const struct history_options *)options;
	struct walk *walk = input->walk;
	struct arena arena = { 0 };
	int reg;

	if (own->reg == NULL)
		return cmd_usage(options, "'--register NAME' is missing");
	if (!cmd_find_register(walk, own->reg, &reg))
		return CMD_USAGE;
	walk_run(walk, 0);
	const struct listing history = register_history_listing(walk, reg, &arena);
	if (options->json)
		CMD_DOCUMENT(options, register_history, &history);
	else
		cmd_print_listing(history);
	arena_free(&arena);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--register", 'r', "NAME", "the register, such as rbx",
	  CMD_STORE(TEXT, history_options, reg) },
};

const struct cmd_command cmd_register_history = {
	.name = "register-history", .arguments = "DUMP [SYMBOLS...]",
	.help = "print the history of a register through the frames",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, history_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.document = register_history_facts, .run = register_history_run,
};
