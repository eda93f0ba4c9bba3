/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_IMAGE_H
#define TESTS_UNIT_BINARY_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** ELF and PE files made in a test. Their layouts are written here again from the System V gABI and
 * Microsoft's PE Format, so that no reader is tested against itself. */

#define IMAGE_NOTE 0x100u
#define IMAGE_CODE 0x200u	/* byte i of the code is i */
#define IMAGE_CODE_SIZE 0x100u
#define IMAGE_DATA 0x300u
#define IMAGE_NAMES 0x340u
#define IMAGE_TABLE 0x400u
#define IMAGE_SYMBOLS 0x600u
#define IMAGE_STRINGS 0x700u
#define IMAGE_BASE 0x400000u

struct image {
	uint8_t bytes[8192];
	size_t size;
	bool wide, big;
	unsigned at;			/* where `field` writes next */
};

/** Write `size` bytes of a value. */
static inline void
image_put(struct image *image, unsigned at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		image->bytes[at + (image->big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static inline void
image_field(struct image *image, unsigned size, uint64_t value)
{
	image_put(image, image->at, size, value);
	image->at += size;
}

/** The number of an ELF word: 8 bytes in a wide image. */
static inline void
image_word(struct image *image, uint64_t value)
{
	image_field(image, image->wide ? 8 : 4, value);
}

static inline void
image_segment(struct image *image, uint32_t type, uint32_t flags, uint32_t offset,
	      uint32_t address, uint32_t file_size, uint32_t size)
{
	image_field(image, 4, type);
	if (image->wide)
		image_field(image, 4, flags);
	image_word(image, offset);
	image_word(image, address);
	image_word(image, address);
	image_word(image, file_size);
	image_word(image, size);
	if (!image->wide)
		image_field(image, 4, flags);
	image_word(image, 4);
}

static inline void
image_section(struct image *image, uint32_t name, uint32_t type, uint32_t flags, uint32_t address, uint32_t offset, uint32_t size)
{
	image_field(image, 4, name);
	image_field(image, 4, type);
	image_word(image, flags);
	image_word(image, address);
	image_word(image, offset);
	image_word(image, size);
	image_field(image, 4, 0);
	image_field(image, 4, 0);
	image_word(image, 4);
	image_word(image, 0);
}

/** The offset at which the program headers and the sections of an image begin. */
static inline unsigned
image_headers(const struct image *image)
{
	return image->wide ? 64 : 52;
}

static inline unsigned
image_header_size(const struct image *image)
{
	return image->wide ? 56 : 32;
}

static inline unsigned
image_section_size(const struct image *image)
{
	return image->wide ? 64 : 40;
}

static inline void
image_elf_header(struct image *image, uint16_t machine, unsigned sections)
{
	const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', image->wide ? 2 : 1, image->big ? 2 : 1, 1 };

	memcpy(image->bytes, ident, sizeof(ident));
	image->at = sizeof(ident);
	image_field(image, 2, 3);			/* e_type: a shared object */
	image_field(image, 2, machine);
	image_field(image, 4, 1);			/* e_version */
	image_word(image, IMAGE_BASE + IMAGE_CODE);	/* e_entry */
	image_word(image, image_headers(image));	/* e_phoff */
	image_word(image, sections != 0 ? IMAGE_TABLE : 0);
	image_field(image, 4, 0);			/* e_flags */
	image_field(image, 2, image_headers(image));	/* e_ehsize */
	image_field(image, 2, image_header_size(image));
	image_field(image, 2, 3);			/* e_phnum */
	image_field(image, 2, image_section_size(image));
	image_field(image, 2, sections);
	image_field(image, 2, sections != 0 ? sections - 1 : 0);
}

static inline void
image_note(struct image *image, const uint8_t *id, unsigned id_size)
{
	image->at = IMAGE_NOTE;
	image_field(image, 4, 4);
	image_field(image, 4, id_size);
	image_field(image, 4, 3);			/* NT_GNU_BUILD_ID */
	memcpy(image->bytes + image->at, "GNU", 4);
	memcpy(image->bytes + image->at + 4, id, id_size);
}

/** An ELF file with read-only and writable segments, a build ID of `id_size` bytes (0: none) and six sections: .note.gnu.build-id,
 * .text, .data, .bss, .zdebug_info and the names. With `debug_only` it has no code, like a file from objcopy --only-keep-debug. */
static inline void
image_elf(struct image *image, bool wide, bool big, uint16_t machine, const uint8_t *id, unsigned id_size, bool debug_only)
{
	static const char names[] = "\0.note.gnu.build-id\0.text\0.data\0.bss\0.zdebug_info\0.shstrtab";

	*image = (struct image){ .wide = wide, .big = big };
	image_elf_header(image, machine, 7);
	image->at = image_headers(image);
	image_segment(image, 1, 5, 0, IMAGE_BASE, IMAGE_DATA, IMAGE_DATA);
	image_segment(image, 1, 6, IMAGE_DATA, IMAGE_BASE + 0x1300, 0x40, 0x80);
	image_segment(image, id_size != 0 ? 4 : 0, 4, IMAGE_NOTE, IMAGE_BASE + IMAGE_NOTE, 16 + id_size, 16 + id_size);
	if (id_size != 0)
		image_note(image, id, id_size);
	for (unsigned i = 0; i < IMAGE_CODE_SIZE; i++)
		image->bytes[IMAGE_CODE + i] = (uint8_t)i;
	memcpy(image->bytes + IMAGE_NAMES, names, sizeof(names));
	image->at = IMAGE_TABLE;
	image_section(image, 0, 0, 0, 0, 0, 0);
	image_section(image, 1, id_size != 0 ? 7 : 1, 2, IMAGE_BASE + IMAGE_NOTE, IMAGE_NOTE, 16 + id_size);
	image_section(image, 20, debug_only ? 8 : 1, 6, IMAGE_BASE + IMAGE_CODE, IMAGE_CODE, IMAGE_CODE_SIZE);
	image_section(image, 26, 1, 3, IMAGE_BASE + 0x1300, IMAGE_DATA, 0x40);
	image_section(image, 32, 8, 3, IMAGE_BASE + 0x1340, IMAGE_NAMES, 0x40);
	image_section(image, 37, 1, 0, 0, IMAGE_DATA, 0x10);
	image_section(image, 50, 3, 0, 0, IMAGE_NAMES, sizeof(names));
	image->size = image->at;
}

/** Add one section with a name and bytes, after those of image_elf; only once. */
static inline void
image_add_section(struct image *image, const char *name, const void *bytes, unsigned size)
{
	const unsigned names = IMAGE_TABLE + 8 * image_section_size(image), room = 0x80;
	const unsigned own = IMAGE_TABLE + 6 * image_section_size(image);

	memcpy(image->bytes + names, image->bytes + IMAGE_NAMES, 0x40);
	strcpy((char *)image->bytes + names + 0x40, name);
	memcpy(image->bytes + names + room, bytes, size);
	image->at = own;
	image_section(image, 50, 3, 0, 0, names, room);
	image_section(image, 0x40, 1, 0, 0, names + room, size);
	image_put(image, image->wide ? 0x3c : 0x30, 2, 8);
	image->size = names + room + size;
}

/** Replace section `index` of an image. */
static inline void
image_set_section(struct image *image, unsigned index, unsigned type, unsigned offset, unsigned size)
{
	const unsigned at = IMAGE_TABLE + index * image_section_size(image);
	const unsigned word = image->wide ? 8 : 4;

	image_put(image, at + 4, 4, type);
	image_put(image, at + 8, word, 0);
	image_put(image, at + (image->wide ? 24 : 16), word, offset);
	image_put(image, at + (image->wide ? 32 : 20), word, size);
}

static inline void
image_symbol(struct image *image, unsigned name, unsigned type, uint64_t value, uint64_t size, unsigned section)
{
	image_field(image, 4, name);
	if (!image->wide) {
		image_field(image, 4, value);
		image_field(image, 4, size);
	}
	image_field(image, 1, type | 1 << 4);
	image_field(image, 1, 0);
	image_field(image, 2, section);
	if (image->wide) {
		image_field(image, 8, value);
		image_field(image, 8, size);
	}
}

/** Make the symbols up to image->at, with these names, the symbol table of image_elf's file. */
static inline void
image_symbol_table(struct image *image, const char *names, unsigned size)
{
	image_set_section(image, 3, 2, IMAGE_SYMBOLS, image->at - IMAGE_SYMBOLS);
	image_set_section(image, 5, 3, IMAGE_STRINGS, size);
	memcpy(image->bytes + IMAGE_STRINGS, names, size);
	memcpy(image->bytes + IMAGE_NAMES + 37, ".strtab", sizeof(".strtab"));
	image->size = sizeof(image->bytes);
}

#define IMAGE_PE_CODE 0x400u	/* byte i of the code is i */
#define IMAGE_PE_DATA 0x600u
#define IMAGE_PE_TABLE(image) (0x98u + ((image)->wide ? 0xf0u : 0xe0u))

static inline void
image_pe_section(struct image *image, const char *name, uint32_t size, uint32_t address,
		 uint32_t raw_size, uint32_t raw, uint32_t flags)
{
	memcpy(image->bytes + image->at, name, strlen(name));
	image->at += 8;
	image_field(image, 4, size);
	image_field(image, 4, address);
	image_field(image, 4, raw_size);
	image_field(image, 4, raw);
	image->at += 12;
	image_field(image, 4, flags);
}

/** A PE file with .text, .data, .bss and one with a long name, which has the base relocations. */
static inline void
image_pe(struct image *image, bool wide, uint16_t machine, uint32_t timestamp, uint32_t image_size)
{
	*image = (struct image){ .wide = wide };
	image_put(image, 0, 2, 0x5a4d);
	image_put(image, 0x3c, 4, 0x80);
	image_put(image, 0x80, 4, 0x4550);
	image->at = 0x84;
	image_field(image, 2, machine);
	image_field(image, 2, 4);
	image_field(image, 4, timestamp);
	image_field(image, 4, 0x640);			/* symbols: one */
	image_field(image, 4, 1);
	image_field(image, 2, wide ? 0xf0 : 0xe0);
	image_field(image, 2, 0x22);
	image_put(image, 0x98, 2, wide ? 0x20b : 0x10b);
	image_put(image, 0x98 + (wide ? 24 : 28), wide ? 8 : 4, wide ? 0x140000000 : 0x400000);
	image_put(image, 0x98 + 56, 4, image_size);
	image_put(image, 0x98 + 60, 4, 0x400);
	image->at = IMAGE_PE_TABLE(image);
	image_pe_section(image, ".text", 0x180, 0x1000, 0x200, IMAGE_PE_CODE, 0x60000020);
	image_pe_section(image, ".data", 0x40, 0x2000, 0x40, IMAGE_PE_DATA, 0xc0000040);
	image_pe_section(image, ".bss", 0x100, 0x3000, 0, 0, 0xc0000080);
	image_pe_section(image, "/4", 0x10, 0x4000, 0x10, IMAGE_PE_DATA, 0x42000040);
	/* The relocation table is among the constants: three entries for the page of the code. */
	image_put(image, 0x98 + (wide ? 108 : 92), 4, 16);
	image_put(image, 0x98 + (wide ? 112 : 96) + 5 * 8, 8, 0x1000004000);
	image_put(image, IMAGE_PE_DATA, 8, 0x1000001000);
	image_put(image, IMAGE_PE_DATA + 8, 8, wide ? 0xa01fa0100000 : 0x301f30100000);
	for (unsigned i = 0; i < 0x200; i++)
		image->bytes[IMAGE_PE_CODE + i] = (uint8_t)i;
	image_put(image, 0x640 + 18, 4, 4 + 16);
	memcpy(image->bytes + 0x640 + 18 + 4, ".debug_framesxx", 13);
	image->size = 0x640 + 18 + 4 + 16;
}

#endif
