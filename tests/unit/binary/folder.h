/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_FOLDER_H
#define TESTS_UNIT_BINARY_FOLDER_H

#include "crash/crash.h"
#include "tests/lib/bytes.h"
#include "tests/lib/folder.h"
#include "tests/unit/binary/image.h"

/** A temporary folder with programs, and crashes of one module that may own them. */

#define BASE 0x7f0000000000u

/* An ELF file with a build ID in hex; the first byte of its code is `mark`. */
static inline void
put_elf(const char *name, const char *id, uint8_t mark, bool debug_only)
{
	struct image image;
	uint8_t bytes[20] = { 0 };

	image_elf(&image, true, false, 62, bytes, (unsigned)bytes_of(id, bytes, sizeof(bytes)), debug_only);
	image.bytes[IMAGE_CODE] = mark;
	put_bytes(name, image.bytes, image.size);
}

static inline struct module
module_of(const char *code_file, const char *code_id, const char *debug_id)
{
	return (struct module){ .base = BASE, .size = 0x2000, .code_file = code_file, .code_id = code_id, .debug_file = code_file,
				.debug_id = debug_id, .version = "" };
}

static inline struct crash
crash_of(struct module *module, enum crash_os os)
{
	return (struct crash){ .system.os = os, .modules = module, .module_count = 1 };
}

#endif
