/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_PE_EXPORTS_H
#define DEBUG_INFO_PE_EXPORTS_H

#include "binary/binary.h"

/**
 * The functions that a PE file exports (Microsoft, PE Format: The .edata Section), and those of the
 * symbol table that MinGW leaves in a program.
 *
 * Neither table has sizes, and functions that are in none lie between those that are. On x64
 * .pdata says where each function begins: there a name holds for its own function alone. Elsewhere
 * it holds up to the next export, as a PUBLIC record's does, but never for a megabyte.
 */
struct pe_export {
	uint64_t address;		/* relative to the image's base */
	uint32_t ordinal;		/* UINT32_MAX: it is a symbol */
	const char *table;		/* ".edata" or "symbol table" */
	const char *name;		/* "Ordinal7" where the file has no name */
	bool nameless;
	uint64_t offset;		/* of its entry in the file */
};

struct pe_exports {
	struct arena arena;
	struct pe_export *items;	/* functions, by address */
	size_t count;
	void *frames;			/* .pdata; NULL: none */
};

/** Read a file's exports; none where it has no table, is no PE file or out of memory. */
void
pe_exports_read(struct pe_exports *exports, const struct binary *binary);

void
pe_exports_free(struct pe_exports *exports);

/** The export whose function covers `relative` to the image's base, or NULL. */
const struct pe_export *
pe_exports_at(const struct pe_exports *exports, uint64_t relative);

/** The bytes of the part of an export's function that it begins with; 0: not known. */
uint64_t
pe_exports_size(const struct pe_exports *exports, const struct pe_export *export);

#endif
