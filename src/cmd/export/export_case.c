/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/step/export_case.h"

struct export_options {
	struct cmd_options common;
	const char *output;		/* a directory */
};

static enum cmd_status
export_case_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct export_options *own = (const struct export_options *)options;
	struct case_export result = { 0 };
	struct error error = { 0 };
	size_t frame;

	if (own->output == NULL)
		return cmd_usage(options, "'--output DIR' is missing");
	if (!cmd_find_frame(input->walk, options, &frame))
		return CMD_USAGE;
	const enum cmd_status lacks = cmd_lacks(own->output);
	if (lacks != CMD_DONE)
		return lacks;
	if (case_export(input->walk, frame, own->output, &result, &error) != ERROR_NONE)
		return cmd_print_error(&error, own->output);
	cmd_print("%s: frame %zu, %zu word%s of memory, %zu record%s", own->output, frame,
		  result.words, plural(result.words), result.records,
		  plural(result.records));
	if (result.same) {
		cmd_print("the case gives the same caller");
		return CMD_DONE;
	}
	cmd_print("the case gives another result: %s", result.found);
	return CMD_FINDINGS;
}

static const struct cmd_option own_options[] = {
	{ "--frame", 'f', "N", "the step from frame N (inlined calls not counted)",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--output", 'o', "DIR", "the directory to "
				  "make", CMD_STORE(OUTPUT, export_options, output) },
};

const struct cmd_command cmd_export_case = {
	.name = "export-case", .arguments = "DUMP [SYMBOLS...]",
	.help = "write one step as a minimal dump and symbol file",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, export_options),
	.groups = CMD_GROUPS_OF_WALK,
	.run = export_case_run,
};
