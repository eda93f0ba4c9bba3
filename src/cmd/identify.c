/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "report/memory/identify.h"

struct identify_options {
	struct cmd_options common;
	long call;			/* call in the frame; 0: the innermost */
};

struct identify_printing {
	struct cmd_input *input;
	size_t frame, call;
	struct json *json;	/* NULL: text */
	size_t count;
	bool unknown;		/* an expression could not be read */
};

static bool
print_one(struct identify_printing *printing, struct text typed)
{
	const struct expression_scope scope = { printing->input->walk, printing->frame,
						printing->call };
	struct identification *identify =
		identify_create(printing->input->around, &scope, typed);

	if (identify == NULL) {
		cmd_out_of_memory();
		return false;
	}
	if (printing->json != NULL) {
		FACTS_WRITE(printing->json, NULL, identification, identify);
	} else {
		if (printing->count++ > 0)
			output_plain(&cmd_output, "\n");
		cmd_print_listing(identify->listing);
	}
	printing->unknown = printing->unknown || !identify->expression.known;
	identify_free(identify);
	return true;
}

/* Print the answer to each line of standard input. */
static bool
print_input(struct identify_printing *printing)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	bool good = true;

	while (good && (length = getline(&line, &size, stdin)) > 0) {
		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			length--;
		if (length > 0)
			good = print_one(printing, (struct text){ line, (size_t)length });
	}
	free(line);
	return good;
}

static enum cmd_status
print_all(struct identify_printing *printing, const struct cmd_options *options, struct json *json)
{
	bool good = true;

	printing->json = json;
	for (size_t i = 0; good && i < options->asked_count; i++)
		good = strcmp(options->asked[i], "-") == 0
			       ? print_input(printing)
			       : print_one(printing, text_of(options->asked[i]));
	if (!good)
		return CMD_UNREADABLE;
	return printing->unknown ? CMD_FINDINGS : CMD_DONE;
}

#define FACTS "cmd/facts/identify_facts.def"
#include "document/describe_facts.h"

static enum cmd_status
identify_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct identify_options *own = (const struct identify_options *)options;
	struct identify_printing printing = { .input = input };
	enum cmd_status status;

	if (options->asked_count == 0 && options->path_count > 1)
		return cmd_usage(options,
				 "the address is missing: '%s' is a file, used for symbols; "
				 "write '(%s)' for a variable of this name",
				 options->paths[options->path_count - 1],
				 options->paths[options->path_count - 1]);
	if (options->asked_count == 0)
		return cmd_usage(options, "the address is missing");
	printing.call = own->call > 0 ? (size_t)own->call : 0;
	if (options->frame >= 0 && !cmd_find_frame(input->walk, options, &printing.frame))
		return CMD_USAGE;
	if (input->walk != NULL)
		walk_run(input->walk, 0);
	if (!options->json)
		return print_all(&printing, options, NULL);
	CMD_DOCUMENT(options, identify_document, &printing, options, &status);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--frame", 'f', "N", "use registers and variables of physical frame N",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--call", 0, "N", "use variables of its inlined call N; 0: innermost",
	  CMD_STORE(NUMBER, identify_options, call) },
};

const struct cmd_command cmd_identify = {
	.name = "identify", .arguments = "DUMP [SYMBOLS...] ADDRESS...",
	.help = "explain an address, register, function or expression",
	.least = 1, .asked = CMD_ASKED_OTHERS, .needs = CMD_NEEDS_SURROUNDINGS,
	CMD_OWN(own_options, identify_options), .groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.document = identify_document_facts, .run = identify_run,
};
