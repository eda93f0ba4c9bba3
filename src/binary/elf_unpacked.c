/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "binary/elf_unpacked.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifdef HAVE_ELF
#include <libelf.h>
#endif

#include "base/checked.h"
#include "base/limits.h"
#include "binary/binary_internal.h"
#include "system/inflate.h"
#include "system/shortage.h"

/* Alignment of each section's first byte. */
#define ALIGNMENT 16u
/* First bytes of a `.zdebug_` section, before its size in eight bytes. */
#define GNU_MAGIC "ZLIB"
/* Most sections in a new file: one for each name. */
#define MOST_SECTIONS 64u

#define NAMES ".shstrtab"

/* A type that elf.h of some systems lacks. */
#define TYPE_ZSTD 2u

/* Offsets of the fields used (gABI, ELF Header and Section Header). */
struct elf_fields {
	uint8_t header, section, word;	/* bytes */
	uint8_t e_phoff, e_shoff, e_ehsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
	uint8_t sh_offset, sh_size, ch_size, chdr;
};

static const struct elf_fields layouts[] = {
	{ 52, 40, 4, 28, 32, 40, 44, 46, 48, 50, 16, 20, 4, 12 },
	{ 64, 64, 8, 32, 40, 52, 56, 58, 60, 62, 24, 32, 8, 24 },
};

/* A section of the new file: its bytes in the old one, and its size when unpacked. */
struct made_section {
	struct elf_part part;
	uint64_t whole;
	uint32_t type;			/* ELFCOMPRESS_...; 0: plain bytes */
};

struct making {
	const struct binary *like;
	const struct elf_fields *layout;
	struct made_section sections[MOST_SECTIONS];
	size_t count;
	uint8_t *to;
	uint64_t names, end;		/* place of the names, and end of the used space */
	struct elf_damage damage;
};

static void
put(const struct making *making, uint64_t at, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++) {
		const unsigned byte = making->like->big_endian ? width - 1 - i : i;

		making->to[at + i] = (uint8_t)(value >> 8 * byte);
	}
}

static bool
is_wanted(const char *name, const char *const *names)
{
	if (strcmp(name, ".gnu_debugaltlink") == 0 || strcmp(name, ".debug_sup") == 0)
		return true;
	name += strncmp(name, ".z", 2) == 0;
	if (*name == '\0' || strncmp(name + 1, "debug_", 6) != 0)
		return false;
	for (name += 7; *names != NULL; names++) {
		const size_t length = strlen(*names);

		if (strncmp(name, *names, length) == 0 &&
		    (name[length] == '\0' || strcmp(name + length, ".dwo") == 0))
			return true;
	}
	return false;
}

uint64_t
elf_unpacked_limit(uint64_t size)
{
	return size > UINT64_MAX / LIMIT_SECTION_RATIO - LIMIT_SECTION_FREE
		       ? UINT64_MAX : LIMIT_SECTION_FREE + size * LIMIT_SECTION_RATIO;
}

/* Find a section's bytes. False if there are none or they are damaged. */
static bool
find_bytes(const struct making *making, const struct binary_section *from,
	   struct made_section *section)
{
	const bool elf = making->like->format == BINARY_ELF;
	const struct reader head = { .data = from->data, .size = from->size,
				     .big_endian = making->like->big_endian };
	uint64_t skip = 0;

	*section = (struct made_section){ .part = { from->name, from->data, from->size },
					  .whole = from->size };
	if (from->data == NULL)
		return from->size == 0;
	if (elf && (from->flags & SHF_COMPRESSED) != 0) {
		skip = making->layout->chdr;
		/*
		 * Type 0 is invalid here: its bytes would be taken as uncompressed, without using
		 * `whole`.
		 */
		if (!reader_u32(&head, 0, &section->type) ||
		    !reader_unsigned(&head, making->layout->ch_size, making->layout->word,
				     &section->whole) || section->type == 0)
			return false;
	} else if (strncmp(from->name, ".z", 2) == 0 && from->size > 12 &&
		   memcmp(from->data, GNU_MAGIC, 4) == 0) {
		skip = 12;
		section->type = ELFCOMPRESS_ZLIB;
		section->whole = 0;
		for (unsigned i = 4; i < skip; i++)
			section->whole = section->whole << 8 | from->data[i];
	}
	if (from->size < skip)
		return false;
	section->part.data += skip;
	section->part.size -= skip;
	return section->type == 0 || section->whole <= elf_unpacked_limit(section->part.size);
}

/* Record the first omitted section. */
static void
note_damage(struct making *making, const struct made_section *section)
{
	if (making->damage.binary == NULL)
		making->damage = (struct elf_damage){ making->like, section->part.name,
						      section->whole };
}

static bool
copy_bytes(const struct made_section *section, uint8_t *to)
{
	const struct elf_part *part = &section->part;

	if (section->type == 0 && part->size > 0)
		memcpy(to, part->data, (size_t)part->size);
	return section->type == 0 ||
	       (section->type == ELFCOMPRESS_ZLIB &&
		inflate_exactly(false, part->data, part->size, to, section->whole)) ||
	       (section->type == TYPE_ZSTD &&
		inflate_exactly(true, part->data, part->size, to, section->whole));
}

/* The size of the file, with one more section for the names; 0: too large. */
static uint64_t
size_of(const struct making *making)
{
	uint64_t size = making->layout->header + (making->count + 2) * making->layout->section +
			1 + sizeof(NAMES);

	for (size_t i = 0; i < making->count; i++) {
		size += strlen(making->sections[i].part.name) + 1 + ALIGNMENT;
		if (!checked_add(size, making->sections[i].whole, &size))
			return 0;
	}
	return size <= inflate_limit() ? size : 0;
}

static void
put_header(const struct making *making)
{
	const struct elf_fields *layout = making->layout;
	const struct binary *like = making->like;

	if (like->format == BINARY_ELF) {
		memcpy(making->to, like->file.data, layout->header);
	} else {
		memcpy(making->to, ELFMAG, SELFMAG);
		making->to[EI_CLASS] = like->word_size == 8 ? ELFCLASS64 : ELFCLASS32;
		making->to[EI_DATA] = like->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
		making->to[EI_VERSION] = EV_CURRENT;
		put(making, 16, 2, ET_DYN);
		put(making, 18, 2, binary_arch(like)->elf_machine);
		put(making, 20, 4, EV_CURRENT);
		put(making, layout->e_ehsize, 2, layout->header);
	}
	put(making, layout->e_phoff, layout->word, 0);
	put(making, layout->e_phnum, 2, 0);
	put(making, layout->e_shoff, layout->word, layout->header);
	put(making, layout->e_shentsize, 2, layout->section);
	put(making, layout->e_shnum, 2, making->count + 2);
	put(making, layout->e_shstrndx, 2, making->count + 1);
}

/* Write a section's header, and append its name. */
static void
put_section(struct making *making, size_t number, uint64_t *name, const struct elf_part *part,
	    uint32_t type, uint64_t size)
{
	const char *text = part->name;
	const struct elf_fields *layout = making->layout;
	const uint64_t header = layout->header + number * layout->section;
	/* The name `.zdebug_info` becomes `.debug_info`. */
	const size_t skip = strncmp(text, ".z", 2) == 0, length = strlen(text) - skip;

	memcpy(making->to + making->names + *name, text + skip, length);
	making->to[making->names + *name] = '.';
	put(making, header, 4, *name);
	put(making, header + 4, 4, type);
	put(making, header + layout->sh_offset - layout->word, layout->word, part->address);
	put(making, header + layout->sh_offset, layout->word,
	    type == SHT_STRTAB ? making->names : making->end);
	put(making, header + layout->sh_size, layout->word, size);
	*name += length + 1;
}

/* Zeroed pages; NULL: no memory. */
static void *
new_pages(uint64_t size)
{
	void *pages = size == 0 ? MAP_FAILED
				: mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED && size != 0)
		shortage_note(errno, NULL);
	return pages == MAP_FAILED ? NULL : pages;
}

static bool
make(struct making *making, struct elf_unpacked *made)
{
	const struct elf_fields *layout = making->layout;
	const uint64_t size = size_of(making);
	uint64_t name = 1;

	void *bytes = new_pages(size);
	if (bytes == NULL)
		return false;
	making->to = bytes;
	put_header(making);
	making->names = layout->header + (making->count + 2) * layout->section;
	making->end = making->names + 1 + sizeof(NAMES);
	for (size_t i = 0; i < making->count; i++)
		making->end += strlen(making->sections[i].part.name) + 1;
	for (size_t i = 0; i < making->count; i++) {
		const struct made_section *section = &making->sections[i];

		making->end = (making->end | (ALIGNMENT - 1)) + 1;
		const bool good = copy_bytes(section, making->to + making->end);
		if (!good)
			note_damage(making, section);
		put_section(making, i + 1, &name, &section->part,
			    good ? SHT_PROGBITS : SHT_NOBITS, section->whole);
		making->end += section->whole;
	}
	put_section(making, making->count + 1, &name, &(struct elf_part){ .name = NAMES },
		    SHT_STRTAB, name + sizeof(NAMES));
	*made = (struct elf_unpacked){ bytes, (size_t)size, (size_t)size, making->damage };
	return true;
}

bool
elf_unpack(struct elf_unpacked *unpacked, const struct binary *binary, const char *const *names)
{
	struct making making = { .like = binary, .layout = &layouts[binary->word_size == 8] };

	*unpacked = (struct elf_unpacked){ .data = (char *)(uintptr_t)binary->file.data,
					   .size = (size_t)binary->file.size };
	if (binary->format == BINARY_ELF && !binary->packed)
		return true;
	for (size_t i = 0; i < binary->section_count && making.count < MOST_SECTIONS; i++) {
		const struct binary_section *from = &binary->sections[i];
		struct made_section *section = &making.sections[making.count];

		if (from->no_bits || !is_wanted(from->name, names))
			continue;
		if (find_bytes(&making, from, section))
			making.count++;
		else
			note_damage(&making, section);
	}
	return (binary->format == BINARY_ELF || making.count > 0) && make(&making, unpacked);
}

bool
elf_section_bytes(struct elf_bytes *bytes, const struct binary *binary,
		  const struct binary_section *section)
{
	const struct making making = { .like = binary, .layout = &layouts[binary->word_size == 8] };
	struct made_section found;

	const bool any = find_bytes(&making, section, &found);
	*bytes = (struct elf_bytes){ .size = found.whole };
	if (!any)
		return false;
	if (found.type == 0) {
		*bytes = (struct elf_bytes){ found.part.data, found.part.size, 0 };
		return true;
	}
	void *room = found.whole > inflate_limit() ? NULL : new_pages(found.whole);
	if (room == NULL)
		return false;
	*bytes = (struct elf_bytes){ room, found.whole, found.whole };
	if (copy_bytes(&found, room))
		return true;
	elf_bytes_free(bytes);
	bytes->size = found.whole;
	return false;
}

void
elf_bytes_free(struct elf_bytes *bytes)
{
	if (bytes->mapped != 0)
		munmap((void *)(uintptr_t)bytes->data, (size_t)bytes->mapped);
	*bytes = (struct elf_bytes){ 0 };
}

bool
elf_make(struct elf_unpacked *made, const struct binary *like, const struct elf_part *parts,
	 size_t count)
{
	struct making making = { .like = like, .layout = &layouts[like->word_size == 8] };

	for (; making.count < count && making.count < MOST_SECTIONS; making.count++)
		making.sections[making.count] = (struct made_section){
			.part = parts[making.count], .whole = parts[making.count].size };
	return make(&making, made);
}

#ifdef HAVE_ELF
struct Elf *
elf_open(const void *data, size_t size)
{
	errno = 0;
	Elf *elf = elf_memory((char *)(uintptr_t)data, size);

	if (elf == NULL)
		shortage_note(errno, NULL);
	return elf;
}
#endif

void
elf_unpacked_free(struct elf_unpacked *unpacked)
{
	if (unpacked->mapped != 0)
		munmap(unpacked->data, unpacked->mapped);
	unpacked->mapped = 0;
}
