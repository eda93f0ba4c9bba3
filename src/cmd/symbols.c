/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <strings.h>

#include "base/place.h"
#include "base/error.h"
#include "locate/binary_survey.h"
#include "cmd/around.h"
#include "report/file/symbol_search.h"

/* `unspool symbols`: where the symbols of each module were looked for, and what was found. */

struct showing {
	const struct cmd_input *input;
	const struct cmd_options *options;
	struct output output;
	struct json json;
	size_t shown;
	bool missing;			/* some module has none */
};

static bool
is_asked_for(const struct cmd_options *options, const struct module *module)
{
	const char *name = options->module;

	return name == NULL || strcasecmp(place_base_name(module->code_file), name) == 0 ||
	       strcasecmp(place_base_name(module->debug_file), name) == 0;
}

static void
write_text(struct showing *showing, const struct symbol_search *search, struct arena *arena)
{
	const struct listing listing = symbol_search_listing(search, 0, arena);
	struct row row;

	if (!showing->options->brief) {
		if (showing->shown > 0)
			output_plain(&showing->output, "\n");
		cmd_print_listing(&showing->output, &listing);
		return;
	}
	row_init(&row, arena);
	symbol_search_brief(search, &row);
	output_plain(&showing->output, row_text(&row));
	output_plain(&showing->output, "\n");
}

static bool
show_module(struct showing *showing, size_t module)
{
	struct arena arena;

	arena_init(&arena, 0);
	if (symbols_configured(showing->input->symbols) ||
	    binaries_configured(showing->input->binaries))
		symbols_load(showing->input->symbols, module);
	binaries_survey(showing->input->binaries, module);
	const struct symbol_search *search = symbol_search_make(
		&showing->input->crash, showing->input->symbols, showing->input->binaries, module,
		&arena);
	if (search == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return false;
	}
	if (showing->options->json) {
		json_object(&showing->json, NULL);
		symbol_search_json(&showing->json, search);
		json_object_end(&showing->json);
	} else {
		write_text(showing, search, &arena);
	}
	showing->missing = showing->missing || !symbol_search_found(search);
	showing->shown++;
	arena_free(&arena);
	return true;
}

static enum cmd_status
show(struct showing *showing)
{
	const struct crash *crash = &showing->input->crash;
	const struct cmd_options *options = showing->options;
	bool good = true;

	if (options->json) {
		json_begin(&showing->json, &showing->output, options->pretty);
		json_object(&showing->json, NULL);
		json_array(&showing->json, "modules");
	}
	for (size_t i = 0; good && i < crash->module_count; i++)
		if (is_asked_for(options, &crash->modules[i]))
			good = show_module(showing, i);
	if (options->json) {
		json_array_end(&showing->json);
		json_object_end(&showing->json);
		json_finish(&showing->json);
	}
	if (!good)
		return CMD_UNREADABLE;
	if (showing->shown == 0 && options->module != NULL) {
		fprintf(stderr, "unspool: the dump has no such module as --module names\n");
		return CMD_USAGE;
	}
	if (showing->shown == 0)
		fprintf(stderr, "unspool: the dump lists no modules, so there is nothing to look for\n");
	return showing->missing ? CMD_FINDINGS : CMD_DONE;
}

enum cmd_status
cmd_symbols(const struct cmd_options *options)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options);

	if (status == CMD_DONE) {
		struct showing showing = { .input = &input, .options = options,
					   .output = cmd_output() };

		cmd_show_progress(&input);
		status = show(&showing);
		fflush(stdout);
		cmd_print_message_list(&input.crash.messages);
		cmd_print_message_list(symbols_messages(input.symbols));
		cmd_print_message_list(binaries_messages(input.binaries));
	}
	cmd_input_close(&input);
	return status;
}
