/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_info/elf_symbols.h"
#include "sframe/sframe_find.h"
#include "cmd/cmd.h"
#include "report/file/sframe_text.h"

/* A file with its section, and what the options choose of it. */
struct view {
	const struct cmd_options *options;
	struct file file;		/* of a raw section */
	struct binary *binary;		/* NULL: a raw section */
	struct elf_symbols symbols;
	struct sframe_bytes bytes;
	struct sframe sframe;
	uint64_t *addresses;		/* of --at */
	size_t address_count;
};

static bool
open_raw(struct view *view, const char *path, struct error *error)
{
	if (file_open(&view->file, path, error) != ERROR_NONE)
		return false;
	view->bytes = (struct sframe_bytes){ .input = &view->file.input,
					     .data = view->file.data, .size = view->file.size,
					     .how = "raw section" };
	if (view->options->section_address != NULL &&
	    !cmd_parse_address(view->options->section_address, &view->bytes.address))
		return false;
	return sframe_open(&view->sframe, view->bytes.input, view->bytes.data, view->bytes.size,
			   0, view->bytes.address, NULL, 0, error) == ERROR_NONE;
}

static bool
open_binary(struct view *view, struct error *error)
{
	const char *why_not;

	if (view->options->section_address != NULL) {
		error_set(error, ERROR_FORMAT, (struct place){ .input = &view->binary->file.input },
			  "--section-address is for raw sections: this file says where its own is");
		return false;
	}
	elf_symbols_read(&view->symbols, view->binary);
	if (!sframe_in_binary(view->binary, &view->bytes, &why_not)) {
		error_set(error, ERROR_NOT_FOUND,
			  (struct place){ .input = &view->binary->file.input }, "%s", why_not);
		return false;
	}
	return sframe_open_binary(&view->sframe, view->binary, &view->bytes, 0, error) ==
	       ERROR_NONE;
}

/* An ELF file, or else the bytes of a section. */
static bool
open_view(struct view *view, const char *path, struct error *error)
{
	const enum error_code code = binary_open(&view->binary, path, error);

	if (code == ERROR_NONE)
		return open_binary(view, error);
	return code == ERROR_NOT_FOUND && open_raw(view, path, error);
}

static void
close_view(struct view *view)
{
	sframe_close(&view->sframe);
	elf_symbols_free(&view->symbols);
	binary_close(view->binary);
	file_close(&view->file);
	free(view->addresses);
}

static const char *
function_name(void *context, const struct sframe_function *function)
{
	const struct view *view = context;
	const struct elf_symbol *symbol = elf_symbols_at(&view->symbols, function->address);

	return symbol != NULL ? symbol->name : NULL;
}

/* --function takes a name, or the number of a descriptor. */
static bool
is_chosen(const struct view *view, const struct sframe_function *function)
{
	const char *wanted = view->options->function;
	const char *name = function_name((void *)view, function);
	char *end;
	unsigned long number;

	if (wanted == NULL)
		return true;
	if (name != NULL && strcmp(name, wanted) == 0)
		return true;
	number = strtoul(wanted, &end, 10);
	return *wanted != '\0' && *end == '\0' && number == function->number;
}

static bool
is_wanted(void *context, const struct sframe_function *function)
{
	const struct view *view = context;

	if (!is_chosen(view, function))
		return false;
	for (size_t i = 0; i < view->address_count; i++)
		if (view->addresses[i] - function->address < function->size)
			return true;
	return view->address_count == 0;
}

static bool
read_addresses(struct view *view)
{
	const struct cmd_list *at = &view->options->at;

	view->addresses = calloc(at->count + 1, sizeof(*view->addresses));
	if (view->addresses == NULL)
		return false;
	for (size_t i = 0; i < at->count; i++)
		if (!cmd_parse_address(at->items[i], &view->addresses[view->address_count++]))
			return false;
	return true;
}

static void
print_text(const struct view *view)
{
	const struct output output = cmd_output();
	const bool rules = view->options->rules;
	struct sframe_function function;

	for (size_t i = 0; i < view->address_count; i++)
		sframe_text_lookup(&output, &view->sframe, view->addresses[i], rules);
	if (view->address_count > 0)
		return;
	output_format(&output, "Contents of the SFrame section .sframe:\n");
	sframe_text_header(&output, &view->sframe);
	for (size_t i = 0; i < view->sframe.function_count; i++)
		if (sframe_function(&view->sframe, i, &function) && is_chosen(view, &function))
			sframe_text_function(&output, &function, rules);
}

static bool
any_chosen(const struct view *view)
{
	struct sframe_function function;

	for (size_t i = 0; i < view->sframe.function_count; i++)
		if (sframe_function(&view->sframe, i, &function) && is_chosen(view, &function))
			return true;
	if (view->options->function == NULL)
		return true;
	fprintf(stderr, "unspool: no function '%s' has a descriptor\n", view->options->function);
	return false;
}

static enum cmd_status
print_view(struct view *view)
{
	const struct output output = cmd_output();
	const struct sframe_choice choice = { .rules = view->options->rules,
					      .pretty = view->options->pretty,
					      .wanted = is_wanted, .name = function_name,
					      .context = view };

	if (!read_addresses(view))
		return CMD_USAGE;
	if (!any_chosen(view))
		return CMD_FINDINGS;
	sframe_check(&view->sframe);
	if (view->options->json)
		sframe_json(&output, &view->sframe, view->bytes.how, &choice);
	else
		print_text(view);
	fflush(stdout);
	cmd_print_message_list(&view->sframe.messages);
	return view->options->strict && message_total(&view->sframe.messages) > 0 ? CMD_FINDINGS
										  : CMD_DONE;
}

enum cmd_status
cmd_sframe(const struct cmd_options *options)
{
	struct view view = { .options = options };
	struct error error = { 0 };
	enum cmd_status status = CMD_UNREADABLE;

	if (options->path_count != 1) {
		fprintf(stderr, "unspool: sframe wants one file\nTry 'unspool sframe --help'.\n");
		return CMD_USAGE;
	}
	if (options->walk)
		return cmd_sframe_walk(options);
	if (open_view(&view, options->paths[0], &error))
		status = print_view(&view);
	else if (error.text[0] != '\0')
		cmd_print_error(&error, options->paths[0]);
	close_view(&view);
	return status;
}
