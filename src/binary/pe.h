/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_PE_H
#define BINARY_PE_H

#include "base/reader.h"
#include "binary/binary.h"

/**
 * The parts that only PE files have: data directories and base relocations.
 */

/**
 * Rewrite the addresses in a PE file's read-only bytes for the base at which the file was loaded,
 * as the system's loader does. Call this before any other code reads the binary.
 */
void
pe_relocate(struct binary *binary, uint64_t base);

/**
 * Make a window on a data directory of a PE file (Microsoft, PE Format: Optional Header Data
 * Directories). False if the header has no such directory, or if it is not in a read-only section.
 * `address` (or NULL) gets the directory's address, relative to the image's base.
 */
bool
pe_directory(const struct binary *binary, unsigned number, uint32_t *address,
	     struct reader *table);

/**
 * Read a directory's address and size from the header, even if the file lacks the directory's
 * bytes. False if the header has no such directory.
 */
bool
pe_directory_at(const struct binary *binary, unsigned number, uint32_t *start, uint32_t *size);

#endif
