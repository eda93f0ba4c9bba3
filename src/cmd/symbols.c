/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <strings.h>

#include "base/place.h"
#include "cmd/cmd.h"
#include "report/file/module_search.h"
#include "system/shortage.h"

/* `unspool symbols`: the places searched for each module's symbols, and the results. */

struct symbols_command {
	struct cmd_options common;
	bool brief;
	const char *module;		/* file name */
};

struct showing {
	const struct cmd_input *input;
	const struct symbols_command *own;
	struct json *json;		/* NULL: text */
	size_t shown;
	bool missing;			/* some module has no symbols */
};

static bool
show_module(struct showing *showing, size_t module)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	if (symbols_configured(showing->input->symbols) ||
	    binaries_configured(showing->input->binaries))
		symbols_load(showing->input->symbols, module);
	binaries_survey(showing->input->binaries, module);
	const struct module_search *search = module_search_make(
		&showing->input->crash, showing->input->symbols, showing->input->binaries, module,
		&arena);
	if (search == NULL) {
		cmd_out_of_memory();
		return false;
	}
	if (showing->json != NULL) {
		FACTS_WRITE(showing->json, NULL, module_search, search);
	} else {
		output_plain(&cmd_output, showing->shown > 0 && !showing->own->brief ? "\n" : "");
		row.names = cmd_output.names;
		module_search_brief(search, &row);
		row_write(&cmd_output, &row);
		if (!showing->own->brief)
			cmd_print_listing(lines_listing(&search->lines, 0, &arena));
	}
	showing->missing |= search->symfile == NULL &&
			    (search->survey == NULL || search->survey->name_count == 0);
	showing->shown++;
	arena_free(&arena);
	return true;
}

static bool
show_modules(struct showing *showing, struct json *json)
{
	const struct crash *crash = &showing->input->crash;
	const char *name = showing->own->module;
	bool good = true;

	showing->json = json;
	for (size_t i = 0; good && i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];

		if (name == NULL || strcasecmp(place_base_name(module->code_file), name) == 0 ||
		    strcasecmp(place_base_name(module->debug_file), name) == 0)
			good = show_module(showing, i);
	}
	return good;
}

#define FACTS "cmd/facts/symbols_facts.def"
#include "document/describe_facts.h"

static enum cmd_status
symbols_run(const struct cmd_options *options)
{
	struct cmd_input input;
	struct showing showing = { .input = &input,
				   .own = (const struct symbols_command *)options };
	enum cmd_status status = cmd_input_open(&input, options, options->paths[0], NULL, NULL);
	bool good;

	if (status != CMD_DONE) {
		cmd_input_close(&input);
		return status;
	}
	cmd_show_progress(&input);
	if (options->json)
		CMD_DOCUMENT(options, symbols_document, &showing, &good);
	else
		good = show_modules(&showing, NULL);
	if (!good) {
		status = CMD_UNREADABLE;
	} else if (showing.shown == 0 && showing.own->module != NULL) {
		cmd_say("the dump has no module '%s'", showing.own->module);
		status = CMD_USAGE;
	} else if (showing.shown == 0 && shortage_first() != NULL) {
		status = CMD_UNREADABLE;
	} else {
		if (showing.shown == 0)
			cmd_say("the dump lists no modules, so there is nothing to search for");
		status = showing.missing ? CMD_FINDINGS : CMD_DONE;
	}
	cmd_print_message_list(&input.crash.messages);
	cmd_print_message_list(symbols_messages(input.symbols));
	cmd_print_message_list(binaries_messages(input.binaries));
	cmd_note_refused(&input);
	cmd_input_close(&input);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--brief", 0, NULL, "one line for each module", CMD_STORE(FLAG, symbols_command, brief) },
	{ "--module", 0, "NAME", "only the module with this file name",
	  CMD_STORE(TEXT, symbols_command, module) },
	{ "--symbols-cache", 0, "DIR", "directory for downloaded files",
	  CMD_STORE(TEXT, cmd_options, symbols_cache) },
	{ "--symbols-timeout", 0, "SEC",
	  "give up a silent server; a file after 60 times SEC",
	  CMD_STORE(NUMBER, cmd_options, symbols_timeout) },
	{ "--symbols-limit", 0, "MB", "size limit for one file",
	  CMD_STORE(NUMBER, cmd_options, symbols_limit) },
	{ "--debuginfod", 0, NULL, "ask the servers in /etc/debuginfod, by build ID",
	  CMD_CALL(cmd_set_debuginfod) },
	{ "--offline", 0, NULL, "contact no server; earlier downloads are used",
	  CMD_STORE(FLAG, cmd_options, offline) },
	{ "--follow-pointers", 0, NULL, "follow the path in a symbol store's file.ptr",
	  CMD_STORE(FLAG, cmd_options, follow_pointers) },
};

const struct cmd_command cmd_symbols = {
	.name = "symbols", .arguments = "DUMP [SYMBOLS...]",
	.help = "print where symbols were looked for, why some are missing",
	.least = 1, CMD_OWN(own_options, symbols_command),
	.groups = CMD_GROUP_JSON | CMD_GROUP_INPUT | CMD_GROUP_REDACT,
	.document = symbols_document_facts, .run_alone = symbols_run,
};
