/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cmd/around.h"
#include "base/error.h"
#include "report/code/disassembly.h"

/* Print what is around one address, or around the frame; an element of `json` where that is not NULL. */
static bool
print_one(const struct disassembly_options *options, struct json *json)
{
	const struct output output = cmd_output();
	struct disassembly *disassembly = disassembly_create(options);

	if (disassembly == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return false;
	}
	const struct listing listing = disassembly_listing(disassembly);
	if (json != NULL)
		disassembly_json(json, NULL, disassembly);
	else
		cmd_print_listing(&output, &listing);
	disassembly_free(disassembly);
	return true;
}

/* The frame that --frame chose, as part of what is shown. False where there is none. */
static bool
choose_frame(const struct cmd_around *around, const struct cmd_options *options,
	     struct disassembly_options *show)
{
	const struct walk *walk = cmd_around_walk(around);
	const size_t frame = options->frame < 0 ? 0 : (size_t)options->frame;

	show->walk = walk;
	show->frame = frame;
	show->of_frame = true;
	if (walk != NULL && frame < walk->count)
		return true;
	fprintf(stderr, "unspool: there is no frame %zu; the thread has %zu\n", frame,
		walk != NULL ? walk->count : 0);
	return false;
}

static enum cmd_status
print_addresses(struct cmd_around *around, const struct cmd_options *options,
		struct disassembly_options *show, struct json *json)
{
	for (size_t i = 0; i < options->at.count; i++) {
		if (!cmd_parse_address(options->at.items[i], &show->address))
			return CMD_USAGE;
		if (!print_one(show, json))
			return CMD_UNREADABLE;
	}
	if (options->function == NULL)
		return CMD_DONE;
	if (!surroundings_find(&around->around, text_of(options->function), &show->address)) {
		fprintf(stderr, "unspool: no symbol file or module has a function '%s'\n",
			options->function);
		return CMD_FINDINGS;
	}
	return print_one(show, json) ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
print_all(struct cmd_around *around, const struct cmd_options *options, struct json *json)
{
	const struct source_options source = {
		.maps = options->source_maps.items, .map_count = options->source_maps.count,
		.dump = around->input.crash.file.input.name,
	};
	struct disassembly_options show = { .around = &around->around, .source = &source };

	if (options->at.count > 0 || options->function != NULL)
		return print_addresses(around, options, &show, json);
	if (!choose_frame(around, options, &show))
		return CMD_USAGE;
	return print_one(&show, json) ? CMD_DONE : CMD_UNREADABLE;
}

enum cmd_status
cmd_disassemble(const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct cmd_around around;
	struct json json;
	enum cmd_status status = cmd_around_open(
		&around, options, options->frame < 0 ? 1 : (size_t)options->frame + 1);

	if (status == CMD_DONE && options->json) {
		json_begin(&json, &output, options->pretty);
		json_object(&json, NULL);
		json_array(&json, "disassemblies");
		status = print_all(&around, options, &json);
		json_array_end(&json);
		json_object_end(&json);
		json_finish(&json);
	} else if (status == CMD_DONE) {
		status = print_all(&around, options, NULL);
	}
	return cmd_around_close(&around, options, status);
}
