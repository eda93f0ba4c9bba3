/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_PDB_H
#define DEBUG_INFO_DEBUG_PDB_H

#include "binary/binary.h"
#include "debug_info/debug_info.h"
#include "symbols/symbols.h"

/**
 * Names, lines and inlined calls from one PDB. Each of its modules is read on first use and then
 * kept in memory. Callers must serialise calls.
 */
struct debug_pdb;

/** NULL: the file is not a PDB, or out of memory. `binary` must outlive the result. */
struct debug_pdb *
debug_pdb_open(const struct binary *binary);

void
debug_pdb_close(struct debug_pdb *pdb);

/** Find the first unreadable record in the first damaged module that was read. False: none. */
bool
debug_pdb_damage(const struct debug_pdb *pdb, struct place *place);

/** Like debug_info_find, for procedures and thunks. */
bool
debug_pdb_find(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_answer *answer);

/** The last public symbol at or before an address, in the same section. Its size is unknown. */
bool
debug_pdb_public(struct debug_pdb *pdb, uint64_t relative, struct debug_answer *answer);

/** The public symbol of data at exactly this address, or the static variable there. */
bool
debug_pdb_data(struct debug_pdb *pdb, uint64_t relative, struct debug_answer *answer);

/**
 * The number of argument bytes that a C function of i386 pops, from its decorated name in a PDB:
 * `_f@8` -> 8, `_f` -> 0, `@f@8` -> 0 (its 8 bytes are in registers). The name of an import slot
 * (`__imp__f@8`) is used, too. False if no name gives the number, or if `pdb` is NULL.
 */
bool
debug_pdb_pops(const struct pdb *pdb, uint64_t relative, int32_t *bytes);

/** Like debug_info_body. */
bool
debug_pdb_body(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_body *body);

/** Report the names of all procedures, or of all public symbols of code. */
void
debug_pdb_functions(struct debug_pdb *pdb, enum debug_names names, debug_info_tell *tell,
		    void *context);

/**
 * Find the innermost FPO_DATA (type 0) or FRAMEDATA (type 4) that covers an address. Store it as a
 * STACK WIN record with places in the PDB. Copies the program to `arena`; leaves it out if `arena`
 * is NULL. False if there is no record.
 */
bool
debug_pdb_stack_win(const struct pdb *pdb, unsigned type, uint64_t relative, struct arena *arena,
		    struct stack_win *record);

/** The next higher address at which another record of the type applies, or no record. */
bool
debug_pdb_stack_win_change(const struct pdb *pdb, unsigned type, uint64_t relative,
			   uint64_t *change);

/** Number of modules with symbols in a PDB (or NULL); 0 if it is stripped. */
size_t
debug_pdb_module_count(const struct pdb *pdb);

/** Number of unwind records in a PDB (or NULL). */
size_t
debug_pdb_frame_count(const struct pdb *pdb);

#endif
