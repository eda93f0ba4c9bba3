/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "debug_info/debug_dwarf.h"

#ifdef HAVE_DWARF

#include <stdlib.h>

#include "debug_info/debug_dwarf_internal.h"

/* Bytes of a file's DWARF, unpacked ones counted as they are in the file. */
static uint64_t
budget_of(const struct binary *binary)
{
	return (uint64_t)binary->file.size * 16 + DEBUG_DWARF_ENTRIES;
}

/* A file with one byte of .debug_info, in this machine's order: its DWARF says nothing. */
static const struct {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[24];
} nothing = {
	.header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		.e_shstrndx = 2,
	},
	.sections = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = 1, .sh_addralign = 1,
			.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) },
		[2] = { .sh_name = 13, .sh_type = SHT_STRTAB, .sh_size = 24, .sh_addralign = 1,
			.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) },
	},
	.names = "\0.debug_info\0.shstrtab",
};

/* Give libdw the supplement of a file that names one, for it would open any path by itself. */
static bool
set_supplement(struct debug_dwarf *dwarf, const struct binary *supplement)
{
	const void *data = supplement != NULL ? (const void *)supplement->file.data : &nothing;
	const size_t size = supplement != NULL ? (size_t)supplement->file.size : sizeof(nothing);

	if (binary_section(dwarf->binary, 0, ".gnu_debugaltlink") == NULL &&
	    binary_section(dwarf->binary, 0, ".debug_sup") == NULL)
		return true;
	dwarf->supplement_elf = elf_memory((char *)(uintptr_t)data, size);
	if (dwarf->supplement_elf != NULL)
		dwarf->supplement = dwarf_begin_elf(dwarf->supplement_elf, DWARF_C_READ, NULL);
	if (dwarf->supplement != NULL)
		dwarf_setalt(dwarf->dwarf, dwarf->supplement);
	else if (supplement != NULL) {
		elf_end(dwarf->supplement_elf);
		return set_supplement(dwarf, NULL);
	}
	return dwarf->supplement != NULL;
}

struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement)
{
	struct debug_dwarf *dwarf;

	if (binary->format != BINARY_ELF || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	dwarf = calloc(1, sizeof(*dwarf));
	if (dwarf == NULL)
		return NULL;
	arena_init(&dwarf->arena, 0);
	dwarf->binary = binary;
	dwarf->budget = budget_of(binary);
	dwarf->elf = elf_memory((char *)(uintptr_t)binary->file.data,
				(size_t)binary->file.size);
	if (dwarf->elf != NULL)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (dwarf->dwarf == NULL || !set_supplement(dwarf, supplement)) {
		debug_dwarf_close(dwarf);
		return NULL;
	}
	code_ranges_read(&dwarf->code, binary, &dwarf->arena);
	debug_dwarf_read_units(dwarf);
	return dwarf;
}

void
debug_dwarf_close(struct debug_dwarf *dwarf)
{
	if (dwarf == NULL)
		return;
	if (dwarf->dwarf != NULL)
		dwarf_end(dwarf->dwarf);
	if (dwarf->elf != NULL)
		elf_end(dwarf->elf);
	if (dwarf->supplement != NULL)
		dwarf_end(dwarf->supplement);
	if (dwarf->supplement_elf != NULL)
		elf_end(dwarf->supplement_elf);
	arena_free(&dwarf->arena);
	free(dwarf);
}

size_t
debug_dwarf_unit_count(const struct debug_dwarf *dwarf)
{
	return dwarf != NULL && dwarf->ranges.count > 0 ? dwarf->unit_count : 0;
}

bool
debug_info_reads_dwarf(void)
{
	return true;
}

uint64_t
debug_dwarf_offset(const struct binary *binary, const char *name, uint64_t at)
{
	const struct binary_section *section = binary_section(binary, 0, name);

	if (section == NULL)
		return 0;
	return section->compressed || at >= section->size ? section->offset
							  : section->offset + at;
}

/* What is said of a function; false where it has no name. */
static bool
describe_function(struct debug_dwarf *dwarf, const struct pc_range *range, Dwarf_Die *function,
		  struct debug_answer *answer)
{
	answer->section = ".debug_info";
	answer->name = debug_dwarf_name(dwarf, function, &answer->written);
	answer->address = range->low - dwarf->binary->linked_base;
	answer->size = range->high - range->low;
	answer->offset = debug_dwarf_offset(dwarf->binary, ".debug_info", range->entry);
	return *answer->name != '\0';
}

bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	const uint64_t address = dwarf->binary->linked_base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	Dwarf_Die function;

	if (unit == NULL)
		return false;
	debug_dwarf_line(dwarf, unit, address, &answer->line);
	const struct pc_range *range = debug_dwarf_function(unit, address);
	if (range == NULL || dwarf_offdie(dwarf->dwarf, range->entry, &function) == NULL)
		return false;
	if (arena != NULL)
		debug_dwarf_calls(dwarf, unit, &function, address, arena, answer);
	return describe_function(dwarf, range, &function, answer);
}

bool
debug_dwarf_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body)
{
	const uint64_t address = dwarf->binary->linked_base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	const struct pc_range *range = unit != NULL ? debug_dwarf_function(unit, address) : NULL;
	Dwarf_Die function;

	if (range == NULL || dwarf_offdie(dwarf->dwarf, range->entry, &function) == NULL ||
	    !describe_function(dwarf, range, &function, &body->function))
		return false;
	debug_dwarf_lines(dwarf, unit, range, arena, body);
	debug_dwarf_all_calls(dwarf, unit, &function, range, arena, body);
	return true;
}

void
debug_dwarf_functions(struct debug_dwarf *dwarf,
		      void (*tell)(void *context, const char *name, uint64_t relative),
		      void *context)
{
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		const struct unit *unit = debug_dwarf_read_unit(dwarf, i);

		for (size_t j = 0; j < unit->functions.count; j++) {
			const struct pc_range *range = &unit->functions.items[j];
			Dwarf_Die function;
			bool written;

			if (dwarf_offdie(dwarf->dwarf, range->entry, &function) != NULL)
				tell(context, debug_dwarf_name(dwarf, &function, &written),
				     range->low - dwarf->binary->linked_base);
		}
	}
}

void
debug_dwarf_body_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body)
{
	const uint64_t low = dwarf->binary->linked_base + body->function.address;
	const struct pc_range range = { .low = low, .high = low + body->function.size };
	const struct unit *unit = debug_dwarf_unit(dwarf, low);

	if (unit != NULL && range.high > range.low)
		debug_dwarf_lines(dwarf, unit, &range, arena, body);
}

#else

struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement)
{
	(void)binary;
	(void)supplement;
	return NULL;
}

void
debug_dwarf_close(struct debug_dwarf *dwarf)
{
	(void)dwarf;
}

bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	(void)dwarf;
	(void)relative;
	(void)arena;
	(void)answer;
	return false;
}

bool
debug_dwarf_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body)
{
	(void)dwarf;
	(void)relative;
	(void)arena;
	(void)body;
	return false;
}

void
debug_dwarf_functions(struct debug_dwarf *dwarf,
		      void (*tell)(void *context, const char *name, uint64_t relative),
		      void *context)
{
	(void)dwarf;
	(void)tell;
	(void)context;
}

size_t
debug_dwarf_unit_count(const struct debug_dwarf *dwarf)
{
	(void)dwarf;
	return 0;
}

bool
debug_info_reads_dwarf(void)
{
	return false;
}

void
debug_dwarf_body_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body)
{
	(void)dwarf;
	(void)arena;
	(void)body;
}

#endif
