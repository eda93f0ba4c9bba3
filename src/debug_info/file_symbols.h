/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_FILE_SYMBOLS_H
#define DEBUG_INFO_FILE_SYMBOLS_H

#include "binary/binary.h"

/**
 * The functions named by a file's own tables, for modules without symbol files.
 *
 * An ELF file has two symbol tables, .symtab and .dynsym: the larger one is read. The symbols of
 * a Mach-O file have no sizes, but a table has the start of every function of a linked file. A PE
 * file has exports (Microsoft, PE Format: The .edata Section) and perhaps MinGW's symbol table.
 * Neither has sizes, and unnamed functions lie between the named ones. On x64 each function's start
 * is in .pdata, so a name is valid for its own function only. On other processors a name is valid
 * up to the next name, like the name of a PUBLIC record, but for less than a megabyte.
 */
struct file_symbol {
	uint64_t address;	/* as linked */
	uint64_t size;		/* 0: not given */
	uint64_t reach;		/* without a size: bytes to the next symbol or the section's end */
	const char *name;	/* "Ordinal7" for an unnamed export */
	bool label;		/* hand-written code whose type is not given */
	bool indirect;		/* the code selects the function that the name refers to */
	bool halfwords;		/* Thumb code */
	const char *table;	/* ".symtab", ".dynsym", ".edata" or "symbol table" */
	uint64_t offset;	/* offset of its entry in the file */
};

struct file_symbols {
	const struct binary *binary;
	struct arena arena;
	struct file_symbol *items;	/* sorted by address */
	size_t count, capacity;
	struct file_symbol *labels;	/* labels outside of functions, by address */
	size_t label_count;
	struct pe_frames *frames;	/* frames from .pdata; NULL: none */
	struct file_symbol *objects;	/* variables, tables and constants, by address */
	size_t object_count;
	bool objects_read;
};

/** Read the functions of a file; none if it has no table or memory is exhausted. */
void
file_symbols_read(struct file_symbols *symbols, const struct binary *binary);

void
file_symbols_free(struct file_symbols *symbols);

/**
 * The function whose size covers `address`. Without it: a function that begins at `address`, or one
 * that has no size (often hand-written code) and reaches `address`. NULL: no function.
 */
const struct file_symbol *
file_symbols_at(const struct file_symbols *symbols, uint64_t address);

/**
 * The mangled name, without suffixes, of the function that begins at `address`. DWARF may have only
 * the function's name in the source. "": none.
 */
struct text
file_symbols_mangled_at(const struct file_symbols *symbols, uint64_t address);

/**
 * The label that reaches `address`, for code that no function covers. Such code is often written
 * by hand, without type and size, and a label may be in its middle. NULL: none.
 */
const struct file_symbol *
file_symbols_label(const struct file_symbols *symbols, uint64_t address);

/**
 * The variable, table or constant of an ELF file that covers the linked address `address` or begins
 * there; NULL: none. The first call reads the data symbols of the tables.
 */
const struct file_symbol *
file_symbols_data_at(struct file_symbols *symbols, uint64_t address);

/**
 * Find the linked address and the size (`size` may be NULL) of the variable `name` in the symbol
 * tables of an ELF file. False: none.
 */
bool
file_symbols_object(const struct binary *binary, const char *name, uint64_t *address,
		    uint64_t *size);

#endif
