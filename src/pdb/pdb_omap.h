/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_OMAP_H
#define PDB_PDB_OMAP_H

#include "pdb/pdb.h"

/**
 * Addresses of an image that was rewritten after it was linked (by BBT, vulcan or Syzygy): all
 * records of the PDB have those of the image as it was linked. Without OMAP both are the same.
 *
 * Ranges are mapped as by Breakpad's dump_syms (src/common/windows/omap.cc): inserted code belongs
 * to the code around it.
 */

/** A range of addresses that was moved as a whole. */
struct pdb_piece {
	uint32_t linked, moved, size;
	uint32_t injected;		/* new bytes after it */
	uint32_t removed;		/* removed bytes after it */
};

struct pdb_mapping {
	struct pdb_piece *pieces;	/* by linked address */
	size_t count;			/* 0: nothing was moved */
};

/** Prepare to map ranges; lives in `arena`. False when out of memory. */
bool
pdb_mapping_build(struct pdb_mapping *mapping, const struct pdb *pdb, struct arena *arena);

/** A linked range's ranges in the rewritten image, in `arena`, by address; false: out of memory. */
bool
pdb_map_range(const struct pdb_mapping *mapping, struct pdb_range linked, struct arena *arena,
	      struct pdb_range **ranges, size_t *count);

/** The linked address for one in the image, or the other way; false: there is none. */
bool
pdb_linked_address(const struct pdb *pdb, uint32_t moved, uint32_t *linked);

bool
pdb_moved_address(const struct pdb *pdb, uint32_t linked, uint32_t *moved);

#endif
