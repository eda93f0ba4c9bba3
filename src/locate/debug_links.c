/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "locate/debug_links.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "binary/elf_unpacked.h"
#include "system/inflate.h"

#define LINK_SECTION ".gnu_debuglink"
#define SUPPLEMENT_SECTION ".gnu_debugaltlink"
#define MINI_SECTION ".gnu_debugdata"
/* zlib counts in 32 bits. */
#define CHECKSUM_STEP (1u << 30)

/* Opens a reader of a section's bytes, and returns the terminated text at its beginning. */
static const char *
open_section(const struct binary *binary, const char *name, struct reader *reader)
{
	const struct binary_section *section =
		binary->format == BINARY_ELF ? binary_section(binary, 0, name) : NULL;

	*reader = binary_section_bytes(binary, section, 0);
	return reader->data != NULL && memchr(reader->data, '\0', (size_t)reader->size) != NULL
		       ? (const char *)reader->data
		       : NULL;
}

bool
debug_link_read(const struct binary *binary, struct debug_link *link)
{
	struct reader reader;

	*link = (struct debug_link){ .name = open_section(binary, LINK_SECTION, &reader) };
	if (link->name == NULL)
		return false;
	const uint64_t at = (strlen(link->name) + 1 + 3) & ~(uint64_t)3;
	return *link->name != '\0' && reader_u32(&reader, at, &link->crc);
}

bool
debug_link_read_supplement(const struct binary *binary, struct debug_link *link)
{
	struct reader reader;

	*link = (struct debug_link){ .name = open_section(binary, SUPPLEMENT_SECTION, &reader) };
	if (link->name == NULL)
		return false;
	const size_t at = strlen(link->name) + 1, size = (size_t)(reader.size - at);
	if (size == 0 || size > LIMIT_BUILD_ID)
		return false;
	text_hex(reader.data + at, size, link->id);
	return true;
}

uint32_t
debug_link_checksum(const struct binary *binary)
{
	uint32_t crc = 0;

	for (uint64_t at = 0; at < binary->file.size; at += CHECKSUM_STEP) {
		const uint64_t left = binary->file.size - at;

		crc = inflate_crc32(crc, binary->file.data + at,
				    (uint32_t)(left < CHECKSUM_STEP ? left : CHECKSUM_STEP));
	}
	return crc;
}

static const struct binary_section *
mini_section(const struct binary *binary)
{
	return binary->format == BINARY_ELF ? binary_section(binary, 0, MINI_SECTION) : NULL;
}

bool
debug_link_has_mini(const struct binary *binary)
{
	const struct binary_section *section = mini_section(binary);

	return section != NULL && !section->no_bits;
}

enum error_code
debug_link_open_mini(struct binary **mini, const struct binary *binary, struct error *error)
{
	const struct binary_section *section = mini_section(binary);
	/* Tables of symbols, which take more memory than other sections, are compressed less. */
	const uint64_t most = section == NULL ? 0 : elf_unpacked_limit(section->size / 2);
	const struct place none = { 0 };
	struct inflated inflated;
	char name[512];

	*mini = NULL;
	if (section == NULL || section->data == NULL ||
	    inflate_identify(section->data, section->size) != INFLATE_XZ)
		return error_set(error, ERROR_FORMAT, none,
				 "its " MINI_SECTION " has no xz data");
	inflate_bytes(INFLATE_XZ, section->data, section->size,
		      most < LIMIT_MINI_DEBUG ? most : LIMIT_MINI_DEBUG, &inflated);
	snprintf(name, sizeof(name), "%.480s(" MINI_SECTION ")", binary->file.input.name);
	enum error_code code =
		inflated.end != INFLATE_WHOLE
			? error_set(error, ERROR_FORMAT, none,
				    "its " MINI_SECTION " cannot be decompressed: %s",
				    inflated.reason)
			: binary_from_memory(mini, name, inflated.data, (size_t)inflated.size,
					     error);
	inflate_free(&inflated);
	/* Reading a file with another word size or byte order would go wrong. */
	if (code == ERROR_NONE && ((*mini)->format != BINARY_ELF ||
				   (*mini)->word_size != binary->word_size ||
				   (*mini)->big_endian != binary->big_endian ||
				   (*mini)->machine != binary->machine))
		code = error_set(error, ERROR_FORMAT, none,
				 "its " MINI_SECTION " is for another machine");
	if (code == ERROR_NONE) {
		(*mini)->linked_base = binary->linked_base;
		(*mini)->file.stored = section->size;
		return code;
	}
	binary_close(*mini);
	*mini = NULL;
	return code;
}
