/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/walk_text.h"
#include "walk/walk.h"

static bool
print_thread(const struct cmd_input *input, const struct cmd_options *options,
	     const struct walk_text_thread *thread, const struct walk_text_options *text)
{
	const struct output output = cmd_output();
	struct walk *walk =
		walk_create(&input->crash, input->symbols, thread->index, &options->policy);

	if (walk == NULL)
		return false;
	walk_run(walk, 0);
	walk_text_thread(&output, walk, thread, text);
	walk_free(walk);
	return true;
}

static enum cmd_status
print_walks(const struct cmd_input *input, const struct cmd_options *options)
{
	struct walk_text_options text = {
		.machine = options->machine,
		.breakpad = options->compat == POLICY_BREAKPAD,
		.only_thread = options->thread,
	};
	const struct output output = cmd_output();
	struct walk_text_thread *threads;
	struct arena arena;
	bool good = true, any = false;

	arena_init(&arena, 0);
	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	text.walked = arena_array(&arena, input->crash.module_count + 1, sizeof(*text.walked));
	if (text.walked == NULL)
		return CMD_UNREADABLE;
	walk_text_head(&output, &input->crash, &options->policy, &text);
	for (size_t i = 0; i < count && good; i++) {
		if (text.only_thread >= 0 && (size_t)text.only_thread != threads[i].number)
			continue;
		any = true;
		good = print_thread(input, options, &threads[i], &text);
	}
	walk_text_tail(&output, &input->crash, input->symbols, &options->policy, &text);
	arena_free(&arena);
	if (text.only_thread >= 0 && !any) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			text.only_thread, count);
		return CMD_USAGE;
	}
	return good ? CMD_DONE : CMD_UNREADABLE;
}

enum cmd_status
cmd_walk(const struct cmd_options *options)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options);

	if (status == CMD_DONE) {
		status = print_walks(&input, options);
		fflush(stdout);
		cmd_print_messages(&input);
		if (status == CMD_DONE)
			status = cmd_finish(&input, options);
	}
	cmd_input_close(&input);
	return status;
}
