/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_ELF_SYMBOLS_H
#define DEBUG_INFO_ELF_SYMBOLS_H

#include "binary/binary.h"

/**
 * The functions that an ELF file's own symbol tables name.
 *
 * Where there are no symbol files these names tell people what an address is. Of both tables,
 * .symtab and .dynsym, the larger is read.
 */
struct elf_symbol {
	uint64_t address;	/* as linked */
	uint64_t size;		/* 0: not said */
	uint64_t reach;		/* without a size: bytes to the next symbol or the section's end */
	const char *name;
	uint64_t offset;		/* of its entry in the file */
};

struct elf_symbols {
	struct arena arena;
	struct elf_symbol *items;	/* functions, by address */
	size_t count;
	const char *table;		/* ".symtab" or ".dynsym"; NULL: neither */
};

/** Read the functions of a file; none where it has no table, is no ELF file or out of memory. */
void
elf_symbols_read(struct elf_symbols *symbols, const struct binary *binary);

void
elf_symbols_free(struct elf_symbols *symbols);

/**
 * The function whose size covers `address` or that begins there, else the one without a size that
 * reaches it, as hand-written code often has none; NULL: neither.
 */
const struct elf_symbol *
elf_symbols_at(const struct elf_symbols *symbols, uint64_t address);

#endif
