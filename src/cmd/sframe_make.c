/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/sframe_make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/file/sframe_text.h"
#include "sframe/sframes.h"

/* The default version, which most readers support. */
#define USUAL_VERSION 2u

static bool
keep_refusal(void *context, const struct sframe_refusal *refusal)
{
	struct sframe_made *made = context;
	struct sframe_refusal *added =
		ARENA_PUSH(&made->arena, made->refused, made->count, made->capacity);

	if (added != NULL)
		*added = *refusal;
	return added != NULL;
}

static enum cmd_status
refuse_wish(const char *path, const char *why)
{
	cmd_say("%s: no SFrame section can be made: %s", place_base_name(path), why);
	return CMD_UNREADABLE;
}

/* Begin the section, independently of its source. */
static void
begin(struct sframe_made *made, struct sframe_table *form, const struct sframe_wish *wish)
{
	if (wish->field_relative)
		form->flags |= SFRAME_FLAG_PCREL;
	sframe_writer_init(&made->making.writer, form);
	made->making.refuse = keep_refusal;
	made->making.context = made;
}

static enum cmd_status
from_section(struct sframe_made *made, const struct sframe *section,
	     const struct sframe_wish *wish)
{
	struct sframe_table form;
	const char *why = sframe_form_of(&form, section,
					 (unsigned)wish->version);

	if (why == NULL && wish->field_relative && form.version == 1)
		why = "start addresses of version 1 count from the section (--pcrel)";
	if (why != NULL)
		return refuse_wish(wish->path, why);
	if (wish->address.given && made->raw.data == NULL)
		form.address = wish->address.value;
	made->from = "SFrame";
	begin(made, &form, wish);
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
		why = "it has no number for this processor";
	else
		why = sframe_form(&form,
				  wish->version == 0 ? USUAL_VERSION : (unsigned)wish->version, abi,
				  wish->address.value);
	if (why == NULL && wish->field_relative && form.version == 1)
		why = "start addresses of version 1 count from the section (--pcrel)";
	if (why != NULL)
		return refuse_wish(wish->path, why);
	begin(made, &form, wish);
	made->making.bias = binary != NULL ? binary->linked_base : 0;
	made->from = source->kind->name;
	return unwind_to_sframe(&made->making, source) ? CMD_DONE : cmd_out_of_memory();
}

/* The source with this name, or else the first one with rows for all registers, or else SFrame. */
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

/* Whether a file begins like an SFrame section. */
static bool
is_section(const struct file *file)
{
	return file->size >= 2 && ((file->data[0] == 0xe2 && file->data[1] == 0xde) ||
				   (file->data[0] == 0xde && file->data[1] == 0xe2));
}

enum cmd_status
sframe_make(struct sframe_made *made, const struct cmd_options *options,
	    const struct sframe_wish *wish)
{
	struct cmd_options opened = *options;
	struct error error = { 0 };
	enum cmd_status status;
	const char *why;

	opened.paths = (const char **)&wish->path;
	opened.path_count = 1;
	*made = (struct sframe_made){ .arch = NULL };
	if (file_open(&made->raw, wish->path, NULL) == ERROR_NONE && is_section(&made->raw)) {
		if (sframe_open(&made->section, &made->raw.input, made->raw.data,
				(size_t)made->raw.size, 0, wish->address.value, NULL, 0,
				&error) != ERROR_NONE) {
			cmd_print_error(&error, wish->path);
			return CMD_UNREADABLE;
		}
		status = from_section(made, &made->section, wish);
	} else {
		file_close(&made->raw);
		made->raw = (struct file){ .data = NULL };
		status = subject_open(&made->subject, &opened);
		if (status == CMD_DONE && made->subject.kind == SUBJECT_DUMP)
			status = refuse_wish(wish->path, "a dump has no unwind rules of its own");
		else if (status == CMD_DONE)
			status = from_module(made, wish);
		subject_print_messages(&made->subject);
	}
	if (status != CMD_DONE)
		return status;
	made->input = (struct input){ .name = wish->path };
	made->bytes = sframe_writer_finish(&made->making.writer, &made->size, &why);
	return made->bytes != NULL ? CMD_DONE : refuse_wish(wish->path, why);
}

void
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

void
sframe_make_free(struct sframe_made *made)
{
	sframe_writer_free(&made->making.writer);
	sframe_close(&made->section);
	file_close(&made->raw);
	subject_close(&made->subject);
	arena_free(&made->arena);
}
