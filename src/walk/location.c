/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/location.h"

#include "base/demangle.h"
#include "binary/debug_info.h"
#include "walk/symbol_cache.h"

/* Messages are made by reading, so who wants them reads again. */
static void
find_symbol(const struct walk *walk, struct arena *arena, struct message_list *messages,
	    struct location *location)
{
	const struct symbols_policy policy = walk_symbols_policy(walk);
	const uint64_t relative = location->address - location->module->base;

	if (messages == NULL)
		symbol_cache_lookup(walk->seen, location->symfile, &policy, relative, arena,
				    &location->symbol);
	else
		symfile_lookup(location->symfile, &policy, relative, arena, messages,
			       &location->symbol);
}

static void
find_module(const struct walk *walk, struct location *location)
{
	const struct crash *crash = walk->crash;

	location->module_index = module_map_find(&walk->modules, location->address);
	if (location->module_index != MODULE_NONE) {
		location->module = &crash->modules[location->module_index];
		location->symfile = walk_symfile(walk, location->module_index);
		location->lacking = walk_lacks_symbols(walk, location->module_index);
		return;
	}
	location->module_index = module_map_find_unloaded(&walk->modules, location->address);
	if (location->module_index != MODULE_NONE)
		location->module = &crash->unloaded[location->module_index];
}

/* Breakpad falls back on the leaf's file where a record has no usable call file. */
static struct text
call_file(const struct inline_call *inlined, struct text leaf)
{
	return inlined->call_file.length > 0 ? inlined->call_file : leaf;
}

static void
rotate_calls(struct location *location)
{
	const struct symbol *symbol = &location->symbol;
	const struct text leaf = symbol->has_line ? symbol->line.file : text_of("");
	struct text file = leaf;
	uint32_t line = symbol->line.line;
	bool has_line = symbol->has_line;

	for (size_t i = 0; i < location->call_count; i++) {
		struct call *call = &location->calls[i];
		bool inlined = i + 1 < location->call_count;

		*call = (struct call){
			.name = inlined ? symbol->inlines[i].name : symbol->function.name,
			.file = file,
			.line = line,
			.has_line = has_line,
			.function_base = inlined ? symbol->inlines[i].address
						 : symbol->function.address,
			.line_base = symbol->has_line ? symbol->line.address : 0,
			.inlined = inlined ? &symbol->inlines[i] : NULL,
		};
		if (inlined) {
			file = call_file(&symbol->inlines[i], leaf);
			line = symbol->inlines[i].call_line;
			has_line = true;
		}
	}
}

/* Names of a walk are remembered by it, for they are kept longer than a location is. */
static void
demangle_calls(const struct walk *walk, struct location *location)
{
	for (size_t i = 0; i < location->call_count; i++) {
		struct call *call = &location->calls[i];
		const struct text name = call->name;

		call->name = demangle_memo_shown(walk->names, &walk->policy, name);
		if (call->name.start != name.start)
			call->mangled = name;
	}
}

/* Whether the only name is that of an exported function too far below to be this one. */
static bool
is_far_name(const struct walk *walk, const struct location *location)
{
	const struct function *function = &location->symbol.function;
	const uint32_t reach = walk->policy.value[POLICY_PUBLIC_NAMES];

	return location->symbol.found && reach != 0 && function->kind == SYMBOL_PUBLIC &&
	       location->address - location->module->base - function->address > reach;
}

static void
take_calls(const struct debug_answer *answer, struct arena *arena, struct symbol *symbol)
{
	symbol->inlines = arena_array(arena, answer->call_count, sizeof(*symbol->inlines));
	for (size_t i = 0; symbol->inlines != NULL && i < answer->call_count; i++) {
		const struct debug_call *call = &answer->calls[i];

		symbol->inlines[symbol->inline_count++] = (struct inline_call){
			.depth = (uint32_t)(answer->call_count - 1 - i),
			.address = call->address,
			.size = call->size,
			.name = text_of(*call->name != '\0' ? call->name : "<name omitted>"),
			.call_line = call->call_line,
			.call_file = text_of(call->call_file),
			.offset = call->offset,
		};
	}
}

static void
take_answer(const struct debug_answer *answer, struct arena *arena, struct symbol *symbol)
{
	*symbol = (struct symbol){
		.found = true,
		.own_file = answer->input,
		.section = answer->section,
		.function = { .kind = SYMBOL_FUNC, .address = answer->address,
			      .size = answer->size, .name = text_of(answer->name),
			      .offset = answer->offset },
		.has_line = answer->has_line,
	};
	if (answer->has_line)
		symbol->line = (struct source_line){
			.address = answer->line_address, .size = answer->line_size,
			.line = answer->line, .file = text_of(answer->file),
			.offset = answer->line_offset };
	take_calls(answer, arena, symbol);
}

/* What the module's own file says, which nobody asked yet where `seen` has nothing of it. */
static void
find_in_file(const struct walk *walk, struct arena *arena, struct location *location)
{
	struct debug_info *info = binaries_debug_info(walk->binaries);
	struct debug_answer answer;

	if (info == NULL || symbol_cache_find(walk->seen, info, location->address, arena,
					      &location->symbol))
		return;
	if (debug_info_find(info, (size_t)location->module_index,
			    location->address - location->module->base, arena, &answer))
		take_answer(&answer, arena, &location->symbol);
	symbol_cache_keep(walk->seen, info, location->address, &location->symbol);
}

struct place
location_place(const struct location *location, uint64_t offset, uint32_t length)
{
	if (location->symbol.own_file != NULL)
		return (struct place){ .input = location->symbol.own_file, .offset = offset,
				       .length = length };
	if (location->symfile == NULL)
		return (struct place){ 0 };
	return symfile_place(location->symfile, offset, length);
}

void
location_of(const struct walk *walk, uint64_t address, struct arena *arena,
	    struct message_list *messages, struct location *location)
{
	*location = (struct location){ .address = address };
	find_module(walk, location);
	if (location->symfile != NULL)
		find_symbol(walk, arena, messages, location);
	if (is_far_name(walk, location))
		location->symbol = (struct symbol){ .found = false };
	if (!location->symbol.found && location->module != NULL && !location->module->unloaded &&
	    walk->policy.value[POLICY_FILE_NAMES])
		find_in_file(walk, arena, location);
	location->call_count = location->symbol.inline_count + 1;
	location->calls = arena_array(arena, location->call_count, sizeof(*location->calls));
	if (location->calls == NULL) {
		location->calls = &location->bare;
		location->call_count = 1;
		return;
	}
	rotate_calls(location);
	demangle_calls(walk, location);
}
