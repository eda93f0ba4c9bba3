/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/around.h"
#include "report/memory/telescope.h"

static void
print_json(const struct walk *walk, const struct listing *listing, size_t first, size_t count,
	bool pretty)
{
	const struct output output = cmd_output();
	struct json json;

	json_begin(&json, &output, pretty);
	json_object(&json, NULL);
	json_number(&json, "thread", walk->thread);
	json_number(&json, "frames", walk->count);
	json_array(&json, "rows");
	if (telescope_is(listing))
		telescope_json(listing, first, count, &json);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}

static enum cmd_status
print_stack(struct walk *walk, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct telescope_state state;
	struct memory_view memory;
	struct step_view step;
	struct arena arena;
	size_t frame;

	if (!cmd_find_frame(walk, options, &frame))
		return CMD_USAGE;
	walk_run(walk, 0);
	arena_init(&arena, 0);
	telescope_state_init(&state);
	telescope_open_all(&state, options->all);
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
	const struct listing listing = telescope_listing(&telescope, &arena);
	size_t first = 0, end = listing.count;
	if (options->frame >= 0) {
		first = telescope_frame_row(&listing, frame);
		end = telescope_frame_row(&listing, frame + 1);
		/* Behind the last frame nobody knows where it ends, nor on another stack. */
		end = end > first ? end : listing.count;
	}
	if (options->json)
		print_json(walk, &listing, first, end - first, options->pretty);
	else
		cmd_print_rows(&output, &listing, first, end - first);
	step_view_free(&step);
	telescope_state_free(&state);
	arena_free(&arena);
	return CMD_DONE;
}

enum cmd_status
cmd_stack(const struct cmd_options *options)
{
	return cmd_on_walk(options, print_stack);
}
