/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "frame_table/cfi_bytes.h"
#include "frame_table/cfi_rows.h"

/* Finds the tables of call frame information of a file, and their index. */

/* Program headers of ELF (gABI): offsets of the fields in files of 32 and of 64 bits. */
#define PT_GNU_EH_FRAME 0x6474e550u

static const struct program_headers {
	unsigned word, offset_at, size_at, count_at, address_at;
} layouts[] = { { 4, 28, 42, 44, 8 }, { 8, 32, 54, 56, 16 } };

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
	const struct reader file = { .input = &binary->file.input, .data = binary->file.data,
				     .size = binary->file.size,
				     .big_endian = binary->big_endian };
	return reader_window(&file, segment->offset + skipped, segment->size - skipped, bytes);
}

/* The address of the index by a program header; false if there is none. */
static bool
find_header(const struct binary *binary, uint64_t *address)
{
	const struct reader file = { .data = binary->file.data, .size = binary->file.size,
				     .big_endian = binary->big_endian };
	const struct program_headers *layout = &layouts[binary->word_size == 8];
	uint64_t start = 0, size = 0, count = 0, type;

	if (!reader_unsigned(&file, layout->offset_at, layout->word, &start) ||
	    !reader_unsigned(&file, layout->size_at, 2, &size) ||
	    !reader_unsigned(&file, layout->count_at, 2, &count))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (reader_unsigned(&file, start + i * size, 4, &type) && type == PT_GNU_EH_FRAME)
			return reader_unsigned(&file, start + i * size + layout->address_at,
					       layout->word, address);
	return false;
}

/* The index of .eh_frame, by its section or by its program header. */
static void
find_index(struct cfi_table *table)
{
	const struct binary *binary = table->binary;
	const struct binary_section *header = binary_section(binary, 0, ".eh_frame_hdr");

	if (header != NULL && header->data != NULL) {
		table->index_address = header->address;
		table->index = (struct reader){ .data = header->data, .size = header->size,
						.big_endian = binary->big_endian };
	} else if (binary->format == BINARY_ELF && binary->section_count == 0 &&
		   find_header(binary, &table->index_address)) {
		loaded_bytes(table, table->index_address, &table->index);
	}
}

/* .eh_frame of a file without sections: the index leads to it. */
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

/* The section's bytes, unpacked. */
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
	return section != NULL ? take_section(table, section, damage) : eh && find_by_index(table);
}

enum cfi_indexed
cfi_table_indexed(const struct cfi_table *table, uint64_t address, uint64_t *offset)
{
	const struct reader *index = &table->index;
	const int64_t wanted = (int64_t)(address - table->index_address);
	uint32_t count, start, entry;
	size_t at;

	/* Pairs relative to the index itself: linkers write no other form. */
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
