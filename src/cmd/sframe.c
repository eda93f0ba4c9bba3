/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subject.h"
#include "debug_info/file_symbols.h"
#include "report/file/sframe_text.h"
#include "sframe/sframes.h"
#include "unwind_check/to_sframe.h"

/* The default version, which most readers support. */
#define USUAL_VERSION 2u

/* An SFrame section to make from a file: --from and its options. */
struct sframe_wish {
	const char *path;		/* an ELF file, a symbol file or a raw section */
	const char *source;		/* name of the source of rules; NULL: the default */
	long version;			/* 0: the input section's version, or else 2 */
	bool field_relative;		/* start addresses are relative to their own fields */
	bool big_endian;		/* the symbol file's code is big-endian */
	struct cmd_address address;	/* address of the section */
};

struct sframe_made {
	struct sframe_making making;
	struct subject subject;
	struct file raw;
	struct sframe section;		/* the section in `raw` */
	struct input input;		/* input for places in the new bytes */
	const uint8_t *bytes;
	size_t size;
	const char *from;		/* name of the source, such as ".eh_frame" */
	const struct arch *arch;
	struct arena arena;
	struct sframe_refusal *refused;
	size_t count, capacity;
};

struct sframe_options {
	struct cmd_options common;
	bool rules;			/* show rows in postfix */
	struct sframe_wish from;	/* source of a section to make; path NULL: none */
	const char *output;		/* file for that section */
	bool force;
	const char *function;
	struct cmd_list at;		/* addresses */
};

/* A file with its section, and the part that the options choose. */
struct view {
	const struct sframe_options *options;
	struct file file;		/* file of a raw section */
	struct binary *binary;		/* NULL: a raw section */
	struct file_symbols symbols;
	struct sframe_bytes bytes;
	struct sframe sframe;
	struct sframe_made made;	/* sections made with --from */
	uint64_t *addresses;		/* addresses given with --at */
	size_t address_count;
	size_t listed;	/* number of functions shown with rows if none is named */
};

/* Open an ELF file, or else take the file's bytes as a section. */
static bool
open_view(struct view *view, const char *path, struct error *error)
{
	struct sframe_bytes *bytes = &view->bytes;
	const enum error_code code = binary_open(&view->binary, path, error);
	const char *why_not;

	if (code == ERROR_NOT_FOUND && file_open(&view->file, path, error) == ERROR_NONE) {
		*bytes = (struct sframe_bytes){ .input = &view->file.input,
						.data = view->file.data, .size = view->file.size,
						.address = view->options->from.address.value,
						.how = "raw section" };
		return sframe_open(&view->sframe, bytes, NULL, 0, error) == ERROR_NONE;
	}
	if (code != ERROR_NONE)
		return false;
	const struct place place = { .input = &view->binary->file.input };
	if (view->options->from.address.given) {
		error_set(error, ERROR_FORMAT, place,
			  "--section-address applies only to raw sections; this file has the "
			  "address of its section");
		return false;
	}
	file_symbols_read(&view->symbols, view->binary);
	if (!sframe_in_binary(view->binary, bytes, &why_not)) {
		error_set(error, ERROR_NOT_FOUND, place, "%s", why_not);
		return false;
	}
	return sframe_open_binary(&view->sframe, view->binary, bytes, 0, error) == ERROR_NONE;
}

static const char *
function_name(void *context, const struct sframe_function *function)
{
	const struct view *view = context;
	const struct file_symbol *symbol = file_symbols_at(&view->symbols, function->address);

	return symbol != NULL ? symbol->name : NULL;
}

/* Whether --function names this function, by name or by number of its descriptor. */
static bool
is_chosen(const struct view *view, const struct sframe_function *function)
{
	const char *wanted = view->options->function;
	const char *name = function_name((void *)view, function);
	uint64_t number;

	if (wanted == NULL)
		return view->address_count > 0 || function->number < view->listed;
	if (name != NULL && strcmp(name, wanted) == 0)
		return true;
	return text_number(text_of(wanted), 10, &number) && number == function->number;
}

static bool
sframe_is_wanted(void *context, const struct sframe_function *function)
{
	const struct view *view = context;

	if (!is_chosen(view, function))
		return false;
	for (size_t i = 0; i < view->address_count; i++)
		if (view->addresses[i] - function->address < function->size)
			return true;
	return view->address_count == 0;
}

/*
 * Limit the rows shown to one per two bytes of the section. More rows exist only if functions share
 * rows, and then not all need to be shown. A damaged row count affects only its function.
 */
static void
limit_rows(struct view *view)
{
	const uint64_t size =
		view->sframe.table_count > 0 ? view->sframe.tables[0].reader.size : 0;
	struct sframe_function function;
	uint64_t rows = 0;

	for (view->listed = 0;
	     rows <= size / 2 && sframe_function(&view->sframe, view->listed, &function);
	     view->listed++)
		rows += function.row_count < size / 8 ? function.row_count : size / 8;
	if (view->listed < view->sframe.function_count && view->options->function == NULL &&
	    view->options->at.count == 0)
		cmd_say("warning: the functions share their rows; only the first %zu of %zu are "
			"shown: choose others with '--function NUMBER'", view->listed,
			view->sframe.function_count);
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

static enum cmd_status
print_view(struct view *view)
{
	const struct sframe_choice choice = { .rules = view->options->rules,
					      .wanted = sframe_is_wanted, .name = function_name,
					      .context = view,
					      .refused = view->made.refused,
					      .refused_count = view->made.count };
	const struct cmd_list *at = &view->options->at;
	const struct message_list *messages = &view->sframe.messages;
	bool chosen = view->options->function == NULL;
	struct sframe_function function;

	view->addresses = calloc(at->count + 1, sizeof(*view->addresses));
	if (view->addresses == NULL)
		return cmd_out_of_memory();
	for (size_t i = 0; i < at->count; i++)
		if (!cmd_parse_address(at->items[i], &view->addresses[view->address_count++]))
			return CMD_USAGE;
	limit_rows(view);
	for (size_t i = 0; i < view->sframe.function_count && !chosen; i++)
		chosen = sframe_function(&view->sframe, i, &function) && is_chosen(view, &function);
	if (!chosen) {
		cmd_say("no function descriptor for '%s'", view->options->function);
		return CMD_FINDINGS;
	}
	sframe_check(&view->sframe);
	if (view->options->common.json)
		CMD_DOCUMENT(&view->options->common, sframe_section, &view->sframe,
			     view->bytes.how, &choice);
	else
		print_text(view);
	cmd_print_message_list(messages);
	return view->options->common.strict && message_total(messages) > 0 ? CMD_FINDINGS
									    : CMD_DONE;
}

/* Making sections ------------------------------------------------------------------------------ */

static bool
keep_refusal(void *context, const struct sframe_refusal *refusal)
{
	struct sframe_made *made = context;

	return ARENA_ADD(&made->arena, made->refused, made->count, made->capacity, refusal);
}

static enum cmd_status
refuse_wish(const char *path, const char *why)
{
	cmd_say("%s: no SFrame section can be made: %s", place_base_name(path), why);
	return CMD_UNREADABLE;
}

/* Begin the section. Returns NULL, or why the section cannot be made. */
static const char *
begin(struct sframe_made *made, struct sframe_table *form, const struct sframe_wish *wish)
{
	if (wish->field_relative && form->version == 1)
		return "start addresses of version 1 count from the section (--pcrel)";
	if (wish->field_relative)
		form->flags |= SFRAME_FLAG_PCREL;
	sframe_writer_init(&made->making.writer, form);
	made->making.refuse = keep_refusal;
	made->making.context = made;
	return NULL;
}

static enum cmd_status
from_section(struct sframe_made *made, const struct sframe *section,
	     const struct sframe_wish *wish)
{
	struct sframe_table form;
	const char *why = sframe_form_of(&form, section,
					 (unsigned)wish->version);

	if (why == NULL && wish->address.given && made->raw.data == NULL)
		form.address = wish->address.value;
	if (why == NULL)
		why = begin(made, &form, wish);
	if (why != NULL)
		return refuse_wish(wish->path, why);
	made->from = "SFrame";
	return sframe_to_sframe(&made->making, section) ? CMD_DONE : cmd_out_of_memory();
}

static enum cmd_status
from_rules(struct sframe_made *made, struct unwind_source *source, const struct sframe_wish *wish)
{
	const struct binary *binary = made->subject.binary;
	const bool big = binary != NULL ? binary->big_endian : wish->big_endian;
	struct sframe_table form;
	enum sframe_abi abi;
	const char *why = NULL;

	if (!sframe_abi_of(made->arch, big, &abi))
		why = "SFrame has no number for this processor";
	else
		why = sframe_form(&form,
				  wish->version == 0 ? USUAL_VERSION : (unsigned)wish->version, abi,
				  wish->address.value);
	if (why == NULL)
		why = begin(made, &form, wish);
	if (why != NULL)
		return refuse_wish(wish->path, why);
	made->making.bias = binary != NULL ? binary->linked_base : 0;
	made->from = source->kind->name;
	return unwind_to_sframe(&made->making, source) ? CMD_DONE : cmd_out_of_memory();
}

/* The source called `name`; for NULL, the first source with rules for all registers. NULL: none. */
static struct unwind_source *
choose(struct unwind_source *sources, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (name != NULL ? strcmp(sources[i].kind->name, name) == 0
				 : sources[i].kind->whole)
			return &sources[i];
	return NULL;
}

static enum cmd_status
from_module(struct sframe_made *made, const struct sframe_wish *wish)
{
	const struct rule_module module = subject_module(&made->subject, 0);
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	enum cmd_status status = CMD_UNREADABLE;

	if (sources == NULL)
		return cmd_out_of_memory();
	made->arch = module.arch;
	const size_t count = unwind_sources_open(&module, false, sources);
	struct unwind_source *source = choose(sources, count, wish->source);
	const bool asked = wish->source == NULL || strcmp(wish->source, "SFrame") == 0;
	if (module.sframe != NULL && asked && (source == NULL || !source->kind->whole))
		status = from_section(made, module.sframe, wish);
	else if (source != NULL && source->kind->whole)
		status = from_rules(made, source, wish);
	else
		refuse_wish(wish->path, wish->source != NULL
						? "it has no such source of rules"
						: "it has neither STACK CFI nor .eh_frame, "
						  ".debug_frame or SFrame");
	unwind_sources_close(sources, count);
	free(sources);
	return status;
}

/* Make the section. Prints errors. */
static enum cmd_status
sframe_make(struct sframe_made *made, const struct cmd_options *options,
	    const struct sframe_wish *wish)
{
	struct cmd_options opened = *options;
	struct error error = { 0 };
	enum cmd_status status;
	const char *why;
	uint16_t magic = 0;

	opened.paths = (const char **)&wish->path;
	opened.path_count = 1;
	*made = (struct sframe_made){ .arch = NULL };
	if (file_open(&made->raw, wish->path, NULL) == ERROR_NONE && made->raw.size >= 2)
		memcpy(&magic, made->raw.data, sizeof(magic));
	/* The magic number of SFrame, in either byte order. */
	if (magic == 0xdee2 || magic == 0xe2de) {
		if (sframe_open(&made->section,
				&(struct sframe_bytes){ &made->raw.input, made->raw.data,
							made->raw.size, 0, wish->address.value,
							NULL },
				NULL, 0, &error) != ERROR_NONE)
			return cmd_print_error(&error, wish->path);
		status = from_section(made, &made->section, wish);
	} else {
		file_close(&made->raw);
		made->raw = (struct file){ .data = NULL };
		status = subject_open(&made->subject, &opened);
		if (status != CMD_DONE)
			return status;
		status = made->subject.kind == SUBJECT_DUMP
				 ? refuse_wish(wish->path, "a dump has no unwind rules of its own")
				 : from_module(made, wish);
		subject_print_messages(&made->subject);
	}
	if (status != CMD_DONE)
		return status;
	made->input = (struct input){ .name = wish->path };
	made->bytes = sframe_writer_finish(&made->making.writer, &made->size, &why);
	return made->bytes != NULL ? CMD_DONE : refuse_wish(wish->path, why);
}

/* Print each refused row, the new section's numbers, and the sums of refused rows and bytes. */
static void
sframe_make_print(const struct sframe_made *made, const char *path)
{
	const struct sframe_making *making = &made->making;
	const struct sframe_writer *writer = &making->writer;

	for (size_t i = 0; i < made->count; i++)
		sframe_text_refusal(&cmd_output, made->arch, &made->refused[i]);
	cmd_print("%s: SFrame version %u, %s, from %s: %zu function%s, %zu row%s, %zu bytes", path,
		  writer->form.version, sframe_abi_name(writer->form.abi), made->from,
		  writer->count, plural(writer->count), writer->row_count,
		  plural(writer->row_count), made->size);
	if (made->count > 0)
		cmd_print("refused: %" PRIu64 " of %" PRIu64 " rows of %s, %" PRIu64 " of %" PRIu64
			  " bytes of code", making->refused_rows, making->rows, made->from,
			  making->refused_bytes, making->bytes);
}

static bool
write_section(void *context, const struct output *output)
{
	const struct sframe_made *made = context;

	output->write(output->context, (const char *)made->bytes, made->size);
	return true;
}

/* Make the section, write it if requested, and show it by reading it again. */
static enum cmd_status
make_view(struct view *view)
{
	const struct sframe_options *options = view->options;
	struct sframe_made *made = &view->made;
	const enum cmd_status failed = sframe_make(made, &options->common, &options->from);
	enum cmd_status status = failed;
	struct error error = { 0 };

	if (status == CMD_DONE && options->output != NULL)
		status = cmd_write_file(options->output, options->force, write_section, made);
	if (status != CMD_DONE)
		return status;
	view->bytes.how = "made";
	if (sframe_open(&view->sframe,
			&(struct sframe_bytes){ &made->input, made->bytes, made->size, 0,
						made->making.writer.form.address, NULL },
			NULL, 0, &error) != ERROR_NONE)
		return cmd_print_error(&error, options->from.path);
	if (options->output == NULL || options->common.json)
		status = print_view(view);
	if (!options->common.json)
		sframe_make_print(made, options->output != NULL
						? options->output
						: place_base_name(options->from.path));
	return status == CMD_DONE && options->common.strict && made->count > 0 ? CMD_FINDINGS
									       : status;
}

static enum cmd_status
sframe_run(const struct cmd_options *options)
{
	const char *path = options->path_count > 0 ? options->paths[0] : NULL;
	struct view view = { .options = (const struct sframe_options *)options };
	struct error error = { 0 };
	enum cmd_status status = CMD_UNREADABLE;

	if ((path == NULL) == (view.options->from.path == NULL))
		return cmd_usage(options, path == NULL ? "no file was given"
						       : "give either FILE or --from, not both");
	if (path != NULL && view.options->output != NULL)
		return cmd_usage(options, "--output needs --from: only a new section is written");
	if (path == NULL)
		status = make_view(&view);
	else if (open_view(&view, path, &error))
		status = print_view(&view);
	else if (error.text[0] != '\0')
		cmd_print_error(&error, path);
	sframe_close(&view.sframe);
	sframe_writer_free(&view.made.making.writer);
	sframe_close(&view.made.section);
	file_close(&view.made.raw);
	subject_close(&view.made.subject);
	arena_free(&view.made.arena);
	file_symbols_free(&view.symbols);
	binary_close(view.binary);
	file_close(&view.file);
	free(view.addresses);
	return status;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, sframe_options, member)
	{ "--section-address", 0, "ADDR", "address of a raw or new section, in hexadecimal",
	  STORE(ADDRESS, from.address) },
	{ "--function", 0, "NAME", "only this function: name or descriptor number",
	  STORE(TEXT, function) },
	{ "--at", 0, "ADDRESS", "the row in force at an address; repeatable", STORE(LIST, at) },
	{ "--rules", 0, NULL, "also each row as postfix rules", STORE(FLAG, rules) },
	{ "--from", 0, "FILE", "make a section from a program, symbols or a section",
	  STORE(TEXT, from.path) },
	{ "--output", 'o', "SECTION", "write the new section to this file", STORE(OUTPUT, output) },
	{ "--force", 0, NULL, "replace a file that exists", STORE(FLAG, force) },
	{ "--format-version", 0, "N", "make version 1, 2 (the default) or 3",
	  STORE(NUMBER, from.version) },
	{ "--source", 0, "NAME", "source, if there are several: .debug_frame, SFrame",
	  STORE(TEXT, from.source) },
	{ "--pcrel", 0, NULL, "start addresses are relative to their fields",
	  STORE(FLAG, from.field_relative) },
	{ "--big-endian", 0, NULL, "the symbol file of arm64 is for a big-endian system",
	  STORE(FLAG, from.big_endian) },
};

const struct cmd_command cmd_sframe = {
	.name = "sframe", .arguments = "FILE",
	.help = "print the SFrame section of an ELF file, or make one",
	.most = 1, CMD_OWN(own_options, sframe_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_STRICT | CMD_GROUP_REDACT,
	.document = sframe_section_facts, .run_alone = sframe_run,
};
