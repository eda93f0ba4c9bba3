/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_CABINET_H
#define TESTS_LIB_CABINET_H

#include <stddef.h>
#include <stdint.h>

/** Writes Windows cabinets for tests. Sources: [MS-CAB], [MS-MCI], [MS-PATCH] for LZX; libmspack and cabextract for Quantum. */

enum cabinet_method {
	CABINET_STORED, CABINET_MSZIP,
	CABINET_LZX,			/* uncompressed blocks only */
	CABINET_QUANTUM,		/* literals only */
	CABINET_METHODS
};

struct cabinet_file {
	const char *name;
	const void *bytes;
	size_t size;
};

/** A cabinet of one folder that holds these files. The caller frees it; `*size` gets its size. */
uint8_t *
cabinet_make(enum cabinet_method method, const struct cabinet_file *files, size_t count, size_t *size);

#endif
