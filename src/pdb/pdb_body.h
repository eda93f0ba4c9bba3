/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_BODY_H
#define PDB_PDB_BODY_H

#include "pdb/pdb_module.h"

/**
 * The records of a PDB for one procedure: its lines, and the inlined calls with their call sites.
 */

struct pdb_call {
	uint32_t id;			/* the function in IPI */
	uint32_t depth;			/* 0: inlined into the procedure itself */
	uint32_t line, file;		/* the call site; line 0: unknown */
	uint32_t offset;		/* its record in the stream */
	struct pdb_line_range {
		uint32_t address, size;
	} *ranges;			/* by address: its code and that of calls inside of it */
	size_t range_count;
};

struct pdb_body {
	struct pdb_row *rows;		/* by address, without overlap; none is empty */
	size_t row_count;
	struct pdb_call *calls;		/* each before those inlined into it */
	size_t call_count;
};

/**
 * Read them into `arena`. With `calls` a row is that of the innermost function; without, the
 * function's own. False when out of memory or over a limit: then some are missing.
 */
bool
pdb_body_read(const struct pdb_module *module, const struct pdb_procedure *procedure, bool calls,
	      struct arena *arena, struct pdb_body *body);

#endif
