/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"

static enum cmd_status
run(const struct cmd_options *options)
{
	enum policy_row named;

	if (options->path_count == 0)
		printf("%-24s %8s %8s %8s  %s\n", "policy", "breakpad", "rust", "unspool",
		       "what it decides");
	for (size_t i = 0; options->path_count == 0 && i < POLICY_COUNT; i++) {
		const struct policy_info *row = &policy_table[i];

		printf("%-24s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 "  %s\n", row->name,
		       row->column[POLICY_BREAKPAD], row->column[POLICY_RUST_MINIDUMP],
		       row->column[POLICY_UNSPOOL], row->sentence);
	}
	for (size_t i = 0; i < options->path_count; i++) {
		if (!policy_row_named(options->paths[i], &named)) {
			cmd_say("unknown policy '%s'; 'unspool policy' lists them",
				options->paths[i]);
			return CMD_USAGE;
		}
		const struct policy_info *row = &policy_table[named];

		printf("%s: %s\n", row->name, row->sentence);
		printf("  breakpad %" PRIu32 ", rust-minidump %" PRIu32 ", unspool %" PRIu32 "\n",
		       row->column[POLICY_BREAKPAD], row->column[POLICY_RUST_MINIDUMP],
		       row->column[POLICY_UNSPOOL]);
		printf("  why: %s\n", policy_table[named].why);
	}
	return CMD_DONE;
}

const struct cmd_command cmd_policy = {
	.name = "policy", .arguments = "[NAME...]",
	.help = "print the known differences between walkers, with reasons",
	.run_alone = run,
};
