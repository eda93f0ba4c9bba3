/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "debug_info/debug_dwarf_internal.h"
#include "dwarf/split_index.h"

/*
 * Split DWARF (DWARF 5, 3.1.2, 7.3.2 and 7.3.5; for DWARF 4 the DebugFission page of GCC's wiki):
 * a unit's lines, addresses and code are in the file, its functions in a .dwo file or in a package.
 *
 * Libdw opens the files that units name by itself, and does not tell that a unit is split: it
 * reads entries and attributes out of a file that is made of the unit alone. Strings, addresses and
 * ranges, which lead to other sections, are read here.
 */

/* How often an entry may refer to another one for an attribute. */
enum { MOST_REFERENCES = 16 };

enum split_section {
	SPLIT_INFO,
	SPLIT_ABBREV,
	SPLIT_OFFSETS,
	SPLIT_LISTS,
	SPLIT_LOCATIONS,
	SPLIT_OLD_LOCATIONS,
	SPLIT_STRINGS,
	SPLIT_INDEX,
	SPLIT_SECTIONS
};

/* `column` is what an index calls the section (DWARF 5, 7.3.5.3); 0: a package has it whole. */
static const struct {
	const char *name;
	uint32_t column;
} section_kinds[SPLIT_SECTIONS] = {
	{ ".debug_info.dwo", 1 },	 { ".debug_abbrev.dwo", 3 },
	{ ".debug_str_offsets.dwo", 6 },
	{ ".debug_rnglists.dwo", 8 }, { ".debug_loclists.dwo", 5 }, { ".debug_loc.dwo", 5 },
	{ ".debug_str.dwo", 0 },      { ".debug_cu_index", 0 },
};
static const char *const section_names[] = { "info",	 "abbrev",   "str_offsets",
					     "rnglists", "loclists", "loc",
					     "str",	 "cu_index", NULL };

struct split_file {
	const struct binary *binary;
	struct elf_unpacked unpacked;
	Elf *elf;
	struct reader sections[SPLIT_SECTIONS];
	/*
	 * Units that may still be made of it, and bytes of them: in honest files each has its
	 * own.
	 */
	uint64_t units_left, bytes_left;
	struct split_file *next;
};

/* What a unit is searched for, in one file after another. */
struct split_search {
	struct debug_dwarf *dwarf;
	uint64_t id;
	struct split_unit *found;
};

/* Forms whose value is a number in a table: of strings or of addresses. */
static const struct {
	unsigned form;
	uint8_t width;			/* bytes; 0: LEB128 */
	bool address;
} index_forms[] = {
	{ DW_FORM_strx, 0, false },  { DW_FORM_GNU_str_index, 0, false },
	{ DW_FORM_strx1, 1, false }, { DW_FORM_strx2, 2, false },
	{ DW_FORM_strx3, 3, false }, { DW_FORM_strx4, 4, false },
	{ DW_FORM_addrx, 0, true },  { DW_FORM_GNU_addr_index, 0, true },
	{ DW_FORM_addrx1, 1, true }, { DW_FORM_addrx2, 2, true },
	{ DW_FORM_addrx3, 3, true }, { DW_FORM_addrx4, 4, true },
};

/* Files ---------------------------------------------------------------------------------------- */

static struct split_file *
open_file(struct debug_dwarf *dwarf, const struct binary *binary)
{
	struct split_file *file = dwarf->split_files;

	/* A package is asked for every unit; it was opened first. */
	for (; file != NULL && file->binary != binary; file = file->next)
		;
	if (file != NULL)
		return file;
	file = binary->format == BINARY_ELF ? arena_alloc(&dwarf->arena, sizeof(*file)) : NULL;
	if (file == NULL)
		return NULL;
	*file = (struct split_file){ .binary = binary };
	if (elf_unpack(&file->unpacked, binary, section_names))
		file->elf = elf_open(file->unpacked.data, file->unpacked.size);
	if (file->elf == NULL) {
		elf_unpacked_free(&file->unpacked);
		return NULL;
	}
	for (size_t i = 0; i < SPLIT_SECTIONS; i++)
		file->sections[i] = debug_dwarf_section(file->elf, binary, section_kinds[i].name);
	file->units_left = LIMIT_SPLIT_PLACES + binary->file.size / 64;
	file->bytes_left = LIMIT_ABBREVIATIONS;
	for (size_t i = 0; i < SPLIT_SECTIONS; i++)
		file->bytes_left += 4 * file->sections[i].size;
	file->next = dwarf->split_files;
	dwarf->split_files = file;
	return file;
}

/*
 * Cut the sections of a package down to what a unit has of them; false where it has no such unit.
 */
static bool
cut_sections(struct reader sections[SPLIT_SECTIONS], uint64_t id)
{
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];
	const size_t count = split_index_find(&sections[SPLIT_INDEX], id, parts);

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < SPLIT_SECTIONS; i++)
			if (section_kinds[i].column == parts[k].section && sections[i].size > 0 &&
			    !reader_window(&sections[i], parts[k].offset, parts[k].size,
					   &sections[i]))
				return false;
	return count > 0;
}

static void
close_unit(struct split_unit *unit)
{
	if (unit->dwarf != NULL)
		dwarf_end(unit->dwarf);
	if (unit->elf != NULL)
		elf_end(unit->elf);
	elf_unpacked_free(&unit->made);
}

void
debug_dwarf_close_split(struct debug_dwarf *dwarf)
{
	for (struct split_unit *unit = dwarf->split_units; unit != NULL; unit = unit->next)
		close_unit(unit);
	for (struct split_file *file = dwarf->split_files; file != NULL; file = file->next) {
		elf_end(file->elf);
		elf_unpacked_free(&file->unpacked);
	}
}

/* Find the unit among those of the made file. */
static bool
find_unit(struct debug_dwarf *dwarf, struct split_unit *split, uint64_t wanted)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	uint64_t id;
	Dwarf_Die die;

	while (debug_dwarf_spend(dwarf) &&
	       dwarf_get_units(split->dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
		if (type != DW_UT_split_compile ||
		    dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &id, &split->word,
				  &split->offset_size) != 0 || id != wanted)
			continue;
		split->version = version;
		split->entry = dwarf_dieoffset(&die);
		return true;
	}
	return false;
}

/* Whether one more unit may be made of a file. */
static bool
may_make(struct debug_dwarf *dwarf, struct split_file *file, uint64_t size)
{
	if (file->units_left == 0 || size > file->bytes_left) {
		dwarf->limited = true;
		return false;
	}
	file->units_left--;
	file->bytes_left -= size;
	return true;
}

/* As struct binaries_split has it: find the unit in a file. */
static bool
find_in_file(void *context, const struct binary *binary)
{
	struct split_search *search = context;
	struct debug_dwarf *dwarf = search->dwarf;
	struct split_file *file = open_file(dwarf, binary);
	struct reader sections[SPLIT_SECTIONS];

	if (file == NULL)
		return false;
	memcpy(sections, file->sections, sizeof(sections));
	const struct reader *info = &sections[SPLIT_INFO], *abbrev = &sections[SPLIT_ABBREV];
	if (file->sections[SPLIT_INDEX].size != 0 && !cut_sections(sections, search->id))
		return false;
	const struct elf_part parts[] = { { ".debug_info", info->data, info->size, 0 },
					  { ".debug_abbrev", abbrev->data, abbrev->size, 0 } };
	struct split_unit *split = arena_alloc(&dwarf->arena, sizeof(*split));
	if (split == NULL || !may_make(dwarf, file, info->size + abbrev->size) ||
	    !elf_make(&split->made, binary, parts, ARRAY_COUNT(parts)))
		return false;
	split->binary = binary;
	split->elf = elf_open(split->made.data, split->made.size);
	if (split->elf != NULL && !debug_dwarf_bound(split->elf, binary))
		dwarf->limited = true;
	if (split->elf != NULL)
		split->dwarf = dwarf_begin_elf(split->elf, DWARF_C_READ, NULL);
	if (split->dwarf == NULL || !find_unit(dwarf, split, search->id)) {
		close_unit(split);
		return false;
	}
	const struct binary_section *section =
		binary_section(binary, 0, section_kinds[SPLIT_INFO].name);
	split->start = section == NULL ? 0 : section->offset;
	if (section != NULL && !section->compressed)
		split->start += (uint64_t)(info->data - file->sections[SPLIT_INFO].data);
	split->info = debug_dwarf_section(split->elf, binary, ".debug_info");
	split->offsets = sections[SPLIT_OFFSETS];
	split->strings = sections[SPLIT_STRINGS];
	split->lists = sections[SPLIT_LISTS];
	split->locations = sections[split->version < 5 ? SPLIT_OLD_LOCATIONS : SPLIT_LOCATIONS];
	split->next = dwarf->split_units;
	dwarf->split_units = search->found = split;
	return true;
}

/* What is behind `offset` of a section. */
static struct reader
rest_of(struct reader section, uint64_t offset)
{
	return reader_window(&section, offset, section.size - offset, &section)
		       ? section : (struct reader){ 0 };
}

/* A unit's part of a section of its skeleton's file, at the offset in an attribute. */
static struct reader
part_of(const struct debug_dwarf *dwarf, const char *name, Dwarf_Die *skeleton, unsigned base)
{
	return rest_of(debug_dwarf_section(dwarf->elf, dwarf->binary, name),
		       debug_dwarf_number(skeleton, base));
}

void
debug_dwarf_find_split(struct debug_dwarf *dwarf, struct unit *unit, Dwarf_Die *skeleton)
{
	const bool gnu = dwarf_hasattr(skeleton, DW_AT_GNU_dwo_name);
	struct split_search search = { .dwarf = dwarf, .id = unit->id };
	struct binaries_split wanted = { .id = unit->id, .fits = find_in_file,
					 .context = &search };
	Dwarf_Attribute attribute;
	Dwarf_Addr base = 0;

	wanted.name = dwarf_formstring(
		dwarf_attr(skeleton, gnu ? DW_AT_GNU_dwo_name : DW_AT_dwo_name, &attribute));
	wanted.directory = dwarf_formstring(dwarf_attr(skeleton, DW_AT_comp_dir, &attribute));
	if (!binaries_find_split(dwarf->binaries, dwarf->module, dwarf->binary, &wanted))
		return;
	struct split_unit *split = search.found;
	split->addresses = part_of(dwarf, ".debug_addr", skeleton,
				   gnu ? DW_AT_GNU_addr_base : DW_AT_addr_base);
	if (split->version < 5) {
		split->lists = part_of(dwarf, ".debug_ranges", skeleton, DW_AT_GNU_ranges_base);
	} else {
		/* Behind the lengths and versions; offsets of lists count from there. */
		const unsigned length = split->offset_size == 8 ? 12 : 4;

		split->offsets = rest_of(split->offsets, length + 4);
		split->lists = rest_of(split->lists, length + 8);
		split->locations = rest_of(split->locations, length + 8);
	}
	split->base = dwarf_lowpc(skeleton, &base) == 0 ? base : 0;
	unit->split = split;
	unit->dwarf = split->dwarf;
}

/* Attributes ----------------------------------------------------------------------------------- */

/* dwarf_attr_integrate opens files. */
Dwarf_Attribute *
debug_dwarf_attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attribute)
{
	Dwarf_Die at = *die;

	for (size_t hop = 0; hop < MOST_REFERENCES; hop++) {
		Dwarf_Die next;

		if (dwarf_attr(&at, name, attribute) != NULL)
			return attribute;
		if ((dwarf_attr(&at, DW_AT_abstract_origin, attribute) == NULL &&
		     dwarf_attr(&at, DW_AT_specification, attribute) == NULL) ||
		    dwarf_formref_die(attribute, &next) == NULL)
			break;
		at = next;
	}
	return NULL;
}

/* The number that an attribute has in a table; false where its form is none of those. */
static bool
read_index(const struct split_unit *split, const Dwarf_Attribute *attribute, bool address,
	   uint64_t *index)
{
	uint64_t at = (uint64_t)((uintptr_t)attribute->valp - (uintptr_t)split->info.data);

	for (size_t i = 0; i < ARRAY_COUNT(index_forms); i++) {
		const unsigned width = index_forms[i].width;

		if (index_forms[i].form != attribute->form || index_forms[i].address != address)
			continue;
		if (width == 0)
			*index = debug_dwarf_leb(&split->info, &at, false);
		return width == 0 || reader_unsigned(&split->info, at, width, index);
	}
	return false;
}

/* Entry `index` of a table of numbers of `width` bytes. */
static bool
entry_at(const struct reader *table, uint64_t index, unsigned width, uint64_t *value)
{
	return index <= table->size && reader_unsigned(table, index * width, width, value);
}

const char *
debug_dwarf_string(const struct unit *unit, Dwarf_Die *die, unsigned name)
{
	const struct split_unit *split = unit->split;
	Dwarf_Attribute attribute;
	uint64_t index = 0, at = 0;

	if (debug_dwarf_attribute(die, name, &attribute) == NULL)
		return NULL;
	if (split == NULL || !read_index(split, &attribute, false, &index))
		return dwarf_formstring(&attribute);
	if (!entry_at(&split->offsets, index, split->offset_size, &at) ||
	    at >= split->strings.size ||
	    memchr(split->strings.data + at, '\0', split->strings.size - at) == NULL)
		return NULL;
	return (const char *)split->strings.data + at;
}

/* Ranges --------------------------------------------------------------------------------------- */

static bool
read_address(const struct split_unit *split, Dwarf_Attribute *attribute, Dwarf_Addr *address)
{
	uint64_t index;

	return read_index(split, attribute, true, &index)
		       ? entry_at(&split->addresses, index, split->word, address)
		       : attribute->form == DW_FORM_addr && dwarf_formaddr(attribute, address) == 0;
}

bool
debug_dwarf_form_address(const struct unit *unit, Dwarf_Attribute *attribute, Dwarf_Addr *address)
{
	return unit->split != NULL ? read_address(unit->split, attribute, address)
				   : dwarf_formaddr(attribute, address) == 0;
}

/* Where the list of an entry's ranges begins. */
static bool
find_list(const struct split_unit *split, const Dwarf_Attribute *attribute, uint64_t *at)
{
	uint64_t value = (uint64_t)((uintptr_t)attribute->valp - (uintptr_t)split->info.data);

	if (attribute->form == DW_FORM_sec_offset)
		return split->version < 5 &&
		       reader_unsigned(&split->info, value, split->offset_size, at);
	return attribute->form == DW_FORM_rnglistx &&
	       entry_at(&split->lists, debug_dwarf_leb(&split->info, &value, false),
			split->offset_size, at);
}

/* A pair of addresses of DWARF 4, of which the first may say that the second is a base. */
static bool
next_pair(const struct split_unit *split, struct debug_ranges *ranges, Dwarf_Addr *low,
	  Dwarf_Addr *high, bool *is_range)
{
	const uint64_t most = split->word == 8 ? UINT64_MAX : UINT32_MAX;

	if (!reader_unsigned(&ranges->list, ranges->next, split->word, low) ||
	    !reader_unsigned(&ranges->list, ranges->next + split->word, split->word, high) ||
	    (*low == 0 && *high == 0))
		return false;
	ranges->next += 2u * split->word;
	*is_range = *low != most;
	if (*low == most)
		ranges->base = *high;
	*low += ranges->base;
	*high += ranges->base;
	return true;
}

/* An entry of DWARF 5 (7.25): numbers of addresses, addresses themselves, or distances. */
static bool
next_entry(const struct split_unit *split, struct debug_ranges *ranges, Dwarf_Addr *low,
	   Dwarf_Addr *high, bool *is_range)
{
	/* Of its two operands: x number of an address, a address, o from the base, s size. */
	static const char *const operands[] = {
		[DW_RLE_base_addressx] = "x", [DW_RLE_startx_endx] = "xx",
		[DW_RLE_startx_length] = "xs", [DW_RLE_offset_pair] = "oo",
		[DW_RLE_base_address] = "a", [DW_RLE_start_end] = "aa",
		[DW_RLE_start_length] = "as",
	};
	Dwarf_Addr values[2] = { 0, 0 };
	uint8_t kind;

	if (!reader_u8(&ranges->list, ranges->next, &kind) || kind == DW_RLE_end_of_list ||
	    kind >= ARRAY_COUNT(operands))
		return false;
	ranges->next++;
	for (size_t i = 0; operands[kind][i] != '\0'; i++) {
		const char operand = operands[kind][i];

		if (operand == 'a' && !reader_unsigned(&ranges->list, ranges->next, split->word,
						       &values[i]))
			return false;
		if (operand == 'a')
			ranges->next += split->word;
		else
			values[i] = debug_dwarf_leb(&ranges->list, &ranges->next, false);
		if (operand == 'x' && !entry_at(&split->addresses, values[i], split->word,
						   &values[i]))
			return false;
		values[i] += operand == 'o' ? ranges->base : operand == 's' ? values[0] : 0;
	}
	*is_range = operands[kind][1] != '\0';
	if (!*is_range)
		ranges->base = values[0];
	*low = values[0];
	*high = values[1];
	return true;
}

/* The one range of an entry, or the beginning of its list. */
static bool
begin_ranges(const struct split_unit *split, Dwarf_Die *die, struct debug_ranges *ranges,
	     Dwarf_Addr *low, Dwarf_Addr *high)
{
	Dwarf_Attribute attribute;
	Dwarf_Word size;

	ranges->begun = true;
	if (dwarf_attr(die, DW_AT_low_pc, &attribute) != NULL &&
	    read_address(split, &attribute, low) &&
	    dwarf_attr(die, DW_AT_high_pc, &attribute) != NULL) {
		if (!read_address(split, &attribute, high))
			*high = dwarf_formudata(&attribute, &size) == 0 ? *low + size : *low;
		return true;
	}
	if (dwarf_attr(die, DW_AT_ranges, &attribute) != NULL &&
	    find_list(split, &attribute, &ranges->next))
		ranges->list = split->lists;
	ranges->base = split->base;
	return false;
}

bool
debug_dwarf_range(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		  struct debug_ranges *ranges, Dwarf_Addr *low, Dwarf_Addr *high)
{
	const struct split_unit *split = unit->split;
	bool is_range = false;

	if (split == NULL) {
		if (!debug_dwarf_spend(dwarf))
			return false;
		ranges->at = dwarf_ranges(die, ranges->at, &ranges->base, low, high);
		return ranges->at > 0;
	}
	if (!ranges->begun && begin_ranges(split, die, ranges, low, high))
		return true;
	while (!is_range)
		if (!debug_dwarf_spend(dwarf) ||
		    !(split->version < 5 ? next_pair : next_entry)(split, ranges, low, high,
								   &is_range))
			return false;
	return true;
}

#endif
