/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/surroundings.h"

#include <string.h>

#include "base/demangle.h"
#include "base/policy_rows.h"
#include "walk/location.h"
#include "walk/symbol_at.h"

bool
surroundings_init(struct surroundings *around, const struct crash *crash, struct symbols *symbols,
		  struct binaries *binaries, const struct policy *policy,
		  struct walk *const *walks)
{
	*around = (struct surroundings){ .crash = crash, .arch = crash->system.arch,
					 .symbols = symbols, .binaries = binaries,
					 .policy = *policy, .walks = walks };
	const struct crash_context *context = NULL;
	if (crash->requesting_thread >= 0)
		context = crash_thread_context(crash, (size_t)crash->requesting_thread);
	for (size_t i = 0; (context == NULL || context->arch == NULL) && i < crash->thread_count;
	     i++)
		context = crash_thread_context(crash, i);
	if (context != NULL && context->arch != NULL)
		around->arch = context->arch;
	memory_view_all(&around->memory, crash, &around->arena);
	module_map_build(&around->modules, crash, policy, &around->arena);
	around->shown = demangle_memo_create();
	around->names = arena_array(&around->arena, crash->module_count + 1,
				    sizeof(*around->names));
	return around->names != NULL;
}

void
surroundings_free(struct surroundings *around)
{
	for (size_t i = 0; around->names != NULL && i < around->crash->module_count; i++)
		if (around->names[i] != NULL)
			file_symbols_free(around->names[i]);
	around->names = NULL;
	demangle_memo_free(around->shown);
	around->shown = NULL;
	arena_free(&around->arena);
}

const struct symfile *
surroundings_symfile(const struct surroundings *around, int module)
{
	enum symbols_state state;

	if (around->symbols == NULL || module == MODULE_NONE)
		return NULL;
	return symfile_under(around->loads
				     ? symbols_load(around->symbols, (size_t)module)
				     : symbols_peek(around->symbols, (size_t)module, &state),
			     &around->policy);
}

struct symbol_sources
surroundings_sources(struct surroundings *around, int module)
{
	return (struct symbol_sources){
		.symfile = surroundings_symfile(around, module), .binaries = around->binaries,
		.module = (size_t)module, .base = around->crash->modules[module].base,
		.policy = &around->policy, .names = around->crash->names };
}

bool
surroundings_symbol(struct surroundings *around, int module, uint64_t address, struct arena *arena,
		    struct symbol *symbol)
{
	const struct symbol_sources sources = surroundings_sources(around, module);

	return symbol_at(&sources, address, arena, symbol);
}

struct text
surroundings_shown(struct surroundings *around, struct text name)
{
	return demangle_memo_shown(around->shown, &around->policy, name);
}

bool
surroundings_name(struct surroundings *around, uint64_t address, struct surrounding_name *name)
{
	struct symbol symbol;

	*name = (struct surrounding_name){ .module = module_map_find(&around->modules, address) };
	if (name->module == MODULE_NONE)
		return false;
	const struct symbol_sources sources = surroundings_sources(around, name->module);
	name->base = sources.base;
	if (!symbol_at(&sources, address, NULL, &symbol)) {
		name->data = symbol_at_data(&sources, address, &symbol);
		if (!name->data)
			return true;
	}
	name->symfile = symbol.own_file == NULL ? sources.symfile : NULL;
	name->name = surroundings_shown(around, symbol.function.name);
	name->uncertain = symbol.uncertain;
	name->stub = symbol.stub;
	name->start = name->base + symbol.function.address;
	name->size = symbol.function.size;
	name->place = symbol_at_place(name->symfile, symbol.own_file, symbol.function.offset,
				      symbol.function.length);
	return true;
}

struct text
surroundings_describe(struct surroundings *around, uint64_t address, struct arena *arena)
{
	struct surrounding_name name;

	if (!surroundings_name(around, address, &name))
		return text_of("");
	const struct symbol symbol = { .uncertain = name.uncertain,
				       .function = { .address = name.start - name.base } };
	return location_of_symbol(&around->crash->modules[name.module], &symbol, name.name,
				  address, arena);
}

/* Whether a name (`app!main`) has this module or none. Sets `*function` to the part after '!'. */
static bool
fits_module(const struct module *module, struct text name, struct text *function)
{
	const char *bang = name.length > 0 ? memchr(name.start, '!', name.length) : NULL;

	*function = name;
	if (bang == NULL)
		return true;
	const struct text wanted = { name.start, (size_t)(bang - name.start) };
	const struct text full = text_of(place_base_name(module->code_file));
	*function = (struct text){ bang + 1, name.length - wanted.length - 1 };
	/* "app!main" matches app.exe and app, as in debuggers. */
	return wanted.length <= full.length &&
	       memcmp(wanted.start, full.start, wanted.length) == 0 &&
	       (wanted.length == full.length || full.start[wanted.length] == '.');
}

static bool
find_in_module(struct surroundings *around, int module, struct text name, uint64_t *address)
{
	const struct symfile *symfile = surroundings_symfile(around, module);
	const uint64_t base = around->crash->modules[module].base;
	struct function function;
	bool settled;

	if (symfile != NULL && symfile_named(symfile, &around->policy, name, &function)) {
		*address = base + function.address;
		return true;
	}
	/* The debug file, which may be the module's own file, may name the function. */
	const struct binary *binary =
		binaries_try(around->binaries, (size_t)module, LOCATE_DEBUG, &settled);
	struct file_symbols *names = around->names[module];
	if (binary == NULL || !settled || around->policy.value[POLICY_FILE_NAMES] == 0)
		return false;
	if (names == NULL) {
		names = around->names[module] = arena_alloc(&around->arena, sizeof(*names));
		if (names == NULL)
			return false;
		file_symbols_read(names, binary);
	}
	for (size_t i = 0; i < names->count; i++)
		if (demangle_is_called(text_of(names->items[i].name), name)) {
			*address = names->items[i].address - binary->linked_base + base;
			return true;
		}
	return false;
}

bool
surroundings_find(struct surroundings *around, struct text name, uint64_t *address)
{
	struct text function;

	for (size_t i = 0; name.length > 0 && i < around->crash->module_count; i++)
		if ((fits_module(&around->crash->modules[i], name, &function) &&
		     function.length > 0 && find_in_module(around, (int)i, function, address)) ||
		    (function.start != name.start && find_in_module(around, (int)i, name, address)))
			return true;
	return false;
}

const struct heap *
surroundings_heap(struct surroundings *around)
{
	if (!around->heap_searched)
		around->heap = heap_find(around->crash, &around->memory, around->binaries,
					 &around->arena);
	around->heap_searched = true;
	return around->heap;
}

size_t
surroundings_read(const struct surroundings *around, uint64_t address, uint8_t *bytes,
		  size_t size, bool *from_file, struct place *place)
{
	size_t count = memory_copy(&around->memory, address, bytes, size, place);

	if (from_file != NULL)
		*from_file = count == 0;
	return count > 0 ? count
			 : binaries_read(around->binaries, address, bytes, size, place);
}
