/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analysis/analysis.h"
#include "cmd/cmd.h"
#include "report/stack/versus.h"

/* The same thread of two dumps, side by side. */

/* One of the dumps with the walk of its thread. */
struct dump {
	struct cmd_input input;
	struct walk *walk;
	struct analysis *analysis;
	struct versus_side side;
};

static bool
walk_dump(struct dump *dump, const struct cmd_options *options, size_t thread)
{
	struct cmd_input *input = &dump->input;

	dump->walk = walk_create(&input->crash, input->symbols, input->binaries, thread,
				 &options->policy);
	if (dump->walk == NULL)
		return false;
	walk_run(dump->walk, 0);
	dump->analysis = analysis_create(&input->crash, dump->walk, input->binaries);
	dump->side = (struct versus_side){ dump->walk, dump->analysis != NULL
							       ? dump->analysis->signature
							       : NULL };
	return true;
}

static void
close_dump(struct dump *dump)
{
	analysis_free(dump->analysis);
	walk_free(dump->walk);
	cmd_input_close(&dump->input);
}

static enum cmd_status
compare(struct dump *dumps, const struct cmd_options *options)
{
	enum cmd_status status = CMD_DONE;
	size_t thread, other;
	struct arena arena;
	struct json json;

	if (!cmd_find_thread(&dumps[0].input, options, &thread))
		return CMD_USAGE;
	if (!versus_thread(&dumps[0].input.crash, thread, &dumps[1].input.crash, &other)) {
		cmd_say("'%s' has no matching thread", options->against);
		return CMD_USAGE;
	}
	if (!walk_dump(&dumps[0], options, thread) || !walk_dump(&dumps[1], options, other))
		return CMD_UNREADABLE;
	arena_init(&arena, 0);
	const struct versus *versus = versus_compare(&dumps[0].side, &dumps[1].side, &arena);
	if (versus == NULL) {
		status = cmd_out_of_memory();
	} else if (options->json) {
		cmd_document_begin(&json, options);
		versus_json(&json, versus);
		cmd_document_end(&json, options);
	} else {
		const struct listing listing = versus_listing(versus, &arena);

		cmd_print_listing(&listing);
	}
	arena_free(&arena);
	return status;
}

enum cmd_status
cmd_against(const struct cmd_options *options)
{
	struct symbols_cache *cache = symbols_cache_create();
	struct dump dumps[2] = { 0 };
	enum cmd_status status = cmd_input_open(&dumps[0].input, options, cache);

	if (status == CMD_DONE)
		status = cmd_input_open_other(&dumps[1].input, options, cache);
	if (status == CMD_DONE) {
		status = compare(dumps, options);
		fflush(stdout);
		cmd_print_messages(&dumps[0].input);
		cmd_print_messages(&dumps[1].input);
	}
	close_dump(&dumps[0]);
	close_dump(&dumps[1]);
	symbols_cache_free(cache);
	return status;
}
