/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_H
#define PDB_PDB_H

#include "base/text.h"
#include "pdb/msf.h"

/**
 * A PDB: a Windows linker's record of a program's names, lines and unwind records.
 *
 * Opening it reads the streams that locate everything else (info, DBI, section headers, OMAP).
 * Modules, publics, types and frame records are read on demand. An opened PDB never changes, so
 * that any thread may read it. Addresses are relative to the base of the image as it was linked;
 * those called `moved` are of a rewritten image (pdb_map_range()). Source: microsoft-pdb, langapi
 * and PDB/dbi; LLVM, docs/PDB.
 */

/** Bytes of a debug identifier as text, with its terminator. */
#define PDB_ID 41

/** Streams that the debug header of the DBI stream names (dbi.h, enum DBGTYPE). */
enum pdb_debug {
	PDB_FPO = 0,			/* FPO_DATA */
	PDB_OMAP_TO = 3,		/* OMAP from the image to the linked image */
	PDB_OMAP_FROM = 4,
	PDB_SECTIONS = 5,		/* section headers */
	PDB_FRAME_DATA = 9,		/* FRAMEDATA */
	PDB_SECTIONS_LINKED = 10,	/* section headers before the image was rewritten */
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
	uint32_t symbols, old_lines, lines;	/* sizes in bytes: symbols, C11 and C13 lines */
};

struct pdb_range {
	uint32_t address, size;
};

/** An entry of an OMAP stream: maps addresses from `from` up to the next entry to `to`. */
struct pdb_omap_entry {
	uint32_t from, to;
};

struct pdb_omap {
	struct pdb_omap_entry *items;
	size_t count;			/* 0: no OMAP */
};

/** A stream with the URLs of source files. */
struct pdb_links {
	uint32_t stream;
	bool server;			/* the URLs are srcsrv's; false: SourceLink's */
};

/** Maximum number of streams read for URLs of sources. */
#define PDB_LINKS 8u

#define PDB_PROBLEMS 10

struct pdb {
	struct msf msf;
	struct arena arena;
	char id[PDB_ID];		/* GUID and age in the form of debug identifiers */
	uint32_t age, written;		/* age of DBI; number of writes of the info stream */
	uint16_t machine;
	bool minimal;			/* /DEBUG:FASTLINK: symbols are in the object files */
	bool has_ids;			/* stream 4 is the IPI stream */
	uint32_t names;			/* stream of the string table; MSF_NONE: none */
	uint32_t names_size;		/* bytes of the texts in the string table */
	struct pdb_links links[PDB_LINKS];
	size_t link_count;
	uint32_t records;		/* stream of symbol records */
	uint32_t publics, globals;	/* streams of the symbols' hash tables */
	uint16_t debug[PDB_DEBUG_COUNT];	/* stream numbers, by enum pdb_debug */
	struct pdb_section *sections;
	size_t section_count;
	struct pdb_module_info *modules;
	size_t module_count, module_capacity;
	/* Size of the list of modules, which begins the DBI stream */
	uint32_t modules_size;
	/* Place of the contributions in the DBI stream */
	uint32_t contributions, contributions_size;
	struct pdb_omap to, from;	/* `to` maps the image to the linked image */
	struct file_problem problems[PDB_PROBLEMS];
	size_t problem_count;
};

/**
 * Open a PDB; `file` outlives it. Free the PDB with pdb_close. ERROR_NOT_FOUND if the file is not a
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

/** Report the names of all modules, in order. Long names are cut. */
void
pdb_module_names(const struct pdb *pdb,
		 void (*tell)(void *context, size_t number, struct text name), void *context);

/** The text at `offset` in the string table, copied to `arena`, or "". */
const char *
pdb_name(const struct pdb *pdb, uint32_t offset, struct arena *arena);

/** The place of the text at `offset` in the string table. */
struct place
pdb_name_place(const struct pdb *pdb, uint32_t offset, size_t length);

/**
 * The URL of the source file with a path in the PDB, from SourceLink or the stream of a source
 * server. It lives in `arena`. NULL: no http or https URL. Nothing is fetched.
 */
const char *
pdb_source_url(const struct pdb *pdb, struct text path, struct arena *arena);

/** pdb_source_url() from the JSON of SourceLink, by the longest pattern. */
const char *
pdb_source_link(struct text json, struct text path, struct arena *arena);

/** pdb_source_url() from the text of a stream `srcsrv`. */
const char *
pdb_source_server(struct text stream, struct text path, struct arena *arena);

/** The NUL-terminated text at `offset`, or the rest of the bytes. */
struct text
pdb_text(const struct reader *bytes, uint64_t offset);

/* Addresses in a rewritten image */

/**
 * Addresses of an image that was rewritten after it was linked (by BBT, vulcan or Syzygy). All
 * records of the PDB have addresses of the image as it was linked. Without OMAP, both images
 * are the same.
 *
 * Ranges are mapped as by Breakpad's dump_syms (src/common/windows/omap.cc): inserted code belongs
 * to the code around it.
 */

/** A range of addresses that was moved as a whole. */
struct pdb_piece {
	uint32_t linked, moved, size;
	uint32_t injected;		/* number of new bytes after the piece */
	uint32_t removed;		/* number of removed bytes after the piece */
};

struct pdb_mapping {
	struct pdb_piece *pieces;	/* sorted by linked address */
	size_t count;			/* 0: nothing was moved */
};

/** Prepare to map ranges; lives in `arena`. False when out of memory. */
bool
pdb_mapping_build(struct pdb_mapping *mapping, const struct pdb *pdb, struct arena *arena);

/**
 * The ranges of the rewritten image that a linked range became, in `arena`, sorted by address.
 * False when out of memory.
 */
bool
pdb_map_range(const struct pdb_mapping *mapping, struct pdb_range linked, struct arena *arena,
	      struct pdb_range **ranges, size_t *count);

/** The linked address for an address in the image, or the reverse; false: none. */
bool
pdb_linked_address(const struct pdb *pdb, uint64_t moved, uint32_t *linked);

bool
pdb_moved_address(const struct pdb *pdb, uint32_t linked, uint32_t *moved);

/* Public symbols */

/** A public symbol: a linker's name of code or data, in a table sorted by address. */
struct pdb_public {
	uint32_t address;
	uint16_t section;
	bool code;			/* the symbol is in a section with instructions */
	uint32_t offset;		/* offset of its record in the stream of records */
	struct text name;		/* decorated; in the arena or the file */
};

/** Whether the table of public symbols is complete in its stream. */
bool
pdb_publics_fit(const struct pdb *pdb);

size_t
pdb_public_count(const struct pdb *pdb);

/** The symbol at `index` of the table, with its name; false if it is damaged or in no section. */
bool
pdb_public_read(const struct pdb *pdb, size_t index, struct arena *arena,
		struct pdb_public *public);

/** The index of the first public symbol above an address. */
size_t
pdb_public_above(const struct pdb *pdb, uint32_t address);

/**
 * Whether a linker's name may be that of a procedure: it contains the procedure's last identifier.
 * If functions with the same code were folded, names of other functions are at the procedure's
 * address, too.
 */
bool
pdb_public_suits(struct text linkers, struct text procedures);

/**
 * Remove the decoration of a C function's name: `_name@8`, `@name@8` and `_name`. True: the name
 * has a number without leading zero, and `*parameters` is the size of parameters on the stack.
 * Functions called `@name@8` get eight bytes in registers.
 */
bool
pdb_undecorate_c(struct text *name, uint32_t *parameters);

/* Unwind records */

/**
 * Unwind records of x86: FPO_DATA, and FRAMEDATA with its program (microsoft-pdb, cvinfo.h).
 */
struct pdb_frame {
	unsigned type;			/* type as in STACK WIN: 0 FPO_DATA, 4 FRAMEDATA */
	uint32_t address, size;
	uint32_t prologue, parameters, saved_registers, locals, max_stack;	/* bytes */
	bool allocates_base_pointer;
	uint32_t program;		/* type 4: offset in the string table */
	struct place place;
	uint32_t offset;		/* offset of the record in its stream */
};

/** Number of records of a type. */
size_t
pdb_frame_count(const struct pdb *pdb, unsigned type);

/** Record `index` of a type in the order of the stream; false: there are fewer. */
bool
pdb_frame_read(const struct pdb *pdb, unsigned type, size_t index, struct pdb_frame *frame);

/** The number of records of a type that begin at or below an address. */
size_t
pdb_frame_upto(const struct pdb *pdb, unsigned type, uint32_t address);

#endif
