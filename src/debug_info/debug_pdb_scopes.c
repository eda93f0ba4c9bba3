/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "debug_info/debug_pdb_internal.h"

/* Variables of a PDB in scope at an address: of a procedure, its blocks and inlined calls. */

enum { MOST_LEVELS = 64, MOST_PARTS = 256 };
/* Languages of S_COMPILE2 and S_COMPILE3. */
enum { LANGUAGE_C = 0 };

/* Homes ---------------------------------------------------------------------------------------- */

static bool
is_c(const struct pdb_module *module)
{
	const uint32_t end = (uint32_t)module->symbols.size;
	struct pdb_symbol symbol;
	uint32_t at = 4;
	uint8_t language;

	while (pdb_symbol_next(&module->symbols, &at, end, &symbol) &&
	       !pdb_symbol_opens(symbol.kind))
		if ((symbol.kind == S_COMPILE3 || symbol.kind == S_COMPILE2) &&
		    reader_u8(&symbol.data, 0, &language))
			return language == LANGUAGE_C;
	return false;
}

bool
debug_pdb_home(struct debug_home *home, uint64_t relative)
{
	struct pdb_located at;

	arena_reset(&home->pdb->scratch);
	if (!debug_pdb_locate(home->pdb, relative, &at))
		return false;
	home->part = at.module;
	home->is_c = is_c(at.module);
	return true;
}

bool
debug_pdb_variable(const struct debug_entry *entry, struct pdb_variable *variable)
{
	struct debug_pdb *pdb = entry->home->pdb;
	uint32_t at = (uint32_t)entry->offset;
	struct pdb_symbol symbol;

	if (debug_pdb_is(entry, DEBUG_PDB_SYMBOL) &&
	    pdb_symbol_next(&entry->home->part->symbols, &at, UINT32_MAX, &symbol))
		return pdb_variable_read(pdb->pdb, &symbol, variable);
	return debug_pdb_is(entry, DEBUG_PDB_GLOBAL) &&
	       pdb_global_read(pdb->pdb, (uint32_t)entry->offset, &pdb->scratch, &symbol) &&
	       pdb_variable_read(pdb->pdb, &symbol, variable);
}

/* Scopes --------------------------------------------------------------------------------------- */

struct pdb_variables {
	struct debug_variable *items;
	size_t count, capacity;
};

/* A procedure, block or inlined call around an address. */
struct pdb_level {
	/* indexes of the enclosing level, and of the innermost call's level (perhaps itself) */
	size_t parent, call;
	bool inlined;
	uint32_t inlinee;		/* function id of an inlined call */
	struct pdb_variables variables;
};

struct scope_pass {
	const struct debug_home *home;
	const struct pdb_located *at;
	const struct pdb_body *body;
	struct arena *arena;
	struct pdb_procedure_frame frame;
	struct pdb_level levels[MOST_LEVELS];	/* levels around the address, outermost first */
	size_t count;
	bool open;			/* the last level contains the current record */
	size_t current;
	size_t others;			/* number of open levels that are not around the address */
	bool ranged;			/* there are variables with ranges */
	size_t variables;
};

/* Whether a variable is an argument: by its flag or, without flags, by its place in the frame. */
static bool
is_argument(const struct scope_pass *pass, const struct pdb_variable *variable)
{
	const bool relative = variable->place == PDB_PLACE_RELATIVE;
	const bool base = variable->place == PDB_PLACE_BASE ||
			  (relative && variable->reg == PDB_EBP);

	if (variable->place == PDB_PLACE_RANGES)
		return (variable->flags & PDB_LOCAL_ARGUMENT) != 0;
	return (base || relative) && variable->offset > 0 &&
	       (base || (uint32_t)variable->offset > pass->frame.size);
}

/* Adds a variable to a list; NULL: out of memory. */
static struct debug_variable *
add_pdb_variable(struct arena *arena, struct pdb_variables *list,
		 const struct pdb_variable *variable, struct debug_entry entry, bool in_function)
{
	const char *name = text_copy(arena, variable->name);

	/* Clang names a static variable of a function "function::name". */
	if (name != NULL && in_function && variable->place == PDB_PLACE_STATIC)
		name = debug_last_part(name);
	struct debug_variable *added =
		name != NULL ? ARENA_PUSH(arena, list->items, list->count, list->capacity) : NULL;
	if (added != NULL)
		*added = (struct debug_variable){
			.name = name,
			.artificial = (variable->flags & PDB_LOCAL_GENERATED) != 0 ||
				      strcmp(name, "this") == 0,
			.entry = entry };
	return added;
}

static bool
covers(const struct scope_pass *pass, const struct pdb_symbol *symbol)
{
	const bool block = symbol->kind == S_BLOCK32;
	uint32_t size, offset, address;
	uint16_t section;

	if (block || symbol->kind == S_SEPCODE)
		return reader_u32(&symbol->data, 8, &size) &&
		       reader_u32(&symbol->data, block ? 12 : 16, &offset) &&
		       reader_u16(&symbol->data, block ? 16 : 24, &section) &&
		       pdb_address(pass->home->pdb->pdb, section, offset, &address) &&
		       checked_contains(address, size, pass->at->linked);
	for (size_t i = 0; i < pass->body->call_count; i++) {
		const struct pdb_call *call = &pass->body->calls[i];

		for (size_t j = 0; call->offset == symbol->offset && j < call->range_count; j++)
			if (checked_contains(call->ranges[j].address, call->ranges[j].size,
					     pass->at->linked))
				return true;
	}
	return symbol->offset == pass->at->procedure->offset;
}

/* Clang writes the record of a call inlined into a block after the block, not inside it. */
static void
open_level(struct scope_pass *pass, const struct pdb_symbol *symbol)
{
	if (pass->others > 0 || pass->open != (pass->count > 0) || pass->count == MOST_LEVELS ||
	    !covers(pass, symbol)) {
		pass->others++;
		return;
	}
	const bool inlined = symbol->kind == S_INLINESITE || symbol->kind == S_INLINESITE2;
	const bool call = inlined || pass->count == 0;
	struct pdb_level *level = &pass->levels[pass->count];
	*level = (struct pdb_level){ .parent = pass->current, .inlined = inlined,
				     .call = call ? pass->count
						  : pass->levels[pass->current].call };
	if (inlined)
		reader_u32(&symbol->data, 8, &level->inlinee);
	pass->current = pass->count++;
	pass->open = true;
}

static void
close_level(struct scope_pass *pass)
{
	if (pass->others > 0) {
		pass->others--;
	} else if (pass->open) {
		pass->open = pass->current > 0;
		pass->current = pass->levels[pass->current].parent;
	}
}

/*
 * Whether the current call already has a variable with this name. In optimised code Microsoft's
 * compilers write a variable twice: with ranges, then without ranges. The place in the second
 * record is only sometimes right.
 */
static bool
is_repeated(const struct scope_pass *pass, struct text name)
{
	const size_t call = pass->levels[pass->current].call;

	for (size_t i = call; pass->ranged && i < pass->count; i++) {
		const struct pdb_variables *list = &pass->levels[i].variables;

		for (size_t j = 0; pass->levels[i].call == call && j < list->count; j++)
			if (!list->items[j].outside && text_is(name, list->items[j].name))
				return true;
	}
	return false;
}

static void
take_variable(struct scope_pass *pass, const struct pdb_symbol *symbol)
{
	struct pdb_variable variable;

	if (!pdb_variable_read(pass->home->pdb->pdb, symbol, &variable) ||
	    pass->variables >= DEBUG_MOST_VARIABLES)
		return;
	if (variable.place == PDB_PLACE_RANGES)
		pass->ranged = true;
	else if (is_repeated(pass, variable.name))
		return;
	pass->variables++;
	struct debug_variable *added = add_pdb_variable(
		pass->arena, &pass->levels[pass->current].variables, &variable,
		debug_pdb_entry(pass->home, DEBUG_PDB_SYMBOL, symbol->offset), true);
	if (added != NULL) {
		added->argument = is_argument(pass, &variable);
		added->outside = pass->others > 0;
	}
}

/*
 * Whether a range of a variable contains the address. Ranges of optimised code may go on after the
 * variable's block or inlined call. A range of the whole scope says nothing beyond the scope.
 */
static bool
reaches(const struct scope_pass *pass, uint32_t at)
{
	const struct reader *symbols = &pass->home->part->symbols;
	struct pdb_variable_range range;
	struct pdb_symbol symbol;
	bool covers = false;

	while (!covers && pdb_symbol_next(symbols, &at, pass->at->procedure->end, &symbol) &&
	       pdb_variable_range_read(pass->home->pdb->pdb, &symbol, pass->at->linked, &range,
				       &covers))
		covers &= !range.everywhere;
	return covers;
}

static void
read_levels(struct scope_pass *pass)
{
	const struct pdb_procedure *procedure = pass->at->procedure;
	uint32_t at = procedure->offset;
	struct pdb_symbol symbol;

	while (pdb_symbol_next(&pass->home->part->symbols, &at, procedure->end, &symbol)) {
		if (pdb_symbol_opens(symbol.kind))
			open_level(pass, &symbol);
		else if (pdb_symbol_closes(symbol.kind))
			close_level(pass);
		else if (pass->open && (pass->others == 0 || reaches(pass, at)) &&
			 !pdb_procedure_frame_read(&symbol, &pass->frame))
			take_variable(pass, &symbol);
	}
}

/* Add a level's variables that are in scope, or those that are `outside`. */
static void
add_level(struct scope_pass *pass, const struct pdb_variables *list, bool outside, unsigned block,
	  struct debug_scope *scope, size_t *capacity)
{
	for (size_t i = 0; i < list->count; i++) {
		const bool shadowed = debug_is_shadowed(scope->variables, scope->count, block,
							list->items[i].name);
		struct debug_variable *added =
			list->items[i].outside == outside
				? ARENA_PUSH(pass->arena, scope->variables, scope->count, *capacity)
				: NULL;

		if (added == NULL)
			continue;
		*added = list->items[i];
		added->block = block;
		added->shadowed = shadowed;
	}
}

/* List the variables of a call, innermost first; those that are not in scope are last. */
static struct debug_scope
scope_of_call(struct scope_pass *pass, size_t call)
{
	const struct pdb_procedure *procedure = pass->at->procedure;
	struct debug_pdb *pdb = pass->home->pdb;
	struct debug_scope scope = { .name = "" };
	size_t capacity = 0;
	unsigned block = 0;

	for (unsigned outside = 0; outside < 2; outside++)
		for (size_t i = pass->count; i > call; i--) {
			const size_t count = scope.count;

			if (pass->levels[i - 1].call == call)
				add_level(pass, &pass->levels[i - 1].variables, outside != 0, block,
					  &scope, &capacity);
			block += scope.count > count;
		}
	const struct pdb_level *level = &pass->levels[call];
	scope.name = level->inlined ? debug_pdb_call_name(pdb, pass->home->part, level->inlinee)
				 : debug_pdb_name(pdb, procedure);
	scope.written = level->inlined ? scope.name
				       : text_or_empty(text_copy(pass->arena, procedure->name));
	return scope;
}

/* List the parts of a function. The first part contains the entry point. */
static void
list_code(const struct scope_pass *pass, struct debug_scopes *scopes)
{
	const struct pdb_module *module = pass->home->part;
	const uint32_t record = pass->at->procedure->offset;
	struct debug_pdb *pdb = pass->home->pdb;
	struct pdb_range *ranges;
	size_t count, capacity = 0;

	for (unsigned parts = 0; parts < 2; parts++)
		for (size_t i = 0; i < module->procedure_count; i++) {
			const struct pdb_procedure *one = &module->procedures[i];

			if (one->offset != record || one->part != (parts > 0) ||
			    !pdb_map_range(&pdb->mapping,
					   (struct pdb_range){ one->address, one->size },
					   &pdb->scratch, &ranges, &count))
				continue;
			for (size_t j = 0; j < count && scopes->code_count < MOST_PARTS; j++)
				ARENA_ADD(pass->arena, scopes->code, scopes->code_count, capacity,
					  &(struct debug_code){ ranges[j].address,
								(uint64_t)ranges[j].address +
									ranges[j].size });
		}
	if (scopes->code_count > 0)
		scopes->function = scopes->code[0].low;
}

bool
debug_pdb_scopes_at(const struct debug_home *home, uint64_t relative, struct arena *arena,
		    struct debug_scopes *scopes)
{
	struct debug_pdb *pdb = home->pdb;
	struct pdb_located at;
	struct pdb_body body;

	arena_reset(&pdb->scratch);
	struct scope_pass *pass = arena_alloc(&pdb->scratch, sizeof(*pass));
	if (pass == NULL || !debug_pdb_locate(pdb, relative, &at) || at.procedure->thunk)
		return false;
	*pass = (struct scope_pass){ .home = home, .at = &at, .body = &body, .arena = arena };
	pdb_body_read(at.module, at.procedure, true, &pdb->scratch, &body);
	read_levels(pass);
	scopes->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, 0);
	list_code(pass, scopes);
	scopes->items = arena_array(arena, pass->count + 1, sizeof(*scopes->items));
	for (size_t i = pass->count; scopes->items != NULL && i > 0; i--)
		if (pass->levels[i - 1].call == i - 1)
			scopes->items[scopes->count++] = scope_of_call(pass, i - 1);
	return scopes->count > 0;
}

/* Static variables ----------------------------------------------------------------------------- */

/* List the PDB's global variables and their modules. Their records are outside of modules. */
static void
list_data(struct debug_pdb *pdb)
{
	const uint64_t size = msf_size(&pdb->pdb->msf, pdb->pdb->records);
	struct pdb_variable variable;
	struct pdb_symbol symbol;

	pdb->listed = true;
	for (uint64_t at = 0; at < size && at <= UINT32_MAX && pdb->data_count < LIMIT_PDB_ROWS;
	     at += 4 + symbol.data.size) {
		arena_reset(&pdb->scratch);
		if (!pdb_global_read(pdb->pdb, (uint32_t)at, &pdb->scratch, &symbol))
			return;
		if (symbol.kind != S_GDATA32 || !pdb_variable_read(pdb->pdb, &symbol, &variable))
			continue;
		const size_t module = pdb_module_at(pdb->pdb, variable.address);
		if (module != SIZE_MAX)
			ARENA_ADD(&pdb->arena, pdb->data, pdb->data_count, pdb->data_capacity,
				  &(struct pdb_data){ (uint32_t)at, (uint32_t)module });
	}
}

/* The next static variable of a module outside of its procedures. */
static bool
next_static(const struct debug_home *home, uint32_t *at, struct pdb_symbol *symbol,
	    struct pdb_variable *variable)
{
	const struct reader *symbols = &home->part->symbols;
	size_t depth = 0;

	while (pdb_symbol_next(symbols, at, (uint32_t)symbols->size, symbol)) {
		depth += pdb_symbol_opens(symbol->kind);
		depth -= pdb_symbol_closes(symbol->kind) && depth > 0;
		if (depth == 0 && pdb_variable_read(home->pdb->pdb, symbol, variable) &&
		    (variable->place == PDB_PLACE_STATIC || variable->place == PDB_PLACE_THREAD))
			return true;
	}
	return false;
}

/* Bytes of a module's symbols that are searched for the variable at an address. */
#define MOST_SYMBOLS (8u << 20)

/* Whether a variable's memory contains an address; fills the answer. */
static bool
take_static(struct debug_pdb *pdb, const struct pdb_variable *variable, uint32_t linked,
	    struct debug_answer *answer)
{
	if (variable->place != PDB_PLACE_STATIC || variable->address > linked ||
	    variable->name.length == 0)
		return false;
	const uint64_t size = pdb_type_size(&pdb->types, variable->type);
	if (linked - variable->address >= (size > 0 ? size : 1))
		return false;
	*answer = (struct debug_answer){
		.input = &pdb->binary->file.input, .section = "its variables",
		.name = text_copy(&pdb->arena, variable->name), .size = size };
	return answer->name != NULL &&
	       pdb_moved_address(pdb->pdb, variable->address, &linked) &&
	       (answer->address = linked, true);
}

bool
debug_pdb_static_at(struct debug_pdb *pdb, uint32_t linked, struct debug_answer *answer,
		    uint32_t *stream)
{
	const size_t number = pdb_module_at(pdb->pdb, linked);
	const struct pdb_module *module =
		number != SIZE_MAX ? debug_pdb_module(pdb, number) : NULL;
	struct pdb_variable variable;
	struct pdb_symbol symbol;
	uint32_t at = 4;

	if (module == NULL || module->symbols.size > MOST_SYMBOLS)
		return false;
	while (pdb_symbol_next(&module->symbols, &at, (uint32_t)module->symbols.size, &symbol))
		if (pdb_variable_read(pdb->pdb, &symbol, &variable) &&
		    take_static(pdb, &variable, linked, answer)) {
			*stream = module->stream;
			answer->offset = symbol.offset;
			return true;
		}
	if (!pdb->listed)
		list_data(pdb);
	for (size_t i = 0; i < pdb->data_count; i++) {
		if (pdb->data[i].module != number)
			continue;
		arena_reset(&pdb->scratch);
		if (pdb_global_read(pdb->pdb, pdb->data[i].record, &pdb->scratch, &symbol) &&
		    pdb_variable_read(pdb->pdb, &symbol, &variable) &&
		    take_static(pdb, &variable, linked, answer)) {
			*stream = pdb->pdb->records;
			answer->offset = pdb->data[i].record;
			return true;
		}
	}
	return false;
}

size_t
debug_pdb_globals(const struct debug_home *home, struct arena *arena,
		  struct debug_variable **variables)
{
	struct debug_pdb *pdb = home->pdb;
	struct pdb_variables list = { 0 };
	struct pdb_variable variable;
	struct pdb_symbol symbol;
	uint32_t at = 4;

	while (list.count < DEBUG_MOST_VARIABLES && next_static(home, &at, &symbol, &variable))
		add_pdb_variable(arena, &list, &variable,
				 debug_pdb_entry(home, DEBUG_PDB_SYMBOL, symbol.offset), false);
	if (!pdb->listed)
		list_data(pdb);
	for (size_t i = 0; i < pdb->data_count && list.count < DEBUG_MOST_VARIABLES; i++) {
		const struct debug_entry entry =
			debug_pdb_entry(home, DEBUG_PDB_GLOBAL, pdb->data[i].record);

		arena_reset(&pdb->scratch);
		if (pdb->data[i].module == home->part->number &&
		    debug_pdb_variable(&entry, &variable))
			add_pdb_variable(arena, &list, &variable, entry, false);
	}
	*variables = list.items;
	return list.count;
}

/* Names ---------------------------------------------------------------------------------------- */

/* Find the function of a record in the stream of global records. */
static bool
take_function(const struct debug_home *home, const struct pdb_symbol *symbol,
	      struct debug_named *named)
{
	struct debug_pdb *pdb = home->pdb;
	uint32_t offset, moved;
	uint16_t number;

	if (!reader_u32(&symbol->data, 4, &offset) || !reader_u16(&symbol->data, 8, &number) ||
	    number == 0)
		return false;
	const struct pdb_module *module = debug_pdb_module(pdb, number - 1u);
	for (size_t i = 0; module != NULL && i < module->procedure_count; i++) {
		const struct pdb_procedure *one = &module->procedures[i];

		if (one->offset != offset || one->part ||
		    !pdb_moved_address(pdb->pdb, one->address, &moved))
			continue;
		*named = (struct debug_named){
			.is_function = true, .address = moved,
			.entry = debug_pdb_entry(home, DEBUG_PDB_TYPE,
						 one->id ? pdb_id_type(&pdb->types, one->type)
							 : one->type) };
		return true;
	}
	return false;
}

/* Take a global record with the wanted name, if it is of the wanted kind. */
static bool
take_global(const struct debug_home *home, enum debug_wanted kind, const struct pdb_symbol *symbol,
	    struct debug_named *named)
{
	struct pdb_variable variable;
	uint32_t type;

	if (kind == DEBUG_WANTED_TYPE) {
		if (symbol->kind != S_UDT || !reader_u32(&symbol->data, 0, &type))
			return false;
		named->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, type);
		return true;
	}
	if (symbol->kind == S_PROCREF || symbol->kind == S_LPROCREF)
		return take_function(home, symbol, named);
	if (!pdb_variable_read(home->pdb->pdb, symbol, &variable))
		return false;
	named->entry = debug_pdb_entry(home, DEBUG_PDB_GLOBAL, symbol->offset);
	return true;
}

static bool
find_type(const struct debug_home *home, enum debug_type_kind only, struct text name,
	  struct debug_named *named)
{
	struct debug_pdb *pdb = home->pdb;
	uint32_t number = only == DEBUG_TYPE_UNKNOWN ? pdb_simple_named(name) : 0;
	struct pdb_type type;

	if (number == 0)
		number = pdb_type_named(&pdb->types, name);
	named->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, number);
	return number != 0 && pdb_type_read(&pdb->types, number, &pdb->scratch, &type) &&
	       (only == DEBUG_TYPE_UNKNOWN || only == DEBUG_TYPE_NUMBER ||
		only == debug_pdb_kind(type.kind));
}

/* Whether a name is `scope` or ends with "::" and `scope`. An empty `scope` fits all. */
static bool
ends_with(struct text name, struct text scope)
{
	const size_t before = name.length - scope.length;

	return name.length >= scope.length &&
	       text_equal((struct text){ name.start + before, scope.length }, scope) &&
	       (before == 0 || scope.length == 0 || name.start[before - 1] == ':');
}

/* The scope of a name: the part before its last "::". */
static struct text
scope_of_name(const char *name)
{
	const size_t length = (size_t)(debug_last_part(name) - name);

	return (struct text){ name, length > 2 ? length - 2 : 0 };
}

/* Find an enumerator. Its scope in `name` may include or omit the enumeration: "e::x" or "x". */
static bool
find_enumerator(const struct debug_home *home, const char *name, struct debug_named *named)
{
	struct debug_pdb *pdb = home->pdb;
	const uint32_t number =
		pdb_type_enumerating(&pdb->types, text_of(debug_last_part(name)));
	const struct text scope = scope_of_name(name);
	struct pdb_type type;

	if (number == 0 || !pdb_type_read(&pdb->types, number, &pdb->scratch, &type))
		return false;
	const char *whole = text_copy(&pdb->scratch, type.name);
	if (whole == NULL ||
	    (!ends_with(type.name, scope) && !ends_with(scope_of_name(whole), scope)))
		return false;
	named->is_enumerator = true;
	named->enumeration = debug_pdb_entry(home, DEBUG_PDB_TYPE, number);
	return true;
}

bool
debug_pdb_named(const struct debug_home *home, enum debug_wanted kind, enum debug_type_kind only,
		const char *name, struct arena *arena, struct debug_named *named)
{
	struct debug_pdb *pdb = home->pdb;
	struct debug_home *kept = arena_alloc(arena, sizeof(*kept));
	const struct text wanted = text_of(name);
	struct pdb_variable variable;
	struct pdb_symbol symbol;
	uint32_t at = 4, from = 0;
	bool found = false;

	if (kept == NULL)
		return false;
	*kept = *home;
	arena_reset(&pdb->scratch);
	if (kind == DEBUG_WANTED_TYPE && find_type(kept, only, wanted, named))
		return true;
	while (kind == DEBUG_WANTED_VALUE && !found && next_static(home, &at, &symbol, &variable))
		found = text_equal(variable.name, wanted);
	if (found)
		named->entry = debug_pdb_entry(kept, DEBUG_PDB_SYMBOL, symbol.offset);
	while (!found && pdb_global_next(pdb->pdb, wanted, &from, &pdb->scratch, &symbol))
		found = take_global(kept, kind, &symbol, named);
	return found || (kind == DEBUG_WANTED_VALUE && find_enumerator(kept, name, named));
}
