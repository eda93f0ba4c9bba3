/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/memory/thread_block_report.h"

static enum cmd_status
teb_run(const struct cmd_options *options, struct cmd_input *input)
{
	struct arena arena = { 0 };

	if (input->crash.system.os != CRASH_OS_WINDOWS) {
		cmd_say("only threads of Windows have such a block (TEB)");
		return CMD_UNREADABLE;
	}
	if (input->walk == NULL) {
		cmd_say("the dump has no threads");
		return CMD_UNREADABLE;
	}
	walk_run(input->walk, 0);
	struct thread_report *report =
		thread_report_make(input->around, input->walk->thread, input->walk, &arena);
	if (report == NULL)
		return cmd_out_of_memory();
	if (options->json)
		CMD_DOCUMENT(options, thread_block, report);
	else
		cmd_print_listing(thread_report_listing(report, 0));
	arena_free(&arena);
	return CMD_DONE;
}

const struct cmd_command cmd_teb = {
	.name = "teb", .arguments = "DUMP [SYMBOLS...]",
	.help = "print the TEB, the PEB and the exception handlers of Windows",
	.least = 1, .needs = CMD_NEEDS_SURROUNDINGS,
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.document = thread_block_facts, .run = teb_run,
};
