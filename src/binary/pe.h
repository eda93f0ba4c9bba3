/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_PE_H
#define BINARY_PE_H

#include "base/reader.h"
#include "binary/binary.h"

/**
 * The parts that only PE files have: data directories and base relocations.
 */

/**
 * Rewrite the addresses in a PE file's read-only bytes for the base that it was loaded at, as
 * the system's loader does. Call it before any other code reads the binary.
 */
void
pe_relocate(struct binary *binary, uint64_t base);

/**
 * The bytes of a PE file's data directory (Microsoft, PE Format: Optional Header Data
 * Directories) as a window; false if the header has no such directory or it is not in a
 * read-only section. `address` (may be NULL) gets the directory's address, relative to the
 * image's base.
 */
bool
pe_directory(const struct binary *binary, unsigned number, uint32_t *address,
	     struct reader *table);

/**
 * The address and size that the header gives a directory, whether or not the file has these
 * bytes; false if the header has no such directory.
 */
bool
pe_directory_at(const struct binary *binary, unsigned number, uint32_t *start, uint32_t *size);

#endif
