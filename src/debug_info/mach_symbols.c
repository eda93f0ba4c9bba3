/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/file_symbols.h"

#include <string.h>

#include "base/limits.h"
#include "base/reader.h"
#include "binary/mach.h"
#include "debug_info/mach_symbols.h"

/* Symbols of Mach-O files (Apple, Mach-O File Format Reference; mach-o/nlist.h). */

/* n_type: bits of debug symbols; bits of the kind; the kind of symbols in sections. */
#define TYPE_DEBUG 0xe0u
#define TYPE_MASK 0x0eu
#define TYPE_SECTION 0x0eu
/* n_desc: Thumb code. */
#define THUMB 0x8u
#define ADDRESS_BITS_7 0x7fu

/* Open the linker's table `name`; false: the file lacks it. */
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
						.label = name == NULL, .table = MACH_SYMBOLS };
	return symbol;
}

bool
mach_names_open(const struct binary *binary, struct mach_names *names)
{
	const uint8_t *last;

	if (!open_mach_table(binary, MACH_SYMBOLS, &names->symbols) ||
	    !open_mach_table(binary, MACH_STRINGS, &names->strings))
		return false;
	/* Names after the last NUL have no end, so cut the table there. */
	last = memrchr(names->strings.data, '\0', (size_t)names->strings.size);
	names->strings.size = last != NULL ? (uint64_t)(last - names->strings.data) : 0;
	names->entry = 8 + binary->word_size;
	return true;
}

const char *
mach_names_whole(const struct mach_names *names, uint64_t number)
{
	uint32_t at;

	if (!reader_u32(&names->symbols, number * names->entry, &at) || at == 0 ||
	    at >= names->strings.size)
		return NULL;
	return (const char *)names->strings.data + at;
}

const char *
mach_names_at(const struct mach_names *names, uint64_t number)
{
	const char *name = mach_names_whole(names, number);

	if (name != NULL)
		name += *name == '_';
	return name != NULL && *name != '\0' ? name : NULL;
}

bool
mach_is_defined(uint8_t type)
{
	return (type & TYPE_DEBUG) == 0 && (type & TYPE_MASK) == TYPE_SECTION;
}

static void
read_table(struct file_symbols *symbols, const struct code_ranges *code)
{
	const struct binary *binary = symbols->binary;
	struct mach_names names;
	uint16_t description;
	uint64_t address;

	if (!mach_names_open(binary, &names))
		return;
	const struct reader *table = &names.symbols;
	for (uint64_t i = 0, at = 0; reader_u16(table, at + 6, &description) &&
				     reader_unsigned(table, at + 8, binary->word_size, &address);
	     i++, at += names.entry) {
		if (!mach_is_defined(table->data[at + 4]) ||
		    code_ranges_at(code, address) == NULL)
			continue;
		struct file_symbol *symbol = add_symbol(symbols, address,
							mach_names_at(&names, i));
		if (symbol == NULL)
			return;
		symbol->halfwords = (description & THUMB) != 0;
		symbol->offset = table->start + at;
	}
}

/* Take a number in ULEB128; false at the end of the table. Bits beyond 64 are lost. */
static bool
take_leb128(const struct reader *table, uint64_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < table->size; shift += 7) {
		const uint8_t byte = table->data[(*at)++];

		if (shift < 64)
			*value |= (uint64_t)(byte & ADDRESS_BITS_7) << shift;
		if ((byte & 0x80) == 0)
			return true;
	}
	return false;
}

/* Add the starts of functions and stub sections as labels, which end the names before them. */
static void
read_starts(struct file_symbols *symbols)
{
	const struct binary *binary = symbols->binary;
	/* Bit 0 marks Thumb code. */
	const uint64_t odd = binary->word_size == 4 ? 1 : 0;
	uint64_t address = binary->linked_base, distance, at = 0;
	struct reader table;

	/* Stubs have no names of their own. */
	for (size_t i = 0; i < binary->section_count; i++)
		if ((binary->sections[i].flags & MACH_SECTION_TYPE) == MACH_STUBS)
			add_symbol(symbols, binary->sections[i].address, NULL);
	if (!open_mach_table(binary, MACH_FUNCTION_STARTS, &table))
		return;
	/* Padding with zeros follows the last distance. */
	while (take_leb128(&table, &at, &distance) && distance != 0) {
		address += distance;
		if (add_symbol(symbols, address & ~odd, NULL) == NULL)
			return;
	}
}

/* Exports -------------------------------------------------------------------------------------- */

/* Maximum depth of the trie. Each edge has at least one character of a name. */
#define MOST_EDGES 512u
/* Flag of an export that another library defines. */
#define EXPORT_ELSEWHERE 8u

/* A node of the trie on the path from the root to the current node. */
struct export_node {
	uint64_t at;			/* offset of the next edge */
	unsigned left;			/* number of edges not followed yet */
	size_t length;			/* length of the name up to the node */
};

struct export_walk {
	struct file_symbols *symbols;
	const struct code_ranges *code;
	struct reader table;
	struct export_node nodes[MOST_EDGES];
	size_t depth;
	char name[LIMIT_EXPORT_NAME];
	size_t named;			/* bytes of all names */
	uint8_t *seen;			/* a bit for each byte where a node begins */
};

/* Add the symbol of a node if it is a function. */
static void
add_export(struct export_walk *walk, uint64_t at, size_t length)
{
	const uint64_t base = walk->symbols->binary->linked_base;
	uint64_t flags, address;

	if (!take_leb128(&walk->table, &at, &flags) || (flags & EXPORT_ELSEWHERE) != 0 ||
	    !take_leb128(&walk->table, &at, &address) ||
	    code_ranges_at(walk->code, base + address) == NULL)
		return;
	const uint64_t offset = walk->table.start + at;
	const size_t skip = length > 1 && walk->name[0] == '_';
	const char *name = arena_copy(&walk->symbols->arena, walk->name + skip, length - skip);
	walk->named += length;
	struct file_symbol *symbol = length == 0 || name == NULL
		? NULL : add_symbol(walk->symbols, base + address, name);
	if (symbol == NULL)
		return;
	symbol->table = MACH_EXPORTS;
	symbol->offset = offset;
}

/* Enter the node at an offset. False: it is damaged or was entered before. */
static bool
enter_node(struct export_walk *walk, uint64_t at, size_t length)
{
	uint64_t size;
	uint8_t edges;

	if (walk->depth == MOST_EDGES || at >= walk->table.size ||
	    (walk->seen[at / 8] >> at % 8 & 1) != 0)
		return false;
	walk->seen[at / 8] |= (uint8_t)(1u << at % 8);
	if (!take_leb128(&walk->table, &at, &size) ||
	    size > walk->table.size)
		return false;
	if (size > 0)
		add_export(walk, at, length);
	if (!reader_u8(&walk->table, at + size, &edges))
		return false;
	walk->nodes[walk->depth++] = (struct export_node){ at + size + 1, edges, length };
	return true;
}

/*
 * Read the trie of names for the dynamic linker (mach-o/loader.h, struct dyld_info_command). Each
 * edge has a part of a name. A stripped library has the trie in place of symbols.
 */
static void
read_exports(struct export_walk *walk)
{
	enter_node(walk, 0, 0);
	while (walk->depth > 0 && walk->named < LIMIT_SYMBOL_NAMES) {
		struct export_node *node = &walk->nodes[walk->depth - 1];
		uint64_t child;

		if (node->left-- == 0) {
			walk->depth--;
			continue;
		}
		const char *edge = (const char *)walk->table.data + node->at;
		const size_t room = (size_t)(walk->table.size - node->at);
		const size_t length = strnlen(edge, room);
		if (length == room || length > sizeof(walk->name) - node->length)
			return;
		memcpy(walk->name + node->length, edge, length);
		node->at += length + 1;
		if (!take_leb128(&walk->table, &node->at, &child) ||
		    !enter_node(walk, child, node->length + length))
			return;
	}
}

void
mach_symbols_read(struct file_symbols *symbols, const struct code_ranges *code)
{
	struct reader table;

	read_table(symbols, code);
	if (symbols->count == 0 && open_mach_table(symbols->binary, MACH_EXPORTS, &table)) {
		struct export_walk *walk = arena_alloc(&symbols->arena, sizeof(*walk));
		uint8_t *seen = arena_alloc(&symbols->arena, (size_t)table.size / 8 + 1);

		if (walk == NULL || seen == NULL)
			return;
		*walk = (struct export_walk){ .symbols = symbols, .code = code, .table = table,
					      .seen = seen };
		read_exports(walk);
	}
	if (symbols->count > 0)
		read_starts(symbols);
}
