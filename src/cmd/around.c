/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/around.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/stack/walk_text.h"

bool
cmd_find_thread(const struct cmd_input *input, long wanted, size_t *index)
{
	struct walk_text_thread *threads;
	struct arena arena;
	bool found = false;

	arena_init(&arena, 0);
	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		found = wanted < 0 || threads[i].number == (size_t)wanted;
		*index = threads[i].index;
	}
	arena_free(&arena);
	return found;
}

enum cmd_status
cmd_around_open(struct cmd_around *around, const struct cmd_options *options, size_t frames)
{
	*around = (struct cmd_around){ 0 };
	enum cmd_status status = cmd_input_open(&around->input, options);

	if (status != CMD_DONE)
		return status;
	cmd_show_progress(&around->input);
	const struct crash *crash = &around->input.crash;
	around->walks = calloc(crash->thread_count + 1, sizeof(struct walk *));
	around->ready = around->walks != NULL &&
			surroundings_init(&around->around, crash, around->input.symbols,
					  around->input.binaries, &options->policy,
					  around->walks);
	if (!around->ready) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return CMD_UNREADABLE;
	}
	around->around.loads = true;
	around->has_thread = cmd_find_thread(&around->input, options->thread, &around->thread);
	if (!around->has_thread && options->thread >= 0) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			options->thread, crash->thread_count);
		return CMD_USAGE;
	}
	if (!around->has_thread)
		return CMD_DONE;
	struct walk *walk = walk_create(crash, around->input.symbols, around->input.binaries,
					around->thread, &options->policy);
	around->walks[around->thread] = walk;
	if (walk != NULL)
		walk_run(walk, frames);
	return CMD_DONE;
}

enum cmd_status
cmd_around_close(struct cmd_around *around, const struct cmd_options *options,
		 enum cmd_status status)
{
	if (around->ready)
		status = cmd_answered(&around->input, options, status);
	for (size_t i = 0; around->walks != NULL && i < around->input.crash.thread_count; i++)
		walk_free(around->walks[i]);
	free(around->walks);
	if (around->ready)
		surroundings_free(&around->around);
	cmd_input_close(&around->input);
	return status;
}

struct walk *
cmd_around_walk(const struct cmd_around *around)
{
	return around->has_thread ? around->walks[around->thread] : NULL;
}

void
cmd_print_rows(const struct output *output, const struct listing *listing, size_t first,
	       size_t count)
{
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	if (listing->head != NULL) {
		listing->head(listing, 0, &row);
		row_write(output, &row);
	}
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		listing->fill(listing, i, 0, &row);
		row_write(output, &row);
	}
	arena_free(&arena);
}

void
cmd_print_listing(const struct output *output, const struct listing *listing)
{
	cmd_print_rows(output, listing, 0, listing->count);
}
