/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/identity.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/place.h"
#include "base/reader.h"
#include "binary/binary.h"

/* .dynamic (gABI, Dynamic Section). */
#define SECTION_DYNAMIC 6u
#define TAG_SONAME 14u

/* Breakpad's file_id.cc folds so many bytes of .text into so many bytes. */
#define FOLDED 16u
#define MOST_FOLDED 4096u

static struct reader
section_reader(const struct binary *binary, const struct binary_section *section)
{
	return (struct reader){ .input = &binary->file.input, .data = section->data,
				.size = section->size, .start = section->offset,
				.big_endian = binary->big_endian };
}

/* DT_SONAME; NULL: it is missing or cannot be a file's name. */
static const char *
soname_of(const struct binary *binary)
{
	const struct binary_section *dynamic = binary_section(binary, SECTION_DYNAMIC, NULL);
	const struct binary_section *strings = binary_section(binary, 0, ".dynstr");
	const unsigned word = binary->word_size;
	uint64_t tag, value;

	if (dynamic == NULL || dynamic->data == NULL || strings == NULL || strings->data == NULL)
		return NULL;
	const struct reader reader = section_reader(binary, dynamic);
	for (uint64_t at = 0; reader_unsigned(&reader, at, word, &tag) && tag != 0;
	     at += 2 * word) {
		if (tag != TAG_SONAME || !reader_unsigned(&reader, at + word, word, &value) ||
		    value >= strings->size)
			continue;
		const char *name = (const char *)strings->data + value;
		const char *end = memchr(name, '\0', (size_t)(strings->size - value));
		return end != NULL && end != name && strchr(name, '/') == NULL ? name : NULL;
	}
	return NULL;
}

/* An ELF file without a build ID: 16 bytes of its code folded together. */
static void
fold_code(const struct binary *binary, char hex[2 * FOLDED + 1])
{
	const struct binary_section *text = binary_section(binary, 0, ".text");
	uint8_t folded[FOLDED] = { 0 };

	const uint64_t size = text != NULL && text->data != NULL ? text->size : 0;
	for (uint64_t i = 0; i < size && i < MOST_FOLDED; i++)
		folded[i % FOLDED] ^= text->data[i];
	for (unsigned i = 0; i < FOLDED; i++)
		snprintf(hex + 2 * i, 3, "%02x", folded[i]);
}

void
module_identity_read(struct module_identity *identity, const struct binary *binary,
		     const char *path)
{
	const bool elf = binary->format == BINARY_ELF;
	const char *name = elf ? soname_of(binary) : NULL;
	char folded[2 * FOLDED + 1], guid[BINARY_DEBUG_ID];
	const char *id = binary->id;

	*identity = (struct module_identity){ .name = name != NULL ? name : place_base_name(path) };
	if (binary->format == BINARY_PDB)
		id = "";
	if (elf && *id == '\0') {
		fold_code(binary, folded);
		id = folded;
	}
	for (size_t i = 0; id[i] != '\0' && i + 1 < sizeof(identity->code_id); i++)
		identity->code_id[i] = (char)toupper((unsigned char)id[i]);
	if (!elf) {
		/* The form of symbol servers for binaries: only the time stamp is in upper case. */
		snprintf(identity->code_id, sizeof(identity->code_id), "%s", id);
		if (*binary->debug_id != '\0') {
			snprintf(identity->id, sizeof(identity->id), "%s", binary->debug_id);
			return;
		}
		id = "";
	}
	binary_guid(id, guid);
	for (size_t i = 0; guid[i] != '\0'; i++)
		identity->id[i] = (char)toupper((unsigned char)guid[i]);
	memcpy(identity->id + strlen(guid), "0", 2);
}
