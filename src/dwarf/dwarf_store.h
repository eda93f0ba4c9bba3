/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_STORE_H
#define DWARF_DWARF_STORE_H

#include "dwarf/dwarf_die.h"
#include "dwarf/split_files.h"

/**
 * Units of a file, kept from their first use on, for lookups in any order. Callers must serialise
 * calls.
 */
struct dwarf_store {
	struct dwarf_file file, supplement;	/* the supplement may have no units */
	struct split_files split;
	struct arena arena;
	bool limited;			/* a unit was omitted because of its cost */
	struct elf_damage damage;	/* the first omitted section */
	struct dwarf_contexts {
		struct dwarf_context **items;	/* NULL: the unit is unreadable */
		size_t count, capacity;
	} contexts;
	struct number_map units;	/* indices of units by the address of their header */
	struct dwarf_tables {
		struct dwarf_abbrevs **items;
		size_t count, capacity;
	} tables;
	/* index of each table, by the address of the table's first byte */
	struct number_map table_numbers;
	uint64_t spent;			/* bytes of tables read */
	struct dwarf_signatures {
		struct dwarf_signature {
			const struct dwarf_file *file;
			const struct dwarf_unit *unit;
			const struct dwarf_context *skeleton;	/* NULL: none */
		} *items;
		size_t count, capacity;
	} types;
	struct number_map type_numbers;	/* keyed by signature */
	bool typed;			/* the type units of the file are listed */
};

/**
 * Open the DWARF of a file; `supplement` (or NULL) has the parts moved by dwz. `binaries` (or NULL)
 * finds the files with the split units of module `module`. False if the file has no DWARF.
 */
bool
dwarf_store_open(struct dwarf_store *store, const struct binary *binary,
		 const struct binary *supplement, struct binaries *binaries, size_t module);

void
dwarf_store_close(struct dwarf_store *store);

/** A unit of a file of the store; NULL: unreadable. */
const struct dwarf_context *
dwarf_store_unit(struct dwarf_store *store, const struct dwarf_file *file,
		 const struct dwarf_unit *unit);

/** The unit that contains an offset of .debug_info. */
const struct dwarf_context *
dwarf_store_unit_of(struct dwarf_store *store, const struct dwarf_file *file, uint64_t offset);

/** The split unit of a skeleton; NULL: not found, or unreadable. */
const struct dwarf_context *
dwarf_store_split(struct dwarf_store *store, const struct dwarf_context *skeleton);

/** The entry of the type with a signature. */
bool
dwarf_store_type(struct dwarf_store *store, uint64_t signature, struct dwarf_die *die);

/** Open the sections of locations and types if they are not open. */
void
dwarf_store_open_more(struct dwarf_store *store);

#endif
