/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"

enum cmd_status
cmd_policy(const struct cmd_options *options)
{
	(void)options;
	printf("%-24s %8s %8s %8s  %s\n", "policy", "breakpad", "rust", "unspool",
	       "what it decides");
	for (size_t i = 0; i < POLICY_COUNT; i++) {
		const struct policy_info *row = &policy_table[i];

		printf("%-24s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 "  %s\n", row->name,
		       row->column[POLICY_BREAKPAD], row->column[POLICY_RUST_MINIDUMP],
		       row->column[POLICY_UNSPOOL], row->sentence);
	}
	return CMD_DONE;
}
