/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_PDB_FUNCTIONS_H
#define DUMP_SYMS_PDB_FUNCTIONS_H

#include "dump_syms/dump_syms_internal.h"
#include "pdb/pdb_module.h"
#include "pdb/pdb_omap.h"
#include "pdb/pdb_publics.h"
#include "pdb/pdb_scopes.h"
#include "pdb/pdb_types.h"

/**
 * The records of a PDB for a symbol file, as Breakpad's dump_syms makes them (google/breakpad,
 * src/common/windows/pdb_source_line_writer.cc).
 */
struct pdb_source {
	const struct pdb *pdb;
	struct dump_syms_parts *parts;
	struct found_symbols *found;
	struct pdb_types types;
	struct pdb_scopes scopes;
	struct pdb_mapping mapping;
	struct pdb_chosen {
		struct pdb_chosen_procedure {
			uint32_t address;	/* as linked */
			uint32_t own;		/* number of its name in the PDB */
			uint32_t module, offset;
			bool multiple;		/* others have the same address */
		} *items;
		size_t count, capacity;
	} chosen;			/* one procedure for an address */
	struct pdb_publics {
		struct pdb_public *items;	/* of code, by address */
		size_t count, capacity;
	} publics;
	struct arena arena, scratch;
};

/** A function's name in a symbol file, and the bytes of its parameters. */
struct pdb_naming {
	const char *name;		/* in `scratch` */
	uint32_t parameters;
};

/** The name of a public symbol. */
struct pdb_naming
pdb_name_public(struct pdb_source *source, struct text decorated);

/** The name of a procedure, from the public symbol at its address or else from its type. */
struct pdb_naming
pdb_name_procedure(struct pdb_source *source, const struct pdb_module *module,
		   const struct pdb_procedure *procedure);

/** Read all of a PDB. False when out of memory. */
bool
dump_syms_read_pdb(struct dump_syms_parts *parts, const struct pdb *pdb);

/** Write the PDB's STACK WIN records to parts->frames. */
void
dump_syms_read_stack_win(struct pdb_source *source);

#endif
