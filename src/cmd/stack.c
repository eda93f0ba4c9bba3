/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/memory/frame_contents.h"

struct stack_options {
	struct cmd_options common;
	bool all;			/* also print folded words */
	bool registers;			/* also print the frame's registers */
};

static enum cmd_status
cmd_stack_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct stack_options *own = (const struct stack_options *)options;
	struct walk *walk = input->walk;
	struct telescope_state state = { 0 };
	struct memory_view memory;
	struct step_view step;
	struct arena arena = { 0 };
	size_t frame;

	if (!cmd_find_frame(walk, options, &frame))
		return CMD_USAGE;
	walk_run(walk, 0);
	telescope_open_all(&state, own->all);
	memory_view_all(&memory, walk->crash, &arena);
	step_view_make(&step, walk, frame);
	const struct telescope_options telescope = {
		.crash = walk->crash,
		.memory = &memory,
		.binaries = walk->binaries,
		.walk = walk,
		.step = &step,
		.state = &state,
		.base = 16,
	};
	const struct frame_contents *contents =
		own->registers ? frame_contents_of(&telescope, NULL, &arena) : NULL;
	const struct listing listing = telescope_listing(&telescope, &arena);
	size_t first = 0, count = listing.count;
	if (options->frame >= 0)
		count = frame_contents_words(&listing, frame, &first);
	if (options->json)
		CMD_DOCUMENT(options, telescope, &listing, first, count, contents);
	else if (contents != NULL)
		cmd_print_listing(frame_contents_listing(contents, &arena));
	else
		listing_write(&cmd_output, &listing, first, count);
	step_view_free(&step);
	telescope_state_free(&state);
	arena_free(&arena);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--all", 'a', NULL, "every word, also meaningless or repeated ones",
	  CMD_STORE(FLAG, stack_options, all) },
	{ "--frame", 'f', "N", "only the words of physical frame N",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--registers", 0, NULL, "also the frame's calls, variables and registers",
	  CMD_STORE(FLAG, stack_options, registers) },
};

const struct cmd_command cmd_stack = {
	.name = "stack", .arguments = "DUMP [SYMBOLS...]",
	.help = "print the words of a stack with their meaning",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, stack_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.document = telescope_facts, .run = cmd_stack_run,
};
