/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_TYPES_H
#define PDB_PDB_TYPES_H

#include "base/hash.h"
#include "pdb/pdb.h"
#include "pdb/pdb_module.h"

/**
 * Types (TPI) and functions (IPI) of a PDB: their names, sizes and members.
 *
 * The hash stream has offsets of some records. A look-up starts at one of them, so it reads only a
 * few kilobytes of a stream that may have hundreds of megabytes. If there are too few offsets (some
 * writers omit them), the first look-up that needs them reads all records once. Source:
 * microsoft-pdb, cvinfo.h, PDB/dbi/tpi.h.
 */

/** The records of TPI or IPI. */
struct pdb_records {
	const struct pdb *pdb;
	uint32_t stream;
	uint32_t first, last;		/* record numbers; `last` is exclusive */
	uint32_t start, size;		/* range of the records in the stream */
	uint32_t hints, hint_stream, hint_count;	/* pairs of a number and an offset */
	/* Remaining budget: 1 for each record passed, and 1 for each 64 bytes of a result */
	uint64_t left;
	/* Offset of every PDB_RECORDS_STEPth record; made if the hints are too few */
	struct arena arena;
	uint32_t *own;
	size_t own_count, own_capacity;
};

#define PDB_RECORDS_STEP 64u

struct pdb_types {
	struct pdb_records types, ids;
	struct hash definitions;	/* types by their names; see pdb_type_define() */
	struct arena defined;
	uint32_t *enumerations;		/* numbers of the enumerations in `definitions` */
	size_t enumeration_count, enumeration_capacity;
	bool listed;			/* `definitions` is filled */
	struct hash parameters;		/* spelled lists of arguments, by number of the list */
	struct arena kept;		/* holds the texts of `parameters` */
};

/** Kinds of records of types, members and functions. */
enum pdb_leaf {
	LF_MODIFIER = 0x1001, LF_POINTER = 0x1002, LF_PROCEDURE = 0x1008, LF_MFUNCTION = 0x1009,
	LF_ARGLIST = 0x1201, LF_FIELDLIST = 0x1203, LF_BITFIELD = 0x1205, LF_BCLASS = 0x1400,
	LF_VBCLASS = 0x1401, LF_IVBCLASS = 0x1402, LF_INDEX = 0x1404, LF_VFUNCTAB = 0x1409,
	LF_FRIENDCLS = 0x140a, LF_VFUNCOFF = 0x140c, LF_ENUMERATE = 0x1502, LF_ARRAY = 0x1503,
	LF_CLASS = 0x1504, LF_STRUCTURE = 0x1505, LF_UNION = 0x1506, LF_ENUM = 0x1507,
	LF_FRIENDFCN = 0x150c, LF_MEMBER = 0x150d, LF_STMEMBER = 0x150e, LF_METHOD = 0x150f,
	LF_NESTTYPE = 0x1510, LF_ONEMETHOD = 0x1511, LF_NESTTYPEEX = 0x1512,
	LF_INTERFACE = 0x1519, LF_BINTERFACE = 0x151a, LF_FUNC_ID = 0x1601, LF_MFUNC_ID = 0x1602,
	LF_STRING_ID = 0x1605,
};

/** A number below this one is a type without a record; 0 is no type. */
#define PDB_FIRST_TYPE 0x1000u

/** Open the types; an unreadable stream has no records. */
void
pdb_types_open(struct pdb_types *types, const struct pdb *pdb);

void
pdb_types_close(struct pdb_types *types);

/**
 * The name of a function in IPI with its scopes, as in LLVM: "N::C<int,8>::f". It lives in `arena`.
 * "" if it is unknown.
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

/** Find a record by its number: its kind and the data after the kind. False: no such record. */
bool
pdb_record_find(struct pdb_records *records, uint32_t wanted, struct arena *arena, uint16_t *kind,
		struct reader *data);

/** Read a number (two bytes, or a form and a value) at `*at`, and move `*at` past it. */
bool
pdb_numeric(const struct reader *data, uint64_t *at, uint64_t *value);

enum pdb_type_kind {
	PDB_TYPE_OTHER, PDB_TYPE_SIMPLE, PDB_TYPE_MODIFIER, PDB_TYPE_POINTER, PDB_TYPE_FUNCTION,
	PDB_TYPE_BITFIELD, PDB_TYPE_ARRAY, PDB_TYPE_STRUCTURE, PDB_TYPE_UNION, PDB_TYPE_ENUM,
};

/** Options of modifiers, pointers, and structures. */
#define PDB_MODIFIER_CONST 1u
#define PDB_MODIFIER_VOLATILE 2u
#define PDB_POINTER_MODE(options) ((options) >> 5 & 7)	/* 0: *, 1: &, 2 and 3: to members, 4: && */
#define PDB_POINTER_VOLATILE 0x200u
#define PDB_POINTER_CONST 0x400u
#define PDB_TYPE_DECLARED 0x80u		/* only a declaration */
#define PDB_TYPE_UNIQUE 0x200u		/* the type has a second, unique name */

struct pdb_type {
	enum pdb_type_kind kind;
	uint16_t leaf;
	uint32_t options;
	uint32_t of;			/* type pointed to, element type or result; 0: none */
	uint32_t fields;		/* number of the list of members, or of arguments */
	uint64_t size;			/* 0: unknown */
	uint8_t bits, bit;		/* length and lowest bit of a bit field */
	bool declared;
	struct text name, unique;	/* name with scopes; decorated name */
};

/** Read a type; texts live in `arena` or the file. False if it is unreadable. */
bool
pdb_type_read(struct pdb_types *types, uint32_t number, struct arena *arena, struct pdb_type *type);

/** Replace a declared type by its definition. False: no definition, or several that differ. */
bool
pdb_type_define(struct pdb_types *types, uint32_t *number, struct arena *arena,
		struct pdb_type *type);

/** The type with a name; 0: no definition, or several different definitions. */
uint32_t
pdb_type_named(struct pdb_types *types, struct text name);

/** The only enumeration with this enumerator; 0: no enumeration has it, or several have it. */
uint32_t
pdb_type_enumerating(struct pdb_types *types, struct text enumerator);

/** The simple type (without a record) with a name; 0: none. */
uint32_t
pdb_simple_named(struct text name);

/** A member, base or enumerator, or another entry of a list of members. */
struct pdb_field {
	uint16_t leaf;
	uint32_t type;
	uint64_t value;			/* offset in bytes, or value of an enumerator */
	struct text name;
};

/** A position in the lists of members of a type. */
struct pdb_fields {
	struct pdb_types *types;
	struct arena *arena;
	struct reader data;
	uint64_t at;
	unsigned left;			/* further lists allowed: lists may form a cycle */
};

/** Begin with list `number`. False if that record is not a list. */
bool
pdb_fields_open(struct pdb_fields *fields, struct pdb_types *types, uint32_t number,
		struct arena *arena);

/** Read the next entry; false: no further entry. */
bool
pdb_fields_next(struct pdb_fields *fields, struct pdb_field *field);

/** Bytes of a value of a type; 0: unknown. */
uint64_t
pdb_type_size(struct pdb_types *types, uint32_t type);

/**
 * Numbers of functions that are inlined across modules. If Microsoft's compilers generate code at
 * link time, a module identifies another module's function by two numbers: the module's number in
 * the list CrossScopeImports, and the function's number in that module. That module's list
 * CrossScopeExports gives the number in IPI (microsoft-pdb, cvinfo.h: CrossScopeId,
 * CrossScopeReferences).
 *
 * The caller sets only `pdb`. Results are cached. Only one thread at a time may use a pdb_scopes.
 */
struct pdb_scopes {
	const struct pdb *pdb;
	bool named;			/* `names` has all modules */
	struct hash names;		/* modules by name */
	struct hash loaded;		/* modules whose exports were read */
	struct hash exports;		/* numbers in IPI, by module and the module's own number */
	size_t export_count;
};

void
pdb_scopes_close(struct pdb_scopes *scopes);

/** Convert the function number of an inlined call to the number in IPI; 0: unknown. */
uint32_t
pdb_scope_id(struct pdb_scopes *scopes, const struct pdb_module *module, uint32_t id);

#endif
