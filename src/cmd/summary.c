/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"
#include "cmd/cmd.h"
#include "report/stack/summary.h"
#include "report/stack/walk_json.h"

static enum cmd_status
print_json(const struct cmd_options *options, struct cmd_input *input)
{
	const struct walk_json_options json = {
		.pretty = options->pretty, .summary = true, .only_thread = -1,
		.signature_rules = input->rules, .compat = options->compat,
	};

	return walk_json(&cmd_output, &input->crash, input->symbols, input->binaries,
			 &options->policy, &json)
		       ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
summary_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct crash *crash = &input->crash;
	struct walk *walk = NULL;

	if (options->json)
		return print_json(options, input);
	if (crash->requesting_thread >= 0) {
		walk = cmd_walk_thread(input, options, (size_t)crash->requesting_thread);
		if (walk == NULL)
			return cmd_out_of_memory();
	}
	struct analysis *analysis =
		analysis_create(crash, walk, input->binaries, input->rules);
	if (analysis != NULL)
		summary_print(&cmd_output, analysis, walk);
	const enum cmd_status status = analysis != NULL ? CMD_DONE : cmd_out_of_memory();
	analysis_free(analysis);
	walk_free(walk);
	return status;
}

const struct cmd_command cmd_summary = {
	.name = "summary", .arguments = "DUMP [SYMBOLS...]",
	.help = "print what happened, where and why, with the evidence",
	.least = 1, .needs = CMD_NEEDS_INPUT,
	.groups = (CMD_GROUPS_OF_WALK & ~CMD_GROUP_THREAD) | CMD_GROUP_SIGNATURE | CMD_GROUP_JSON,
	.document = summary_document_facts,
	.run = summary_run,
};
