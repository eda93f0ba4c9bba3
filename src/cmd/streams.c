/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "report/file/streams.h"

/* The streams that --stream names, each once and in the order of the file. */
static bool
choose(const struct crash *crash, const struct cmd_list *names, struct streams_options *streams)
{
	size_t *chosen = calloc(crash->stream_count + 1, sizeof(*chosen));
	bool *wanted = calloc(crash->stream_count + 1, sizeof(*wanted));
	bool good = chosen != NULL && wanted != NULL;

	for (size_t i = 0; good && i < names->count; i++) {
		size_t at = streams_named(crash, names->items[i], 0);

		good = at != STREAMS_NONE;
		if (!good)
			cmd_say("the dump has no stream '%s'; 'unspool streams --brief' lists "
				"those "
				"it has", names->items[i]);
		for (; at != STREAMS_NONE; at = streams_named(crash, names->items[i], at + 1))
			wanted[at] = true;
	}
	for (size_t i = 0; good && i < crash->stream_count; i++)
		if (wanted[i])
			chosen[streams->chosen_count++] = i;
	streams->chosen = chosen;
	free(wanted);
	return good;
}

struct streams_command {
	struct cmd_options common;
	bool brief, hex;		/* hex: raw bytes too */
	struct cmd_list streams;
};

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct streams_command *own = (const struct streams_command *)options;
	struct streams_options streams = { .brief = own->brief, .hex = own->hex,
					   .messages = &input->crash.messages };
	enum cmd_status status = CMD_DONE;

	if (own->streams.count > 0 && !choose(&input->crash, &own->streams, &streams))
		status = CMD_USAGE;
	else if (options->json)
		streams_json(&cmd_output, &input->crash, &streams, options->pretty);
	else
		streams_text(&cmd_output, &input->crash, &streams);
	free((void *)streams.chosen);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--stream", 0, "NAME", "this stream: NAME, NAME#2 or a type; repeatable",
	  CMD_STORE(LIST, streams_command, streams) },
	{ "--hex", 'x', NULL, "also raw bytes of stacks, memory and streams",
	  CMD_STORE(FLAG, streams_command, hex) },
	{ "--brief", 0, NULL, "only the header and the directory",
	  CMD_STORE(FLAG, streams_command, brief) },
};

const struct cmd_command cmd_streams = {
	.name = "streams", .arguments = "DUMP",
	.help = "print what is in the streams of a minidump, field by field",
	.least = 1, .needs = CMD_NEEDS_INPUT, CMD_OWN(own_options, streams_command),
	.groups = CMD_GROUP_JSON | CMD_GROUP_REDACT | CMD_GROUP_STRICT,
	.document = streams_document_facts,
	.run = run,
};
