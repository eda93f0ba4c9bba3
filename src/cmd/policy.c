/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"

static void
print_table(void)
{
	printf("%-24s %8s %8s %8s  %s\n", "policy", "breakpad", "rust", "unspool",
	       "what it decides");
	for (size_t i = 0; i < POLICY_COUNT; i++) {
		const struct policy_info *row = &policy_table[i];

		printf("%-24s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 "  %s\n", row->name,
		       row->column[POLICY_BREAKPAD], row->column[POLICY_RUST_MINIDUMP],
		       row->column[POLICY_UNSPOOL], row->sentence);
	}
}

static void
print_row(enum policy_row row)
{
	const struct policy_info *info = &policy_table[row];

	printf("%s: %s\n", info->name, info->sentence);
	printf("  breakpad %" PRIu32 ", rust-minidump %" PRIu32 ", unspool %" PRIu32 "\n",
	       info->column[POLICY_BREAKPAD], info->column[POLICY_RUST_MINIDUMP],
	       info->column[POLICY_UNSPOOL]);
	printf("  why: %s\n", policy_why(row));
}

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *none)
{
	enum policy_row row;

	(void)none;
	if (options->path_count == 0)
		print_table();
	for (size_t i = 0; i < options->path_count; i++) {
		if (!policy_row_named(options->paths[i], &row)) {
			cmd_say("unknown policy '%s'; 'unspool policy' lists them",
				options->paths[i]);
			return CMD_USAGE;
		}
		print_row(row);
	}
	return CMD_DONE;
}

const struct cmd_command cmd_policy = {
	.name = "policy", .arguments = "[NAME...]",
	.help = "print the known differences between walkers, with reasons",
	.run = run,
};
