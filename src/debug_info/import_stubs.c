/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/import_stubs.h"

#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "binary/mach.h"
#include "binary/pe.h"
#include "code/call.h"
#include "debug_info/mach_symbols.h"

#define FLAG_LOADED 0x2u
#define CHARACTERISTIC_EXECUTE 0x20000000u

static struct reader
bytes_at(const struct binary *binary, uint64_t address)
{
	const struct binary_section *section = binary_section_at(binary, address);

	return binary_section_bytes(binary, section,
				    section != NULL ? address - section->address : 0);
}

static const char *
text_in(const struct reader *reader, uint64_t offset)
{
	if (offset >= reader->size)
		return NULL;
	const uint64_t left = reader->size - offset;
	const char *text = (const char *)reader->data + offset;
	const size_t most = left < LIMIT_EXPORT_NAME ? (size_t)left : LIMIT_EXPORT_NAME;
	return *text != '\0' && memchr(text, '\0', most) != NULL ? text : NULL;
}

static bool
add_slot(struct import_stubs *stubs, struct import_slot slot)
{
	return stubs->count < LIMIT_IMPORTS && (slot.name != NULL || slot.resolver != 0) &&
	       ARENA_ADD(&stubs->arena, stubs->items, stubs->count, stubs->capacity, &slot);
}

/* ELF: relocations that fill slots (gABI, Relocation; the processors' supplements) ------------- */

#define RELA_TYPE 4u
#define REL_TYPE 9u
#define DYNSYM_TYPE 11u

/* Relocation types by machine: JUMP_SLOT (GLOB_DAT is 1 less), and IRELATIVE for a resolver. */
static const struct slot_types {
	uint16_t machine, function, returned;
} slot_types[] = { { 3, 7, 42 }, { 40, 22, 160 }, { 62, 7, 37 }, { 183, 1026, 1032 } };

static void
read_relocations(struct import_stubs *stubs, const struct binary *binary,
		 const struct binary_section *section, const struct slot_types *types)
{
	const struct reader table = binary_section_bytes(binary, section, 0);
	const struct reader symbols =
		binary_section_bytes(binary, binary_section(binary, DYNSYM_TYPE, NULL), 0);
	const struct reader names =
		binary_section_bytes(binary, binary_section(binary, 0, ".dynstr"), 0);
	const unsigned word = binary->word_size, values = section->type == RELA_TYPE ? 3 : 2;

	for (uint64_t at = 0; at + values * word <= table.size; at += values * word) {
		struct import_slot slot = { .offset = section->offset + at };
		uint64_t info = 0;
		uint32_t name = 0;

		reader_unsigned(&table, at + word, word, &info);
		const uint64_t type = info & (word == 8 ? UINT32_MAX : UINT8_MAX);
		/* Skip relocations that fill no slot. */
		if (type != types->returned && type != types->function &&
		    type + 1 != types->function)
			continue;
		reader_unsigned(&table, at, word, &slot.address);
		const uint64_t symbol = (info >> (word == 8 ? 32 : 8)) * (word == 8 ? 24 : 16);
		if (type == types->returned) {
			const bool told = section->type == RELA_TYPE;
			const struct reader value = told ? table : bytes_at(binary, slot.address);

			reader_unsigned(&value, told ? at + 2 * word : 0, word, &slot.resolver);
		} else if (reader_u32(&symbols, symbol, &name) && text_in(&names, name) != NULL) {
			slot.name = arena_format(&stubs->arena, "%s@plt", text_in(&names, name));
		}
		add_slot(stubs, slot);
	}
}

static void
read_elf(struct import_stubs *stubs, const struct binary *binary)
{
	const struct slot_types *types = slot_types;

	while (types->machine != binary->machine)
		if (++types == slot_types + ARRAY_COUNT(slot_types))
			return;
	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if ((section->flags & FLAG_LOADED) != 0 &&
		    (section->type == RELA_TYPE || section->type == REL_TYPE))
			read_relocations(stubs, binary, section, types);
	}
}

/* PE: imports (Microsoft, PE Format: The .idata Section, Delay-Load Import Tables) ------------- */

static const struct {
	unsigned directory, size;	/* number of the directory; bytes of an entry */
	unsigned library, names, slots;	/* offsets of these fields in an entry */
} import_tables[] = { { 1, 20, 12, 0, 16 }, { 13, 32, 4, 16, 12 } };

static void
read_library(struct import_stubs *stubs, const struct binary *binary, const char *library,
	     uint64_t names, uint64_t slots)
{
	const struct reader reader = bytes_at(binary, names);
	const unsigned word = binary->word_size;
	bool room = true;
	uint64_t entry;

	for (uint64_t at = 0; room && reader_unsigned(&reader, at, word, &entry) && entry != 0;
	     at += word) {
		const struct reader hint = bytes_at(binary, (uint32_t)entry);
		const bool ordinal = entry >> (8 * word - 1) != 0;
		const char *name = ordinal ? NULL : text_in(&hint, 2);

		if (ordinal)
			name = arena_format(&stubs->arena, "#%u", (unsigned)(entry & UINT16_MAX));
		if (name != NULL)
			name = arena_format(&stubs->arena, "%s!%s (import thunk)", library, name);
		if (name != NULL)
			room = add_slot(stubs, (struct import_slot){
				.address = binary->linked_base + slots + at, .name = name,
				.offset = reader.start + at });
	}
}

static void
read_pe(struct import_stubs *stubs, const struct binary *binary)
{
	for (size_t i = 0; i < ARRAY_COUNT(import_tables); i++) {
		uint32_t start = 0, size, library = 0, names = 0, slots = 0;

		pe_directory_at(binary, import_tables[i].directory, &start, &size);
		const struct reader reader = bytes_at(binary, start);
		uint64_t at = 0;
		for (; reader_u32(&reader, at + import_tables[i].library, &library) &&
		       reader_u32(&reader, at + import_tables[i].names, &names) &&
		       reader_u32(&reader, at + import_tables[i].slots, &slots) &&
		       library != 0 && stubs->count < LIMIT_IMPORTS; at += import_tables[i].size) {
			const struct reader name = bytes_at(binary, library);

			/* Some linkers store the names in the slots. */
			if (text_in(&name, 0) != NULL)
				read_library(stubs, binary, text_in(&name, 0),
					     names != 0 ? names : slots, slots);
		}
	}
}

/* Mach-O: the indirect symbol table (Apple, Mach-O File Format Reference, section) ------------- */

/* Add the stubs of a section, or its slots if `stub_size` is 0; reads at most `*left` numbers. */
static void
read_imports(struct import_stubs *stubs, const struct binary_section *section,
	     const struct mach_names *names, const struct reader *indirect, unsigned stub_size,
	     uint64_t *left)
{
	const unsigned size = stub_size > 0 ? stub_size : names->entry - 8;
	uint64_t at = (uint64_t)section->first_symbol * 4;
	uint32_t number;

	for (uint64_t next = size; next <= section->size && *left > 0 &&
				   reader_u32(indirect, at, &number); next += size, at += 4) {
		const char *name = mach_names_at(names, number);

		--*left;
		if (name != NULL && !add_slot(stubs, (struct import_slot){
				.address = section->address + next - size,
				.name = arena_format(&stubs->arena, "%.*s (stub)",
						     (int)LIMIT_EXPORT_NAME, name),
				.offset = indirect->start + at, .stub_size = stub_size }))
			return;
	}
}

static void
read_mach(struct import_stubs *stubs, const struct binary *binary)
{
	const struct reader indirect =
		binary_section_bytes(binary, binary_section(binary, 0, MACH_INDIRECT), 0);
	/* Limits the sum of all sections, because sections of a hostile file may share entries. */
	uint64_t left = indirect.size / 4;
	struct mach_names names;

	if (!mach_names_open(binary, &names))
		return;
	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		const uint64_t type = section->flags & MACH_SECTION_TYPE;

		if (type == MACH_SLOTS || type == MACH_LAZY_SLOTS)
			read_imports(stubs, section, &names, &indirect, 0, &left);
		else if (type == MACH_STUBS && section->stub_size > 0)
			read_imports(stubs, section, &names, &indirect, section->stub_size, &left);
	}
}

/* The stub of a Mach-O file around an address. */
static struct import_slot *
find_mach(struct import_stubs *stubs, const struct binary *binary, uint64_t address,
	  struct debug_answer *answer)
{
	import_slot_at(stubs, binary, address);
	const size_t low = sorted_upto(SORTED(stubs->items, stubs->count, address), address);
	struct import_slot *slot = low > 0 ? &stubs->items[low - 1] : NULL;

	if (slot == NULL || address - slot->address >= slot->stub_size)
		return NULL;
	*answer = (struct debug_answer){
		.input = &binary->file.input, .name = slot->name, .stub = true,
		.section = MACH_INDIRECT, .size = slot->stub_size,
		.address = slot->address - binary->linked_base, .offset = slot->offset };
	return slot;
}

/* All formats ---------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_slots, struct import_slot, SORTED_UP(address) SORTED_UP(offset))

struct import_slot *
import_slot_at(struct import_stubs *stubs, const struct binary *binary, uint64_t address)
{
	static void (*const readers[])(struct import_stubs *stubs, const struct binary *binary) = {
		[BINARY_ELF] = read_elf, [BINARY_MACH] = read_mach, [BINARY_PE] = read_pe,
		[BINARY_PDB] = read_pe };

	if (!stubs->read) {
		stubs->read = true;
		readers[binary->format](stubs, binary);
		SORT(stubs->items, stubs->count, compare_slots);
	}
	const size_t below = sorted_below(SORTED(stubs->items, stubs->count, address), address);
	const bool found = below < stubs->count && stubs->items[below].address == address &&
			   stubs->items[below].stub_size == 0;

	return found ? &stubs->items[below] : NULL;
}

static struct import_slot *
find_slot(struct import_stubs *stubs, const struct binary *binary, const struct stub *stub)
{
	const bool wide = binary->word_size == 8;
	struct import_slot *filled =
		import_slot_at(stubs, binary, stub->by_relocation ? 0 : stub->slot);

	if (!stub->by_relocation)
		return filled;
	const struct binary_section *section =
		binary_section(binary, 0, wide ? ".rela.plt" : ".rel.plt");
	for (size_t i = 0; section != NULL && i < stubs->count; i++)
		if (stubs->items[i].offset == section->offset + stub->slot * (wide ? 24 : 1))
			return &stubs->items[i];
	return NULL;
}

struct import_slot *
import_stub_find(struct import_stubs *stubs, const struct binary *binary, uint64_t address,
		 struct debug_answer *answer)
{
	const bool elf = binary->format == BINARY_ELF;
	const uint64_t base = elf ? 0 : binary->linked_base;
	const struct binary_section *section = binary_section_at(binary, address - base);
	struct stub code;

	if (binary->format == BINARY_MACH)
		return find_mach(stubs, binary, address, answer);
	if (section == NULL ||
	    (elf ? strncmp(section->name, ".plt", 4) != 0 && strcmp(section->name, ".iplt") != 0
		 : (section->flags & CHARACTERISTIC_EXECUTE) == 0))
		return NULL;
	const struct arch *arch = binary_arch(binary);
	const struct binary_section *table = binary_section(binary, 0, ".got.plt");
	if (table == NULL)
		table = binary_section(binary, 0, ".got");
	const struct reader bytes = { .data = section->data, .size = section->size };
	const uint64_t skip = address - base - section->address;
	/* Prefer the earliest start: the end of a stub may look like another stub. */
	for (uint64_t back = skip < STUB_WINDOW ? skip : STUB_WINDOW - 1; back <= skip; back--) {
		if (((skip - back) & (arch->code_unit - 1)) != 0 ||
		    !stub_decode(arch, &bytes, skip - back, address - back,
				 table != NULL ? table->address : 0, &code) ||
		    code.length <= back || (!elf && (code.by_relocation || code.tail)))
			continue;
		struct import_slot *slot = find_slot(stubs, binary, &code);
		if (slot == NULL)
			continue;
		*answer = (struct debug_answer){
			.input = &binary->file.input, .name = slot->name, .stub = true,
			.section = elf ? section->name : "import table", .size = code.length,
			.address = address - back - binary->linked_base, .offset = slot->offset };
		return slot;
	}
	return NULL;
}
