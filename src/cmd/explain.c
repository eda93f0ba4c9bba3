/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/step/explain.h"
#include "report/markdown.h"

static enum cmd_status
explain_frames(struct walk *walk, const struct cmd_options *options)
{
	struct explain_options explain = { .reg = ARCH_NO_REGISTER };
	const struct output output = cmd_output();
	struct step_view view;
	size_t frame;

	if (options->reg != NULL && !cmd_find_register(walk, options, &explain.reg))
		return CMD_USAGE;
	if (!cmd_find_frame(walk, options, &frame))
		return CMD_USAGE;
	if (options->all_methods) {
		if (options->json)
			explain_methods_json(&output, walk, frame, options->pretty);
		else
			explain_methods(&output, walk, frame);
		return CMD_DONE;
	}
	step_view_make(&view, walk, frame);
	if (options->json)
		explain_step_json(&output, &view, options->pretty);
	else if (options->markdown)
		markdown_step(&output, &view);
	else
		explain_step(&output, &view, &explain);
	step_view_free(&view);
	return CMD_DONE;
}

enum cmd_status
cmd_explain(const struct cmd_options *options)
{
	return cmd_on_walk(options, explain_frames);
}
