/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_H
#define PDB_PDB_H

#include "base/text.h"
#include "pdb/msf.h"

/**
 * A PDB: what a linker of Windows leaves of a program's names, lines and unwind records.
 *
 * Opening it reads the streams that say where everything else is (info, DBI, section headers,
 * OMAP); modules, publics, types and frame records are read when they are asked for. An opened
 * PDB never changes, so that any thread may read it. Addresses are relative to the image's base,
 * in the image as it was linked, unless they are called new: see pdb_omap.h. Source:
 * microsoft-pdb, langapi and PDB/dbi; LLVM, docs/PDB.
 */

/** Bytes of a debug identifier as text, with its end. */
#define PDB_ID 41

/** Streams that the debug header of the DBI stream names (dbi.h, enum DBGTYPE). */
enum pdb_debug {
	PDB_FPO = 0,			/* FPO_DATA */
	PDB_OMAP_TO = 3,		/* from the image to the one that was linked */
	PDB_OMAP_FROM = 4,
	PDB_SECTIONS = 5,		/* headers */
	PDB_FRAME_DATA = 9,		/* FRAMEDATA */
	PDB_SECTIONS_LINKED = 10,	/* headers before the image was rewritten */
	PDB_DEBUG_COUNT
};

/** A section of the image as it was linked. */
struct pdb_section {
	uint32_t address, size;
	bool code;
};

/** A module: what came from one object file. */
struct pdb_module_info {
	uint16_t stream;		/* MSF_NONE: it has no symbols */
	uint32_t symbols, old_lines, lines;	/* bytes: symbols, C11 and C13 lines */
};

/** An entry of an OMAP stream: `from` on, up to the next entry, addresses are at `to`. */
struct pdb_omap_entry {
	uint32_t from, to;
};

struct pdb_omap {
	struct pdb_omap_entry *items;
	size_t count;			/* 0: there is none */
};

/** There are no more problems of a PDB. */
#define PDB_PROBLEMS 10

struct pdb {
	struct msf msf;
	struct arena arena;
	char id[PDB_ID];		/* GUID and age as debug identifiers have them */
	uint32_t age, written;		/* of DBI; of the info stream: how often it was written */
	uint16_t machine;
	bool minimal;			/* /DEBUG:FASTLINK: symbols are in the object files */
	bool has_ids;			/* stream 4 is the IPI stream */
	uint32_t names;			/* stream of the string table; MSF_NONE: none */
	uint32_t names_size;		/* bytes of its texts */
	uint32_t records, publics;	/* streams of symbol records, of the publics' hash */
	uint16_t debug[PDB_DEBUG_COUNT];	/* streams */
	struct pdb_section *sections;
	size_t section_count;
	struct pdb_module_info *modules;
	size_t module_count, module_capacity;
	uint32_t modules_size;		/* of their list, which begins the DBI stream */
	uint32_t contributions, contributions_size;	/* their part of the DBI stream */
	struct pdb_omap to, from;	/* to: from the image to the one that was linked */
	struct file_problem problems[PDB_PROBLEMS];
	size_t problem_count;
};

/**
 * Open a PDB; `file` outlives it. To be freed with pdb_close. ERROR_NOT_FOUND where the file is
 * none, ERROR_FORMAT where it is one that cannot be read.
 */
enum error_code
pdb_open(struct pdb **pdb, const struct file *file, struct error *error);

/** Harmless on NULL. */
void
pdb_close(struct pdb *pdb);

/** Where a symbol is that a record has as section and offset; false: not in the image. */
bool
pdb_address(const struct pdb *pdb, uint16_t section, uint32_t offset, uint32_t *address);

/** The module whose contribution holds an address, or SIZE_MAX. */
size_t
pdb_module_at(const struct pdb *pdb, uint32_t address);

/** Tell the names of all modules, in order; of long ones the beginning. */
void
pdb_module_names(const struct pdb *pdb,
		 void (*tell)(void *context, size_t number, struct text name), void *context);

/** Text `offset` of the string table, copied to `arena`; "" where there is none. */
const char *
pdb_name(const struct pdb *pdb, uint32_t offset, struct arena *arena);

/** Where that text stands. */
struct place
pdb_name_place(const struct pdb *pdb, uint32_t offset, size_t length);

/** The NUL-terminated text at `offset`, or what there is up to the end of the bytes. */
struct text
pdb_text(const struct reader *bytes, uint64_t offset);

#endif
