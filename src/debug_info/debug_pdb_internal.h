/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_PDB_INTERNAL_H
#define DEBUG_INFO_DEBUG_PDB_INTERNAL_H

#include "base/hash.h"
#include "debug_info/debug_dwarf_internal.h"
#include "debug_info/debug_pdb.h"
#include "pdb/pdb_types.h"
#include "pdb/pdb_variables.h"

/**
 * Declarations shared by the files of src/debug_info that read PDBs, and the functions of
 * debug_variables.h for PDBs. Callers hold the lock of the files.
 */

/** The register ebp in CodeView. */
#define PDB_EBP 22u

struct debug_pdb {
	const struct binary *binary;
	const struct pdb *pdb;
	struct pdb_types types;
	struct pdb_scopes scopes;
	struct pdb_mapping mapping;
	struct pdb_module **modules;	/* the modules read so far */
	struct hash calls, files;	/* names of functions and of source files */
	struct hash expressions;	/* places of variables, by their bytes */
	struct pdb_data {
		uint32_t record;	/* offset in the stream of symbol records */
		uint32_t module;
	} *data;			/* global variables */
	size_t data_count, data_capacity;
	bool listed;			/* the global variables are listed */
	const struct pdb_module *damaged; /* the first read module with damaged records, or NULL */
	struct arena arena;		/* holds the names */
	struct arena scratch;
};

/* A procedure at an address, the linked address, and the part that contains the address. */
struct pdb_located {
	const struct pdb_module *module;
	const struct pdb_procedure *procedure;
	uint32_t linked;
	struct pdb_range part;
};

bool
debug_pdb_locate(struct debug_pdb *pdb, uint64_t relative, struct pdb_located *at);

/** A module with its symbols read; NULL: no symbols, or out of memory. */
const struct pdb_module *
debug_pdb_module(struct debug_pdb *pdb, size_t number);

/** The name of a procedure, from the linker's symbol or else from the source. */
const char *
debug_pdb_name(struct debug_pdb *pdb, const struct pdb_procedure *procedure);

/** The name of an inlined function; "": unknown. */
const char *
debug_pdb_call_name(struct debug_pdb *pdb, const struct pdb_module *module, uint32_t call);

/**
 * An entry of a PDB has no unit. The upper half of its offset is this kind. The lower half is a
 * record's offset (in the module or in the stream of global records) or a type's number.
 */
enum debug_pdb_entry_kind { DEBUG_PDB_SYMBOL = 1, DEBUG_PDB_GLOBAL, DEBUG_PDB_TYPE };

static inline struct debug_entry
debug_pdb_entry(const struct debug_home *home, enum debug_pdb_entry_kind kind, uint32_t number)
{
	return (struct debug_entry){ home, NULL, (uint64_t)kind << 32 | number };
}

static inline bool
debug_pdb_is(const struct debug_entry *entry, enum debug_pdb_entry_kind kind)
{
	return entry->offset >> 32 == kind;
}

/** Complete the home of an address in a PDB; false: no procedure is there. */
bool
debug_pdb_home(struct debug_home *home, uint64_t relative);

/** The variable of an entry. False if the record describes no variable. */
bool
debug_pdb_variable(const struct debug_entry *entry, struct pdb_variable *variable);

bool
debug_pdb_scopes_at(const struct debug_home *home, uint64_t relative, struct arena *arena,
		    struct debug_scopes *scopes);

/**
 * Find the static variable of a module or procedure whose memory contains a linked address. Sets
 * the name (valid as long as the PDB), the address, the size (0: unknown) and the offset of the
 * record in the stream `*stream`. False: no such variable.
 */
bool
debug_pdb_static_at(struct debug_pdb *pdb, uint32_t linked, struct debug_answer *answer,
		    uint32_t *stream);

size_t
debug_pdb_globals(const struct debug_home *home, struct arena *arena,
		  struct debug_variable **variables);

struct debug_location
debug_pdb_location(const struct debug_entry *entry, uint64_t relative);

enum debug_type_kind
debug_pdb_kind(enum pdb_type_kind kind);

const struct debug_type *
debug_pdb_type(const struct debug_home *home, uint32_t number, size_t arrays, struct arena *arena);

const struct debug_type *
debug_pdb_type_of(const struct debug_entry *entry, struct arena *arena);

const struct debug_type *
debug_pdb_target(const struct debug_type *type, size_t arrays, struct arena *arena);

size_t
debug_pdb_members(const struct debug_type *type, struct arena *arena,
		  struct debug_member **members);

size_t
debug_pdb_enumerators(const struct debug_type *type, struct arena *arena,
		      struct debug_enumerator **enumerators);

bool
debug_pdb_named(const struct debug_home *home, enum debug_wanted kind, enum debug_type_kind only,
		const char *name, struct arena *arena, struct debug_named *named);

#endif
