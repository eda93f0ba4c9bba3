/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_PE_BYTES_H
#define TESTS_UNIT_BINARY_PE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The headers of small PE files by Microsoft's "PE Format": signature at 40, COFF header, optional
 * header of f0 bytes at 58, sections at 148, each with RAW bytes. */
enum { X86 = 0x14c, X64 = 0x8664, RAW = 0x200 };

static inline void
put(uint8_t *bytes, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void
put_section(uint8_t *bytes, unsigned number, const char *name, uint32_t address, uint32_t flags)
{
	const size_t at = 0x148 + number * 40u;

	memcpy(bytes + at, name, strlen(name));
	put(bytes, at + 8, 4, RAW);
	put(bytes, at + 12, 4, address);
	put(bytes, at + 16, 4, RAW);
	put(bytes, at + 20, 4, RAW * (number + 1));
	put(bytes, at + 36, 4, flags);
}

/** Write the headers before the sections; the place of the directories. */
static inline size_t
put_headers(uint8_t *bytes, unsigned machine, unsigned sections, uint64_t base, uint32_t size)
{
	const size_t directories = 0x58 + (machine == X64 ? 112 : 96);

	put(bytes, 0, 2, 0x5a4d);
	put(bytes, 0x3c, 4, 0x40);
	put(bytes, 0x40, 4, 0x4550);
	put(bytes, 0x44, 2, machine);
	put(bytes, 0x46, 2, sections);
	put(bytes, 0x54, 2, 0xf0);
	put(bytes, 0x58, 2, machine == X64 ? 0x20b : 0x10b);
	put(bytes, 0x58 + (machine == X64 ? 24 : 28), machine == X64 ? 8 : 4, base);
	put(bytes, 0x58 + 56, 4, size);
	put(bytes, 0x58 + 60, 4, RAW);
	put(bytes, directories - 4, 4, 16);
	return directories;
}

#endif
