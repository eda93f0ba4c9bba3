/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sframe.h"
#include "debug_info/elf_symbols.h"
#include "report/file/sframe_text.h"
#include "sframe/sframe_find.h"

struct sframe_options {
	struct cmd_options common;
	bool rules, walk;		/* postfix of rows; a walk file */
	struct cmd_address section;
	const char *function;
	struct cmd_list at;		/* addresses */
};

/* A file with its section, and what the options choose of it. */
struct view {
	const struct sframe_options *options;
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
					     .address = view->options->section.value,
					     .how = "raw section" };
	return sframe_open(&view->sframe, view->bytes.input, view->bytes.data, view->bytes.size,
			   0, view->bytes.address, NULL, 0, error) == ERROR_NONE;
}

static bool
open_binary(struct view *view, struct error *error)
{
	const char *why_not;

	if (view->options->section.given) {
		error_set(error, ERROR_FORMAT, (struct place){ .input = &view->binary->file.input },
			  "--section-address applies only to raw sections; this file has the "
			  "address of its section");
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
	const bool rules = view->options->rules;
	struct sframe_function function;

	for (size_t i = 0; i < view->address_count; i++)
		sframe_text_lookup(&cmd_output, &view->sframe, view->addresses[i], rules);
	if (view->address_count > 0)
		return;
	output_format(&cmd_output, "Contents of the SFrame section .sframe:\n");
	sframe_text_header(&cmd_output, &view->sframe);
	for (size_t i = 0; i < view->sframe.function_count; i++)
		if (sframe_function(&view->sframe, i, &function) && is_chosen(view, &function))
			sframe_text_function(&cmd_output, &function, rules);
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
	cmd_say("no function descriptor for '%s'", view->options->function);
	return false;
}

static void
print_json(const struct view *view)
{
	const struct sframe_choice choice = { .rules = view->options->rules,
					      .wanted = is_wanted, .name = function_name,
					      .context = (void *)view };
	struct json json;

	cmd_document_begin(&json, &view->options->common);
	sframe_section_members(&json, &view->sframe, view->bytes.how, &choice);
	cmd_document_end(&json, &view->options->common);
}

static enum cmd_status
print_view(struct view *view)
{

	if (!read_addresses(view))
		return CMD_USAGE;
	if (!any_chosen(view))
		return CMD_FINDINGS;
	sframe_check(&view->sframe);
	if (view->options->common.json)
		print_json(view);
	else
		print_text(view);
	fflush(stdout);
	cmd_print_message_list(&view->sframe.messages);
	return view->options->common.strict && message_total(&view->sframe.messages) > 0 ? CMD_FINDINGS
										  : CMD_DONE;
}

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *none)
{
	const char *path = options->paths[0];
	struct view view = { .options = (const struct sframe_options *)options };
	struct error error = { 0 };
	enum cmd_status status = CMD_UNREADABLE;

	(void)none;
	if (view.options->walk)
		return sframe_walk_print(path);
	if (open_view(&view, path, &error))
		status = print_view(&view);
	else if (error.text[0] != '\0')
		cmd_print_error(&error, path);
	close_view(&view);
	return status;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, sframe_options, member)
	{ "--section-address", 0, "ADDR", "where a raw section is, in hexadecimal",
	  STORE(ADDRESS, section) },
	{ "--function", 0, "NAME", "of this function: a name or descriptor's number",
	  STORE(TEXT, function) },
	{ "--at", 0, "ADDRESS", "the row in force at an address; repeatable", STORE(LIST, at) },
	{ "--rules", 0, NULL, "also each row as postfix rules", STORE(FLAG, rules) },
	{ "--walk", 0, NULL, "FILE is a walk file: walk its registers and memory",
	  STORE(FLAG, walk) },
};

const struct cmd_command cmd_sframe = {
	.name = "sframe", .arguments = "FILE",
	.help = "print the SFrame section of an ELF file, or a raw section",
	.least = 1, .most = 1, CMD_OWN(own_options, sframe_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_STRICT,
	.document = sframe_section_facts, .run = run,
};
