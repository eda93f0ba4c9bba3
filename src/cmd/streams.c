/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "report/file/streams.h"

struct streams_command {
	struct cmd_options common;
	bool brief, hex;		/* hex: also print raw bytes */
	struct cmd_list streams;
};

static enum cmd_status
streams_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct streams_command *own = (const struct streams_command *)options;
	const struct crash *crash = &input->crash;
	size_t *chosen = calloc(crash->stream_count + 1, sizeof(*chosen));
	bool *wanted = calloc(crash->stream_count + 1, sizeof(*wanted));
	struct streams_options streams = { .brief = own->brief, .hex = own->hex,
					   .messages = &input->crash.messages };
	enum cmd_status status = CMD_DONE;

	if (chosen == NULL || wanted == NULL)
		status = cmd_out_of_memory();
	/* Print the streams of --stream, each once, in the order of the file. */
	for (size_t i = 0; status == CMD_DONE && i < own->streams.count; i++) {
		const char *name = own->streams.items[i];
		size_t at = streams_named(crash, name, 0);

		if (at == STREAMS_NONE) {
			cmd_say("the dump has no stream '%s'; 'unspool streams --brief' lists "
				"those it has", name);
			status = CMD_USAGE;
		}
		for (; at != STREAMS_NONE; at = streams_named(crash, name, at + 1))
			wanted[at] = true;
	}
	for (size_t i = 0; status == CMD_DONE && i < crash->stream_count; i++)
		if (wanted[i])
			chosen[streams.chosen_count++] = i;
	if (own->streams.count > 0)
		streams.chosen = chosen;
	if (status == CMD_DONE && options->json)
		streams_json(&cmd_output, crash, &streams, options->pretty);
	else if (status == CMD_DONE)
		streams_text(&cmd_output, crash, &streams);
	free(chosen);
	free(wanted);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--stream", 0, "NAME", "only this stream: NAME, NAME#2, a type; repeatable",
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
	.run = streams_run,
};
