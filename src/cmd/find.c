/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/memory/memory_bytes.h"

struct find_options {
	struct cmd_options common;
	bool everywhere;		/* search at every byte, not only at words */
	struct cmd_address from;
};

static enum cmd_status
cmd_find_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct find_options *own = (const struct find_options *)options;
	const struct walk *walk = input->walk;
	struct memory_find *find = memory_find_create(
		input->around, walk != NULL && walk->count > 0 ? &walk->frames[0] : NULL,
		text_of(options->asked[0]), own->everywhere, own->from.value);
	enum cmd_status status = CMD_USAGE;
	struct arena arena = { 0 };

	if (find == NULL)
		return cmd_out_of_memory();
	if (find->wrong != NULL) {
		cmd_say("%s", find->wrong);
	} else {
		if (find->note != NULL)
			cmd_say("%s", find->note);
		memory_find_work(find, UINT64_MAX);
		status = find->count > 0 ? CMD_DONE : CMD_FINDINGS;
		if (options->json)
			CMD_DOCUMENT(options, memory_find, find);
		else
			cmd_print_listing(memory_find_listing(find, &arena));
		if (find->stopped)
			cmd_say("there are more than %zu; use --from to continue after the last "
				"one", find->count);
	}
	arena_free(&arena);
	memory_find_free(find);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--all", 0, NULL, "match at every byte, not only at aligned words",
	  CMD_STORE(FLAG, find_options, everywhere) },
	{ "--from", 0, "ADDRESS", "start at this address",
	  CMD_STORE(ADDRESS, find_options, from) },
};

const struct cmd_command cmd_find = {
	.name = "find", .arguments = "DUMP [SYMBOLS...] PATTERN",
	.help = "find a value, \"text\" or bytes in the dump's memory",
	.least = 1, .asked = CMD_ASKED_LAST, .needs = CMD_NEEDS_SURROUNDINGS,
	CMD_OWN(own_options, find_options),
	.groups = (CMD_GROUPS_OF_WALK & ~CMD_GROUP_THREAD) | CMD_GROUP_JSON,
	.document = memory_find_facts, .run = cmd_find_run,
};
