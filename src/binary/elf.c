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

#else

enum error_code
elf_read(struct binary *binary, struct error *error)
{
	if (!is_elf(binary))
		return ERROR_NOT_FOUND;
	return error_set(error, ERROR_FORMAT, (struct place){ .input = &binary->file.input },
			 "an ELF file, and this unspool was built without libelf");
}

#endif
