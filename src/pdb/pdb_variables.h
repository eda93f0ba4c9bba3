/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_VARIABLES_H
#define PDB_PDB_VARIABLES_H

#include "pdb/pdb_module.h"

/**
 * Variables of a PDB, and where their values are (microsoft-pdb, cvinfo.h: LOCALSYM,
 * DEFRANGESYM..., REGREL32, BPRELSYM32, REGSYM, DATASYM32, CONSTSYM, FRAMEPROCSYM).
 */

/** The place of a value, as a record gives it. */
enum pdb_place {
	PDB_PLACE_RANGES,		/* in the records of ranges that follow */
	PDB_PLACE_REGISTER,		/* in `reg` */
	PDB_PLACE_RELATIVE,		/* in memory at `reg` + `offset` */
	/* in memory at `offset` from the frame pointer for this kind of variable */
	PDB_PLACE_FRAME,
	PDB_PLACE_BASE,			/* S_BPREL32: in memory at ebp + `offset` */
	PDB_PLACE_STATIC,		/* in memory at `address` */
	PDB_PLACE_THREAD,		/* thread-local data */
	PDB_PLACE_CONSTANT,		/* a constant: `value` */
};

/** Flags of S_LOCAL. */
enum { PDB_LOCAL_ARGUMENT = 1, PDB_LOCAL_GENERATED = 4, PDB_LOCAL_ABSENT = 0x100 };

struct pdb_variable {
	enum pdb_place place;
	struct text name;
	uint32_t type, flags;
	uint16_t reg;			/* register number of CodeView */
	int32_t offset;
	uint32_t address;		/* address in the image as it was linked */
	uint64_t value;
};

/** Read the variable in a record. False: another kind of record, or a damaged one. */
bool
pdb_variable_read(const struct pdb *pdb, const struct pdb_symbol *symbol,
		  struct pdb_variable *variable);

/** The place of a variable in a range of code. Its record follows the variable's record. */
struct pdb_variable_range {
	enum pdb_place place;
	uint16_t reg;
	int32_t offset;
	bool part;			/* the place has only a part of the variable */
	uint32_t at;			/* offset of the part in the variable */
	bool everywhere;		/* the range is all code of the scope */
	uint32_t low, high;		/* if not everywhere: linked addresses, cut at the gaps */
};

/**
 * Read the record of a variable's range. Sets `*covers` to whether the range contains an address.
 * If it does not, `low` to `high` are the closest addresses in the range. False: another kind of
 * record, or a damaged one.
 */
bool
pdb_variable_range_read(const struct pdb *pdb, const struct pdb_symbol *symbol, uint32_t address,
			struct pdb_variable_range *range, bool *covers);

/** Whether a record of this kind belongs to the variable before it. */
bool
pdb_is_range(uint16_t kind);

/** The stack frame of a procedure: S_FRAMEPROC. */
struct pdb_procedure_frame {
	uint32_t size;			/* bytes of variables and saved registers together */
	unsigned local, argument;	/* kinds of frame pointers; 0: none */
};

bool
pdb_procedure_frame_read(const struct pdb_symbol *symbol, struct pdb_procedure_frame *frame);

/* Global names of the whole PDB: pdb_globals.c */

/**
 * Find the next record of a global name with the PDB's hash table. Start with `*from` = 0. False:
 * no further record. Empties `arena`, and then stores the record in it.
 */
bool
pdb_global_next(const struct pdb *pdb, struct text name, uint32_t *from, struct arena *arena,
		struct pdb_symbol *symbol);

/** Read the record at an offset in the stream of symbol records. */
bool
pdb_global_read(const struct pdb *pdb, uint32_t offset, struct arena *arena,
		struct pdb_symbol *symbol);

#endif
