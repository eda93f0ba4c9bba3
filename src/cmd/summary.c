/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "report/stack/summary.h"

static enum cmd_status
print_summary(const struct cmd_input *input, const struct cmd_options *options)
{
	const struct crash *crash = &input->crash;
	const struct output output = cmd_output();
	struct walk *walk = NULL;
	bool found = crash->requesting_thread >= 0;

	if (found) {
		walk = walk_create(crash, input->symbols, input->binaries,
				   (size_t)crash->requesting_thread, &options->policy);
		if (walk == NULL) {
			fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
			return CMD_UNREADABLE;
		}
		walk_run(walk, 0);
	}
	struct analysis *analysis = analysis_create(crash, walk, input->binaries);
	if (analysis != NULL)
		summary_print(&output, analysis, walk);
	else
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
	bool good = analysis != NULL;
	analysis_free(analysis);
	walk_free(walk);
	return good ? CMD_DONE : CMD_UNREADABLE;
}

enum cmd_status
cmd_summary(const struct cmd_options *options)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options);

	if (status == CMD_DONE)
		cmd_show_progress(&input);
	if (status == CMD_DONE) {
		status = print_summary(&input, options);
		status = cmd_answered(&input, options, status);
	}
	cmd_input_close(&input);
	return status;
}
