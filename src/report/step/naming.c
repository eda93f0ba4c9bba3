/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/naming.h"

#include <inttypes.h>

#include "base/demangle.h"
#include "report/lines.h"
#include "report/report.h"

struct name_facts {
	const struct walk *walk;
	struct lines lines;
};

static void
add(struct name_facts *naming, const char *word, const char *text, struct text name,
    struct place place)
{
	struct line *line =
		text == NULL ? NULL
			     : lines_add_format(&naming->lines, word, ROLE_NORMAL, "%s%.*s", text,
						(int)name.length, name.start);

	if (line != NULL)
		line->place = place;
}

static void
add_module(struct name_facts *naming, const struct walk *walk, const struct location *location)
{
	const struct module *module = location->module;
	const uint64_t address = location->address;
	struct arena *arena = naming->lines.arena;

	if (module == NULL) {
		add(naming, "module", arena_format(arena, "%" PRIx64 " lies in no module", address),
		    text_of(""), (struct place){ 0 });
		return;
	}
	add(naming, "module",
	    arena_format(arena, "%" PRIx64 " to %" PRIx64 "%s: the address is at +%" PRIx64 " in ",
			 module->base, module->base + module->size - 1,
			 module->unloaded ? ", unloaded" : "", address - module->base),
	    text_of(place_base_name(module->code_file)), module->place);
	if (location->symfile == NULL)
		add(naming, "symbols",
		    location->lacking ? "not read yet: the symbols of "
		    : walk->symbols != NULL && symbols_configured(walk->symbols)
			    ? "no symbol file was found for "
			    : "no symbols were given for ",
		    text_of(place_base_name(module->debug_file)), module->identity_place);
}

static struct text
shown(const struct name_facts *naming, struct text name)
{
	return demangle_memo_shown(naming->walk->names, &naming->walk->policy, name);
}

static void
add_function(struct name_facts *naming, const struct location *location, const char *word,
	     const struct function *function)
{
	const char *kind = location->symbol.own_file != NULL ? location->symbol.section
			   : function->kind == SYMBOL_FUNC   ? "FUNC"
							     : "PUBLIC";
	const char *text =
		function->kind == SYMBOL_FUNC && function->size > 0
			? arena_format(naming->lines.arena, "%s %" PRIx64 " to %" PRIx64 "%s ", kind,
				       function->address, function->address + function->size - 1,
				       function->multiple ? " (m)" : "")
			: arena_format(naming->lines.arena, "%s %" PRIx64 "%s ", kind, function->address,
				       function->multiple ? " (m)" : "");

	add(naming, word, text, shown(naming, function->name),
	    location_place(location, function->offset, function->length));
}

static void
add_symbol(struct name_facts *naming, const struct location *location)
{
	const struct symbol *symbol = &location->symbol;

	if (symbol->found)
		add_function(naming, location, "chosen", &symbol->function);
	else
		add(naming, "no name", "no FUNC or PUBLIC record covers the address",
		    text_of(""),
		    (struct place){ .input = &symfile_file(location->symfile)->input });
	if (symbol->has_line)
		add(naming, "line",
		    arena_format(naming->lines.arena, "line %" PRIu32 ", %" PRIx64 " to %" PRIx64 " of ",
				 symbol->line.line, symbol->line.address,
				 symbol->line.address + symbol->line.size - 1),
		    symbol->line.file,
		    location_place(location, symbol->line.offset, symbol->line.length));
	for (size_t i = 0; i < symbol->inline_count; i++) {
		const struct inline_call *call = &symbol->inlines[i];

		add(naming, "inlined",
		    arena_format(naming->lines.arena, "depth %" PRIu32 ", called at line %" PRIu32 " ",
				 call->depth, call->call_line),
		    shown(naming, call->name),
		    location_place(location, call->offset, call->length));
	}
	for (size_t i = 0; i < symbol->shadowed_count; i++)
		add_function(naming, location, "shadowed", &symbol->shadowed[i]);
}

struct listing
naming_listing(const struct walk *walk, size_t frame, struct arena *arena)
{
	struct name_facts *naming = arena_alloc(arena, sizeof(*naming));
	struct location location;

	if (naming == NULL)
		return listing_out_of_memory();
	*naming = (struct name_facts){
		.walk = walk,
		.lines = { .arena = arena, .label_role = ROLE_TITLE, .label_column = 1,
			   .text_column = 10, .shows_places = true },
	};
	location_of(walk, walk->frames[frame].lookup, arena, NULL, &location);
	add_module(naming, walk, &location);
	if (location.symfile != NULL || location.symbol.found)
		add_symbol(naming, &location);
	if (frame == 0 && report_context_note(walk) != NULL)
		add(naming, "context", report_context_note(walk), text_of(""),
		    walk_other_context(walk)->place);
	return lines_listing(&naming->lines, 0, arena);
}
