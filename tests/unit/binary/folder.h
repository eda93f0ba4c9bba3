/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_FOLDER_H
#define TESTS_UNIT_BINARY_FOLDER_H

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "crash/crash.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

/** A temporary folder with files that a test makes, and crashes of one module that may own them. */

#define BASE 0x7f0000000000u

static char root[64];

static inline const char *
path_in(const char *name)
{
	static char paths[64][512];
	static unsigned next;
	char *path = paths[next++ % ARRAY_COUNT(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

/* Write a file below the root, making its folders. */
static inline void
put_bytes(const char *name, const void *bytes, size_t size)
{
	const char *path = path_in(name);
	char folder[512];

	for (const char *slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0700);
	}
	FILE *file = fopen(path, "w");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		tap_diag("cannot write %s", path);
		exit(1);
	}
}

/* An ELF file with a build ID in hex; the first byte of its code is `mark`. */
static inline void
put_elf(const char *name, const char *id, uint8_t mark, bool debug_only)
{
	struct image image;
	uint8_t bytes[20] = { 0 };
	unsigned size = 0;

	for (; id[2 * size] != '\0'; size++) {
		const char pair[3] = { id[2 * size], id[2 * size + 1] };

		bytes[size] = (uint8_t)strtoul(pair, NULL, 16);
	}
	image_elf(&image, true, false, 62, bytes, size, debug_only);
	image.bytes[IMAGE_CODE] = mark;
	put_bytes(name, image.bytes, image.size);
}

static inline struct module
module_of(const char *code_file, const char *code_id, const char *debug_id)
{
	return (struct module){ .base = BASE, .size = 0x2000, .code_file = code_file,
				.code_id = code_id, .debug_file = code_file,
				.debug_id = debug_id, .version = "" };
}

static inline struct crash
crash_of(struct module *module, enum crash_os os)
{
	return (struct crash){ .system.os = os, .modules = module, .module_count = 1 };
}

static inline int
remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

/** Make the folder; false if that fails. */
static inline bool
folder_make(void)
{
	const char *folder = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.40s/unspool-XXXXXX", folder != NULL ? folder : "/tmp");
	return mkdtemp(root) != NULL;
}

static inline void
folder_remove(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
