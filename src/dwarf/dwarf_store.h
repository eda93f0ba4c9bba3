/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_STORE_H
#define DWARF_DWARF_STORE_H

#include "dwarf/dwarf_die.h"
#include "dwarf/split_files.h"

/**
 * Units that are kept from the first question about them on, for questions in any order. Calls must
 * not overlap: one thread at a time asks.
 */
struct dwarf_store {
	struct dwarf_file file, supplement;	/* the supplement may have no units */
	struct split_files split;
	struct arena arena;
	bool limited;			/* a unit would have cost too much */
	struct elf_damage damage;	/* the first section that is left out */
	struct dwarf_contexts {
		struct dwarf_context **items;	/* NULL: the unit cannot be read */
		size_t count, capacity;
	} contexts;
	struct number_map units;	/* their numbers by the addresses of headers */
	struct dwarf_tables {
		struct dwarf_abbrevs **items;
		size_t count, capacity;
	} tables;
	struct number_map table_numbers;	/* by the addresses of their first bytes */
	uint64_t spent;			/* bytes of tables that were read */
	struct dwarf_signatures {
		struct dwarf_signature {
			const struct dwarf_file *file;
			const struct dwarf_unit *unit;
			const struct dwarf_context *skeleton;	/* NULL: none */
		} *items;
		size_t count, capacity;
	} types;			/* units for one type */
	struct number_map type_numbers;	/* by their signatures */
	bool typed;			/* the types of the file are listed */
};

/**
 * Open the DWARF of a file; `supplement` (may be NULL) has what dwz moved out of it. Files of split
 * units are looked for in `binaries` (may be NULL) for loaded module `module`. False where the file
 * has no DWARF.
 */
bool
dwarf_store_open(struct dwarf_store *store, const struct binary *binary,
		 const struct binary *supplement, struct binaries *binaries, size_t module);

void
dwarf_store_close(struct dwarf_store *store);

/** A unit of a file of the store; NULL: it cannot be read. */
const struct dwarf_context *
dwarf_store_unit(struct dwarf_store *store, const struct dwarf_file *file,
		 const struct dwarf_unit *unit);

/** The unit that has an offset of .debug_info. */
const struct dwarf_context *
dwarf_store_unit_of(struct dwarf_store *store, const struct dwarf_file *file, uint64_t offset);

/** The split unit of a skeleton; NULL: it is found nowhere, or cannot be read. */
const struct dwarf_context *
dwarf_store_split(struct dwarf_store *store, const struct dwarf_context *skeleton);

/** The entry of the type with a signature. */
bool
dwarf_store_type(struct dwarf_store *store, uint64_t signature, struct dwarf_die *die);

/** Open the sections of locations and types, unless they are open. */
void
dwarf_store_open_more(struct dwarf_store *store);

#endif
