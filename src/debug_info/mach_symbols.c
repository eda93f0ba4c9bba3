/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/file_symbols.h"

#include <string.h>

#include "base/limits.h"
#include "base/reader.h"
#include "binary/mach.h"
#include "debug_info/mach_symbols.h"

/* Symbols of Mach-O files (Apple, Mach-O File Format Reference; mach-o/nlist.h). */

/* n_type: a symbol of a debugger; else its kind, which is the number of a section. */
#define TYPE_DEBUG 0xe0u
#define TYPE_MASK 0x0eu
#define TYPE_SECTION 0x0eu
/* n_desc: Thumb code. */
#define THUMB 0x8u
/* Section types in the low byte of flags: stubs have no names of their own. */
#define SECTION_TYPE 0xffu
#define SYMBOL_STUBS 8u
#define ADDRESS_BITS_7 0x7fu

/* Bytes of a table of the linker; false: the file has none. */
static bool
open_mach_table(const struct binary *binary, const char *name, struct reader *table)
{
	*table = binary_section_bytes(binary, binary_section(binary, 0, name), 0);
	return table->data != NULL;
}

static struct file_symbol *
add_symbol(struct file_symbols *symbols, uint64_t address, const char *name)
{
	struct file_symbol *symbol = ARENA_PUSH(&symbols->arena, symbols->items, symbols->count,
						symbols->capacity);

	if (symbol != NULL)
		*symbol = (struct file_symbol){ .address = address, .name = name,
						.table = MACH_SYMBOLS };
	return symbol;
}

/* A name, without the underscore before names of C; NULL: none, or it does not end. */
static const char *
mach_name(const struct reader *strings, uint64_t at)
{
	if (at == 0 || at >= strings->size ||
	    memchr(strings->data + at, '\0', (size_t)(strings->size - at)) == NULL)
		return NULL;
	const char *name = (const char *)strings->data + at;
	name += *name == '_';
	return *name != '\0' ? name : NULL;
}

static void
read_table(struct file_symbols *symbols, const struct code_ranges *code)
{
	const struct binary *binary = symbols->binary;
	const unsigned word = binary->word_size, size = 8 + word;
	struct reader table, strings;
	uint64_t address;
	uint32_t name;
	uint16_t description;

	if (!open_mach_table(binary, MACH_SYMBOLS, &table) ||
	    !open_mach_table(binary, MACH_STRINGS, &strings))
		return;
	for (uint64_t at = 0; reader_u32(&table, at, &name) &&
			      reader_u16(&table, at + 6, &description) &&
			      reader_unsigned(&table, at + 8, word, &address); at += size) {
		const uint8_t type = table.data[at + 4];

		if ((type & TYPE_DEBUG) != 0 || (type & TYPE_MASK) != TYPE_SECTION ||
		    code_ranges_at(code, address) == NULL)
			continue;
		struct file_symbol *symbol = add_symbol(symbols, address,
							mach_name(&strings, name));
		if (symbol == NULL)
			return;
		symbol->halfwords = (description & THUMB) != 0;
		symbol->offset = table.start + at;
	}
}

/* Add the begin of each function, and of stubs, as labels: names reach up to them. */
static void
read_starts(struct file_symbols *symbols)
{
	const struct binary *binary = symbols->binary;
	/* Bit 0 marks Thumb code. */
	const uint64_t odd = binary->word_size == 4 ? 1 : 0;
	uint64_t address = binary->linked_base, distance = 0;
	struct reader table;
	unsigned shift = 0;

	for (size_t i = 0; i < binary->section_count; i++)
		if ((binary->sections[i].flags & SECTION_TYPE) == SYMBOL_STUBS)
			add_symbol(symbols, binary->sections[i].address, NULL);
	if (!open_mach_table(binary, MACH_FUNCTION_STARTS, &table))
		return;
	for (uint64_t at = 0; at < table.size; at++) {
		const uint8_t byte = table.data[at];

		if (shift < 64)
			distance |= (uint64_t)(byte & ADDRESS_BITS_7) << shift;
		shift += 7;
		if ((byte & 0x80) != 0)
			continue;
		/* Padding follows the last one. */
		if (distance == 0)
			return;
		address += distance;
		distance = shift = 0;
		if (add_symbol(symbols, address & ~odd, NULL) == NULL)
			return;
	}
}

void
mach_symbols_read(struct file_symbols *symbols, const struct code_ranges *code)
{
	read_table(symbols, code);
	if (symbols->count > 0)
		read_starts(symbols);
}
