/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checked.h"
#include "base/sorted.h"
#include "frame_table/cfi_bytes.h"
#include "frame_table/cfi_rows.h"

/* Finds the tables of call frame information of a file, and their index. */

/* Bytes of the file from a linked address on, up to the end of their segment. */
static bool
loaded_bytes(const struct cfi_table *table, uint64_t address, struct reader *bytes)
{
	const struct binary *binary = table->binary;
	const struct binary_segment *segment =
		binary_segment(binary, address - binary->linked_base);

	if (segment == NULL)
		return false;
	const uint64_t skipped = address - binary->linked_base - segment->address;
	const struct reader file = binary_reader(binary);
	return reader_window(&file, segment->offset + skipped, segment->size - skipped, bytes);
}

static void
find_index(struct cfi_table *table)
{
	const struct binary *binary = table->binary;
	const struct binary_section *header = binary_section(binary, 0, ".eh_frame_hdr");

	if (header == NULL || header->data == NULL)
		return;
	table->index_address = header->address;
	table->index = (struct reader){ .data = header->data, .size = header->size,
					.big_endian = binary->big_endian };
}

/* Find .eh_frame by its index, in a file without a section table. */
static bool
find_by_index(struct cfi_table *table)
{
	struct cfi_bytes bytes = { .section = &table->index, .at = 1, .end = table->index.size,
				   .address = table->index_address,
				   .word_size = table->binary->word_size };
	struct reader section;

	if (table->index.data == NULL)
		return false;
	const int encoding = (int)cfi_fixed(&bytes, 1);
	cfi_skip(&bytes, 2);	/* encodings of the fields that follow */
	const uint64_t address = cfi_pointer(&bytes, encoding, false);
	if (bytes.failed || !loaded_bytes(table, address, &section))
		return false;
	table->address = address;
	table->section = section;
	table->offset = (uint64_t)(section.data - table->binary->file.data);
	table->placed = true;
	return true;
}

/* Number of entries that suffice to recognise a table. */
#define FEWEST_ENTRIES 4u

/*
 * Whether a table begins at an offset: a CIE, entries that each refer back to a CIE, and the zero
 * at the end. Decrements `*work` for each entry.
 */
static bool
is_table(const struct reader *bytes, uint64_t start, uint64_t *end, uint64_t *work)
{
	uint32_t length, id, common;
	size_t entries = 0;

	for (uint64_t at = start; reader_u32(bytes, at, &length) && *work > 0; at += 4 + length) {
		*end = at;
		if (length == 0)
			return entries >= FEWEST_ENTRIES;
		if (!reader_u32(bytes, at + 4, &id) || length < 8 ||
		    !checked_within(at + 4, length, bytes->size))
			return false;
		if (id == 0 ? bytes->data[at + 8] != 1 || bytes->data[at + 9] != 'z'
			    : id > at + 4 - start || !reader_u32(bytes, at + 8 - id, &common) ||
				      common != 0)
			return false;
		entries += id != 0;
		--*work;
	}
	return false;
}

/* Find .eh_frame by its format, in a static program without a section table or index. */
static bool
find_by_form(struct cfi_table *table)
{
	const struct binary *binary = table->binary;
	const struct reader file = binary_reader(binary);
	uint64_t work = file.size / 8, end;
	struct reader bytes;

	for (size_t i = 0; i < binary->segment_count; i++) {
		const struct binary_segment *segment = &binary->segments[i];

		if (!reader_window(&file, segment->offset, segment->size, &bytes))
			continue;
		for (uint64_t at = 0; at + 16 <= bytes.size; at += 4) {
			if (!is_table(&bytes, at, &end, &work))
				continue;
			table->address = binary->linked_base + segment->address + at;
			table->offset = segment->offset + at;
			table->placed = true;
			return reader_window(&file, table->offset, end - at, &table->section);
		}
	}
	return false;
}

static bool
take_section(struct cfi_table *table, const struct binary_section *section,
	     struct elf_damage *damage)
{
	const bool packed = section->compressed || section->name[1] == 'z';

	if (section->data == NULL)
		return false;
	table->unpacked = (struct elf_bytes){ section->data, section->size, 0 };
	/* Loaded sections are never packed (gABI). */
	if (packed && (table->eh || !elf_section_bytes(&table->unpacked, table->binary, section))) {
		table->unpacked = (struct elf_bytes){ 0 };
		*damage = (struct elf_damage){ table->binary, section->name, section->size };
		return false;
	}
	table->placed = !packed;
	table->offset = section->offset;
	table->address = section->address + binary_section_bias(table->binary);
	table->section.data = table->unpacked.data;
	table->section.size = table->unpacked.size;
	return true;
}

bool
cfi_table_open(struct cfi_table *table, const struct binary *binary, bool eh,
	       struct elf_damage *damage)
{
	const struct reader none = { .input = &binary->file.input,
				     .big_endian = binary->big_endian };
	const struct binary_section *section =
		binary_section(binary, 0, eh ? ".eh_frame" : ".debug_frame");

	cfi_table_init(table, binary_arch(binary), &none, 0, eh, binary->word_size);
	table->binary = binary;
	if (binary->format == BINARY_PDB)
		return false;
	if (!eh && section == NULL)
		section = binary_section(binary, 0, ".zdebug_frame");
	if (eh)
		find_index(table);
	return section != NULL ? take_section(table, section, damage)
			       : eh && (find_by_index(table) ||
					(binary->sections_inferred && find_by_form(table)));
}

enum cfi_indexed
cfi_table_indexed(const struct cfi_table *table, uint64_t address, uint64_t *offset)
{
	const struct reader *index = &table->index;
	const int64_t wanted = (int64_t)(address - table->index_address);
	uint32_t count, start, entry;
	size_t at;

	/* Require pairs relative to the index itself. Linkers write no other encoding. */
	if (index->size < 12 || index->data[1] != 0x1b || index->data[2] != 0x03 ||
	    index->data[3] != 0x3b || !reader_u32(index, 8, &count) ||
	    count > (index->size - 12) / 8)
		return CFI_NO_INDEX;
	BISECT(at, count, reader_u32(index, 12 + (uint64_t)at * 8, &start) &&
				  (int32_t)start <= wanted);
	if (at == 0 || !reader_u32(index, 12 + (uint64_t)(at - 1) * 8 + 4, &entry))
		return CFI_NOT_INDEXED;
	*offset = table->index_address + (uint64_t)(int64_t)(int32_t)entry - table->address;
	return *offset < table->section.size ? CFI_INDEXED : CFI_NOT_INDEXED;
}

struct place
cfi_entry_place(const struct cfi_table *table, const struct cfi_entry *entry)
{
	struct place place = { .input = &table->binary->file.input, .offset = table->offset };

	if (table->placed) {
		place.offset += entry->offset;
		place.length = entry->length;
	}
	return place;
}

void
cfi_table_free(struct cfi_table *table)
{
	if (table->unpacked.mapped > 0)
		elf_bytes_free(&table->unpacked);
	arena_free(&table->arena);
}
