/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/unwind_check.h"
#include "base/demangle.h"
#include "cmd/cmd.h"
#include "debug_info/file_symbols.h"
#include "sframe/sframes.h"

/* One module with both of its sources. */
struct checked {
	const char *path;
	struct binary *binary;
	struct module module;
	char debug_id[BINARY_DEBUG_ID];
	struct symbols *symbols;
	const struct symfile *symfile;
	struct sframe_bytes bytes;
	struct sframe sframe;
	struct file_symbols names;
	struct unwind_source sources[2];
	struct arena arena;
	struct json *json;		/* NULL: text */
	const struct arch *arch;
	const struct policy *policy;	/* of names */
};

static enum cmd_status
refuse(const struct checked *checked, const char *why)
{
	cmd_say("%s: %s", place_base_name(checked->path), why);
	return CMD_UNREADABLE;
}

static enum cmd_status
open_sources(struct checked *checked, const char *const *paths, size_t count)
{
	struct error error = { 0 };
	const char *why_not;

	if (!sframe_in_binary(checked->binary, &checked->bytes, &why_not))
		return refuse(checked, why_not);
	if (sframe_open_binary(&checked->sframe, checked->binary, &checked->bytes, 0, &error) !=
	    ERROR_NONE) {
		cmd_print_error(&error, checked->path);
		return CMD_UNREADABLE;
	}
	/* The symbol file of the module, by its build id. */
	binary_debug_id(checked->binary, checked->debug_id);
	checked->module = (struct module){
		.code_file = place_base_name(checked->path),
		.debug_file = place_base_name(checked->path),
		.debug_id = checked->debug_id, .code_id = checked->binary->id, .version = "",
		.size = UINT64_MAX,
	};
	checked->symbols = symbols_create(&checked->module, 1, paths, count);
	checked->symfile = checked->symbols != NULL ? symbols_load(checked->symbols, 0) : NULL;
	if (checked->symfile == NULL) {
		cmd_print_message_list(symbols_messages(checked->symbols));
		return refuse(checked, "no symbol file with its ID was given; its SFrame section "
				       "cannot be compared");
	}
	checked->arch = sframe_arch(checked->sframe.tables[0].abi);
	checked->sources[0] = unwind_source_stack_cfi(checked->symfile);
	if (!unwind_source_sframe(&checked->sources[1], &checked->sframe,
				  checked->binary->linked_base, &checked->arena))
		return refuse(checked, "its SFrame section has more rows than can be compared");
	file_symbols_read(&checked->names, checked->binary);
	return CMD_DONE;
}

/* The name of what is at an address of the module; "" where nothing has one. */
static struct text
name_at(const struct checked *checked, uint64_t address)
{
	const struct symbols_policy policy = { .public_zero = true };
	const struct file_symbol *symbol =
		file_symbols_at(&checked->names, address + checked->binary->linked_base);
	struct function function;

	if (symbol != NULL)
		return text_of(symbol->name);
	if (symfile_function(checked->symfile, &policy, address, &function))
		return function.name;
	return text_of("");
}

static void
tell_text(void *context, const struct unwind_difference *difference)
{
	const struct checked *checked = context;
	const struct output *output = &cmd_output;
	struct arena arena = { 0 };
	char place[256];

	const struct text name = demangle_shown(checked->policy, name_at(checked, difference->from),
						&arena);
	output_text(output, text_of(place_base_name(checked->path)));
	output_format(output, "+0x%" PRIx64 " to +0x%" PRIx64, difference->from, difference->to);
	if (name.length > 0) {
		output_format(output, ", ");
		output_text(output, name);
	}
	arena_free(&arena);
	output_format(output, ": disagreement about the %s\n", unwind_what_names[difference->what]);
	for (unsigned i = 0; i < 2; i++) {
		const struct linear_rule *rule = &difference->rules[i];

		output_format(output, "  %-10s ", checked->sources[i].name);
		output_text(output, rule->text);
		output_format(output, "\n             ");
		output_text(output, text_of(place_format(&rule->record, place, sizeof(place))));
		output_format(output, "\n");
	}
}

static const struct fact_names unwind_whats = FACT_NAMES(unwind_what_names);

static void
list_differences(struct checked *checked, struct unwind_totals *totals);

#define FACTS "cmd/facts/unwind_check_facts.def"
#include "document/describe_facts.h"

static void
tell_json(void *context, const struct unwind_difference *difference)
{
	const struct checked *checked = context;
	const struct text name = name_at(checked, difference->from);
	struct arena arena = { 0 };

	FACTS_WRITE(checked->json, NULL, unwind_difference, checked, difference, name,
		    demangle_shown(checked->policy, name, &arena));
	arena_free(&arena);
}

static void
list_differences(struct checked *checked, struct unwind_totals *totals)
{
	unwind_check(checked->arch, checked->sources,
		     checked->json != NULL ? tell_json : tell_text, checked, totals);
}

static enum cmd_status
compare(struct checked *checked)
{
	const struct output *output = &cmd_output;
	struct unwind_totals totals;

	if (checked->json != NULL) {
		FACTS_WRITE(checked->json, NULL, unwind_module, checked, &totals);
	} else {
		list_differences(checked, &totals);
		output_text(output, text_of(place_base_name(checked->path)));
		output_format(output, ": %" PRIu64 " disagreement%s; %" PRIu64 " rows compared "
			      "over %" PRIu64 " bytes of code; %" PRIu64 " bytes only in STACK "
			      "CFI, %" PRIu64 " only in SFrame\n",
			      totals.differences, totals.differences == 1 ? "" : "s",
			      totals.compared, totals.bytes_both, totals.bytes_one[0],
			      totals.bytes_one[1]);
		for (unsigned i = 0; i < 2; i++)
			if (totals.problems[i] > 0)
				output_format(output, "  %s: %" PRIu64 " unusable records\n",
					      checked->sources[i].name, totals.problems[i]);
	}
	cmd_print_message_list(&checked->sframe.messages);
	return totals.differences + totals.problems[0] + totals.problems[1] > 0 ? CMD_FINDINGS
										: CMD_DONE;
}

static enum cmd_status
check_modules(const struct cmd_options *options, const bool *modules, const char *const *symbols,
	      size_t symbol_count)
{
	enum cmd_status worst = CMD_DONE;
	struct error error = { 0 };
	struct json json;

	if (options->json) {
		json_begin(&json, &cmd_output, options->pretty);
		json_array(&json, NULL);
	}
	for (size_t i = 0; i < options->path_count; i++) {
		struct checked checked = { .path = options->paths[i],
					   .json = options->json ? &json : NULL,
					   .policy = &options->policy };
		enum cmd_status status = CMD_UNREADABLE;

		if (!modules[i])
			continue;
		if (binary_open(&checked.binary, checked.path, &error) != ERROR_NONE)
			cmd_print_error(&error, checked.path);
		else
			status = open_sources(&checked, symbols, symbol_count);
		if (status == CMD_DONE)
			status = compare(&checked);
		if (status > worst)
			worst = status;
		file_symbols_free(&checked.names);
		sframe_close(&checked.sframe);
		symbols_free(checked.symbols);
		binary_close(checked.binary);
		arena_free(&checked.arena);
	}
	if (options->json) {
		json_array_end(&json);
		json_finish(&json);
	}
	return worst;
}

static enum cmd_status
run(const struct cmd_options *options)
{
	const char **symbols = calloc(options->path_count, sizeof(*symbols));
	bool *modules = calloc(options->path_count, sizeof(*modules));
	enum cmd_status status = CMD_USAGE;
	size_t symbol_count = 0;

	/* Paths that are ELF files are modules; all others are symbols. */
	for (size_t i = 0; symbols != NULL && modules != NULL && i < options->path_count; i++) {
		struct binary *binary = NULL;

		modules[i] = binary_open(&binary, options->paths[i], NULL) == ERROR_NONE &&
			     binary->format == BINARY_ELF;
		binary_close(binary);
		if (!modules[i])
			symbols[symbol_count++] = options->paths[i];
	}
	if (symbols == NULL || modules == NULL)
		status = cmd_out_of_memory();
	else if (symbol_count == options->path_count)
		cmd_usage(options, "no argument is an ELF file");
	else
		status = check_modules(options, modules, symbols, symbol_count);
	free(symbols);
	free(modules);
	return status;
}

const struct cmd_command cmd_unwind_check = {
	.name = "unwind-check", .arguments = "MODULE... [SYMBOLS...]",
	.help = "compare SFrame sections with STACK CFI records",
	.least = 1, .groups = CMD_GROUP_JSON | CMD_GROUP_NAMES,
	.document = unwind_module_facts, .lists = true, .run_alone = run,
};
