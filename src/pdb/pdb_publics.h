/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_PUBLICS_H
#define PDB_PDB_PUBLICS_H

#include "pdb/pdb.h"

/** Public symbols: linkers' names of code and data, in a table sorted by address. */

struct pdb_public {
	uint32_t address;
	uint16_t section;
	bool code;			/* in a section with instructions */
	uint32_t offset;		/* its record in the stream of records */
	struct text name;		/* decorated; in the arena or the file */
};

/** Whether their table is complete in its stream. */
bool
pdb_publics_fit(const struct pdb *pdb);

/** The number of public symbols. */
size_t
pdb_public_count(const struct pdb *pdb);

/** The symbol at `index` of the table, with its name; false if it is damaged or in no section. */
bool
pdb_public_read(const struct pdb *pdb, size_t index, struct arena *arena,
		struct pdb_public *public);

/** The index of the first public above an address: the one before it is at or below. */
size_t
pdb_public_above(const struct pdb *pdb, uint32_t address);

/**
 * Whether a linker's name may be that of a procedure: it contains the procedure's last identifier.
 * If functions with the same code were folded, names of other functions are at the procedure's
 * address, too.
 */
bool
pdb_public_suits(struct text linkers, struct text procedures);

/**
 * Remove the decoration of a C function's name: `_name@8`, `@name@8` and `_name`. True, with the
 * bytes of the parameters on the stack, if the name gives them; their number must not begin with a
 * zero. Functions called `@name@8` get eight bytes in registers.
 */
bool
pdb_undecorate_c(struct text *name, uint32_t *parameters);

#endif
