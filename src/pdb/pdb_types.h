/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_TYPES_H
#define PDB_PDB_TYPES_H

#include "base/hash.h"
#include "pdb/pdb.h"
#include "pdb/pdb_module.h"

/**
 * Names of types (TPI) and functions (IPI) of a PDB, and their sizes.
 *
 * Records are found through the offsets in the hash stream, so that a look-up reads a few kilobytes
 * of a stream that may have hundreds of megabytes. If there are too few offsets, as some writers
 * omit them, the first look-up that needs them reads all records once. Source: microsoft-pdb,
 * cvinfo.h, PDB/dbi/tpi.h.
 */

/** The records of one of the two streams. */
struct pdb_records {
	const struct pdb *pdb;
	uint32_t stream;
	uint32_t first, last;		/* numbers; `last` is one after the last record's */
	uint32_t start, size;		/* the records in the stream */
	uint32_t hints, hint_stream, hint_count;	/* pairs of a number and an offset */
	/* If the hints are too few: the offset of every PDB_RECORDS_STEPth record */
	struct arena arena;
	uint32_t *own;
	size_t own_count, own_capacity;
};

#define PDB_RECORDS_STEP 64u

struct pdb_types {
	struct pdb_records types, ids;
	struct hash definitions;	/* types by their names; see pdb_type_size() */
	bool defined;			/* the definitions are listed */
	struct hash parameters;		/* texts of lists of arguments, by their numbers */
	struct arena kept;		/* holds the texts */
};

/** Open the types; an unreadable stream has no records. */
void
pdb_types_open(struct pdb_types *types, const struct pdb *pdb);

void
pdb_types_close(struct pdb_types *types);

/**
 * Name of a function in IPI with its scopes, as LLVM spells it ("N::C<int,8>::f"), in `arena`; ""
 * if it is unknown.
 */
const char *
pdb_id_name(struct pdb_types *types, uint32_t id, struct arena *arena);

/** Number of the type of a function in IPI; 0: unknown. */
uint32_t
pdb_id_type(struct pdb_types *types, uint32_t id);

/**
 * "(int, struct S *)": the parameters of a function's type; "()" for another type. It lives as long
 * as `arena` and `types`.
 */
const char *
pdb_type_parameters(struct pdb_types *types, uint32_t type, struct arena *arena);

/** Bytes of a value of a type; 0: unknown. */
uint64_t
pdb_type_size(struct pdb_types *types, uint32_t type);

/**
 * Numbers of functions that are inlined across modules. With link-time code generation of
 * Microsoft's compilers a module's records name a function of another module: by the number of
 * that module in a list of its own (CrossScopeImports) and the number that it has there, for
 * which the other module (CrossScopeExports) has the one in the IPI stream (microsoft-pdb,
 * cvinfo.h: CrossScopeId, CrossScopeReferences).
 *
 * Only `pdb` is set at first. Answers are cached; one thread at a time may ask.
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
pdb_scopes_close(struct pdb_scopes *scopes);

/** The number in IPI for an inlined call's number; 0: unknown. */
uint32_t
pdb_scope_id(struct pdb_scopes *scopes, const struct pdb_module *module, uint32_t id);

#endif
