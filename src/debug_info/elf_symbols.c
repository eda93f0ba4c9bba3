/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "binary/code_ranges.h"

/* Symbol tables and their strings (gABI, Symbol Table). */
#define SYMTAB_TYPE 2u
#define DYNSYM_TYPE 11u
#define TYPE_NONE 0u
#define TYPE_FUNCTION 2u
#define TYPE_INDIRECT 10u
/* Of ARM's functions bit 0 says that they are Thumb code (ELF for the Arm Architecture, 5.5.3). */
#define MACHINE_ARM 40u

/* Sections of this number and above are none. */
#define FIRST_RESERVED 0xff00u

/* How far back a function may begin whose size covers an address behind smaller ones. */
#define MOST_OVERLAPS 16u

/* One entry of a symbol table, by class. */
struct entry_layout {
	unsigned size, name, info, section, value, length, word;
};

static const struct entry_layout layout32 = { 16, 0, 12, 14, 4, 8, 4 };
static const struct entry_layout layout64 = { 24, 0, 4, 6, 8, 16, 8 };

struct elf_table {
	struct reader entries, strings;
	const struct entry_layout *layout;
	uint64_t count;
};

static bool
open_section(const struct binary *binary, uint32_t type, const char *name, struct reader *reader)
{
	const struct binary_section *section = binary_section(binary, type, name);

	if (section == NULL || section->data == NULL || section->compressed)
		return false;
	*reader = (struct reader){ .input = &binary->file.input, .data = section->data,
				   .size = section->size, .start = section->offset,
				   .big_endian = binary->big_endian };
	return true;
}

static bool
open_table(const struct binary *binary, uint32_t type, const char *strings, struct elf_table *table)
{
	*table = (struct elf_table){ .layout = binary->word_size == 8 ? &layout64 : &layout32 };
	if (!open_section(binary, type, NULL, &table->entries) ||
	    !open_section(binary, 0, strings, &table->strings))
		return false;
	table->count = table->entries.size / table->layout->size;
	return true;
}

/* The terminated string at `offset`; NULL where it does not end within the strings. */
static const char *
string_at(const struct reader *strings, uint64_t offset)
{
	if (offset >= strings->size)
		return NULL;
	const uint8_t *start = strings->data + offset;
	return memchr(start, '\0', strings->size - offset) != NULL ? (const char *)start : NULL;
}

/* What stands where instructions and data change ($a, $t.1): no end of anything. */
static bool
is_mapping(const char *name)
{
	return name[0] == '$' && name[1] != '\0' && strchr("atdx", name[1]) != NULL &&
	       (name[2] == '\0' || name[2] == '.');
}

/* Entry `index`, if it is a defined function with a name; a label, if it is one, has none. */
static bool
read_entry(const struct elf_table *table, uint64_t index, struct elf_symbol *symbol)
{
	const struct entry_layout *layout = table->layout;
	const uint64_t at = index * layout->size;
	uint64_t name, info, section;

	if (!reader_unsigned(&table->entries, at + layout->name, 4, &name) ||
	    !reader_unsigned(&table->entries, at + layout->info, 1, &info) ||
	    !reader_unsigned(&table->entries, at + layout->section, 2, &section) ||
	    !reader_unsigned(&table->entries, at + layout->value, layout->word,
			     &symbol->address) ||
	    !reader_unsigned(&table->entries, at + layout->length, layout->word, &symbol->size))
		return false;
	const uint64_t type = info & 0xf;
	symbol->name = string_at(&table->strings, name);
	symbol->offset = table->entries.start + at;
	if (section == 0 || symbol->name == NULL || *symbol->name == '\0')
		return false;
	if (type == TYPE_FUNCTION || type == TYPE_INDIRECT)
		return true;
	const bool label = type == TYPE_NONE && section < FIRST_RESERVED &&
			   !is_mapping(symbol->name);
	symbol->name = NULL;
	return label;
}

SORTED_BY_TWO(compare, struct elf_symbol, address, size)

/* Functions without a size reach up to the next symbol, and labels were there to end them. */
static void
set_reaches(struct elf_symbols *symbols, const struct binary *binary)
{
	uint64_t next = UINT64_MAX, above = UINT64_MAX;
	struct code_ranges code;
	size_t kept = 0;

	code_ranges_read(&code, binary, &symbols->arena);
	for (size_t i = symbols->count; i-- > 0;) {
		struct elf_symbol *symbol = &symbols->items[i];

		if (symbol->address != next) {
			above = next;
			next = symbol->address;
		}
		const struct code_range *range =
			symbol->name != NULL && symbol->size == 0
				? code_ranges_at(&code, symbol->address) : NULL;
		if (range != NULL)
			symbol->reach = (range->high < above ? range->high : above) -
					symbol->address;
	}
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->items[i].name != NULL)
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
}

void
elf_symbols_read(struct elf_symbols *symbols, const struct binary *binary)
{
	struct elf_table full, dynamic;

	*symbols = (struct elf_symbols){ 0 };
	arena_init(&symbols->arena, 0);
	if (binary->format != BINARY_ELF)
		return;
	bool has_full = open_table(binary, SYMTAB_TYPE, ".strtab", &full);
	bool has_dynamic = open_table(binary, DYNSYM_TYPE, ".dynstr", &dynamic);
	if (!has_full && !has_dynamic)
		return;
	const struct elf_table *table = has_full && (!has_dynamic || full.count >= dynamic.count)
					    ? &full
					    : &dynamic;
	symbols->items =
		arena_array(&symbols->arena, (size_t)table->count + 1, sizeof(*symbols->items));
	if (symbols->items == NULL)
		return;
	symbols->table = table == &full ? ".symtab" : ".dynsym";
	const uint64_t flags = binary->machine == MACHINE_ARM ? 1 : 0;
	for (uint64_t i = 0; i < table->count; i++)
		if (read_entry(table, i, &symbols->items[symbols->count]))
			symbols->items[symbols->count++].address &= ~flags;
	qsort(symbols->items, symbols->count, sizeof(*symbols->items), compare);
	set_reaches(symbols, binary);
}

void
elf_symbols_free(struct elf_symbols *symbols)
{
	arena_free(&symbols->arena);
	*symbols = (struct elf_symbols){ 0 };
}

const struct elf_symbol *
elf_symbols_at(const struct elf_symbols *symbols, uint64_t address)
{
	size_t low = sorted_upto(SORTED(symbols->items, symbols->count, address), address);

	const struct elf_symbol *reaching = NULL;

	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++) {
		const struct elf_symbol *symbol = &symbols->items[low - 1 - i];

		if (checked_contains(symbol->address, symbol->size, address))
			return symbol;
		if (reaching == NULL &&
		    (symbol->address == address ||
		     checked_contains(symbol->address, symbol->reach, address)))
			reaching = symbol;
	}
	return reaching;
}
