/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_PDB_H
#define DEBUG_INFO_DEBUG_PDB_H

#include "binary/binary.h"
#include "debug_info/debug_info.h"
#include "symbols/symbols.h"

/**
 * Names, lines and inlined calls from one PDB. A module of it is read when an address of it is
 * asked for, and kept. Callers see to it that calls never overlap.
 */
struct debug_pdb;

/** NULL where the file is no PDB or out of memory; `binary` outlives it. */
struct debug_pdb *
debug_pdb_open(const struct binary *binary);

void
debug_pdb_close(struct debug_pdb *pdb);

/**
 * The first module with records that cannot be read, of those that were needed so far; `place` is
 * that of the first such record. False: there is none.
 */
bool
debug_pdb_damage(const struct debug_pdb *pdb, struct place *place);


/** As debug_info_find, of procedures and thunks. */
bool
debug_pdb_find(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_answer *answer);

/** The public symbol below an address in the same section, which has no size. */
bool
debug_pdb_public(struct debug_pdb *pdb, uint64_t relative, struct debug_answer *answer);

/**
 * The bytes of arguments that a C function of i386 takes off the stack, as its linker's name says
 * that stands at an address of a PDB, which may be NULL: `_f@8` and `@f@8` (of which 8 are in
 * registers); `_f` takes none off. Also of the word that an import has, `__imp__f@8`. False where
 * no name says so.
 */
bool
debug_pdb_pops(const struct pdb *pdb, uint64_t relative, int32_t *bytes);

/** As debug_info_body. */
bool
debug_pdb_body(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_body *body);

/** Tell the names of all procedures, or of all public symbols of code. */
void
debug_pdb_functions(struct debug_pdb *pdb, enum debug_names names, debug_info_tell *tell,
		    void *context);

/**
 * The FPO_DATA (type 0) or FRAMEDATA (4) of a PDB that covers an address, as the STACK WIN record
 * that it is: of those that nest the innermost, with its places. The program is copied to
 * `arena`; without one (NULL) it is left out. False where there is none.
 */
bool
debug_pdb_stack_win(const struct pdb *pdb, unsigned type, uint64_t relative, struct arena *arena,
		    struct stack_win *record);

/** The first address above one at which another record of the type, or none, covers. */
bool
debug_pdb_stack_win_change(const struct pdb *pdb, unsigned type, uint64_t relative,
			   uint64_t *change);

/** How many modules of a PDB, which may be NULL, have symbols: none where it is stripped. */
size_t
debug_pdb_module_count(const struct pdb *pdb);

/** How many such records a PDB has, which may be NULL. */
size_t
debug_pdb_frame_count(const struct pdb *pdb);

#endif
