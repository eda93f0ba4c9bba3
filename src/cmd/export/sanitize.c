/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/cmd.h"
#include "report/sanitize/sanitize.h"

struct sanitize_command {
	struct cmd_options common;
	const char *output;		/* path of the copy */
	unsigned parts;
	bool absent, list;
};

static enum cmd_status
sanitize_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct sanitize_command *own = (const struct sanitize_command *)options;
	const struct sanitize_options what = { .parts = own->parts, .absent = own->absent,
					       .policy = options->policy, .rules = input->rules };
	enum cmd_status status = CMD_DONE;
	struct sanitized sanitized;
	struct error error = { 0 };

	if (own->output == NULL)
		return cmd_usage(options, "'--output FILE' is missing");
	const bool made = sanitize(&sanitized, &input->crash, input->symbols, input->binaries,
				   &what, &error) == ERROR_NONE;
	if (made && cmd_lacks(own->output) != CMD_DONE) {
		status = CMD_INCOMPLETE;
	} else if (!made || dump_image_save(&sanitized.image, own->output, &error) != ERROR_NONE) {
		status = cmd_print_error(&error, own->output);
	} else if (options->json) {
		CMD_DOCUMENT(options, sanitized, &sanitized, own->output);
	} else {
		sanitize_text(&sanitized, own->output, own->list, &cmd_output);
	}
	sanitized_free(&sanitized);
	return status;
}

static const char *
set_parts(struct cmd_options *options, const char *value)
{
	return sanitize_parse_parts(value, &((struct sanitize_command *)options)->parts);
}

static const char *
set_unused(struct cmd_options *options, const char *value)
{
	struct sanitize_command *own = (struct sanitize_command *)options;

	own->absent = strcmp(value, "absent") == 0;
	return own->absent || strcmp(value, "zero") == 0
		       ? NULL : "--unused is zero or absent, not '%s'";
}

static const struct cmd_option own_options[] = {
	{ "--output", 'o', "FILE", "the file to write; an existing one is kept",
	  CMD_STORE(OUTPUT, sanitize_command, output) },
	{ "--keep", 'k', "PARTS", "also keep: stacks,locals,paths,... (see the manual)",
	  CMD_CALL(set_parts) },
	{ "--unused", 'u', "HOW", "unused words of stacks: zero, or absent", CMD_CALL(set_unused) },
	{ "--list", 'l', NULL, "list every word of memory that was kept",
	  CMD_STORE(FLAG, sanitize_command, list) },
};

const struct cmd_command cmd_sanitize = {
	.name = "sanitize", .arguments = "DUMP [SYMBOLS...]",
	.help = "write a small minidump with the same stacks, to give away",
	.least = 1, .needs = CMD_NEEDS_INPUT, CMD_OWN(own_options, sanitize_command),
	.groups = (CMD_GROUPS_OF_WALK & ~(CMD_GROUP_THREAD | CMD_GROUP_REDACT)) | CMD_GROUP_JSON,
	.document = sanitized_facts, .run = sanitize_run,
};
