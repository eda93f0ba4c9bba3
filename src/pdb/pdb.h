/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_H
#define PDB_PDB_H

#include "base/text.h"
#include "pdb/msf.h"

/**
 * A PDB: a Windows linker's record of a program's names, lines and unwind records.
 *
 * Opening it reads the streams that locate everything else (info, DBI, section headers, OMAP);
 * modules, publics, types and frame records are read on demand. An opened PDB never changes, so
 * that any thread may read it. Addresses are relative to the image's base, in the image as it was
 * linked, unless they are called new: see pdb_omap.h. Source: microsoft-pdb, langapi and PDB/dbi;
 * LLVM, docs/PDB.
 */

/** Bytes of a debug identifier as text, with its terminator. */
#define PDB_ID 41

/** Streams that the debug header of the DBI stream names (dbi.h, enum DBGTYPE). */
enum pdb_debug {
	PDB_FPO = 0,			/* FPO_DATA */
	PDB_OMAP_TO = 3,		/* from the image to the linked one */
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

/** A module: the contribution of one object file. */
struct pdb_module_info {
	uint16_t stream;		/* MSF_NONE: no symbols */
	uint32_t symbols, old_lines, lines;	/* bytes: symbols, C11 and C13 lines */
};

/** A range of addresses. */
struct pdb_range {
	uint32_t address, size;
};

/** An entry of an OMAP stream: addresses from `from` on, up to the next entry, are at `to`. */
struct pdb_omap_entry {
	uint32_t from, to;
};

struct pdb_omap {
	struct pdb_omap_entry *items;
	size_t count;			/* 0: no OMAP */
};

/** Most problems of a PDB. */
#define PDB_PROBLEMS 10

struct pdb {
	struct msf msf;
	struct arena arena;
	char id[PDB_ID];		/* GUID and age in the form of debug identifiers */
	uint32_t age, written;		/* of DBI; of the info stream: number of writes */
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
	struct pdb_omap to, from;	/* to: from the image to the linked one */
	struct file_problem problems[PDB_PROBLEMS];
	size_t problem_count;
};

/**
 * Open a PDB; `file` outlives it. To be freed with pdb_close. ERROR_NOT_FOUND if the file is not a
 * PDB, ERROR_FORMAT if it is an unreadable PDB.
 */
enum error_code
pdb_open(struct pdb **pdb, const struct file *file, struct error *error);

/** Harmless on NULL. */
void
pdb_close(struct pdb *pdb);

/** The address of a symbol from its section and offset; false: not in the image. */
bool
pdb_address(const struct pdb *pdb, uint16_t section, uint32_t offset, uint32_t *address);

/** The module whose contribution holds an address, or SIZE_MAX. */
size_t
pdb_module_at(const struct pdb *pdb, uint32_t address);

/** Report the names of all modules, in order; long ones are cut. */
void
pdb_module_names(const struct pdb *pdb,
		 void (*tell)(void *context, size_t number, struct text name), void *context);

/** Text `offset` of the string table, copied to `arena`, or "". */
const char *
pdb_name(const struct pdb *pdb, uint32_t offset, struct arena *arena);

/** The place of that text. */
struct place
pdb_name_place(const struct pdb *pdb, uint32_t offset, size_t length);

/** The NUL-terminated text at `offset`, or the rest of the bytes. */
struct text
pdb_text(const struct reader *bytes, uint64_t offset);

#endif
