/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/pe_symbols.h"

#include <string.h>

#include "base/limits.h"
#include "binary/binary_internal.h"

/* COFF symbols, 18 bytes each (Microsoft, PE Format: COFF Symbol Table). */
#define SYMBOL_SIZE 18u
#define SHORT_NAME 8u
#define TYPE_FUNCTION 0x20u
#define CLASS_EXTERNAL 2u
#define CLASS_STATIC 3u
#define MACHINE_X86 0x14cu

struct coff_table {
	const struct binary *binary;
	struct reader symbols, strings;
};

static bool
open_table(const struct binary *binary, struct coff_table *table)
{
	const struct reader file = binary_reader(binary);
	uint32_t start = 0, count = 0, header = 0;

	*table = (struct coff_table){ .binary = binary };
	if (binary->format != BINARY_PE || !reader_u32(&file, 0x3c, &header) ||
	    !reader_u32(&file, (uint64_t)header + 12, &start) ||
	    !reader_u32(&file, (uint64_t)header + 16, &count) || start == 0 || start >= file.size)
		return false;
	const uint64_t room = file.size - start, wanted = (uint64_t)count * SYMBOL_SIZE;
	return reader_window(&file, start, wanted < room ? wanted : room, &table->symbols) &&
	       reader_window(&file, start + table->symbols.size, room - table->symbols.size,
			     &table->strings);
}

/* A name of up to 8 bytes, or the offset of a longer one; copied. NULL: there is none. */
static const char *
name_at(const struct coff_table *table, uint64_t at, struct arena *arena)
{
	const char *name = (const char *)table->symbols.data + at;
	size_t room = SHORT_NAME;
	uint32_t zeros = 0, offset = 0;

	reader_u32(&table->symbols, at, &zeros);
	reader_u32(&table->symbols, at + 4, &offset);
	if (zeros == 0) {
		if (offset >= table->strings.size)
			return NULL;
		const uint64_t left = table->strings.size - offset;

		name = (const char *)table->strings.data + offset;
		room = left < LIMIT_EXPORT_NAME ? (size_t)left : LIMIT_EXPORT_NAME;
		if (memchr(name, '\0', room) == NULL)
			return NULL;
	}
	size_t length = strnlen(name, room);
	/* Of x86 all names of C begin with an underscore more than in the source. */
	if (table->binary->machine == MACHINE_X86 && length > 1 && *name == '_')
		name++, length--;
	return length > 0 ? arena_copy(arena, name, length) : NULL;
}

/* The symbol at `at`, if it is a function; `*next` is behind it and what belongs to it. */
static bool
read_symbol(const struct coff_table *table, uint64_t at, struct pe_export *symbol, uint64_t *next)
{
	const struct binary *binary = table->binary;
	uint16_t section = 0, type = 0;
	uint32_t value = 0;

	if (at + SYMBOL_SIZE > table->symbols.size)
		return false;
	reader_u32(&table->symbols, at + 8, &value);
	reader_u16(&table->symbols, at + 12, &section);
	reader_u16(&table->symbols, at + 14, &type);
	const uint8_t class = table->symbols.data[at + 16];
	*next = at + SYMBOL_SIZE * (1 + (uint64_t)table->symbols.data[at + 17]);
	if (type != TYPE_FUNCTION || section == 0 || section > binary->section_count ||
	    (class != CLASS_EXTERNAL && class != CLASS_STATIC))
		return false;
	const uint64_t address = binary->sections[section - 1].address + value;
	const struct binary_segment *segment = binary_segment(binary, address);
	*symbol = (struct pe_export){ .address = address, .ordinal = UINT32_MAX,
				      .table = "symbol table",
				      .offset = table->symbols.start + at };
	return address <= UINT32_MAX && segment != NULL && segment->executable;
}

size_t
pe_symbols_read(const struct binary *binary, struct arena *arena, struct pe_export **symbols)
{
	size_t count = 0, capacity = 0;
	struct pe_export symbol;
	struct coff_table table;

	*symbols = NULL;
	if (!open_table(binary, &table))
		return 0;
	for (uint64_t at = 0, next; at + SYMBOL_SIZE <= table.symbols.size; at = next) {
		if (!read_symbol(&table, at, &symbol, &next))
			continue;
		symbol.name = name_at(&table, at, arena);
		struct pe_export *items =
			arena_grow(arena, *symbols, count, &capacity, sizeof(*items));
		if (items == NULL)
			break;
		*symbols = items;
		if (symbol.name != NULL)
			items[count++] = symbol;
	}
	return count;
}
