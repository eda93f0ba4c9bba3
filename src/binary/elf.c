/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "binary/binary_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_ELF
#include <gelf.h>
#endif

#include "base/checked.h"
#include "base/compiler.h"
#include "system/shortage.h"

static bool
is_elf(const struct binary *binary)
{
	return binary->file.size >= 4 && memcmp(binary->file.data, "\177ELF", 4) == 0;
}

#ifdef HAVE_ELF

/* Bytes of .text that Breakpad hashes if a file has no build ID. */
#define HASHED_SIZE 4096u
#define HASH_SIZE 16u
/* Least granularity at which the kernel maps a file's first segment. */
#define PAGE_SIZE 4096u

static enum error_code
fail(const struct binary *binary, const char *what, struct error *error)
{
	return error_set(error, ERROR_FORMAT,
			 (struct place){ .input = &binary->file.input }, "%s: %s", what,
			 elf_errmsg(-1));
}

static void
set_id(struct binary *binary, const uint8_t *bytes, size_t size)
{
	char *hex = arena_array(&binary->arena, size * 2 + 1, 1);

	for (size_t i = 0; hex != NULL && i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
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
read_segments(struct binary *binary, Elf *elf, struct error *error)
{
	size_t count;
	bool any = false;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) != 0)
		return fail(binary, "the program headers cannot be read", error);
	if (count > LIMIT_SEGMENTS)
		count = LIMIT_SEGMENTS;
	binary->segments = arena_array(&binary->arena, count, sizeof(*binary->segments));
	if (binary->segments == NULL && count != 0)
		return binary_no_memory(binary, error);
	for (int i = 0; i < (int)count && gelf_getphdr(elf, i, &header) != NULL; i++) {
		uint64_t start = header.p_vaddr & ~(uint64_t)(PAGE_SIZE - 1);

		if (header.p_type == PT_LOAD && (!any || start < binary->linked_base)) {
			binary->linked_base = start;
			any = true;
		}
	}
	for (int i = 0; i < (int)count && gelf_getphdr(elf, i, &header) != NULL; i++) {
		if (header.p_type == PT_TLS) {
			binary->has_tls = true;
			binary->tls_size = header.p_memsz;
			binary->tls_alignment = header.p_align;
		}
		if (header.p_type == PT_NOTE)
			read_notes(binary, header.p_offset, header.p_filesz, header.p_align);
		if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0 || binary->debug_only)
			continue;
		binary_add_segment(binary, (struct binary_segment){
			.address = header.p_vaddr - binary->linked_base,
			.size = header.p_filesz, .offset = header.p_offset,
			.executable = (header.p_flags & PF_X) != 0 });
	}
	return ERROR_NONE;
}

/* Read the sections. A file without a section table, or with a broken one, still has segments. */
static enum error_code
read_sections(struct binary *binary, Elf *elf, struct error *error)
{
	GElf_Shdr names = { .sh_type = SHT_NOBITS }, header;
	size_t count = 0, index = 0;

	if (elf_getshdrnum(elf, &count) != 0 || count == 0)
		return ERROR_NONE;
	if (count > LIMIT_SECTIONS)
		count = LIMIT_SECTIONS;
	binary->sections = arena_array(&binary->arena, count, sizeof(*binary->sections));
	if (binary->sections == NULL)
		return binary_no_memory(binary, error);
	if (elf_getshdrstrndx(elf, &index) == 0 && index != 0 &&
	    gelf_getshdr(elf_getscn(elf, index), &names) == NULL)
		names.sh_type = SHT_NOBITS;
	/* Number 0 is no section. */
	for (size_t i = 1; i < count; i++) {
		uint64_t name, end;

		if (gelf_getshdr(elf_getscn(elf, i), &header) == NULL)
			continue;
		struct binary_section *section = &binary->sections[binary->section_count++];
		*section = (struct binary_section){
			.name = "", .type = header.sh_type, .flags = header.sh_flags,
			.address = header.sh_addr, .size = header.sh_size,
			.offset = header.sh_offset, .no_bits = header.sh_type == SHT_NOBITS,
			.compressed = (header.sh_flags & SHF_COMPRESSED) != 0,
		};
		if (checked_add(names.sh_offset, header.sh_name, &name) &&
		    checked_add(names.sh_offset, names.sh_size, &end) &&
		    names.sh_type != SHT_NOBITS)
			section->name = binary_text(binary, name, end);
		if (strncmp(section->name, ".zdebug", 7) == 0)
			section->compressed = true;
		binary_section_data(binary, section);
		if (section->no_bits && (header.sh_flags & SHF_ALLOC) != 0 &&
		    (header.sh_flags & SHF_EXECINSTR) != 0)
			binary->debug_only = true;
		if (header.sh_type == SHT_NOTE)
			read_notes(binary, header.sh_offset, header.sh_size, header.sh_addralign);
	}
	return ERROR_NONE;
}

/* Sections by program headers ------------------------------------------------------------------ */

/* Types that elf.h of some systems lacks. */
#define HEADER_SFRAME 0x6474e554u
#define SECTION_SFRAME 0x6ffffff4u

/* Program headers that have the bytes of a section; the first that contains an offset names it. */
static const struct elf_header_row {
	uint32_t type;
	uint16_t machine;		/* 0: any */
	const char *name;
	uint32_t section_type;
} elf_header_rows[] = {
	{ PT_DYNAMIC, 0, ".dynamic", SHT_DYNAMIC },
	{ PT_GNU_EH_FRAME, 0, ".eh_frame_hdr", SHT_PROGBITS },
	{ HEADER_SFRAME, 0, ".sframe", SECTION_SFRAME },
	{ PT_ARM_EXIDX, EM_ARM, ".ARM.exidx", SHT_ARM_EXIDX },
	{ PT_LOAD, 0, "PT_LOAD", SHT_PROGBITS },
};

/* Sections that the dynamic section leads to: .dynsym and .dynstr. */
#define DYNAMIC_SECTIONS 2u

/* Tags of the dynamic section that lead to the symbols. */
enum elf_tag {
	TAG_SYMBOLS, TAG_STRINGS, TAG_STRINGS_SIZE, TAG_HASH, TAG_GNU_HASH, TAG_MIPS_COUNT, TAGS
};

static const uint32_t elf_tags[TAGS] = {
	[TAG_SYMBOLS] = DT_SYMTAB, [TAG_STRINGS] = DT_STRTAB, [TAG_STRINGS_SIZE] = DT_STRSZ,
	[TAG_HASH] = DT_HASH, [TAG_GNU_HASH] = DT_GNU_HASH, [TAG_MIPS_COUNT] = DT_MIPS_SYMTABNO,
};

/* The bytes of the file from a linked address on, up to the end of their segment. */
static bool
loaded_bytes(const struct binary *binary, Elf *elf, uint64_t address, struct reader *bytes)
{
	const struct reader file = binary_reader(binary);
	GElf_Phdr header;

	for (int i = 0; i < (int)LIMIT_SEGMENTS && gelf_getphdr(elf, i, &header) != NULL; i++) {
		const uint64_t skip = address - header.p_vaddr;
		uint64_t offset;

		if (header.p_type != PT_LOAD || skip >= header.p_filesz ||
		    !checked_add(header.p_offset, skip, &offset))
			continue;
		const uint64_t left = header.p_filesz - skip, known = binary_known(binary, offset);
		return reader_window(&file, offset, left < known ? left : known, bytes);
	}
	return false;
}

/* The number of symbols that a DT_GNU_HASH table leads to; 0: damaged. */
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
	/* The last hash of a bucket has bit 0. */
	const uint64_t chain = start + (uint64_t)buckets * 4;
	for (uint64_t at = last; reader_u32(table, chain + (at - first) * 4, &hash); at++)
		if ((hash & 1) != 0)
			return at + 1;
	return 0;
}

/*
 * The number of symbols, which the dynamic section does not have: by a hash table, else up to the
 * strings, which linkers write after the symbols.
 */
static uint64_t
symbol_count(const struct binary *binary, Elf *elf, const uint64_t values[TAGS], uint64_t size)
{
	/* Entries of DT_HASH have 4 bytes on all processors but these two (their psABIs). */
	const bool wide = binary->word_size == 8 &&
			  (binary->machine == EM_S390 || binary->machine == EM_ALPHA);
	const unsigned entry = wide ? 8 : 4;
	struct reader table;
	uint64_t count = values[TAG_MIPS_COUNT];

	if (count == 0 && values[TAG_HASH] != 0 &&
	    loaded_bytes(binary, elf, values[TAG_HASH], &table))
		reader_unsigned(&table, entry, entry, &count);
	if (count == 0 && values[TAG_GNU_HASH] != 0 &&
	    loaded_bytes(binary, elf, values[TAG_GNU_HASH], &table))
		count = gnu_hash_count(&table, binary->word_size);
	if (count == 0 && values[TAG_STRINGS] > values[TAG_SYMBOLS])
		count = (values[TAG_STRINGS] - values[TAG_SYMBOLS]) / size;
	return count;
}

/* Read the values of a dynamic section. Loaders replace its addresses by those of the process. */
static void
read_dynamic(const struct binary *binary, Elf *elf, const struct binary_section *dynamic,
	     uint64_t values[TAGS])
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

		if (*value != 0 && !loaded_bytes(binary, elf, *value, &bytes))
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

/* Add the symbols and strings that the dynamic section leads to. */
static void
add_symbols(struct binary *binary, Elf *elf, const struct binary_section *dynamic)
{
	const uint64_t size = binary->word_size == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t values[TAGS] = { 0 };
	struct reader symbols, strings;

	read_dynamic(binary, elf, dynamic, values);
	if (values[TAG_SYMBOLS] == 0 || values[TAG_STRINGS] == 0 ||
	    !loaded_bytes(binary, elf, values[TAG_SYMBOLS], &symbols) ||
	    !loaded_bytes(binary, elf, values[TAG_STRINGS], &strings))
		return;
	const uint64_t count = symbol_count(binary, elf, values, size);
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
infer_sections(struct binary *binary, Elf *elf, struct error *error)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) != 0 || count > LIMIT_SEGMENTS)
		count = LIMIT_SEGMENTS;
	binary->sections = arena_array(&binary->arena, count + DYNAMIC_SECTIONS,
				       sizeof(*binary->sections));
	if (binary->sections == NULL)
		return binary_no_memory(binary, error);
	binary->sections_inferred = true;
	for (size_t row = 0; row < ARRAY_COUNT(elf_header_rows); row++)
		for (int i = 0; i < (int)count && gelf_getphdr(elf, i, &header) != NULL; i++) {
			const struct elf_header_row *kind = &elf_header_rows[row];
			const uint64_t known = binary_known(binary, header.p_offset);

			if (header.p_type != kind->type || header.p_filesz == 0 ||
			    (kind->machine != 0 && kind->machine != binary->machine) ||
			    binary->section_count == count)
				continue;
			struct binary_section *section =
				&binary->sections[binary->section_count++];
			*section = (struct binary_section){
				.name = kind->name, .type = kind->section_type,
				.flags = SHF_ALLOC |
					 ((header.p_flags & PF_W) != 0 ? SHF_WRITE : 0) |
					 ((header.p_flags & PF_X) != 0 ? SHF_EXECINSTR : 0),
				.address = header.p_vaddr, .offset = header.p_offset,
				.size = header.p_filesz < known ? header.p_filesz : known };
			binary_section_data(binary, section);
		}
	const struct binary_section *dynamic = binary_section(binary, SHT_DYNAMIC, NULL);
	if (dynamic != NULL)
		add_symbols(binary, elf, dynamic);
	return ERROR_NONE;
}

static enum error_code
read_elf(struct binary *binary, Elf *elf, struct error *error)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
		return fail(binary, "the ELF header cannot be read", error);
	binary->format = BINARY_ELF;
	binary->word_size = header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	binary->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	binary->machine = header.e_machine;
	binary->use = header.e_type == ET_REL ? BINARY_RELOCATABLE
		      : header.e_type == ET_CORE ? BINARY_CORE : BINARY_LOADED;
	enum error_code code = read_sections(binary, elf, error);
	if (code == ERROR_NONE)
		code = read_segments(binary, elf, error);
	if (code == ERROR_NONE && binary->section_count == 0 && binary->use == BINARY_LOADED)
		code = infer_sections(binary, elf, error);
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

/* Everything is copied now, because an Elf handle is for one thread, a binary for all. */
enum error_code
elf_read(struct binary *binary, struct error *error)
{
	if (!is_elf(binary))
		return ERROR_NOT_FOUND;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return fail(binary, "libelf is too old", error);
	errno = 0;
	Elf *elf = elf_memory((char *)(uintptr_t)binary->file.data, (size_t)binary->file.size);
	if (elf == NULL) {
		shortage_note(errno, NULL);
		return fail(binary, "the ELF file cannot be read", error);
	}
	enum error_code code = read_elf(binary, elf, error);
	elf_end(elf);
	return code;
}

size_t
elf_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES])
{
	const bool elf = head->size >= 4 && memcmp(head->data, "\177ELF", 4) == 0 &&
			 elf_version(EV_CURRENT) != EV_NONE;
	Elf *file = elf ? elf_memory((char *)(uintptr_t)head->data, (size_t)head->size) : NULL;
	uint64_t low = UINT64_MAX;
	GElf_Phdr header;
	size_t count = 0;

	for (int i = 0; file != NULL && i < (int)BINARY_PIECES &&
			gelf_getphdr(file, i, &header) != NULL; i++) {
		if (header.p_type != PT_LOAD)
			continue;
		const uint64_t start = header.p_vaddr & ~(uint64_t)(PAGE_SIZE - 1);

		low = start < low ? start : low;
		pieces[count++] = (struct binary_piece){
			.address = header.p_vaddr, .offset = header.p_offset,
			.size = header.p_filesz, .executable = (header.p_flags & PF_X) != 0 };
	}
	for (size_t i = 0; i < count; i++)
		pieces[i].address -= low;
	elf_end(file);
	return count;
}

#else

size_t
elf_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES])
{
	(void)head;
	(void)pieces;
	return 0;
}

enum error_code
elf_read(struct binary *binary, struct error *error)
{
	if (!is_elf(binary))
		return ERROR_NOT_FOUND;
	return error_set(error, ERROR_FORMAT, (struct place){ .input = &binary->file.input },
			 "an ELF file, and this unspool was built without libelf");
}

#endif
