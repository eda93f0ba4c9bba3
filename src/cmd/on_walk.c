/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/around.h"
#include "base/error.h"
#include "report/step/explain.h"

enum cmd_status
cmd_on_walk(const struct cmd_options *options, cmd_walk_action *action)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options);
	size_t thread;

	if (status == CMD_DONE)
		cmd_show_progress(&input);
	if (status == CMD_DONE && !cmd_find_thread(&input, options->thread, &thread)) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			options->thread < 0 ? 0 : options->thread, input.crash.thread_count);
		status = CMD_USAGE;
	}
	if (status == CMD_DONE) {
		struct walk *walk = walk_create(
			&input.crash, input.symbols, input.binaries, thread, &options->policy);

		if (walk == NULL)
			fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		status = walk != NULL ? action(walk, options) : CMD_UNREADABLE;
		walk_free(walk);
		status = cmd_answered(&input, options, status);
	}
	cmd_input_close(&input);
	return status;
}

bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame)
{
	*frame = options->frame < 0 ? 0 : (size_t)options->frame;
	walk_run(walk, *frame + 1);
	if (*frame < walk->count)
		return true;
	fprintf(stderr, "unspool: there is no frame %zu; the thread has %zu (%s)\n", *frame,
		walk->count, walk->complete ? walk->end.text : "more follow");
	return false;
}

bool
cmd_find_register(const struct walk *walk, const struct cmd_options *options, int *reg)
{
	*reg = explain_register(walk->arch, options->reg);
	if (*reg == ARCH_NO_REGISTER)
		fprintf(stderr, "unspool: %s has no register '%s'\n", walk->arch->name,
			options->reg);
	return *reg != ARCH_NO_REGISTER;
}
