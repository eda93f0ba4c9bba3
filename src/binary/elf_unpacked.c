/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/elf_unpacked.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "binary/binary_internal.h"
#include "system/inflate.h"

/* Bytes that each section's first one is a multiple of. */
#define ALIGNMENT 16u
/* Bytes that zlib cannot make more of one (RFC 1951: 258 of two bits). */
#define MOST_RATIO 1032u
/* What `.zdebug_` sections begin with, before their size in eight bytes. */
#define GNU_MAGIC "ZLIB"

/* A type that elf.h of some systems lacks. */
#define TYPE_ZSTD 2u

/* Where the fields stand that are read and written (gABI, ELF Header and Section Header). */
struct elf_fields {
	uint8_t header, section, word;	/* bytes */
	uint8_t e_phoff, e_shoff, e_phnum, e_shnum;
	uint8_t sh_flags, sh_offset, sh_size, ch_size, chdr;
};

static const struct elf_fields layouts[] = {
	{ 52, 40, 4, 28, 32, 44, 48, 8, 16, 20, 4, 12 },
	{ 64, 64, 8, 32, 40, 56, 60, 8, 24, 32, 8, 24 },
};

struct unpacking {
	const struct binary *binary;
	const struct elf_fields *layout;
	struct reader file;
	uint8_t *to;
	uint64_t table;			/* of the section headers in the file */
	uint64_t count, names;		/* sections, and which one has their names */
	uint64_t size;			/* of what is made, as far as it is laid out */
	struct elf_damage damage;
};

/* A section's bytes in the file, and how many they are unpacked. */
struct packed_section {
	const uint8_t *data;
	uint64_t size, whole;
	uint32_t type;			/* ELFCOMPRESS_...; 0: plain bytes */
};

static void
put(const struct unpacking *work, uint64_t at, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++) {
		const unsigned byte = work->binary->big_endian ? width - 1 - i : i;

		work->to[at + i] = (uint8_t)(value >> 8 * byte);
	}
}

static uint64_t
get(const struct unpacking *work, uint64_t at, unsigned width)
{
	uint64_t value = 0;

	reader_unsigned(&work->file, at, width, &value);
	return value;
}

static uint64_t
header_of(const struct unpacking *work, uint64_t number)
{
	return work->table + number * work->layout->section;
}

/* A section's name in the file; "" where it has none. */
static const char *
name_of(const struct unpacking *work, uint64_t number)
{
	const uint64_t names = header_of(work, work->names);
	const uint64_t start = get(work, names + work->layout->sh_offset, work->layout->word);
	const uint64_t size = get(work, names + work->layout->sh_size, work->layout->word);
	const uint64_t at = get(work, header_of(work, number), 4);

	return checked_within(start, size, work->file.size) && at < size &&
			       memchr(work->file.data + start + at, '\0', size - at) != NULL
		       ? (const char *)work->file.data + start + at : "";
}

static bool
is_wanted(const struct unpacking *work, uint64_t number, const char *const *names)
{
	const char *name = name_of(work, number);

	if (number == work->names || strcmp(name, ".gnu_debugaltlink") == 0 ||
	    strcmp(name, ".debug_sup") == 0)
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

/* Find a section's bytes; false where there are none that can be had. */
static bool
find_bytes(const struct unpacking *work, uint64_t number, struct packed_section *packed)
{
	const struct elf_fields *layout = work->layout;
	const uint64_t header = header_of(work, number);
	const uint64_t offset = get(work, header + layout->sh_offset, layout->word);
	uint64_t head = 0;

	*packed = (struct packed_section){ .size = get(work, header + layout->sh_size, layout->word) };
	packed->whole = packed->size;
	if (get(work, header + 4, 4) == SHT_NOBITS ||
	    !checked_within(offset, packed->size, work->file.size))
		return false;
	packed->data = work->file.data + offset;
	if ((get(work, header + layout->sh_flags, layout->word) & SHF_COMPRESSED) != 0) {
		head = layout->chdr;
		packed->type = (uint32_t)get(work, offset, 4);
		packed->whole = get(work, offset + layout->ch_size, layout->word);
	} else if (strncmp(name_of(work, number), ".z", 2) == 0 && packed->size > 12 &&
		   memcmp(packed->data, GNU_MAGIC, 4) == 0) {
		head = 12;
		packed->type = ELFCOMPRESS_ZLIB;
		packed->whole = 0;
		for (unsigned i = 4; i < head; i++)
			packed->whole = packed->whole << 8 | packed->data[i];
	}
	if (packed->size < head)
		return false;
	packed->data += head;
	packed->size -= head;
	return packed->whole / MOST_RATIO <= packed->size;
}

static bool
copy_bytes(const struct packed_section *packed, uint8_t *to)
{
	if (packed->type == 0)
		memcpy(to, packed->data, (size_t)packed->whole);
	return packed->type == 0 ||
	       (packed->type == ELFCOMPRESS_ZLIB &&
		inflate_exactly(false, packed->data, packed->size, to, packed->whole)) ||
	       (packed->type == TYPE_ZSTD &&
		inflate_exactly(true, packed->data, packed->size, to, packed->whole));
}

/* Lay out what is wanted of the file; it fits into memory where this is true. */
static bool
plan(struct unpacking *work, const char *const *names)
{
	struct packed_section packed;

	work->size = work->layout->header + work->count * work->layout->section;
	for (uint64_t i = 1; i < work->count; i++) {
		if (!is_wanted(work, i, names) || !find_bytes(work, i, &packed))
			continue;
		work->size = (work->size | (ALIGNMENT - 1)) + 1;
		if (!checked_add(work->size, packed.whole, &work->size))
			return false;
	}
	return work->size <= inflate_limit();
}

/* Put the sections where plan() counted them, and what is not wanted has no bytes any more. */
static void
fill(struct unpacking *work, const char *const *names)
{
	const struct elf_fields *layout = work->layout;
	uint64_t end = layout->header + work->count * layout->section;
	struct packed_section packed;

	memcpy(work->to, work->file.data, layout->header);
	memcpy(work->to + layout->header, work->file.data + work->table, end - layout->header);
	put(work, layout->e_phoff, layout->word, 0);
	put(work, layout->e_phnum, 2, 0);
	put(work, layout->e_shoff, layout->word, layout->header);
	put(work, layout->e_shnum, 2, work->count);
	for (uint64_t i = 1; i < work->count; i++) {
		const uint64_t header = layout->header + i * layout->section;
		const bool wanted = is_wanted(work, i, names) &&
				    get(work, header_of(work, i) + 4, 4) != SHT_NOBITS;
		const bool has = wanted && find_bytes(work, i, &packed);

		put(work, header + layout->sh_flags, layout->word, 0);
		if (has) {
			end = (end | (ALIGNMENT - 1)) + 1;
			put(work, header + layout->sh_offset, layout->word, end);
			put(work, header + layout->sh_size, layout->word, packed.whole);
		}
		const bool good = has && copy_bytes(&packed, work->to + end);
		if (!good)
			put(work, header + 4, 4, SHT_NOBITS);
		if (wanted && !good && work->damage.binary == NULL)
			work->damage = (struct elf_damage){ work->binary, name_of(work, i),
							    packed.whole };
		end += has ? packed.whole : 0;
	}
}

/* Call `.zdebug_info` what it is now: its name begins one byte later. */
static void
rename_sections(struct unpacking *work)
{
	const struct elf_fields *layout = work->layout;
	const uint64_t names = layout->header + work->names * layout->section;
	const struct reader made = { .data = work->to, .size = work->size,
				     .big_endian = work->binary->big_endian };
	uint64_t start = 0;

	reader_unsigned(&made, names + layout->sh_offset, layout->word, &start);
	for (uint64_t i = 1; i < work->count; i++) {
		const uint64_t at = get(work, header_of(work, i), 4);

		if (strncmp(name_of(work, i), ".zdebug_", 8) != 0)
			continue;
		put(work, layout->header + i * layout->section, 4, at + 1);
		work->to[start + at + 1] = '.';
	}
}

bool
elf_unpack(struct elf_unpacked *unpacked, const struct binary *binary, const char *const *names)
{
	struct unpacking work = { .binary = binary, .layout = &layouts[binary->word_size == 8],
				  .file = binary_reader(binary) };
	const struct elf_fields *layout = work.layout;

	*unpacked = (struct elf_unpacked){ .data = (char *)(uintptr_t)binary->file.data,
					   .size = (size_t)binary->file.size };
	if (!binary->packed)
		return true;
	work.table = get(&work, layout->e_shoff, layout->word);
	work.count = get(&work, layout->e_shnum, 2);
	work.names = get(&work, layout->e_shnum + 2u, 2);
	if (work.names >= work.count ||
	    !checked_within(work.table, work.count * layout->section, work.file.size) ||
	    !plan(&work, names))
		return false;
	void *made = mmap(NULL, (size_t)work.size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return false;
	work.to = made;
	fill(&work, names);
	rename_sections(&work);
	*unpacked = (struct elf_unpacked){ made, (size_t)work.size, (size_t)work.size,
					   work.damage };
	return true;
}

void
elf_unpacked_free(struct elf_unpacked *unpacked)
{
	if (unpacked->mapped != 0)
		munmap(unpacked->data, unpacked->mapped);
	unpacked->mapped = 0;
}
