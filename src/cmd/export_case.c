/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/step/export_case.h"

static enum cmd_status
export_step(struct walk *walk, const struct cmd_options *options)
{
	struct case_export result;
	struct error error = { 0 };
	size_t frame;

	if (options->output == NULL) {
		fprintf(stderr, "unspool: 'export-case' wants a directory to make: '-o DIR'\n");
		return CMD_USAGE;
	}
	if (!cmd_find_frame(walk, options, &frame))
		return CMD_USAGE;
	if (case_export(walk, frame, options->output, &result, &error) != ERROR_NONE) {
		cmd_print_error(&error, options->output);
		return CMD_UNREADABLE;
	}
	printf("%s: frame %zu, %zu word%s of memory, %zu record%s\n", options->output, frame,
	       result.words, result.words == 1 ? "" : "s", result.records,
	       result.records == 1 ? "" : "s");
	if (result.same) {
		printf("the case gives the same caller\n");
		return CMD_DONE;
	}
	printf("the case alone gives something else: %s\n", result.found);
	return CMD_FINDINGS;
}

enum cmd_status
cmd_export_case(const struct cmd_options *options)
{
	return cmd_on_walk(options, export_step);
}
