/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_CABINET_H
#define TESTS_LIB_CABINET_H

#include <stddef.h>
#include <stdint.h>

/**
 * Cabinets of Windows as tests need them ([MS-CAB], [MS-MCI], [MS-PATCH] for LZX; Quantum as
 * libmspack and cabextract read it).
 */

enum cabinet_method {
	CABINET_STORED,
	CABINET_MSZIP,
	CABINET_LZX,			/* of blocks that are as they are */
	CABINET_QUANTUM,		/* of literals alone */
	CABINET_METHODS
};

struct cabinet_file {
	const char *name;
	const void *bytes;
	size_t size;
};

/** A cabinet of one folder with these files, to be freed; `*size` gets its bytes. */
uint8_t *
cabinet_make(enum cabinet_method method, const struct cabinet_file *files, size_t count,
	     size_t *size);

#endif
