/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/elf_unpacked.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/limits.h"
#include "base/reader.h"
#include "system/inflate.h"
#include "system/shortage.h"

/* First bytes of a `.zdebug_` section, before its size in eight big-endian bytes. */
#define GNU_MAGIC "ZLIB"
#define GNU_HEADER 12u

/* A type that elf.h of some systems lacks. */
#define TYPE_ZSTD 2u

/* The stored bytes of a section, and its size when decompressed. */
struct stored_bytes {
	const uint8_t *data;
	uint64_t size, whole;
	uint32_t type;			/* ELFCOMPRESS_...; 0: not compressed */
};

uint64_t
elf_unpacked_limit(uint64_t size)
{
	return size > UINT64_MAX / LIMIT_SECTION_RATIO - LIMIT_SECTION_FREE
		       ? UINT64_MAX : LIMIT_SECTION_FREE + size * LIMIT_SECTION_RATIO;
}

uint64_t
elf_unpacked_most(const struct binary *binary)
{
	const struct file *file = &binary->file;

	return elf_unpacked_limit(file->stored != 0 ? file->stored : file->size);
}

/* Find a section's stored bytes. False if the file lacks them or they are damaged. */
static bool
find_stored(struct stored_bytes *stored, const struct binary *binary,
	    const struct binary_section *section)
{
	const bool elf = binary->format == BINARY_ELF;
	/* The offset and the size of ch_size are both the size of a word (gABI). */
	const unsigned word = binary->word_size;
	struct reader head = { .data = section->data, .size = section->size };
	uint64_t skip = 0;

	*stored = (struct stored_bytes){ section->data, section->size, section->size, 0 };
	if (section->data == NULL)
		return section->size == 0;
	if (elf && (section->flags & SHF_COMPRESSED) != 0) {
		skip = 3 * word;
		head.big_endian = binary->big_endian;
		/* Type 0 is invalid here: it would mean bytes that are not compressed. */
		if (!reader_u32(&head, 0, &stored->type) ||
		    !reader_unsigned(&head, word, word, &stored->whole) || stored->type == 0)
			return false;
	} else if (strncmp(section->name, ".z", 2) == 0 && section->size > GNU_HEADER &&
		   memcmp(section->data, GNU_MAGIC, 4) == 0) {
		skip = GNU_HEADER;
		head.big_endian = true;
		stored->type = ELFCOMPRESS_ZLIB;
		reader_unsigned(&head, 4, 8, &stored->whole);
	}
	if (section->size < skip)
		return false;
	stored->data += skip;
	stored->size -= skip;
	return stored->type == 0 || (stored->whole <= elf_unpacked_limit(stored->size) &&
				     stored->whole <= elf_unpacked_most(binary));
}

bool
elf_section_bytes(struct elf_bytes *bytes, const struct binary *binary,
		  const struct binary_section *section)
{
	struct stored_bytes stored;

	const bool found = find_stored(&stored, binary, section);
	*bytes = (struct elf_bytes){ .size = stored.whole };
	if (found && stored.type == 0)
		bytes->data = stored.data;
	if (!found || stored.type == 0)
		return found;
	if (stored.whole == 0 || stored.whole > inflate_limit() ||
	    (stored.type != ELFCOMPRESS_ZLIB && stored.type != TYPE_ZSTD))
		return false;
	void *pages = mmap(NULL, (size_t)stored.whole, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED) {
		shortage_note(errno, NULL);
		return false;
	}
	if (!inflate_exactly(stored.type == TYPE_ZSTD, stored.data, stored.size, pages,
			     stored.whole)) {
		munmap(pages, (size_t)stored.whole);
		return false;
	}
	bytes->data = pages;
	bytes->mapped = stored.whole;
	return true;
}

void
elf_bytes_free(struct elf_bytes *bytes)
{
	if (bytes->mapped != 0)
		munmap((void *)(uintptr_t)bytes->data, (size_t)bytes->mapped);
	*bytes = (struct elf_bytes){ 0 };
}
