/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_MACH_IMAGE_H
#define TESTS_UNIT_BINARY_MACH_IMAGE_H

#include "base/reader.h"
#include "binary/binary.h"
#include "tests/lib/tap.h"

/** A Mach-O library written byte by byte from Apple's Mach-O File Format Reference: __TEXT at MACH_BASE with code, unwind
 * information and .eh_frame, __DATA, a UUID, symbols and function starts. */
enum {
	MACH_CODE = 0x400, MACH_CODE_SIZE = 0x200, MACH_UNWIND = 0x600, MACH_UNWIND_SIZE = 0x180,
	MACH_EH = 0x780, MACH_EH_SIZE = 0x80, MACH_LINKEDIT = 0x800, MACH_SIZE = 0x900,
	MACH_BASE = 0x40000000,
};

struct mach_image {
	uint32_t processor;		/* cputype; with bit 24: 64 bits */
	bool big;
	uint32_t type;			/* filetype */
	uint8_t bytes[MACH_SIZE];
	size_t at;			/* offset of the next load command */
};

static inline void
mach_put(struct mach_image *image, size_t at, size_t size, uint64_t value)
{
	reader_put_number(image->bytes + at, size, image->big, value);
}

static inline unsigned
mach_word(const struct mach_image *image)
{
	return (image->processor & 0x1000000) != 0 ? 8 : 4;
}

/* Append a load command of `size` bytes; returns its offset. */
static inline size_t
mach_command(struct mach_image *image, uint32_t kind, size_t size)
{
	const size_t at = image->at;

	mach_put(image, at, 4, kind);
	mach_put(image, at + 4, 4, size);
	mach_put(image, 16, 4, reader_number(image->bytes + 16, 4, image->big) + 1);
	image->at += size;
	return at;
}

/* Append a segment with room for `count` sections; returns the offset of the first. */
static inline size_t
mach_segment(struct mach_image *image, const char *name, uint64_t address, size_t offset,
	     size_t size, unsigned protection, unsigned count)
{
	const unsigned word = mach_word(image);
	const size_t fixed = 40 + 4 * word;
	const size_t at = mach_command(image, word == 8 ? 0x19 : 1, fixed + count * (word == 8 ? 80 : 68));

	memcpy(image->bytes + at + 8, name, strlen(name));
	mach_put(image, at + 24, word, address);
	mach_put(image, at + 24 + word, word, size > 0 ? size : 0x1000);
	mach_put(image, at + 24 + 2 * word, word, offset);
	mach_put(image, at + 24 + 3 * word, word, size);
	mach_put(image, at + 28 + 4 * word, 4, protection);
	mach_put(image, at + 32 + 4 * word, 4, count);
	return at + fixed;
}

/* Write a section header; returns the offset of the next. */
static inline size_t
mach_section(struct mach_image *image, size_t at, const char *name, size_t offset, size_t size, uint32_t flags)
{
	const unsigned word = mach_word(image);

	memcpy(image->bytes + at, name, strlen(name));
	mach_put(image, at + 32, word, MACH_BASE + offset);
	mach_put(image, at + 32 + word, word, size);
	mach_put(image, at + 32 + 2 * word, 4, offset);
	mach_put(image, at + 48 + 2 * word, 4, flags);
	return at + (word == 8 ? 80 : 68);
}

/* Make the file: functions `one` at the begin of the code and `two` 0x80 bytes further. */
static inline void
mach_image_make(struct mach_image *image)
{
	static const char names[] = "\0_one\0_two\0stab";
	static const struct {
		uint32_t name, address;
		uint8_t type;
	} symbols[] = { { 11, MACH_CODE, 0x24 }, { 6, MACH_CODE + 0x80, 0xf }, { 1, MACH_CODE, 0xe },
			{ 1, MACH_EH, 0xf }, { 6, 0, 1 } };
	const unsigned word = mach_word(image);

	memset(image->bytes, 0, sizeof(image->bytes));
	mach_put(image, 0, 4, word == 8 ? 0xfeedfacf : 0xfeedface);
	mach_put(image, 4, 4, image->processor);
	mach_put(image, 12, 4, image->type);
	image->at = word == 8 ? 32 : 28;
	mach_segment(image, "__PAGEZERO", 0, 0, 0, 0, 0);
	size_t at = mach_segment(image, "__TEXT", MACH_BASE, 0, MACH_LINKEDIT, 5, 3);
	at = mach_section(image, at, "__text", MACH_CODE, MACH_CODE_SIZE, 0x80000400);
	at = mach_section(image, at, "__unwind_info", MACH_UNWIND, MACH_UNWIND_SIZE, 0);
	mach_section(image, at, "__eh_frame", MACH_EH, MACH_EH_SIZE, 0);
	at = mach_segment(image, "__DATA", MACH_BASE + 0x1000, MACH_LINKEDIT, 0x1000, 3, 1);
	mach_section(image, at, "__bss", 0x1000, 0x40, 1);
	at = mach_command(image, 0x1b, 24);
	for (unsigned i = 0; i < 16; i++)
		image->bytes[at + 8 + i] = (uint8_t)(0x10 * i + 0xa);
	at = mach_command(image, 2, 24);
	mach_put(image, at + 8, 4, MACH_LINKEDIT);
	mach_put(image, at + 12, 4, 5);
	mach_put(image, at + 16, 4, MACH_LINKEDIT + 0x80);
	mach_put(image, at + 20, 4, sizeof(names));
	memcpy(image->bytes + MACH_LINKEDIT + 0x80, names, sizeof(names));
	for (unsigned i = 0; i < 5; i++) {
		const size_t entry = MACH_LINKEDIT + i * (8 + word);
		mach_put(image, entry, 4, symbols[i].name);
		image->bytes[entry + 4] = symbols[i].type;
		mach_put(image, entry + 8, word, MACH_BASE + symbols[i].address);
	}
	/* Functions begin 0, 0x80, and 0x180 bytes after the begin of the code. */
	static const uint8_t starts[] = { 0x80, 8, 0x80, 1, 0x80, 2, 0, 0 };
	at = mach_command(image, 0x26, 16);
	mach_put(image, at + 8, 4, MACH_LINKEDIT + 0xa0);
	mach_put(image, at + 12, 4, sizeof(starts));
	memcpy(image->bytes + MACH_LINKEDIT + 0xa0, starts, sizeof(starts));
}

static inline struct binary *
mach_image_open(const struct mach_image *image)
{
	struct binary *binary;
	struct error error = { 0 };

	if (binary_from_memory(&binary, "libtest.dylib", image->bytes, sizeof(image->bytes), &error) != ERROR_NONE)
		tap_diag("%s", error.text);
	return binary;
}

#endif
