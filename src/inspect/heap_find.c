/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/heap_find.h"

#include <string.h>

#include "debug_info/file_symbols.h"

/* The text before the version in a file of glibc: "stable release version 2.36". */
#define BEFORE_VERSION " release version 2."

/* The beginning of the old name of glibc's file, before the version. */
#define OLD_NAME "libc-2."

/* Maximum number of modules to search. Hostile dumps list thousands named like the library. */
#define MOST_TRIED 4u

/* The minor version of glibc in a file's constants, or in its old name "libc-2.31.so"; 0: none. */
static unsigned
find_version(const struct binary *image, const char *name)
{
	const struct binary_section *section =
		image != NULL ? binary_section(image, 0, ".rodata") : NULL;
	const size_t length = strlen(BEFORE_VERSION);
	struct text number = text_of(name);
	uint64_t version = 0;

	if (!text_drop_prefix(&number, OLD_NAME))
		number.length = 0;

	for (uint64_t i = 0; section != NULL && section->data != NULL && !section->compressed &&
			     i + length + 3 < section->size; i++)
		if (section->data[i] == ' ' &&
		    memcmp(section->data + i, BEFORE_VERSION, length) == 0) {
			number = (struct text){ (const char *)section->data + i + length, 3 };
			break;
		}
	return text_take_number(&number, 10, &version) && version < 100 ? (unsigned)version : 0;
}

/* The address of main_arena in a loaded module; 0: its files do not name it. */
static uint64_t
find_symbol(const struct crash *crash, struct binaries *binaries, size_t module)
{
	static const enum locate_kind kinds[] = { LOCATE_DEBUG, LOCATE_IMAGE, LOCATE_MINI };
	uint64_t address;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct binary *binary = binaries_load(binaries, module, kinds[i]);

		if (binary != NULL && file_symbols_object(binary, "main_arena", &address, NULL))
			return address - binary->linked_base + crash->modules[module].base;
	}
	return 0;
}

static bool
read_module(struct heap *heap, const struct crash *crash, struct binaries *binaries, size_t index,
	    bool library)
{
	const struct module *module = &crash->modules[index];
	const uint64_t symbol = find_symbol(crash, binaries, index);

	/* The symbol shows that a statically linked program contains the library. */
	if (!library && symbol == 0)
		return false;
	heap->library = place_base_name(module->code_file);
	heap->version = find_version(binaries_load(binaries, index, LOCATE_IMAGE), heap->library);
	return heap_read(heap, module->base, module->size, symbol) ||
	       (symbol != 0 && heap_read(heap, module->base, module->size, 0));
}

const struct heap *
heap_find(const struct crash *crash, const struct memory_view *memory, struct binaries *binaries,
	  struct arena *arena)
{
	const struct arch *arch = crash->system.arch;
	struct heap *heap = arena_alloc(arena, sizeof(*heap));

	/* On 32 bits, only x86 aligns chunks to 16 bytes. */
	if (heap == NULL || crash->system.os != CRASH_OS_LINUX || arch == NULL ||
	    (arch->word_size != 8 && !arch_pushes_return(arch)))
		return NULL;
	*heap = (struct heap){ .memory = memory, .word = arch->word_size, .arena = arena };
	for (size_t i = 0, tried = 0; i < crash->module_count && tried < MOST_TRIED; i++) {
		const char *name = place_base_name(crash->modules[i].code_file);
		const bool library = strcmp(name, "libc.so.6") == 0 ||
				     strncmp(name, OLD_NAME, strlen(OLD_NAME)) == 0;

		tried += library;
		if ((library || i == 0) && read_module(heap, crash, binaries, i, library))
			return heap;
	}
	return NULL;
}

const struct module *
heap_other_allocator(const struct crash *crash)
{
	static const char *const names[] = { "libjemalloc", "libtcmalloc", "libmimalloc",
					     "libscudo", "ld-musl", "libhoard", "librpmalloc" };

	for (size_t i = 0; i < crash->module_count; i++)
		if (text_begins(text_of(place_base_name(crash->modules[i].code_file)), names,
				ARRAY_COUNT(names)) > 0)
			return &crash->modules[i];
	return NULL;
}
