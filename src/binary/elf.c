/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

/* Bytes of .text that Breakpad hashes if a file has no build ID. */
#define HASHED_SIZE 4096u
#define HASH_SIZE 16u
/* Smallest page size with which the kernel maps a file's first segment. */
#define PAGE_SIZE 4096u

/* A header's field: its offset and size in bytes, in 32-bit and in 64-bit files (gABI). */
struct elf_field {
	uint8_t at[2], size[2];
};

static const struct elf_field file_type = { { 16, 16 }, { 2, 2 } },
	file_machine = { { 18, 18 }, { 2, 2 } }, file_entry = { { 24, 24 }, { 4, 8 } },
	file_segments = { { 28, 32 }, { 4, 8 } },
	file_sections = { { 32, 40 }, { 4, 8 } }, file_segment_count = { { 44, 56 }, { 2, 2 } },
	file_section_count = { { 48, 60 }, { 2, 2 } }, file_names = { { 50, 62 }, { 2, 2 } };
static const uint8_t file_header_size[] = { 52, 64 };

static const struct elf_field segment_type = { { 0, 0 }, { 4, 4 } },
	segment_flags = { { 24, 4 }, { 4, 4 } }, segment_offset = { { 4, 8 }, { 4, 8 } },
	segment_address = { { 8, 16 }, { 4, 8 } }, segment_file_size = { { 16, 32 }, { 4, 8 } },
	segment_size = { { 20, 40 }, { 4, 8 } }, segment_align = { { 28, 48 }, { 4, 8 } };
static const uint8_t segment_header_size[] = { 32, 56 };

static const struct elf_field section_name = { { 0, 0 }, { 4, 4 } },
	section_type = { { 4, 4 }, { 4, 4 } }, section_flags = { { 8, 8 }, { 4, 8 } },
	section_address = { { 12, 16 }, { 4, 8 } }, section_offset = { { 16, 24 }, { 4, 8 } },
	section_size = { { 20, 32 }, { 4, 8 } }, section_link = { { 24, 40 }, { 4, 4 } },
	section_info = { { 28, 44 }, { 4, 4 } }, section_align = { { 32, 48 }, { 4, 8 } };
static const uint8_t section_header_size[] = { 40, 64 };

/* A file header, or an entry of one of the tables. */
struct elf_header {
	struct reader bytes;
	bool wide;			/* a 64-bit file */
};

/* A field, or 0 if the header ends before it. */
static uint64_t
elf_value(const struct elf_header *header, const struct elf_field *field)
{
	uint64_t value = 0;

	reader_unsigned(&header->bytes, field->at[header->wide], field->size[header->wide], &value);
	return value;
}

/* Entry `index` of a table at `offset`; false if the file ends before it. */
static bool
elf_entry(const struct elf_header *file, uint64_t offset, uint64_t index, const uint8_t sizes[2],
	  struct elf_header *entry)
{
	const uint64_t size = sizes[file->wide];
	uint64_t at;

	entry->wide = file->wide;
	return offset != 0 && checked_add(offset, index * size, &at) &&
	       reader_window(&file->bytes, at, size, &entry->bytes);
}

static bool
elf_section_entry(const struct elf_header *file, uint64_t index, struct elf_header *entry)
{
	return elf_entry(file, elf_value(file, &file_sections), index, section_header_size, entry);
}

/* The number of entries of a table at `offset`: at most `most`, and no more than the file has. */
static uint64_t
elf_count(const struct elf_header *file, uint64_t offset, const uint8_t sizes[2], uint64_t count,
	  uint64_t most)
{
	const uint64_t size = file->bytes.size;
	const uint64_t room = offset == 0 || offset >= size
				      ? 0 : (size - offset) / sizes[file->wide];

	most = room < most ? room : most;
	return count < most ? count : most;
}

static size_t
segment_count(const struct elf_header *file)
{
	uint64_t count = elf_value(file, &file_segment_count);
	struct elf_header header;

	/* A count that is too large for this field is in section 0. */
	if (count == PN_XNUM && elf_section_entry(file, 0, &header))
		count = elf_value(&header, &section_info);
	return (size_t)elf_count(file, elf_value(file, &file_segments), segment_header_size, count,
				 LIMIT_SEGMENTS);
}

static bool
elf_segment_entry(const struct elf_header *file, size_t index, struct elf_header *entry)
{
	return elf_entry(file, elf_value(file, &file_segments), index, segment_header_size, entry);
}

static enum error_code
fail(const struct binary *binary, const char *what, struct error *error)
{
	return error_set(error, ERROR_FORMAT, (struct place){ .input = &binary->file.input }, "%s",
			 what);
}

static void
set_id(struct binary *binary, const uint8_t *bytes, size_t size)
{
	char *hex = text_hex(bytes, size, arena_array(&binary->arena, size * 2 + 1, 1));

	if (hex != NULL)
		binary->id = hex;
}

/* Search the notes in `size` bytes at `offset` for a GNU build ID (gABI, Note Section). */
static void
read_notes(struct binary *binary, uint64_t offset, uint64_t size, uint64_t align)
{
	const struct reader reader = binary_reader(binary);
	struct reader notes;
	uint64_t at = 0, round = align == 8 ? 7 : 3;

	if (*binary->id != '\0' || !reader_window(&reader, offset, size, &notes))
		return;
	for (unsigned count = 0; count < LIMIT_NOTES; count++) {
		uint32_t name_size, size_of_id, type;

		if (!reader_u32(&notes, at, &name_size) ||
		    !reader_u32(&notes, at + 4, &size_of_id) ||
		    !reader_u32(&notes, at + 8, &type))
			return;
		uint64_t id = (at + 12 + name_size + round) & ~round;
		if (!checked_within(id, size_of_id, notes.size))
			return;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && size_of_id != 0 &&
		    size_of_id <= LIMIT_BUILD_ID && memcmp(notes.data + at + 12, "GNU", 4) == 0) {
			set_id(binary, notes.data + id, size_of_id);
			return;
		}
		at = (id + size_of_id + round) & ~round;
	}
}

static enum error_code
read_segments(struct binary *binary, const struct elf_header *file, struct error *error)
{
	const size_t count = segment_count(file);
	struct elf_header header;
	bool any = false;

	if (elf_value(file, &file_segments) >= binary->file.size)
		return fail(binary, "the program headers are outside the file", error);
	binary->segments = arena_array(&binary->arena, count, sizeof(*binary->segments));
	if (binary->segments == NULL && count != 0)
		return binary_no_memory(binary, error);
	for (size_t i = 0; i < count && elf_segment_entry(file, i, &header); i++) {
		const uint64_t start =
			elf_value(&header, &segment_address) & ~(uint64_t)(PAGE_SIZE - 1);

		if (elf_value(&header, &segment_type) == PT_LOAD &&
		    (!any || start < binary->linked_base)) {
			binary->linked_base = start;
			any = true;
		}
	}
	for (size_t i = 0; i < count && elf_segment_entry(file, i, &header); i++) {
		const uint64_t start =
			elf_value(&header, &segment_address) - binary->linked_base;
		const uint64_t extent = elf_value(&header, &segment_size);
		const uint64_t type = elf_value(&header, &segment_type);
		const uint64_t flags = elf_value(&header, &segment_flags);
		const uint64_t bytes = elf_value(&header, &segment_offset);
		const uint64_t size = elf_value(&header, &segment_file_size);
		const uint64_t align = elf_value(&header, &segment_align);

		if (type == PT_LOAD && extent < UINT64_MAX - start &&
		    start + extent > binary->extent)
			binary->extent = start + extent;
		if (type == PT_TLS) {
			binary->has_tls = true;
			binary->tls_size = extent;
			binary->tls_alignment = align;
		}
		if (type == PT_NOTE)
			read_notes(binary, bytes, size, align);
		if (type != PT_LOAD || (flags & PF_W) != 0 || binary->debug_only)
			continue;
		binary_add_segment(binary, (struct binary_segment){
			.address = start, .size = size, .offset = bytes,
			.executable = (flags & PF_X) != 0 });
	}
	return ERROR_NONE;
}

/* The offset and end of the names of sections; 0 and 0: the file has none. */
static void
find_names(const struct elf_header *file, uint64_t count, uint64_t *offset, uint64_t *end)
{
	uint64_t index = elf_value(file, &file_names);
	struct elf_header header;

	*offset = *end = 0;
	/* An index that is too large for this field is in section 0. */
	if (index == SHN_XINDEX && elf_section_entry(file, 0, &header))
		index = elf_value(&header, &section_link);
	if (index == 0 || index >= count || !elf_section_entry(file, index, &header) ||
	    elf_value(&header, &section_type) == SHT_NOBITS)
		return;
	*offset = elf_value(&header, &section_offset);
	if (!checked_add(*offset, elf_value(&header, &section_size), end))
		*end = *offset = 0;
}

/* Read the sections. A file without a section table, or with a broken one, still has segments. */
static enum error_code
read_sections(struct binary *binary, const struct elf_header *file, struct error *error)
{
	uint64_t count = elf_value(file, &file_section_count), names, end;
	struct elf_header header;

	if (count == 0 && elf_section_entry(file, 0, &header))
		count = elf_value(&header, &section_size);
	find_names(file, count, &names, &end);
	count = elf_count(file, elf_value(file, &file_sections), section_header_size, count,
			  LIMIT_SECTIONS);
	if (count == 0)
		return ERROR_NONE;
	binary->sections = arena_array(&binary->arena, (size_t)count, sizeof(*binary->sections));
	if (binary->sections == NULL)
		return binary_no_memory(binary, error);
	/* Entry 0 of the table is not a section. */
	for (size_t i = 1; i < count && elf_section_entry(file, i, &header); i++) {
		const uint64_t flags = elf_value(&header, &section_flags);
		struct binary_section *section = &binary->sections[binary->section_count++];
		uint64_t name;

		*section = (struct binary_section){
			.name = "", .type = (uint32_t)elf_value(&header, &section_type),
			.flags = flags, .address = elf_value(&header, &section_address),
			.size = elf_value(&header, &section_size),
			.offset = elf_value(&header, &section_offset),
			.compressed = (flags & SHF_COMPRESSED) != 0,
		};
		section->no_bits = section->type == SHT_NOBITS;
		if (end != 0 && checked_add(names, elf_value(&header, &section_name), &name))
			section->name = binary_text(binary, name, end);
		if (strncmp(section->name, ".zdebug", 7) == 0)
			section->compressed = true;
		binary_section_data(binary, section);
		if (section->no_bits && (flags & SHF_ALLOC) != 0 && (flags & SHF_EXECINSTR) != 0)
			binary->debug_only = true;
		if (section->type == SHT_NOTE)
			read_notes(binary, section->offset, section->size,
				   elf_value(&header, &section_align));
	}
	return ERROR_NONE;
}

/* Sections by program headers ------------------------------------------------------------------ */

/* Section names for program headers. If headers share an offset, the first row applies. */
static const struct elf_header_row {
	uint32_t type;
	uint16_t machine;		/* 0: any */
	const char *name;
	uint32_t section_type;
} elf_header_rows[] = {
	{ PT_DYNAMIC, 0, ".dynamic", SHT_DYNAMIC },
	{ PT_GNU_EH_FRAME, 0, ".eh_frame_hdr", SHT_PROGBITS },
	{ PT_ARM_EXIDX, EM_ARM, ".ARM.exidx", SHT_ARM_EXIDX },
	{ PT_LOAD, 0, "PT_LOAD", SHT_PROGBITS },
};

/* Sections that are found through the dynamic section: .dynsym and .dynstr. */
#define DYNAMIC_SECTIONS 2u

/* Tags of the dynamic section for finding the symbols. */
enum elf_tag {
	TAG_SYMBOLS, TAG_STRINGS, TAG_STRINGS_SIZE, TAG_HASH, TAG_GNU_HASH, TAG_MIPS_COUNT, TAGS
};

static const uint32_t elf_tags[TAGS] = {
	[TAG_SYMBOLS] = DT_SYMTAB, [TAG_STRINGS] = DT_STRTAB, [TAG_STRINGS_SIZE] = DT_STRSZ,
	[TAG_HASH] = DT_HASH, [TAG_GNU_HASH] = DT_GNU_HASH, [TAG_MIPS_COUNT] = DT_MIPS_SYMTABNO,
};

/* The bytes of the file from a linked address on, up to the end of their segment. */
static bool
loaded_bytes(const struct binary *binary, const struct elf_header *file, uint64_t address,
	     struct reader *bytes)
{
	const size_t count = segment_count(file);
	struct elf_header header;

	for (size_t i = 0; i < count && elf_segment_entry(file, i, &header); i++) {
		const uint64_t skip = address - elf_value(&header, &segment_address);
		const uint64_t size = elf_value(&header, &segment_file_size);
		uint64_t offset = elf_value(&header, &segment_offset);

		if (elf_value(&header, &segment_type) != PT_LOAD || skip >= size ||
		    !checked_add(offset, skip, &offset))
			continue;
		const uint64_t left = size - skip, known = binary_known(binary, offset);
		return reader_window(&file->bytes, offset, left < known ? left : known, bytes);
	}
	return false;
}

/* The number of symbols according to a DT_GNU_HASH table; 0: damaged. */
static uint64_t
gnu_hash_count(const struct reader *table, unsigned word)
{
	uint32_t buckets, first, bloom, index, last = 0, hash;

	if (!reader_u32(table, 0, &buckets) || !reader_u32(table, 4, &first) ||
	    !reader_u32(table, 8, &bloom))
		return 0;
	const uint64_t start = 16 + (uint64_t)bloom * word;
	for (uint64_t i = 0; i < buckets && reader_u32(table, start + i * 4, &index); i++)
		last = index > last ? index : last;
	if (last < first)
		return first;
	/* Bit 0 marks the last hash of a bucket. */
	const uint64_t chain = start + (uint64_t)buckets * 4;
	for (uint64_t at = last; reader_u32(table, chain + (at - first) * 4, &hash); at++)
		if ((hash & 1) != 0)
			return at + 1;
	return 0;
}

/*
 * The number of symbols. The dynamic section lacks this number. A hash table has it, or else the
 * start of the strings gives it, because linkers put the strings after the symbols.
 */
static uint64_t
symbol_count(const struct binary *binary, const struct elf_header *file,
	     const uint64_t values[TAGS], uint64_t size)
{
	/* Entries of DT_HASH have 4 bytes on all processors but these two (their psABIs). */
	const bool wide = binary->word_size == 8 &&
			  (binary->machine == EM_S390 || binary->machine == EM_ALPHA);
	const unsigned entry = wide ? 8 : 4;
	struct reader table;
	uint64_t count = values[TAG_MIPS_COUNT];

	if (count == 0 && values[TAG_HASH] != 0 &&
	    loaded_bytes(binary, file, values[TAG_HASH], &table))
		reader_unsigned(&table, entry, entry, &count);
	if (count == 0 && values[TAG_GNU_HASH] != 0 &&
	    loaded_bytes(binary, file, values[TAG_GNU_HASH], &table))
		count = gnu_hash_count(&table, binary->word_size);
	if (count == 0 && values[TAG_STRINGS] > values[TAG_SYMBOLS])
		count = (values[TAG_STRINGS] - values[TAG_SYMBOLS]) / size;
	return count;
}

/* Read the values of a dynamic section. Convert run-time addresses to linked addresses. */
static void
read_dynamic(const struct binary *binary, const struct elf_header *file,
	     const struct binary_section *dynamic, uint64_t values[TAGS])
{
	static const enum elf_tag addresses[] = { TAG_SYMBOLS, TAG_STRINGS, TAG_HASH,
						  TAG_GNU_HASH };
	const struct reader table = { .data = dynamic->data, .big_endian = binary->big_endian,
				      .size = dynamic->data != NULL ? dynamic->size : 0 };
	const unsigned word = binary->word_size;
	struct reader bytes;
	uint64_t tag;

	for (uint64_t at = 0; reader_unsigned(&table, at, word, &tag) && tag != DT_NULL;
	     at += 2 * word)
		for (size_t i = 0; i < TAGS; i++)
			if (tag == elf_tags[i] &&
			    (i != TAG_MIPS_COUNT || binary->machine == EM_MIPS))
				reader_unsigned(&table, at + word, word, &values[i]);
	for (size_t i = 0; binary->memory != NULL && i < ARRAY_COUNT(addresses); i++) {
		uint64_t *value = &values[addresses[i]];

		if (*value != 0 && !loaded_bytes(binary, file, *value, &bytes))
			*value -= binary->memory->base - binary->linked_base;
	}
}

static void
add_dynamic_section(struct binary *binary, const struct reader *bytes, uint64_t size,
		    const struct binary_section *kind)
{
	struct binary_section *section = &binary->sections[binary->section_count++];

	*section = *kind;
	section->offset = bytes->start;
	section->size = size < bytes->size ? size : bytes->size;
	binary_section_data(binary, section);
}

/* Add the symbols and strings that are found through the dynamic section. */
static void
add_symbols(struct binary *binary, const struct elf_header *file,
	    const struct binary_section *dynamic)
{
	const uint64_t size = binary->word_size == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t values[TAGS] = { 0 };
	struct reader symbols, strings;

	read_dynamic(binary, file, dynamic, values);
	if (values[TAG_SYMBOLS] == 0 || values[TAG_STRINGS] == 0 ||
	    !loaded_bytes(binary, file, values[TAG_SYMBOLS], &symbols) ||
	    !loaded_bytes(binary, file, values[TAG_STRINGS], &strings))
		return;
	const uint64_t count = symbol_count(binary, file, values, size);
	add_dynamic_section(binary, &symbols,
			    count < symbols.size / size ? count * size : symbols.size,
			    &(struct binary_section){ .name = ".dynsym", .type = SHT_DYNSYM,
						      .flags = SHF_ALLOC,
						      .address = values[TAG_SYMBOLS] });
	add_dynamic_section(binary, &strings, values[TAG_STRINGS_SIZE],
			    &(struct binary_section){ .name = ".dynstr", .type = SHT_STRTAB,
						      .flags = SHF_ALLOC,
						      .address = values[TAG_STRINGS] });
}

/* Make the sections of a file without a section table from its program headers. */
static enum error_code
infer_sections(struct binary *binary, const struct elf_header *file, struct error *error)
{
	const size_t count = segment_count(file);
	struct elf_header header;

	binary->sections = arena_array(&binary->arena, count + DYNAMIC_SECTIONS,
				       sizeof(*binary->sections));
	if (binary->sections == NULL)
		return binary_no_memory(binary, error);
	binary->sections_inferred = true;
	for (size_t row = 0; row < ARRAY_COUNT(elf_header_rows); row++)
		for (size_t i = 0; i < count && elf_segment_entry(file, i, &header); i++) {
			const struct elf_header_row *kind = &elf_header_rows[row];
			const uint64_t flags = elf_value(&header, &segment_flags);
			const uint64_t offset = elf_value(&header, &segment_offset);
			const uint64_t size = elf_value(&header, &segment_file_size);
			const uint64_t known = binary_known(binary, offset);

			if (elf_value(&header, &segment_type) != kind->type || size == 0 ||
			    (kind->machine != 0 && kind->machine != binary->machine) ||
			    binary->section_count == count)
				continue;
			struct binary_section *section =
				&binary->sections[binary->section_count++];
			*section = (struct binary_section){
				.name = kind->name, .type = kind->section_type,
				.flags = SHF_ALLOC | ((flags & PF_W) != 0 ? SHF_WRITE : 0) |
					 ((flags & PF_X) != 0 ? SHF_EXECINSTR : 0),
				.address = elf_value(&header, &segment_address),
				.offset = offset, .size = size < known ? size : known };
			binary_section_data(binary, section);
		}
	const struct binary_section *dynamic = binary_section(binary, SHT_DYNAMIC, NULL);
	if (dynamic != NULL)
		add_symbols(binary, file, dynamic);
	return ERROR_NONE;
}

static bool
has_magic(const struct reader *bytes)
{
	return bytes->size >= SELFMAG && memcmp(bytes->data, ELFMAG, SELFMAG) == 0;
}

/* Read the word size and byte order of a file with the magic bytes; false: a damaged header. */
static bool
read_file_header(const struct reader *bytes, struct elf_header *file)
{
	const uint8_t *ident = bytes->data;

	*file = (struct elf_header){ .bytes = *bytes };
	file->wide = bytes->size > EI_CLASS && ident[EI_CLASS] == ELFCLASS64;
	if (bytes->size < file_header_size[file->wide] ||
	    (!file->wide && ident[EI_CLASS] != ELFCLASS32) || ident[EI_VERSION] != EV_CURRENT ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return false;
	file->bytes.big_endian = ident[EI_DATA] == ELFDATA2MSB;
	return true;
}

enum error_code
elf_read(struct binary *binary, struct error *error)
{
	const struct reader bytes = binary_reader(binary);
	struct elf_header file;

	if (!has_magic(&bytes))
		return ERROR_NOT_FOUND;
	if (!read_file_header(&bytes, &file))
		return fail(binary, "the ELF header is damaged or incomplete", error);
	binary->format = BINARY_ELF;
	binary->word_size = file.wide ? 8 : 4;
	binary->big_endian = file.bytes.big_endian;
	binary->machine = (uint16_t)elf_value(&file, &file_machine);
	const uint64_t type = elf_value(&file, &file_type);
	binary->use = type == ET_REL ? BINARY_RELOCATABLE
		      : type == ET_CORE ? BINARY_CORE : BINARY_LOADED;
	enum error_code code = read_sections(binary, &file, error);
	if (code == ERROR_NONE)
		code = read_segments(binary, &file, error);
	if (code == ERROR_NONE && binary->section_count == 0 && binary->use == BINARY_LOADED)
		code = infer_sections(binary, &file, error);
	const uint64_t entry = elf_value(&file, &file_entry);
	binary->entry = entry > binary->linked_base ? entry - binary->linked_base : 0;
	const struct binary_section *text = binary_section(binary, SHT_PROGBITS, ".text");
	if (code != ERROR_NONE || *binary->id != '\0' || text == NULL || text->data == NULL)
		return code;
	/* google/breakpad, common/linux/file_id.cc, HashElfTextSection. */
	const uint64_t size = text->size < HASHED_SIZE ? text->size : HASHED_SIZE;
	uint8_t hash[HASH_SIZE] = { 0 };
	for (uint64_t start = 0; start < size; start += HASH_SIZE)
		for (unsigned i = 0; i < HASH_SIZE; i++)
			if (text->offset + start + i < binary->file.size)
				hash[i] ^= text->data[start + i];
	set_id(binary, hash, sizeof(hash));
	return code;
}

bool
elf_find_segment(const struct reader *image, uint32_t type, struct elf_segment *segment)
{
	struct elf_header file, header;
	size_t i = 0;

	if (!has_magic(image) || !read_file_header(image, &file))
		return false;
	const size_t count = segment_count(&file);
	while (i < count && elf_segment_entry(&file, i, &header) &&
	       elf_value(&header, &segment_type) != type)
		i++;
	if (i == count || !elf_segment_entry(&file, i, &header))
		return false;
	*segment = (struct elf_segment){ elf_value(&header, &segment_offset),
					 elf_value(&header, &segment_address),
					 elf_value(&header, &segment_file_size),
					 elf_value(&header, &segment_size) };
	return true;
}

size_t
elf_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES])
{
	struct elf_header file, header;
	uint64_t low = UINT64_MAX;
	size_t count = 0;

	if (!has_magic(head) || !read_file_header(head, &file))
		return 0;
	const size_t segments = segment_count(&file);
	for (size_t i = 0; i < segments && i < BINARY_PIECES &&
			   elf_segment_entry(&file, i, &header); i++) {
		const uint64_t address = elf_value(&header, &segment_address);
		const uint64_t start = address & ~(uint64_t)(PAGE_SIZE - 1);

		if (elf_value(&header, &segment_type) != PT_LOAD)
			continue;
		low = start < low ? start : low;
		pieces[count++] = (struct binary_piece){
			.address = address, .offset = elf_value(&header, &segment_offset),
			.size = elf_value(&header, &segment_file_size),
			.executable = (elf_value(&header, &segment_flags) & PF_X) != 0 };
	}
	for (size_t i = 0; i < count; i++)
		pieces[i].address -= low;
	return count;
}
