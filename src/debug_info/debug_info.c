/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_info.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "debug_info/debug_dwarf.h"
#include "debug_info/elf_symbols.h"
#include "debug_info/pe_exports.h"

/* In the order in which they are asked: a debug file has all that the image has, and more; what
 * .gnu_debugdata has is what the image's .dynsym lacks. */
static const enum binaries_kind kinds[DEBUG_INFO_SOURCES] = { BINARIES_DEBUG, BINARIES_MINI, BINARIES_IMAGE };

struct debug_source {
	const struct binary *binary;	/* NULL: there is none, or another source has it */
	struct debug_dwarf *dwarf;	/* NULL: it has none */
	struct elf_symbols symbols;
	struct pe_exports exports;
};

struct debug_slot {
	bool asked[ARRAY_COUNT(kinds)];	/* its file is settled */
	struct debug_source sources[ARRAY_COUNT(kinds)];
};

struct debug_info {
	const struct crash *crash;
	struct binaries *binaries;
	struct debug_slot *slots;		/* one a loaded module */
	struct arena arena;
	pthread_mutex_t mutex;		/* all but crash and binaries */
};

static void *
create(const struct crash *crash, struct binaries *binaries)
{
	struct debug_info *info = calloc(1, sizeof(*info));

	if (info == NULL)
		return NULL;
	arena_init(&info->arena, 0);
	info->crash = crash;
	info->binaries = binaries;
	info->slots = arena_array(&info->arena, crash->module_count + 1, sizeof(*info->slots));
	if (info->slots == NULL || pthread_mutex_init(&info->mutex, NULL) != 0) {
		arena_free(&info->arena);
		free(info);
		return NULL;
	}
	return info;
}

static void
release(void *reader)
{
	struct debug_info *info = reader;

	if (info == NULL)
		return;
	for (size_t i = 0; i < info->crash->module_count; i++)
		for (size_t j = 0; j < ARRAY_COUNT(kinds); j++) {
			struct debug_source *source = &info->slots[i].sources[j];

			debug_dwarf_close(source->dwarf);
			if (source->binary == NULL)
				continue;
			elf_symbols_free(&source->symbols);
			pe_exports_free(&source->exports);
		}
	pthread_mutex_destroy(&info->mutex);
	arena_free(&info->arena);
	free(info);
}

struct debug_info *
binaries_debug_info(const struct binaries *binaries)
{
	static const struct binaries_reader_kind kind = { .create = create, .release = release };

	return binaries_reader(binaries, BINARIES_DEBUG_INFO, &kind);
}

static bool
is_open(const struct debug_slot *slot, const struct binary *binary)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (slot->sources[i].binary == binary)
			return true;
	return false;
}

/* The slot of a module with its files open, as far as they are settled. With the mutex held. */
static struct debug_slot *
open_slot(struct debug_info *info, size_t module)
{
	struct debug_slot *slot = &info->slots[module];

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct debug_source *source = &slot->sources[i];
		const struct binary *supplement = NULL;
		bool settled = slot->asked[i];

		if (settled)
			continue;
		const struct binary *binary =
			binaries_try(info->binaries, module, kinds[i], &settled);
		if (settled && kinds[i] == BINARIES_DEBUG)
			supplement = binaries_try(info->binaries, module, BINARIES_SUPPLEMENT,
						  &settled);
		slot->asked[i] = settled;
		if (!settled || binary == NULL || is_open(slot, binary))
			continue;
		source->binary = binary;
		source->dwarf = debug_dwarf_open(binary, supplement);
		elf_symbols_read(&source->symbols, binary);
		pe_exports_read(&source->exports, binary);
	}
	return slot;
}

/* The function of the symbol table whose size covers the address, or one that reaches it. */
static bool
find_symbol(const struct debug_source *source, uint64_t relative, bool reaching,
	    struct debug_answer *answer)
{
	const uint64_t linked = source->binary->linked_base;
	const struct elf_symbol *symbol = elf_symbols_at(&source->symbols, linked + relative);

	if (symbol == NULL || (symbol->size == 0) != reaching)
		return false;
	answer->input = &source->binary->file.input;
	answer->section = source->symbols.table;
	answer->name = symbol->name;
	answer->address = symbol->address - linked;
	answer->size = symbol->size;
	answer->offset = symbol->offset;
	return true;
}

/*
 * Of functions that no other file sees compilers do not write the linker's name, which has the
 * parameters, into DWARF; the symbol table may have it, with a suffix where it is a clone.
 */
static void
prefer_linkage_name(struct debug_info *info, const struct debug_source *source,
		    struct debug_answer *answer)
{
	const struct elf_symbol *symbol =
		elf_symbols_at(&source->symbols, source->binary->linked_base + answer->address);

	if (!answer->written || symbol == NULL ||
	    symbol->address - source->binary->linked_base != answer->address ||
	    (strncmp(symbol->name, "_Z", 2) != 0 && strncmp(symbol->name, "_R", 2) != 0))
		return;
	const char *name =
		arena_copy(&info->arena, symbol->name, strcspn(symbol->name, "."));
	if (name != NULL)
		answer->name = name;
}

static bool
find_export(const struct debug_source *source, uint64_t relative, struct debug_answer *answer)
{
	const struct pe_export *export = pe_exports_at(&source->exports, relative);

	if (export == NULL)
		return false;
	const uint64_t size = pe_exports_size(&source->exports, export);
	answer->section = export->table;
	answer->size = relative - export->address < size ? size : 0;
	answer->name = export->name;
	answer->address = export->address;
	answer->offset = export->offset;
	return true;
}

static bool
find_in_source(struct debug_info *info, const struct debug_source *source, uint64_t relative,
	       struct arena *arena, struct debug_answer *answer)
{
	*answer = (struct debug_answer){ 0 };
	if (source->binary == NULL)
		return false;
	answer->input = &source->binary->file.input;
	if (source->dwarf == NULL || !debug_dwarf_find(source->dwarf, relative, arena, answer))
		return find_symbol(source, relative, false, answer) ||
		       find_export(source, relative, answer);
	prefer_linkage_name(info, source, answer);
	return true;
}

static bool
may_have_files(const struct debug_info *info, size_t module)
{
	return info != NULL && module < info->crash->module_count &&
	       binaries_configured(info->binaries);
}

bool
debug_info_find(struct debug_info *info, size_t module, uint64_t relative, struct arena *arena,
		struct debug_answer *answer)
{
	bool found = false;

	*answer = (struct debug_answer){ 0 };
	if (!may_have_files(info, module))
		return false;
	pthread_mutex_lock(&info->mutex);
	const struct debug_slot *slot = open_slot(info, module);
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = find_in_source(info, &slot->sources[i], relative, arena, answer);
	/* A name without a size may reach over what another file's table names. */
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = slot->sources[i].binary != NULL &&
			find_symbol(&slot->sources[i], relative, true, answer);
	pthread_mutex_unlock(&info->mutex);
	return found;
}

/* As find_in_source. */
static bool
body_in_source(struct debug_info *info, const struct debug_source *source, uint64_t relative,
	       struct arena *arena, struct debug_body *body)
{
	if (source->binary == NULL)
		return false;
	if (source->dwarf != NULL && debug_dwarf_body(source->dwarf, relative, arena, body)) {
		body->function.input = &source->binary->file.input;
		prefer_linkage_name(info, source, &body->function);
		return true;
	}
	*body = (struct debug_body){ 0 };
	if (!find_symbol(source, relative, false, &body->function))
		return false;
	if (source->dwarf != NULL)
		debug_dwarf_body_lines(source->dwarf, arena, body);
	return true;
}

bool
debug_info_body(struct debug_info *info, size_t module, uint64_t relative, struct arena *arena,
		struct debug_body *body)
{
	bool found = false;

	*body = (struct debug_body){ 0 };
	if (!may_have_files(info, module))
		return false;
	pthread_mutex_lock(&info->mutex);
	const struct debug_slot *slot = open_slot(info, module);
	for (size_t i = 0; !found && i < ARRAY_COUNT(kinds); i++)
		found = body_in_source(info, &slot->sources[i], relative, arena, body);
	pthread_mutex_unlock(&info->mutex);
	return found;
}

static void
tell_tables(const struct debug_source *source,
	    void (*tell)(void *context, const char *name, uint64_t relative), void *context)
{
	for (size_t i = 0; i < source->symbols.count; i++)
		tell(context, source->symbols.items[i].name,
		     source->symbols.items[i].address - source->binary->linked_base);
	for (size_t i = 0; i < source->exports.count; i++)
		tell(context, source->exports.items[i].name, source->exports.items[i].address);
}

void
debug_info_functions(struct debug_info *info, size_t module, enum debug_names names,
		     void (*tell)(void *context, const char *name, uint64_t relative),
		     void *context)
{
	if (!may_have_files(info, module))
		return;
	pthread_mutex_lock(&info->mutex);
	const struct debug_slot *slot = open_slot(info, module);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct debug_source *source = &slot->sources[i];

		if (source->binary != NULL && names == DEBUG_NAMES_TABLES)
			tell_tables(source, tell, context);
		else if (source->dwarf != NULL && names == DEBUG_NAMES_DWARF)
			debug_dwarf_functions(source->dwarf, tell, context);
	}
	pthread_mutex_unlock(&info->mutex);
}

size_t
debug_info_sources(struct debug_info *info, size_t module,
		   struct debug_info_source sources[DEBUG_INFO_SOURCES])
{
	size_t count = 0;

	if (!may_have_files(info, module))
		return 0;
	pthread_mutex_lock(&info->mutex);
	const struct debug_slot *slot = open_slot(info, module);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct debug_source *source = &slot->sources[i];

		if (source->binary == NULL)
			continue;
		sources[count] = (struct debug_info_source){
			.binary = source->binary,
			.unit_count = debug_dwarf_unit_count(source->dwarf),
			.table = source->symbols.count > 0 ? source->symbols.table : NULL,
			.symbol_count = source->symbols.count,
			.export_count = source->exports.count,
		};
		count += sources[count].unit_count > 0 || sources[count].symbol_count > 0 ||
			 sources[count].export_count > 0;
	}
	pthread_mutex_unlock(&info->mutex);
	return count;
}
