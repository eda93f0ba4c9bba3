/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "code/call.h"
#include "code/instruction.h"
#include "report/report.h"
#include "report/memory/identify_internal.h"
#include "walk/symbol_at.h"

static void
add_module(struct identify_search *search, int index)
{
	const struct module *module = &search->crash->modules[index];
	const char *before = arena_format(&search->out->arena, "0x%" PRIx64 " bytes into ",
					  search->value - module->base);
	struct identify_fact *fact =
		before == NULL ? NULL
			       : identify_add_text(search->out, "module", before,
						 text_of(module->code_file), "");

	if (fact == NULL)
		return;
	fact->place = module->place;
	fact->target.kind = TARGET_MODULE;
	fact->target.module = (size_t)index;
}

/* The section of the module's own file, where that is at hand. */
static void
add_section(struct identify_search *search, int index)
{
	const struct binary *binary =
		binaries_load(search->around->binaries, (size_t)index, BINARIES_IMAGE);
	const uint64_t relative = search->value - search->crash->modules[index].base;

	for (size_t i = 0; binary != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		const uint64_t base = section->address -
				      (binary->format == BINARY_ELF ? binary->linked_base : 0);

		if (section->address == 0 || relative - base >= section->size)
			continue;
		const char *behind = arena_format(&search->out->arena, " + 0x%" PRIx64 " of %s",
						  relative - base,
						  place_base_name(binary->file.input.name));
		if (behind != NULL)
			identify_add_text(
				search->out, "section", "", text_of(section->name), behind);
	}
}

static void
add_function(struct identify_search *search, const struct surrounding_name *name)
{
	const char *behind = arena_format(&search->out->arena, " + 0x%" PRIx64 "%s",
					  search->value - name->start,
					  name->symfile == NULL ? "   (the file's own symbol)"
					  : name->size == 0	? "   (the nearest name below)"
								: "");
	struct identify_fact *fact =
		behind == NULL || name->name.length == 0
			? NULL : identify_add_text(search->out, "function", "", name->name, behind);

	if (fact == NULL)
		return;
	fact->place = name->place;
	fact->target = report_code_target(search->value);
}

/* The line, and the calls that were inlined there, the innermost first. */
static void
add_lines(struct identify_search *search, const struct surrounding_name *name)
{
	struct arena *arena = &search->out->arena;
	struct symbol symbol;
	struct identify_fact *fact = NULL;

	surroundings_symbol(search->around, name->module, search->value, arena, &symbol);
	/* Code of an inlined call may be of no line at all. */
	if (symbol.has_line)
		fact = identify_add_text(search->out, "line", "", symbol.line.file,
				       arena_format(arena, ":%" PRIu32, symbol.line.line));
	if (fact != NULL)
		fact->place = symbol_at_place(name->symfile, symbol.own_file,
					      symbol.line.offset, symbol.line.length);
	for (size_t i = 0; i < symbol.inline_count; i++) {
		const struct inline_call *call = &symbol.inlines[i];
		const struct text file = text_base_name(call->call_file);
		const char *shown = text_printable_copy(arena, file);

		fact = identify_add_text(search->out, "inlined", "",
				       surroundings_shown(search->around, call->name),
				       arena_format(arena, ", called at %s:%" PRIu32,
						    shown != NULL ? shown : "", call->call_line));
		if (fact != NULL)
			fact->place = symbol_at_place(name->symfile, symbol.own_file,
						      call->offset, call->length);
	}
}

static void
add_instruction(struct identify_search *search)
{
	struct instruction instruction;

	if (!instruction_at(&instruction, search->around->arch, &search->around->memory,
			    search->around->binaries, false, search->value))
		return;
	struct identify_fact *fact =
		identify_add(search->out, "instruction", "%s%s", instruction.text,
			   instruction.from_file ? "   (the file's bytes, not the dump's)" : "");
	if (fact == NULL)
		return;
	fact->place = instruction.place;
	fact->target = report_code_target(search->value);
}

/* A return address stands behind a call, which tells who was called. */
static void
add_call(struct identify_search *search)
{
	const struct call_site site =
		call_find(search->around->arch, &search->around->memory, search->around->binaries,
			  search->value);

	if (site.answer != CALL_YES)
		return;
	const struct text target =
		site.direct ? surroundings_describe(search->around, site.target,
						    &search->out->arena)
			    : text_of("");
	struct identify_fact *fact = site.direct
		? identify_add_text(search->out, "return to", "after a call of ",
			  target.length > 0 ? target : text_of("no known function"), "")
		: identify_add(search->out, "return to", "after an indirect call");
	if (fact == NULL)
		return;
	fact->place = site.place;
	fact->target = report_code_target(site.address);
}

void
identify_code(struct identify_search *search)
{
	struct surrounding_name name;

	if (!surroundings_name(search->around, search->value, &name)) {
		const int index = module_map_find_unloaded(&search->around->modules, search->value);

		if (index != MODULE_NONE) {
			const struct module *module = &search->crash->unloaded[index];
			const char *before = arena_format(&search->out->arena,
				"0x%" PRIx64 " bytes into ", search->value - module->base);
			struct identify_fact *fact =
				before == NULL ? NULL
					       : identify_add_text(search->out, "unloaded", before,
								 text_of(module->code_file),
								 ", which had been unloaded");
			if (fact != NULL)
				fact->place = module->place;
		}
		return;
	}
	add_module(search, name.module);
	add_section(search, name.module);
	add_function(search, &name);
	add_lines(search, &name);
	const struct mapping *mapping = crash_mapping(search->crash, search->value);
	if (name.name.length == 0 && mapping != NULL && !mapping->executable)
		return;
	add_call(search);
	add_instruction(search);
}
