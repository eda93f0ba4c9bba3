/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/code/disassembly.h"

struct disassemble_options {
	struct cmd_options common;
	struct cmd_list at;		/* addresses */
	const char *function;
};

/* Print the code around an address or the frame: as JSON to `json`, or as text if that is NULL. */
static bool
print_one(const struct disassembly_options *options, struct json *json)
{
	struct disassembly *disassembly = disassembly_create(options);

	if (disassembly == NULL) {
		cmd_out_of_memory();
		return false;
	}
	if (json != NULL)
		FACTS_WRITE(json, NULL, disassembly, disassembly);
	else
		cmd_print_listing(disassembly_listing(disassembly));
	disassembly_free(disassembly);
	return true;
}

static enum cmd_status
print_all(const struct cmd_input *input, const struct disassemble_options *own, struct json *json)
{
	const struct source_options source = cmd_source_options(input, &own->common);
	struct disassembly_options show = { .around = input->around, .source = &source,
					    .walk = input->walk };

	for (size_t i = 0; i < own->at.count; i++) {
		if (!cmd_parse_address(own->at.items[i], &show.address))
			return CMD_USAGE;
		if (!print_one(&show, json))
			return CMD_UNREADABLE;
	}
	if (own->function != NULL &&
	    !surroundings_find(input->around, text_of(own->function), &show.address)) {
		cmd_say("no function '%s' in the symbol files and modules", own->function);
		return CMD_FINDINGS;
	}
	if (own->at.count > 0 && own->function == NULL)
		return CMD_DONE;
	show.of_frame = own->function == NULL;
	if (show.of_frame && !cmd_find_frame(input->walk, &own->common, &show.frame))
		return CMD_USAGE;
	return print_one(&show, json) ? CMD_DONE : CMD_UNREADABLE;
}

#define FACTS "cmd/facts/disassemble_facts.def"
#include "document/describe_facts.h"

static enum cmd_status
disassemble_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct disassemble_options *own = (const struct disassemble_options *)options;
	enum cmd_status status;

	if (!options->json)
		return print_all(input, own, NULL);
	CMD_DOCUMENT(options, disassemble_document, input, own, &status);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--frame", 'f', "N", "around the instruction of physical frame N",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--at", 0, "ADDRESS", "around an address; may be given several times",
	  CMD_STORE(LIST, disassemble_options, at) },
	{ "--function", 0, "NAME", "a function by its name, or 'module!name'",
	  CMD_STORE(TEXT, disassemble_options, function) },
};

const struct cmd_command cmd_disassemble = {
	.name = "disassemble", .arguments = "DUMP [SYMBOLS...]",
	.help = "print the instructions of a frame, an address or a function",
	.least = 1, .needs = CMD_NEEDS_SURROUNDINGS, CMD_OWN(own_options, disassemble_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON | CMD_GROUP_SOURCE,
	.document = disassemble_document_facts, .run = disassemble_run,
};
