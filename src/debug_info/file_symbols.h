/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_FILE_SYMBOLS_H
#define DEBUG_INFO_FILE_SYMBOLS_H

#include "binary/binary.h"

/**
 * The functions that a file's own tables name: where there are no symbol files these names tell
 * people what an address is.
 *
 * Of both symbol tables of ELF, .symtab and .dynsym, the larger is read. Of a PE file it is what it
 * exports (Microsoft, PE Format: The .edata Section), and the symbol table that MinGW leaves in a
 * program. Neither has sizes, and functions that are in none lie between those that are. On x64
 * .pdata says where each function begins: there a name holds for its own function alone. Elsewhere
 * it holds up to the next one, as a PUBLIC record's does, but never for a megabyte.
 */
struct file_symbol {
	uint64_t address;	/* as linked */
	uint64_t size;		/* 0: not said */
	uint64_t reach;		/* without a size: bytes to the next symbol or the section's end */
	const char *name;	/* "Ordinal7" of an export without a name */
	bool indirect;		/* the code chooses the function that the name means */
	bool halfwords;		/* it is Thumb code of arm */
	const char *table;	/* ".symtab", ".dynsym", ".edata" or "symbol table" */
	uint64_t offset;	/* of its entry in the file */
};

struct file_symbols {
	const struct binary *binary;
	struct arena arena;
	struct file_symbol *items;	/* functions, by address */
	size_t count, capacity;
	struct pe_frames *frames;	/* .pdata; NULL: none */
};

/** Read the functions of a file; none where it has no table or out of memory. */
void
file_symbols_read(struct file_symbols *symbols, const struct binary *binary);

void
file_symbols_free(struct file_symbols *symbols);

/**
 * The function whose size covers `address` or that begins there, else the one without a size that
 * reaches it, as hand-written code often has none; NULL: neither.
 */
const struct file_symbol *
file_symbols_at(const struct file_symbols *symbols, uint64_t address);

#endif
