/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analysis/signature_rules.h"
#include "base/policy_rows.h"
#include "cmd/cmd.h"

static void
print_row(enum policy_row row, const char *format)
{
	const uint32_t *column = policy_table[row].column;

	printf(format, policy_table[row].name, policy_say(row, column[POLICY_BREAKPAD]).text,
	       policy_say(row, column[POLICY_RUST_MINIDUMP]).text,
	       policy_say(row, column[POLICY_UNSPOOL]).text, policy_table[row].sentence,
	       policy_table[row].why);
}

/* Print the versions of the programs that the columns of the table describe. */
static void
print_versions(void)
{
	printf("\nbreakpad: minidump_stackwalk of the npm package minidump 0.26.0\n"
	       "rust: rust-minidump 0.26.1 and the changes up to its commit 98a5141f\n");
}

struct policy_command {
	struct cmd_options common;
	bool signature_rules;
};

static enum cmd_status
policy_run(const struct cmd_options *options)
{
	const struct policy_command *own = (const struct policy_command *)options;
	enum policy_row named;

	if (own->signature_rules) {
		signature_rules_write(&cmd_output);
		return CMD_DONE;
	}
	if (options->path_count == 0)
		printf("%-24s %8s %8s %8s  %s\n", "policy", "breakpad", "rust", "unspool",
		       "what it decides");
	for (unsigned i = 0; options->path_count == 0 && i < POLICY_COUNT; i++)
		print_row((enum policy_row)i, "%-24s %8s %8s %8s  %s\n");
	if (options->path_count == 0)
		print_versions();
	for (size_t i = 0; i < options->path_count; i++) {
		if (!policy_row_named(options->paths[i], &named)) {
			cmd_say("unknown policy '%s'; 'unspool policy' lists them",
				options->paths[i]);
			return CMD_USAGE;
		}
		print_row(named, "%1$s: %5$s\n  breakpad %2$s, rust-minidump %3$s, unspool %4$s\n"
				 "  why: %6$s\n");
	}
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--print-rules", 0, NULL, "print the rules that make signatures",
	  CMD_STORE(FLAG, policy_command, signature_rules) },
};

const struct cmd_command cmd_policy = {
	.name = "policy", .arguments = "[NAME...]",
	.help = "print the known differences between walkers, with reasons",
	CMD_OWN(own_options, policy_command),
	.run_alone = policy_run,
};
