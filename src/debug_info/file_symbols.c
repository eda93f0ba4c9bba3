/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/file_symbols.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "binary/mach.h"
#include "binary/pe.h"
#include "debug_info/mach_symbols.h"
#include "frame_table/pe_functions.h"

/* Maximum number of functions tried until one covers an address. */
#define MOST_OVERLAPS 16u

/* ELF: symbol tables and their strings (gABI, Symbol Table) ------------------------------------ */

#define TYPE_NONE 0u
#define TYPE_OBJECT 1u
#define TYPE_FUNCTION 2u
#define TYPE_INDIRECT 10u
/* Bit 0 of an ARM function's address marks Thumb code (ELF for the Arm Architecture, 5.5.3). */
#define MACHINE_ARM 40u
#define MACHINE_PPC64 21u

/* First section number that is not a section; the flag SHF_ALLOC of a section. */
#define FIRST_RESERVED 0xff00u
#define SECTION_LOADED 2u

/* The layout of a symbol table entry, by class. */
struct entry_layout {
	unsigned size, name, info, section, value, length, word;
};

static const struct entry_layout layout32 = { 16, 0, 12, 14, 4, 8, 4 };
static const struct entry_layout layout64 = { 24, 0, 4, 6, 8, 16, 8 };

struct elf_table {
	struct reader entries, strings;
	const struct entry_layout *layout;
	const char *name;
	uint64_t count;
};

/* Symbol tables: the type and name of the section, and the name of its string section. */
enum { ELF_FULL, ELF_DYNAMIC, ELF_TABLES };

static const struct {
	uint32_t type;
	const char *name, *strings;
} elf_tables[ELF_TABLES] = {
	[ELF_FULL] = { 2, ".symtab", ".strtab" }, [ELF_DYNAMIC] = { 11, ".dynsym", ".dynstr" },
};

static bool
open_table(const struct binary *binary, unsigned which, struct elf_table *table)
{
	*table = (struct elf_table){
		.layout = binary->word_size == 8 ? &layout64 : &layout32,
		.name = elf_tables[which].name,
		.entries = binary_section_bytes(
			binary, binary_section(binary, elf_tables[which].type, NULL), 0),
		.strings = binary_section_bytes(
			binary, binary_section(binary, 0, elf_tables[which].strings), 0) };
	table->count = table->entries.size / table->layout->size;
	return table->entries.data != NULL && table->strings.data != NULL;
}

/* The type and the section's number of an entry that is defined and has a name. */
struct entry_use {
	uint64_t type, section;
};

static bool
read_entry(const struct elf_table *table, uint64_t index, struct file_symbol *symbol,
	   struct entry_use *use)
{
	const struct entry_layout *layout = table->layout;
	const uint64_t at = index * layout->size;
	uint64_t name, info;

	if (!reader_unsigned(&table->entries, at + layout->name, 4, &name) ||
	    !reader_unsigned(&table->entries, at + layout->info, 1, &info) ||
	    !reader_unsigned(&table->entries, at + layout->section, 2, &use->section) ||
	    !reader_unsigned(&table->entries, at + layout->value, layout->word,
			     &symbol->address) ||
	    !reader_unsigned(&table->entries, at + layout->length, layout->word, &symbol->size))
		return false;
	use->type = info & 0xf;
	symbol->offset = table->entries.start + at;
	symbol->indirect = use->type == TYPE_INDIRECT;
	if (use->section == 0 || name >= table->strings.size)
		return false;
	symbol->name = (const char *)table->strings.data + name;
	return *symbol->name != '\0' &&
	       memchr(symbol->name, '\0', (size_t)(table->strings.size - name)) != NULL;
}

/* Read entry `index` if it is a defined function or a label. */
static bool
read_code(const struct elf_table *table, uint64_t index, struct file_symbol *symbol)
{
	struct entry_use use;

	if (!read_entry(table, index, symbol, &use))
		return false;
	symbol->label = use.type != TYPE_FUNCTION && use.type != TYPE_INDIRECT;
	if (!symbol->label)
		return true;
	/* Mapping symbols ($a, $t.1, $xrv64i) mark code and data; they do not end functions. */
	const char *spelled = symbol->name;
	const bool mapping = spelled[0] == '$' && spelled[1] != '\0' &&
			     strchr("atdx", spelled[1]) != NULL &&
			     (spelled[2] == '\0' || spelled[2] == '.' ||
			      strncmp(spelled, "$xrv", 4) == 0);
	symbol->size = 0;
	return use.type == TYPE_NONE && use.section < FIRST_RESERVED && !mapping;
}

SORTED_BY_ALL(compare_sizes, struct file_symbol, SORTED_UP(address) SORTED_UP(size))

/* Whether a symbol is a label that no compiler generated (such as ".L0 "). */
static bool
is_named_label(const struct file_symbol *symbol)
{
	return symbol->label && symbol->name != NULL && symbol->name[0] != '.' &&
	       symbol->reach > 0;
}

/*
 * A function or label without a size reaches to the next symbol. Labels move to a separate list;
 * labels within a function that has a size are dropped.
 */
static void
set_reaches(struct file_symbols *symbols, const struct code_ranges *code)
{
	uint64_t next = UINT64_MAX, above = UINT64_MAX, end = 0;
	size_t kept = 0, count = 0;

	for (size_t i = symbols->count; i-- > 0;) {
		struct file_symbol *symbol = &symbols->items[i];

		if (symbol->address != next) {
			above = next;
			next = symbol->address;
		}
		const struct code_range *range =
			symbol->size == 0 ? code_ranges_at(code, symbol->address) : NULL;
		if (range != NULL)
			symbol->reach = (range->high < above ? range->high : above) -
					symbol->address;
		count += is_named_label(symbol);
	}
	symbols->labels = arena_array(&symbols->arena, count, sizeof(*symbols->labels));
	for (size_t i = 0; i < symbols->count; i++) {
		const struct file_symbol *symbol = &symbols->items[i];

		if (!symbol->label) {
			const uint64_t last = symbol->address + symbol->size;

			end = last > end ? last : end;
			symbols->items[kept++] = *symbol;
		} else if (symbols->labels != NULL && is_named_label(symbol) &&
			   symbol->address >= end) {
			symbols->labels[symbols->label_count++] = *symbol;
		}
	}
	symbols->count = kept;
}

/*
 * The address of a function's code: in ELFv1 of 64-bit PowerPC, the first word of the descriptor at
 * the symbol (64-bit PowerPC ELF ABI Supplement, Function Descriptors).
 */
static uint64_t
code_address(const struct binary *binary, const struct code_ranges *code, uint64_t address)
{
	const struct binary_section *section = binary_section_at(binary, address);
	uint64_t target;

	if (code_ranges_at(code, address) != NULL || section == NULL)
		return address;
	const struct reader bytes =
		binary_section_bytes(binary, section, address - section->address);
	if (!reader_unsigned(&bytes, 0, 8, &target))
		return address;
	/* In memory, the loader has added the distance from the linked base. */
	if (binary->memory != NULL && code_ranges_at(code, target) == NULL)
		target -= binary->memory->base - binary->linked_base;
	return code_ranges_at(code, target) != NULL ? target : address;
}

/* Open the larger symbol table; false if the file has no table. */
static bool
open_larger(const struct binary *binary, struct elf_table *table)
{
	struct elf_table dynamic;
	const bool has_full = open_table(binary, ELF_FULL, table);
	const bool has_dynamic = open_table(binary, ELF_DYNAMIC, &dynamic);

	if (has_dynamic && (!has_full || table->count < dynamic.count))
		*table = dynamic;
	return has_full || has_dynamic;
}

static void
read_elf(struct file_symbols *symbols)
{
	const struct binary *binary = symbols->binary;
	struct elf_table table;

	if (!open_larger(binary, &table))
		return;
	const uint64_t flags = binary->machine == MACHINE_ARM ? 1 : 0;
	struct code_ranges code;
	symbols->items =
		arena_array(&symbols->arena, (size_t)table.count + 1, sizeof(*symbols->items));
	code_ranges_read(&code, binary, &symbols->arena);
	for (uint64_t i = 0; symbols->items != NULL && i < table.count; i++) {
		struct file_symbol *symbol = &symbols->items[symbols->count];

		if (!read_code(&table, i, symbol))
			continue;
		symbol->halfwords = (symbol->address & flags) != 0;
		symbol->address &= ~flags;
		if (binary->machine == MACHINE_PPC64 && !symbol->label)
			symbol->address = code_address(binary, &code, symbol->address);
		symbol->table = table.name;
		symbols->count++;
	}
	SORT(symbols->items, symbols->count, compare_sizes);
	set_reaches(symbols, &code);
}

static void
read_mach(struct file_symbols *symbols)
{
	struct code_ranges code;

	code_ranges_read(&code, symbols->binary, &symbols->arena);
	mach_symbols_read(symbols, &code);
	SORT(symbols->items, symbols->count, compare_sizes);
	set_reaches(symbols, &code);
	/* If a table has the starts of all functions, each function ends at the next start. */
	const bool listed = binary_section(symbols->binary, 0, MACH_FUNCTION_STARTS) != NULL;
	for (size_t i = 0; listed && i < symbols->count; i++)
		symbols->items[i].size = symbols->items[i].reach;
}

/* Whether a section is in memory. The linker's warnings, for example, are only in the file. */
static bool
is_loaded(const struct binary *binary, uint64_t section)
{
	return section < FIRST_RESERVED &&
	       (section > binary->section_count ||
		(binary->sections[section - 1].flags & SECTION_LOADED) != 0);
}

static void
read_objects(struct file_symbols *symbols)
{
	const struct binary *binary = symbols->binary;
	struct elf_table table;
	struct entry_use use;

	if (binary->format != BINARY_ELF || !open_larger(binary, &table))
		return;
	symbols->objects =
		arena_array(&symbols->arena, (size_t)table.count + 1, sizeof(*symbols->objects));
	for (uint64_t i = 0; symbols->objects != NULL && i < table.count; i++) {
		struct file_symbol *symbol = &symbols->objects[symbols->object_count];

		*symbol = (struct file_symbol){ .table = table.name };
		symbols->object_count += read_entry(&table, i, symbol, &use) &&
					 use.type == TYPE_OBJECT && is_loaded(binary, use.section);
	}
	SORT(symbols->objects, symbols->object_count, compare_sizes);
}

const struct file_symbol *
file_symbols_data_at(struct file_symbols *symbols, uint64_t address)
{
	if (!symbols->objects_read) {
		symbols->objects_read = true;
		read_objects(symbols);
	}
	const size_t low =
		sorted_upto(SORTED(symbols->objects, symbols->object_count, address), address);
	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++) {
		const struct file_symbol *symbol = &symbols->objects[low - 1 - i];

		if (checked_contains(symbol->address, symbol->size, address) ||
		    symbol->address == address)
			return symbol;
	}
	return NULL;
}

bool
file_symbols_object(const struct binary *binary, const char *name, uint64_t *address,
		    uint64_t *size)
{
	struct file_symbol symbol;
	struct elf_table table;
	struct entry_use use;

	/* Search .dynsym first, because it has fewer symbols. */
	for (unsigned i = ELF_TABLES; binary->format == BINARY_ELF && i-- > 0;) {
		if (!open_table(binary, i, &table))
			continue;
		for (uint64_t n = 0; n < table.count; n++)
			if (read_entry(&table, n, &symbol, &use) && use.type == TYPE_OBJECT &&
			    strcmp(symbol.name, name) == 0) {
				*address = symbol.address;
				if (size != NULL)
					*size = symbol.size;
				return true;
			}
	}
	return false;
}

/* PE: exports ---------------------------------------------------------------------------------- */

#define DIRECTORY_EXPORTS 0u
/* Longest reach of a name in bytes, like that of PUBLIC records (public-names). */
#define MOST_REACH (1u << 20)

struct export_directory {
	uint32_t first_ordinal;
	struct reader addresses, names, ordinals;
	uint64_t begin, end;	/* an address in this range names another DLL's export */
};

/* The `count` entries of `size` bytes at `address`, as far as they are in the file. */
static struct reader
array_at(const struct binary *binary, uint32_t address, uint32_t count, unsigned size)
{
	const struct binary_segment *segment = binary_segment(binary, address);
	const struct reader file = binary_reader(binary);
	struct reader window = { .input = file.input };

	if (segment == NULL)
		return window;
	const uint64_t skip = address - segment->address, left = segment->size - skip;
	const uint64_t wanted = (uint64_t)(count < LIMIT_EXPORTS ? count : LIMIT_EXPORTS) * size;
	reader_window(&file, segment->offset + skip, wanted < left ? wanted : left, &window);
	return window;
}

static bool
read_directory(const struct binary *binary, struct export_directory *exports)
{
	struct reader table;
	uint32_t begin = 0, addresses = 0, names = 0, at[3] = { 0 };

	if (binary->format != BINARY_PE ||
	    !pe_directory(binary, DIRECTORY_EXPORTS, &begin, &table) ||
	    !reader_u32(&table, 16, &exports->first_ordinal) ||
	    !reader_u32(&table, 20, &addresses) || !reader_u32(&table, 24, &names))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!reader_u32(&table, 28 + 4 * i, &at[i]))
			return false;
	exports->addresses = array_at(binary, at[0], addresses, 4);
	exports->names = array_at(binary, at[1], names, 4);
	exports->ordinals = array_at(binary, at[2], names, 2);
	exports->begin = begin;
	exports->end = begin + table.size;
	return true;
}

/*
 * The exports' names by index in the address table. They point into the file, because many exports
 * may share a long name.
 */
static const char **
read_names(const struct binary *binary, const struct export_directory *exports, struct arena *arena)
{
	const uint64_t addresses = exports->addresses.size / 4;
	const char **names = arena_array(arena, (size_t)addresses + 1, sizeof(*names));
	uint32_t name = 0;
	uint16_t index = 0;

	for (uint64_t i = 0; names != NULL && reader_u32(&exports->names, i * 4, &name) &&
			     reader_u16(&exports->ordinals, i * 2, &index); i++) {
		const struct binary_segment *segment = binary_segment(binary, name);

		if (index >= addresses || names[index] != NULL || segment == NULL)
			continue;
		const uint64_t skip = name - segment->address, left = segment->size - skip;
		const char *text = (const char *)binary->file.data + segment->offset + skip;
		const char *end = memchr(text, '\0', left < LIMIT_EXPORT_NAME ? (size_t)left
									    : LIMIT_EXPORT_NAME);
		if (end != NULL && end > text)
			names[index] = text;
	}
	return names;
}

/* Add the functions that this file exports; keep_one_each() names those without a name. */
static void
read_exports(struct file_symbols *symbols, const struct export_directory *exports)
{
	const struct binary *binary = symbols->binary;
	const char **names = read_names(binary, exports, &symbols->arena);
	uint32_t address;

	for (uint64_t i = 0; names != NULL && reader_u32(&exports->addresses, i * 4, &address);
	     i++) {
		const struct binary_segment *segment = binary_segment(binary, address);

		if ((address >= exports->begin && address < exports->end) || segment == NULL ||
		    !segment->executable)
			continue;
		if (!ARENA_ADD(&symbols->arena, symbols->items, symbols->count, symbols->capacity,
			       &(struct file_symbol){ .address = binary->linked_base + address,
						      .name = names[i],
						      .table = ".edata",
						      .offset = exports->addresses.start + i * 4 }))
			return;
	}
}

/* PE: COFF symbols, 18 bytes each (Microsoft, PE Format: COFF Symbol Table) -------------------- */

#define SYMBOL_SIZE 18u
#define SHORT_NAME 8u
#define TYPE_CODE 0x20u
#define CLASS_EXTERNAL 2u
#define CLASS_STATIC 3u

/* A symbol's name; NULL: none. Up to 8 bytes are copied; a longer name stays in the file. */
static const char *
coff_name(const struct binary *binary, const struct reader *symbols, const struct reader *strings,
	  uint64_t at, struct arena *arena)
{
	const char *name = (const char *)symbols->data + at;
	size_t room = SHORT_NAME;
	uint32_t zeros = 0, offset = 0;

	reader_u32(symbols, at, &zeros);
	reader_u32(symbols, at + 4, &offset);
	if (zeros == 0) {
		if (offset >= strings->size)
			return NULL;
		const uint64_t left = strings->size - offset;

		name = (const char *)strings->data + offset;
		room = left < LIMIT_EXPORT_NAME ? (size_t)left : LIMIT_EXPORT_NAME;
		if (memchr(name, '\0', room) == NULL)
			return NULL;
	}
	size_t length = strnlen(name, room);
	/* On x86 C names have an additional leading underscore. */
	if (binary->machine == PE_MACHINE_X86 && length > 1 && *name == '_')
		name++, length--;
	/* No compiler writes a name that begins with a blank. */
	if (length == 0 || *name == ' ')
		return NULL;
	return zeros == 0 ? name : arena_copy(arena, name, length);
}

/*
 * Whether GNU ld's script defines the symbol (ld/scripttempl/pe.sc). If a file has no .tls section,
 * ___tls_start__ is in its first section.
 */
static bool
is_of_script(const char *name)
{
	static const char *const ends[] = { "__", "_psrelocs_start", "_psrelocs_end" };
	const size_t length = strlen(name);

	for (size_t i = 0; name[0] == '_' && i < ARRAY_COUNT(ends); i++)
		if (length >= strlen(ends[i]) &&
		    strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

/* Add the functions of the COFF symbol table in file order. MinGW keeps it in executables. */
static void
read_coff(struct file_symbols *symbols)
{
	const struct binary *binary = symbols->binary;
	const struct reader file = binary_reader(binary);
	struct reader table, strings;
	uint32_t start = 0, count = 0, header = 0, value = 0;
	uint16_t section = 0, type = 0;

	if (!reader_u32(&file, 0x3c, &header) ||
	    !reader_u32(&file, (uint64_t)header + 12, &start) ||
	    !reader_u32(&file, (uint64_t)header + 16, &count) || start == 0 || start >= file.size)
		return;
	const uint64_t room = file.size - start, wanted = (uint64_t)count * SYMBOL_SIZE;
	if (!reader_window(&file, start, wanted < room ? wanted : room, &table) ||
	    !reader_window(&file, start + table.size, room - table.size, &strings))
		return;
	for (uint64_t at = 0, next; at + SYMBOL_SIZE <= table.size; at = next) {
		const uint8_t class = table.data[at + 16];

		reader_u32(&table, at + 8, &value);
		reader_u16(&table, at + 12, &section);
		reader_u16(&table, at + 14, &type);
		next = at + SYMBOL_SIZE * (1 + (uint64_t)table.data[at + 17]);
		/* Functions in assembly have no type: ___chkstk_ms. */
		if ((type != TYPE_CODE && (type != 0 || class != CLASS_EXTERNAL)) || section == 0 ||
		    section > binary->section_count ||
		    (class != CLASS_EXTERNAL && class != CLASS_STATIC))
			continue;
		const uint64_t address = binary->sections[section - 1].address + value;
		const struct binary_segment *segment = binary_segment(binary, address);
		const char *name = coff_name(binary, &table, &strings, at, &symbols->arena);
		if (address > UINT32_MAX || segment == NULL || !segment->executable ||
		    name == NULL || (type == 0 && is_of_script(name)))
			continue;
		struct file_symbol *symbol = ARENA_PUSH(&symbols->arena, symbols->items,
							symbols->count, symbols->capacity);
		if (symbol == NULL)
			return;
		*symbol = (struct file_symbol){ .address = binary->linked_base + address,
						.name = name, .table = "symbol table",
						.offset = table.start + at };
	}
}

/* PE: exports and COFF symbols ----------------------------------------------------------------- */

SORTED_BY_ALL(compare_places, struct file_symbol, SORTED_UP(address) SORTED_UP(offset))

/* Keep one function per address: the first that has a name, or the last if none has a name. */
static void
keep_one_each(struct file_symbols *symbols, const struct export_directory *exports)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		struct file_symbol *last = kept > 0 ? &symbols->items[kept - 1] : NULL;

		if (last == NULL || last->address != symbols->items[i].address)
			symbols->items[kept++] = symbols->items[i];
		else if (last->name == NULL)
			*last = symbols->items[i];
	}
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct file_symbol *symbol = &symbols->items[i];
		const uint64_t index = (symbol->offset - exports->addresses.start) / 4;

		if (symbol->name == NULL)
			symbol->name = arena_format(&symbols->arena, "Ordinal%" PRIu32,
						    exports->first_ordinal + (uint32_t)index);
		if (symbol->name == NULL)
			symbol->name = "";
	}
}

static void
read_pe(struct file_symbols *symbols)
{
	const uint64_t base = symbols->binary->linked_base;
	struct export_directory exports = { .first_ordinal = 0 };

	if (read_directory(symbols->binary, &exports))
		read_exports(symbols, &exports);
	read_coff(symbols);
	if (symbols->count == 0)
		return;
	SORT(symbols->items, symbols->count, compare_places);
	keep_one_each(symbols, &exports);
	symbols->frames = pe_functions_open(symbols->binary);
	for (size_t i = 0; i < symbols->count; i++) {
		struct file_symbol *symbol = &symbols->items[i];
		const uint64_t left = i + 1 < symbols->count ? symbol[1].address - symbol->address
							     : MOST_REACH;
		struct frame_extent extent = { .entry = false };

		symbol->reach = left < MOST_REACH ? left : MOST_REACH;
		if (symbols->frames != NULL)
			pe_functions_entry(symbols->frames, symbol->address - base, &extent);
		if (extent.entry && extent.first == symbol->address - base)
			symbol->size = extent.last - extent.first + 1;
	}
}

/* All formats ---------------------------------------------------------------------------------- */

void
file_symbols_read(struct file_symbols *symbols, const struct binary *binary)
{
	*symbols = (struct file_symbols){ .binary = binary };
	arena_init(&symbols->arena, 0);
	if (binary->format == BINARY_ELF)
		read_elf(symbols);
	else if (binary->format == BINARY_MACH)
		read_mach(symbols);
	else if (binary->format == BINARY_PE)
		read_pe(symbols);
}

const struct file_symbol *
file_symbols_label(const struct file_symbols *symbols, uint64_t address)
{
	const size_t low =
		sorted_upto(SORTED(symbols->labels, symbols->label_count, address), address);
	const struct file_symbol *label = low > 0 ? &symbols->labels[low - 1] : NULL;

	return label != NULL && address - label->address < label->reach ? label : NULL;
}

void
file_symbols_free(struct file_symbols *symbols)
{
	pe_functions_close(symbols->frames);
	arena_free(&symbols->arena);
	*symbols = (struct file_symbols){ 0 };
}

const struct file_symbol *
file_symbols_at(const struct file_symbols *symbols, uint64_t address)
{
	const struct file_symbol *reaching = NULL;
	uint64_t at = address, first = 0;

	if (symbols->frames != NULL) {
		const uint64_t base = symbols->binary->linked_base;
		struct pe_whole whole;

		/* Other functions may be between the parts of a function. */
		pe_functions_whole(symbols->frames, address - base, &whole);
		first = base + whole.begin;
		if (whole.function && first > address)
			return NULL;
		if (whole.function)
			at = first;
	}
	const size_t low = sorted_upto(SORTED(symbols->items, symbols->count, address), at);
	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++) {
		const struct file_symbol *symbol = &symbols->items[low - 1 - i];

		if (symbol->address < first)
			break;
		if (checked_contains(symbol->address, symbol->size, at))
			return symbol;
		if (reaching == NULL && (symbol->address == at ||
					 checked_contains(symbol->address, symbol->reach, at)))
			reaching = symbol;
	}
	return reaching;
}

struct text
file_symbols_mangled_at(const struct file_symbols *symbols, uint64_t address)
{
	const struct file_symbol *symbol = file_symbols_at(symbols, address);

	if (symbol == NULL || symbol->address != address ||
	    (strncmp(symbol->name, "_Z", 2) != 0 && strncmp(symbol->name, "_R", 2) != 0))
		return text_of("");
	return (struct text){ symbol->name, demangle_suffixes_at(text_of(symbol->name)) };
}
