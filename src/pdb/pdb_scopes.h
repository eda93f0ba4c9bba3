/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_SCOPES_H
#define PDB_PDB_SCOPES_H

#include "base/hash.h"
#include "pdb/pdb_module.h"

/**
 * Numbers of functions that are inlined across modules. With link-time code generation of
 * Microsoft's compilers a module's records name a function of another module: by the number of
 * that module in a list of its own (CrossScopeImports) and the number that it has there, for
 * which the other module (CrossScopeExports) has the one in the IPI stream (microsoft-pdb,
 * cvinfo.h: CrossScopeId, CrossScopeReferences).
 *
 * Answers are cached; one thread at a time may ask.
 */
struct pdb_scopes {
	const struct pdb *pdb;
	bool named;			/* `names` has all modules */
	struct hash names;		/* module by its name, and */
	struct hash loaded;		/* whether its exports are read: */
	struct hash exports;		/* number in IPI by module and number there */
	size_t export_count;
};

void
pdb_scopes_open(struct pdb_scopes *scopes, const struct pdb *pdb);

void
pdb_scopes_close(struct pdb_scopes *scopes);

/** The number in IPI for an inlined call's number; 0: unknown. */
uint32_t
pdb_scope_id(struct pdb_scopes *scopes, const struct pdb_module *module, uint32_t id);

#endif
