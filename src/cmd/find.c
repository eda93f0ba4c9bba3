/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/around.h"
#include "base/error.h"
#include "report/memory/memory_find.h"

static enum cmd_status
print_hits(struct memory_find *find, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct arena arena;
	struct json json;

	if (find->wrong != NULL) {
		fprintf(stderr, "unspool: %s\n", find->wrong);
		return CMD_USAGE;
	}
	memory_find_work(find, UINT64_MAX);
	if (options->json) {
		json_begin(&json, &output, options->pretty);
		memory_find_json(&json, NULL, find);
		json_finish(&json);
	} else {
		arena_init(&arena, 0);
		const struct listing listing = memory_find_listing(find, &arena);
		cmd_print_listing(&output, &listing);
		arena_free(&arena);
	}
	if (find->stopped)
		fprintf(stderr, "unspool: there are more than %zu; --from goes on behind the last\n",
			find->count);
	return find->count > 0 ? CMD_DONE : CMD_FINDINGS;
}

enum cmd_status
cmd_find(const struct cmd_options *options)
{
	struct cmd_options opened = *options;
	struct cmd_around around;
	uint64_t from = 0;

	if (options->path_count < 2) {
		fprintf(stderr, "unspool: find wants a dump and what to look for\n"
			"Try 'unspool find --help'.\n");
		return CMD_USAGE;
	}
	if (options->from != NULL && !cmd_parse_address(options->from, &from))
		return CMD_USAGE;
	opened.path_count--;
	enum cmd_status status = cmd_around_open(&around, &opened, 1);
	if (status == CMD_DONE) {
		const struct walk *walk = cmd_around_walk(&around);
		struct memory_find *find = memory_find_create(
			&around.around, walk != NULL && walk->count > 0 ? &walk->frames[0] : NULL,
			text_of(options->paths[opened.path_count]), options->everywhere, from);

		if (find == NULL)
			fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		status = find != NULL ? print_hits(find, options) : CMD_UNREADABLE;
		memory_find_free(find);
	}
	return cmd_around_close(&around, options, status);
}
