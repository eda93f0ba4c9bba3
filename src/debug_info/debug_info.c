/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_info.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/demangle.h"
#include "debug_info/debug_dwarf.h"
#include "debug_info/debug_map.h"
#include "debug_info/debug_pdb.h"
#include "debug_info/file_symbols.h"
#include "debug_info/import_stubs.h"
#include "pdb/pdb.h"

/*
 * Kinds of files in the order of search. A debug file has every name of the image, and more.
 * .gnu_debugdata (LOCATE_MINI) has names that the image's .dynsym lacks.
 */
static const enum locate_kind kinds[DEBUG_INFO_SOURCES] = { LOCATE_DEBUG, LOCATE_MINI,
							    LOCATE_IMAGE };

struct debug_source {
	const struct binary *binary;	/* NULL: no file, or another source has it */
	struct debug_dwarf *dwarf;	/* NULL: the file has no DWARF */
	struct debug_map *map;		/* object files with the file's DWARF; NULL: none */
	struct debug_pdb *pdb;		/* NULL: not a PDB */
	bool told;			/* a message about omitted parts was given */
	struct file_symbols symbols;
	struct import_stubs stubs;
};

struct debug_slot {
	bool asked[ARRAY_COUNT(kinds)];	/* the search for a kind is finished */
	struct debug_source sources[ARRAY_COUNT(kinds)];
};

static void
close_slot(void *slot)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct debug_source *source = &((struct debug_slot *)slot)->sources[i];

		debug_dwarf_close(source->dwarf);
		debug_map_close(source->map);
		debug_pdb_close(source->pdb);
		if (source->binary != NULL)
			file_symbols_free(&source->symbols);
		arena_free(&source->stubs.arena);
	}
}

/* Whether a file of the module has DWARF. With a dSYM, object files are not needed. */
static bool
has_dwarf(const struct debug_slot *slot)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		found |= slot->sources[i].dwarf != NULL;
	return found;
}

/* The DWARF for an address, from the file itself or from an object file; NULL: none. */
static struct debug_dwarf *
dwarf_at(const struct debug_source *source, uint64_t relative)
{
	return source->dwarf != NULL ? source->dwarf : debug_map_find(source->map, relative);
}

/*
 * Lock the mutex and return the slot of a module. Opens the files whose search is finished. If no
 * files are searched, returns NULL without locking.
 */
static struct debug_slot *
lock_slot(const struct binaries *binaries, size_t module, struct binaries_reader **reader)
{
	static const struct binaries_reader_kind kind = {
		.room = BINARIES_DEBUG_INFO, .slot_size = sizeof(struct debug_slot),
		.close = close_slot };

	*reader = binaries_reader(binaries, &kind, module);
	if (*reader == NULL || !binaries_configured(binaries))
		return NULL;
	struct debug_slot *slot = (struct debug_slot *)(*reader)->slots + module;
	pthread_mutex_lock(&(*reader)->mutex);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct debug_source *source = &slot->sources[i];
		const struct binary *supplement = NULL;
		struct elf_damage damage = { 0 };
		bool settled = slot->asked[i];

		if (settled)
			continue;
		const struct binary *binary =
			binaries_try((*reader)->binaries, module, kinds[i], &settled);
		if (settled && kinds[i] == LOCATE_DEBUG)
			supplement = binaries_try((*reader)->binaries, module,
						  LOCATE_SUPPLEMENT, &settled);
		slot->asked[i] = settled;
		bool open = false;
		for (size_t j = 0; j < ARRAY_COUNT(kinds); j++)
			open |= slot->sources[j].binary == binary;
		/* If `binary` is NULL, `open` is true, because `source->binary` is NULL, too. */
		if (!settled || open)
			continue;
		source->binary = binary;
		for (size_t j = 0; j < binary->problem_count; j++)
			binaries_report_missing((*reader)->binaries, binary->problems[j].place,
						binary->problems[j].what);
		source->pdb = debug_pdb_open(binary);
		for (size_t j = 0; source->pdb != NULL && j < binary->pdb->problem_count; j++)
			binaries_report_missing((*reader)->binaries, binary->pdb->problems[j].place,
						binary->pdb->problems[j].what);
		source->dwarf = debug_dwarf_open(binary, supplement, (*reader)->binaries,
						 module, &damage);
		binaries_report_damage((*reader)->binaries, &damage);
		if (source->dwarf == NULL && !has_dwarf(slot))
			source->map = debug_map_open(binary, (*reader)->binaries, module);
		file_symbols_read(&source->symbols, binary);
	}
	return slot;
}

struct binaries_reader *
debug_info_lock(const struct binaries *binaries, size_t module, uint64_t relative,
		struct debug_readers readers[DEBUG_INFO_SOURCES])
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);

	if (slot == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		readers[i] = (struct debug_readers){ dwarf_at(&slot->sources[i], relative),
						     slot->sources[i].pdb };
	return reader;
}

void
debug_info_unlock(struct binaries_reader *reader, size_t module)
{
	struct debug_slot *slot = (struct debug_slot *)reader->slots + module;
	struct place place;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct debug_source *source = &slot->sources[i];

		if (!source->told && (source->dwarf != NULL ? debug_dwarf_limited(source->dwarf)
							    : debug_map_limited(source->map))) {
			source->told = true;
			binaries_report_limit(reader->binaries, source->binary,
					      "the debug information", "names and lines");
		}
		if (!source->told && source->pdb != NULL &&
		    debug_pdb_damage(source->pdb, &place)) {
			source->told = true;
			binaries_report_missing(reader->binaries, place,
						"the module's records cannot be read from here on"
						"\nsome of its functions or lines are missing");
		}
	}
	pthread_mutex_unlock(&reader->mutex);
}

/*
 * Answer with a symbol of a file's table; `size` is 0 if the symbol's end is unknown. A line found
 * earlier is kept.
 */
static bool
answer_symbol(const struct debug_source *source, const struct file_symbol *symbol, uint64_t size,
	      struct debug_answer *answer)
{
	answer->input = &source->binary->file.input;
	answer->section = symbol->table;
	answer->name = symbol->name;
	answer->address = symbol->address - source->binary->linked_base;
	answer->size = size;
	answer->offset = symbol->offset;
	return true;
}

/* Find the function whose size covers the address or, if `reaching`, one that only reaches it. */
static bool
find_symbol(const struct debug_source *source, uint64_t relative, bool reaching,
	    struct debug_answer *answer)
{
	const uint64_t address = source->binary->linked_base + relative;
	const struct file_symbol *symbol = file_symbols_at(&source->symbols, address);

	if (symbol == NULL)
		return false;
	const uint64_t size = address - symbol->address < symbol->size ? symbol->size : 0;
	if ((size == 0) != reaching)
		return false;
	return answer_symbol(source, symbol, size, answer);
}

static bool
find_label(const struct debug_source *source, uint64_t relative, struct debug_answer *answer)
{
	const struct file_symbol *label =
		source->binary == NULL ? NULL
				       : file_symbols_label(&source->symbols,
							    source->binary->linked_base + relative);

	return label != NULL && answer_symbol(source, label, 0, answer);
}

/* The symbol at exactly this address; NULL: none, or no file. */
static const struct file_symbol *
symbol_at(const struct debug_source *source, uint64_t relative)
{
	if (source->binary == NULL)
		return NULL;
	const uint64_t linked = source->binary->linked_base + relative;
	const struct file_symbol *symbol = file_symbols_at(&source->symbols, linked);
	return symbol != NULL && symbol->address == linked ? symbol : NULL;
}

/*
 * DWARF has no linkage name (with parameters) for a local function, but the symbol table may have
 * it. Only the symbol table marks code as the cold part or a copy of a function.
 */
static void
prefer_linkage_name(struct arena *arena, const struct debug_source *source,
		    struct debug_answer *answer)
{
	const struct file_symbol *symbol = symbol_at(source, answer->address);

	if (symbol == NULL)
		return;
	const struct text whole = text_of(symbol->name);
	const struct text mangled =
		answer->written ? file_symbols_mangled_at(&source->symbols, symbol->address)
				: text_of("");
	const size_t plain = demangle_suffixes_at(whole), length = strlen(answer->name);
	const char *name = answer->name;

	if (demangle_clone_at(whole) < whole.length &&
	    (mangled.length > 0 || (length == plain && memcmp(symbol->name, name, plain) == 0)))
		name = symbol->name;
	else if (mangled.length > 0)
		name = arena_copy(arena, mangled.start, mangled.length);
	if (name != NULL)
		answer->name = name;
}

static bool
find_in_source(struct binaries_reader *reader, const struct debug_source *source,
	       uint64_t relative, struct arena *arena, struct debug_answer *answer)
{
	*answer = (struct debug_answer){ 0 };
	if (source->binary == NULL)
		return false;
	if (source->pdb != NULL)
		return debug_pdb_find(source->pdb, relative, arena, answer);
	answer->input = &source->binary->file.input;
	struct debug_dwarf *dwarf = dwarf_at(source, relative);
	if (dwarf == NULL || !debug_dwarf_find(dwarf, relative, arena, answer))
		return find_symbol(source, relative, false, answer);
	prefer_linkage_name(&reader->arena, source, answer);
	return true;
}

/* Name a slot that a resolver fills: use the symbol for callers, or else the resolver's name. */
static void
name_choice(const struct debug_slot *slot, struct debug_source *source, struct import_slot *choice)
{
	const uint64_t relative = choice->resolver - source->binary->linked_base;
	const struct file_symbol *resolver = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct file_symbol *symbol = symbol_at(&slot->sources[i], relative);
		const uint64_t at = symbol != NULL ? symbol->address : 0;

		for (; symbol != NULL && symbol->address == at;
		     symbol = symbol > slot->sources[i].symbols.items ? symbol - 1 : NULL)
			if (resolver == NULL || symbol->indirect)
				resolver = symbol;
	}
	choice->name = resolver != NULL
			       ? arena_format(&source->stubs.arena, "%s%s@plt",
					      resolver->indirect ? "" : "*", resolver->name)
			       : arena_format(&source->stubs.arena, "*ABS*+0x%" PRIx64 "@plt",
					      choice->resolver);
}

/* Find a stub: code that only jumps to a function and is named after that function. */
static bool
find_stub(const struct debug_slot *slot, struct debug_source *source, uint64_t relative,
	  struct debug_answer *answer)
{
	const uint64_t linked = source->binary != NULL ? source->binary->linked_base : 0;
	struct import_slot *leads =
		source->binary != NULL ? import_stub_find(&source->stubs, source->binary,
							  linked + relative, answer) : NULL;

	if (leads == NULL)
		return false;
	/* An exported symbol is a function, even if it is a single jump. */
	const struct file_symbol *symbol = symbol_at(source, answer->address);
	if (symbol != NULL && strcmp(symbol->table, ".edata") == 0)
		return false;
	if (leads->name == NULL)
		name_choice(slot, source, leads);
	answer->name = leads->name;
	return answer->name != NULL;
}

bool
debug_info_find(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_answer *answer)
{
	struct binaries_reader *reader;
	struct debug_slot *slot = lock_slot(binaries, module, &reader);
	bool found = false;

	*answer = (struct debug_answer){ 0 };
	if (slot == NULL)
		return false;
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = find_in_source(reader, &slot->sources[i], relative, arena, answer);
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = find_stub(slot, &slot->sources[i], relative, answer);
	/* Symbols without a size come last: they may reach past symbols of another file. */
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = (slot->sources[i].pdb != NULL &&
			 debug_pdb_public(slot->sources[i].pdb, relative, answer)) ||
			(slot->sources[i].binary != NULL &&
			 find_symbol(&slot->sources[i], relative, true, answer));
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = find_label(&slot->sources[i], relative, answer);
	debug_info_unlock(reader, module);
	return found;
}

/* The name of an import slot: "abort@got", "kernel32.dll!Sleep (import slot)"; or NULL. */
static const char *
slot_name(const struct debug_slot *slot, struct debug_source *source, struct import_slot *import)
{
	if (import->name == NULL)
		name_choice(slot, source, import);
	/* `import->name` is the stub's name: "abort@plt", "kernel32.dll!Sleep (import thunk)". */
	const char *name = text_or_empty(import->name);
	const size_t length = strcspn(name, "@(");
	return arena_format(&source->stubs.arena, "%.*s%s", (int)length, name,
			    name[length] == '@' ? "@got" : "(import slot)");
}

static void
tell_data(const struct debug_slot *slot, struct debug_source *source, enum debug_names names,
	  debug_info_tell *tell, void *context)
{
	const uint64_t linked = source->binary->linked_base;

	if (names == DEBUG_NAMES_SLOTS)
		import_slot_at(&source->stubs, source->binary, 0);
	else
		file_symbols_data_at(&source->symbols, 0);
	for (size_t i = 0; names == DEBUG_NAMES_SLOTS && i < source->stubs.count; i++) {
		struct import_slot *import = &source->stubs.items[i];

		if (import->stub_size == 0)
			tell(context, text_or_empty(slot_name(slot, source, import)),
			     import->address - linked);
	}
	for (size_t i = 0; names == DEBUG_NAMES_DATA && i < source->symbols.object_count; i++)
		tell(context, source->symbols.objects[i].name,
		     source->symbols.objects[i].address - linked);
}

static bool
data_in_source(const struct debug_slot *slot, struct debug_source *source, uint64_t relative,
	       struct debug_answer *answer)
{
	*answer = (struct debug_answer){ 0 };
	if (source->binary == NULL || source->pdb != NULL)
		return source->pdb != NULL && debug_pdb_data(source->pdb, relative, answer);
	const uint64_t linked = source->binary->linked_base;
	const struct file_symbol *symbol =
		file_symbols_data_at(&source->symbols, linked + relative);
	if (symbol != NULL)
		return answer_symbol(source, symbol, symbol->size, answer);
	struct import_slot *import =
		import_slot_at(&source->stubs, source->binary, linked + relative);
	if (import == NULL)
		return false;
	*answer = (struct debug_answer){
		.input = &source->binary->file.input, .section = "import table",
		.name = slot_name(slot, source, import),
		.address = relative, .size = source->binary->word_size,
		.offset = import->offset };
	return answer->name != NULL;
}

bool
debug_info_data(const struct binaries *binaries, size_t module, uint64_t relative,
		struct debug_answer *answer)
{
	struct binaries_reader *reader;
	struct debug_slot *slot = lock_slot(binaries, module, &reader);
	bool found = false;

	if (slot == NULL)
		return false;
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = data_in_source(slot, &slot->sources[i], relative, answer);
	debug_info_unlock(reader, module);
	return found;
}

const char *
debug_info_clone(const struct binaries *binaries, size_t module, uint64_t relative)
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);
	const char *name = NULL;

	if (slot == NULL)
		return NULL;
	for (size_t i = 0; name == NULL && i < ARRAY_COUNT(kinds); i++) {
		const struct file_symbol *symbol = symbol_at(&slot->sources[i], relative);

		if (symbol != NULL &&
		    demangle_clone_at(text_of(symbol->name)) < strlen(symbol->name))
			name = symbol->name;
	}
	debug_info_unlock(reader, module);
	return name;
}

bool
debug_info_halfwords(const struct binaries *binaries, size_t module, uint64_t relative,
		     bool *halfwords)
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);
	const struct file_symbol *symbol = NULL;

	if (slot == NULL)
		return false;
	for (size_t i = 0; symbol == NULL && i < ARRAY_COUNT(kinds); i++)
		symbol = symbol_at(&slot->sources[i], relative);
	if (symbol != NULL)
		*halfwords = symbol->halfwords;
	debug_info_unlock(reader, module);
	return symbol != NULL;
}

bool
debug_info_body(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_body *body)
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);
	bool found = false;

	*body = (struct debug_body){ 0 };
	if (slot == NULL)
		return false;
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++) {
		const struct debug_source *source = &slot->sources[i];

		if (source->binary == NULL)
			continue;
		found = source->pdb != NULL && debug_pdb_body(source->pdb, relative, arena, body);
		if (found)
			break;
		body->function.input = &source->binary->file.input;
		struct debug_dwarf *dwarf = dwarf_at(source, relative);
		found = dwarf != NULL && debug_dwarf_body(dwarf, relative, arena, body);
		if (found) {
			prefer_linkage_name(&reader->arena, source, &body->function);
			break;
		}
		*body = (struct debug_body){ 0 };
		found = find_symbol(source, relative, false, &body->function);
		if (found && dwarf != NULL)
			debug_dwarf_lines(dwarf, arena, body);
	}
	debug_info_unlock(reader, module);
	return found;
}

void
debug_info_functions(const struct binaries *binaries, size_t module, enum debug_names names,
		     debug_info_tell *tell, void *context)
{
	struct binaries_reader *reader;
	struct debug_slot *slot = lock_slot(binaries, module, &reader);

	if (slot == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct debug_source *source = &slot->sources[i];

		if (source->pdb != NULL && names <= DEBUG_NAMES_DWARF)
			debug_pdb_functions(source->pdb, names, tell, context);
		if (names > DEBUG_NAMES_DWARF && source->binary != NULL && source->pdb == NULL)
			tell_data(slot, source, names, tell, context);
		if (names == DEBUG_NAMES_DWARF && source->dwarf != NULL)
			debug_dwarf_functions(source->dwarf, tell, context);
		for (size_t j = 0; names == DEBUG_NAMES_TABLES && j < source->symbols.count; j++)
			tell(context, source->symbols.items[j].name,
			     source->symbols.items[j].address - source->binary->linked_base);
	}
	debug_info_unlock(reader, module);
}

size_t
debug_info_sources(const struct binaries *binaries, size_t module,
		   struct debug_info_source sources[DEBUG_INFO_SOURCES])
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);
	size_t count = 0;

	if (slot == NULL)
		return 0;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct debug_source *source = &slot->sources[i];

		if (source->binary == NULL)
			continue;
		const bool elf = source->binary->format == BINARY_ELF ||
				 source->binary->format == BINARY_MACH;
		const size_t symbols = source->symbols.count;
		sources[count] = (struct debug_info_source){
			.binary = source->binary,
			.unit_count = source->dwarf != NULL
					      ? debug_dwarf_unit_count(source->dwarf) : 0,
			.module_count = debug_pdb_module_count(source->binary->pdb),
			.public_count = source->pdb != NULL
						? pdb_public_count(source->binary->pdb) : 0,
			.frame_count = debug_pdb_frame_count(source->binary->pdb),
			.table = elf && symbols > 0 ? source->symbols.items[0].table : NULL,
			.symbol_count = elf ? symbols : 0,
			.export_count = elf ? 0 : symbols,
		};
		if (source->dwarf != NULL)
			debug_dwarf_count_split(source->dwarf, &sources[count].split_count,
						 &sources[count].split_missing);
		sources[count].object_count =
			debug_map_count(source->map, &sources[count].object_missing);
		count += sources[count].unit_count + sources[count].module_count +
				 sources[count].public_count + symbols > 0;
	}
	debug_info_unlock(reader, module);
	return count;
}

const struct pdb *
debug_info_pdb(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader;
	const struct debug_slot *slot = lock_slot(binaries, module, &reader);
	const struct binary *binary = slot != NULL ? slot->sources[0].binary : NULL;

	if (slot != NULL)
		debug_info_unlock(reader, module);
	return binary != NULL ? binary->pdb : NULL;
}
