/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_FRAMES_H
#define PDB_PDB_FRAMES_H

#include "pdb/pdb.h"

/**
 * Unwind records of x86: FPO_DATA, and FRAMEDATA with its program (microsoft-pdb, cvinfo.h).
 */
struct pdb_frame {
	unsigned type;			/* as in STACK WIN: 0 FPO_DATA, 4 FRAMEDATA */
	uint32_t address, size;
	uint32_t prologue, parameters, saved_registers, locals, max_stack;	/* bytes */
	bool allocates_base_pointer;
	uint32_t program;		/* type 4: offset in the string table */
	struct place place;		/* the record */
	uint32_t offset;		/* the record in its stream */
};

/** Records of a type. */
size_t
pdb_frame_count(const struct pdb *pdb, unsigned type);

/** Record `index` of a type in the order of the stream; false: there are fewer. */
bool
pdb_frame_read(const struct pdb *pdb, unsigned type, size_t index, struct pdb_frame *frame);

/** The number of records of a type that begin at or below an address: the streams are sorted. */
size_t
pdb_frame_upto(const struct pdb *pdb, unsigned type, uint32_t address);

#endif
