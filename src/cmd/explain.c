/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/explain.h"
#include "report/walk_text.h"

/* The thread that was asked for, by the number that the walk prints. */
static bool
find_thread(const struct cmd_input *input, long wanted, size_t *index)
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
	if (!found)
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			wanted < 0 ? 0 : wanted, count);
	return found;
}

static enum cmd_status
explain_frames(struct walk *walk, const struct cmd_options *options)
{
	struct explain_options explain = { .reg = ARCH_NO_REGISTER };
	const struct output output = cmd_output();

	if (options->reg != NULL) {
		explain.reg = explain_register(walk->arch, options->reg);
		if (explain.reg == ARCH_NO_REGISTER) {
			fprintf(stderr, "unspool: %s has no register '%s'\n", walk->arch->name,
				options->reg);
			return CMD_USAGE;
		}
	}
	size_t frame = options->frame < 0 ? 0 : (size_t)options->frame;
	walk_run(walk, frame + 1);
	if (frame >= walk->count) {
		fprintf(stderr, "unspool: there is no frame %zu; the thread has %zu (%s)\n", frame,
			walk->count, walk->complete ? walk->end.text : "more follow");
		return CMD_USAGE;
	}
	if (options->all_methods) {
		if (options->json)
			explain_methods_json(&output, walk, frame, options->pretty);
		else
			explain_methods(&output, walk, frame);
		return CMD_DONE;
	}
	struct step_view view;
	step_view_make(&view, walk, frame);
	explain_step(&output, &view, &explain);
	step_view_free(&view);
	return CMD_DONE;
}

enum cmd_status
cmd_explain(const struct cmd_options *options)
{
	struct cmd_input input;
	size_t thread;

	if (options->json && !options->all_methods) {
		fprintf(stderr, "unspool: 'explain --json' wants '--all-methods', too\n");
		return CMD_USAGE;
	}
	enum cmd_status status = cmd_input_open(&input, options);
	if (status == CMD_DONE)
		cmd_show_progress(&input);
	if (status == CMD_DONE && !find_thread(&input, options->thread, &thread))
		status = CMD_USAGE;
	if (status == CMD_DONE) {
		struct walk *walk =
			walk_create(&input.crash, input.symbols, input.binaries, thread,
				    &options->policy);

		if (walk == NULL)
			fprintf(stderr, "unspool: memory ran out\n");
		status = walk != NULL ? explain_frames(walk, options) : CMD_UNREADABLE;
		walk_free(walk);
		fflush(stdout);
		cmd_print_messages(&input);
		if (status == CMD_DONE)
			status = cmd_finish(&input, options);
	}
	cmd_input_close(&input);
	return status;
}
