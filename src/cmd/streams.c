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
			fprintf(stderr, "unspool: the dump has no stream '%s'; 'unspool streams "
				"--brief' lists those it has\n", names->items[i]);
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

static enum cmd_status
print_streams(struct cmd_input *input, const struct cmd_options *options)
{
	struct streams_options streams = { .brief = options->brief, .hex = options->hex,
					   .messages = &input->crash.messages };
	const struct output output = cmd_output();
	enum cmd_status status = CMD_DONE;

	if (options->streams.count > 0 && !choose(&input->crash, &options->streams, &streams))
		status = CMD_USAGE;
	else if (options->json)
		streams_json(&output, &input->crash, &streams, options->pretty);
	else
		streams_text(&output, &input->crash, &streams);
	free((void *)streams.chosen);
	return status;
}

enum cmd_status
cmd_streams(const struct cmd_options *options)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options);

	if (status == CMD_DONE) {
		status = print_streams(&input, options);
		status = cmd_answered(&input, options, status);
	}
	cmd_input_close(&input);
	return status;
}
