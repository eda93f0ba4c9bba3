/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "cmd/around.h"
#include "report/stack/versus.h"

/* The same thread of two dumps, side by side. */

enum cmd_status
cmd_open_other(struct cmd_input *input, const struct cmd_options *options,
	       struct symbols_cache *cache)
{
	struct cmd_options other = *options;
	const char **paths = calloc(options->path_count + 1, sizeof(*paths));

	if (paths == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return CMD_UNREADABLE;
	}
	memcpy(paths, options->paths, options->path_count * sizeof(*paths));
	paths[0] = options->against;
	other.paths = paths;
	const enum cmd_status status = cmd_input_open_shared(input, &other, cache);
	free(paths);
	return status;
}

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
print(const struct versus *versus, const struct cmd_options *options, struct arena *arena)
{
	const struct output output = cmd_output();
	struct json json;

	if (versus == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return CMD_UNREADABLE;
	}
	if (options->json) {
		json_begin(&json, &output, options->pretty);
		json_object(&json, NULL);
		versus_json(&json, versus);
		json_object_end(&json);
		json_finish(&json);
	} else {
		const struct listing listing = versus_listing(versus, arena);

		cmd_print_listing(&output, &listing);
	}
	return CMD_DONE;
}

static enum cmd_status
compare(struct dump *dumps, const struct cmd_options *options)
{
	enum cmd_status status = CMD_USAGE;
	size_t thread, other;
	struct arena arena;

	if (!cmd_find_thread(&dumps[0].input, options->thread, &thread))
		return CMD_USAGE;
	arena_init(&arena, 0);
	if (!versus_thread(&dumps[0].input.crash, thread, &dumps[1].input.crash, &other))
		fprintf(stderr, "unspool: '%s' has no thread that goes with this one\n",
			options->against);
	else if (walk_dump(&dumps[0], options, thread) && walk_dump(&dumps[1], options, other))
		status = print(versus_compare(&dumps[0].side, &dumps[1].side, &arena), options,
			       &arena);
	else
		status = CMD_UNREADABLE;
	arena_free(&arena);
	return status;
}

enum cmd_status
cmd_against(const struct cmd_options *options)
{
	struct symbols_cache *cache = symbols_cache_create();
	struct dump dumps[2] = { 0 };
	enum cmd_status status = cmd_input_open_shared(&dumps[0].input, options, cache);

	if (status == CMD_DONE)
		status = cmd_open_other(&dumps[1].input, options, cache);
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
