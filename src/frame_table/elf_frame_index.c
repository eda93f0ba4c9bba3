/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "frame_table/elf_frame_index.h"

#ifdef HAVE_DWARF

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/reader.h"
#include "base/sorted.h"

/* Codes before DWARF has them: what a value of an encoding is counted from. */
#define APPLIED 0x70
#define FORMAT 0x0f

/* What the addresses of a CIE's entries look like. */
struct encoding {
	Dwarf_Off of;			/* the CIE's offset */
	int pointer;			/* DW_EH_PE_...; -1: one that is never written for code */
};

struct building {
	struct elf_frame_index *index;
	const struct elf_frame_section *section;
	Elf_Data data;
	struct reader reader;
	struct encoding last;		/* of the entry before: most CIEs have their entries behind */
	size_t capacity;
};

/* Bytes that a value takes; 0 where its length is not fixed or it is none. */
static unsigned
size_of(const struct building *building, int pointer)
{
	switch (pointer & FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed:
		return building->section->word_size;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

/* The encoding of addresses that the augmentation of a CIE says (LSB 5.0, 10.6.1.1.1). */
static int
encoding_of(const struct building *building, const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	size_t at = 0;

	if (!building->section->eh || cie->augmentation[0] != 'z' || data == NULL)
		return DW_EH_PE_absptr;
	for (const char *c = cie->augmentation + 1; *c != '\0'; c++) {
		if (at >= cie->augmentation_data_size)
			return DW_EH_PE_absptr;
		if (*c == 'R')
			return data[at];
		if (*c == 'L')
			at++;
		else if (*c == 'P')
			at += 1 + size_of(building, data[at]);
		else if (*c != 'S' && *c != 'B' && *c != 'G')
			break;
	}
	return DW_EH_PE_absptr;
}

static int
encoding_at(struct building *building, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (building->last.of == offset)
		return building->last.pointer;
	building->last = (struct encoding){ offset, -1 };
	if (offset < building->data.d_size &&
	    dwarf_next_cfi(building->section->ident, &building->data, building->section->eh, offset,
			   &next, &entry) == 0 && dwarf_cfi_cie_p(&entry))
		building->last.pointer = encoding_of(building, &entry.cie);
	return building->last.pointer;
}

static bool
read_value(const struct building *building, uint64_t at, unsigned size, bool is_signed,
	   uint64_t *value)
{
	const unsigned above = 64 - 8 * size;

	if (size == 0 || !reader_unsigned(&building->reader, at, size, value))
		return false;
	if (is_signed)
		*value = (uint64_t)((int64_t)(*value << above) >> above);
	return true;
}

/* The code that the entry is for; false where it is for none or it is unknown. */
static bool
read_code(struct building *building, const Dwarf_FDE *fde, struct elf_frame_entry *entry)
{
	const struct elf_frame_section *section = building->section;
	const int pointer = encoding_at(building, fde->CIE_pointer);
	const uint64_t at = (uint64_t)(fde->start - (const uint8_t *)section->data);
	uint64_t size;

	if (pointer < 0 || (pointer & DW_EH_PE_indirect) != 0)
		return false;
	const unsigned width = size_of(building, pointer);
	if (!read_value(building, at, width, (pointer & DW_EH_PE_signed) != 0, &entry->first) ||
	    !read_value(building, at + width, width, false, &size) || size == 0)
		return false;
	if ((pointer & APPLIED) == DW_EH_PE_pcrel)
		entry->first += section->address + at;
	else if ((pointer & APPLIED) != DW_EH_PE_absptr)
		return false;
	if (section->word_size == 4)
		entry->first &= UINT32_MAX;
	entry->last = entry->first + size - 1;
	return entry->last >= entry->first;
}

static bool
add(struct building *building, const struct elf_frame_entry *entry)
{
	struct elf_frame_index *index = building->index;
	struct elf_frame_entry *entries =
		arena_grow(&index->arena, index->entries, index->count, &building->capacity,
			   sizeof(*entries));

	if (entries == NULL)
		return false;
	index->entries = entries;
	entries[index->count++] = *entry;
	return true;
}

SORTED_BY_TWO(compare, struct elf_frame_entry, first, offset)

void
elf_frame_index_build(struct elf_frame_index *index, const struct elf_frame_section *section)
{
	struct building building = {
		.index = index, .section = section, .last = { UINT64_MAX, -1 },
		.data = { .d_buf = section->data, .d_size = (size_t)section->size,
			  .d_type = ELF_T_BYTE, .d_version = EV_CURRENT },
		.reader = { .data = section->data, .size = section->size,
			    .big_endian = section->big_endian },
	};
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	*index = (struct elf_frame_index){ .count = 0 };
	arena_init(&index->arena, 0);
	for (Dwarf_Off at = 0; at < section->size; at = next) {
		struct elf_frame_entry found = { .offset = at };

		next = at;
		const int result = dwarf_next_cfi(section->ident, &building.data, section->eh, at,
						  &next, &entry);
		if (result > 0 || next <= at)
			break;
		const uint64_t length = (next < section->size ? next : section->size) - at;
		found.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
		if (result == 0 && !dwarf_cfi_cie_p(&entry) &&
		    read_code(&building, &entry.fde, &found) && !add(&building, &found))
			break;
	}
	if (index->count > 0)
		qsort(index->entries, index->count, sizeof(*index->entries), compare);
}

void
elf_frame_index_free(struct elf_frame_index *index)
{
	arena_free(&index->arena);
}

#endif
