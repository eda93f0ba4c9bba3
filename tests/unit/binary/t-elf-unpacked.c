/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/elf_unpacked.h"

#include <zlib.h>

#include "base/limits.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

/* "abc" by hand: the header and a stored block of RFC 1950 and 1951, Adler-32 last; a raw block of
 * RFC 8878 with the content's size in the frame header. */
static const uint8_t zlib[] = { 0x78, 0x01, 1, 3, 0, 0xfc, 0xff, 'a', 'b', 'c', 2, 0x4d, 1, 0x27 };
static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 'a', 'b', 'c' };

static const uint8_t plain[] = { 'a', 'b', 'c' };

static const char names[] = "\0.debug_info\0.zdebug_line\0.debug_loc\0.debug_str\0.shstrtab";

enum { INFO = 0x100, LINE = 0x140, STRINGS = 0x180, PACKED = 0x800, SECTIONS = 6 };

/* Write the header of a compressed section (gABI) with a type and a claimed size. */
static unsigned
put_packed(struct image *image, uint32_t type, uint64_t claimed, const uint8_t *bytes, unsigned size)
{
	image->at = INFO;
	image_field(image, 4, type);
	if (image->wide)
		image_field(image, 4, 0);
	image_word(image, claimed);
	image_word(image, 1);
	memcpy(image->bytes + image->at, bytes, size);
	return image->at + size - INFO;
}

static void
make(struct image *image, uint32_t type, uint64_t claimed, const uint8_t *bytes, unsigned size)
{
	image_elf_header(image, 62, SECTIONS);
	const unsigned info = put_packed(image, type, claimed, bytes, size);
	memcpy(image->bytes + LINE, "ZLIB\0\0\0\0\0\0\0\3", 12);
	memcpy(image->bytes + LINE + 12, zlib, sizeof(zlib));
	memcpy(image->bytes + STRINGS, "text", 4);
	memcpy(image->bytes + IMAGE_NAMES, names, sizeof(names));
	image->at = IMAGE_TABLE;
	image_section(image, 0, 0, 0, 0, 0, 0);
	image_section(image, 1, 1, PACKED, 0, INFO, info);
	image_section(image, 13, 1, 0, 0, LINE, 12 + sizeof(zlib));
	image_section(image, 26, 1, 0, 0, STRINGS, 4);
	image_section(image, 37, 1, 0, 0, STRINGS, 4);
	image_section(image, 48, 3, 0, 0, IMAGE_NAMES, sizeof(names));
	image->size = image->at;
}

/* Whether a section of a file is decompressed to a text; else `claimed` is its expected size. */
static bool
holds(const struct binary *binary, const char *name, const char *text, uint64_t claimed)
{
	const struct binary_section *section = binary_section(binary, 1, name);
	struct elf_bytes found = { 0 };

	if (section == NULL)
		return false;
	const bool good = elf_section_bytes(&found, binary, section);
	const bool right = good ? found.size == strlen(text) && memcmp(found.data, text, strlen(text)) == 0
				: claimed != 0 && found.data == NULL && found.size == claimed;

	elf_bytes_free(&found);
	return right;
}

static void
test_kind(bool wide, bool big)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t claimed;
		const uint8_t *bytes;
		unsigned size;
		bool good;
	} kinds[] = {
		{ "zlib", 1, 3, zlib, sizeof(zlib), true }, { "zstd", 2, 3, zstd, sizeof(zstd), true },
		{ "an unknown type", 3, 3, zlib, sizeof(zlib), false }, { "too small a size", 1, 2, zlib, sizeof(zlib), false },
		{ "too large a size", 1, 4, zlib, sizeof(zlib), false }, { "zstd with another size", 2, 4, zstd, sizeof(zstd), false },
		{ "a size that zlib cannot reach", 1, 0x40000000, zlib, sizeof(zlib), false },
		{ "a truncated section", 1, 3, zlib, 9, false },
		{ "plain bytes without a compression type", 0, 3, plain, sizeof(plain), false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct image image = { .wide = wide, .big = big };
		struct binary *packed = NULL;

		make(&image, kinds[i].type, kinds[i].claimed, kinds[i].bytes, kinds[i].size);
		binary_from_memory(&packed, "packed", image.bytes, image.size, NULL);
		ok(packed != NULL && holds(packed, ".debug_info", "abc", kinds[i].good ? 0 : kinds[i].claimed) &&
		   (kinds[i].good || !holds(packed, ".debug_info", "abc", 0)),
		   "%d bits, %s endian: a section is decompressed or refused: %s", wide ? 64 : 32,
		   big ? "big" : "little", kinds[i].name);
		ok(packed != NULL && holds(packed, ".zdebug_line", "abc", 0) && holds(packed, ".debug_str", "text", 0),
		   "a section in GNU's format is decompressed, and a plain one stays");
		ok(packed != NULL && memcmp(packed->file.data, image.bytes, image.size) == 0, "the file's own bytes stay");
		binary_close(packed);
	}
}

/* The largest size of an unpacked section, and one byte more. The section has zeros, and some bytes follow the compressed data. */
TEST(limit)
{
	enum { LARGE = 2 << 20, HEADER = 24 };
	static uint8_t zeros[LARGE + 1], bytes[HEADER + LARGE];
	const size_t enough = (LARGE - LIMIT_SECTION_FREE) / LIMIT_SECTION_RATIO;
	const struct binary like = { .format = BINARY_ELF, .word_size = 8 };

	/* The third section is of a file that was itself compressed, to one byte too few. */
	for (size_t i = 0; i < 3; i++) {
		const uint64_t whole = LARGE + (i == 1);
		const struct binary holder = { .format = BINARY_ELF, .word_size = 8,
					       .file = { .size = enough, .stored = i == 2 ? enough - 1 : 0 } };
		uLongf packed = LARGE;
		struct elf_bytes found;

		memset(bytes, 0, sizeof(bytes));
		bytes[0] = 1;
		put_le(bytes + 8, whole, 4);
		compress(bytes + HEADER, &packed, zeros, (uLong)whole);
		const struct binary_section section = { .name = ".debug_info", .data = bytes, .size = HEADER + enough, .flags = 0x800 };
		const bool good = elf_section_bytes(&found, &holder, &section);
		ok(packed < enough && good == (i == 0) && (!good || found.size == whole),
		   i == 0 ? "the largest size of a byte is read" : "a larger size is not read");
		elf_bytes_free(&found);
	}
	const struct binary_section empty = { .name = ".debug_info" };
	struct elf_bytes found;
	ok(elf_section_bytes(&found, &like, &empty) && found.data == NULL, "an empty section is not damaged");
}

int
main(void)
{
	test_kind(true, false);
	test_kind(true, true);
	test_kind(false, false);
	test_kind(false, true);
	run_tests();
	return done_testing();
}

