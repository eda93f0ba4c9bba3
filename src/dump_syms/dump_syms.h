/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_DUMP_SYMS_H
#define DUMP_SYMS_DUMP_SYMS_H

#include "base/output.h"
#include "binary/binary.h"
#include "locate/binaries.h"

/**
 * Symbol files made from programs, libraries and their debug files, and from PDBs.
 *
 * Functions, lines and inlined calls come from DWARF, linker symbols from the symbol tables. STACK
 * CFI comes from the frame tables, or from SFrame for code without a frame table. The text does not
 * depend on the number of threads.
 */

/** Called regularly by the reading thread with the number of units read. */
typedef bool dump_syms_progress(void *context, uint64_t done, uint64_t total);

struct dump_syms_options {
	const char *name, *id, *os;	/* fields of MODULE; NULL: those of the file */
	bool mangled;			/* mangled names, as linkers have them */
	bool no_calls, no_functions, no_publics, no_frames;
	unsigned threads;		/* 0: one for each processor */
	dump_syms_progress *progress;	/* NULL: no calls */
	void *context;
};

/** A symbol file to write, with statistics and warnings. */
struct dump_syms {
	const char *os, *arch, *id, *code_id, *name;	/* for MODULE and INFO; code_id "": none */
	size_t lines, calls;		/* number of line records; of INLINE records */
	size_t frames;			/* number of STACK records */
	uint64_t sframe_bytes;		/* bytes of code with unwind rules from SFrame */
	/* Bytes of code whose frame table entries cannot be followed: they have no unwind rules */
	uint64_t lost_bytes;
	size_t damaged;			/* units or modules that were not read to their end */
	/* Place of the first damage: offset in .debug_info, or in the PDB */
	uint64_t damage;
	/* Number of names cut because of the limit on long names; a cut name ends with its size */
	size_t cut_names;
	bool has_dwarf;
	/* The file's base name, which dumps may use; NULL: not an ELF or Mach-O file with code */
	const char *file_name;
	/* The module's file is a debug file without code */
	bool debug_only;
	/* The PDB, which records its own damage; NULL: not from a PDB */
	const struct pdb *pdb;
	struct dump_syms_parts *parts;
	struct arena arena;
};

/**
 * Read the files of module `module`; `binaries` must outlive `dump`. ERROR_MEMORY when out of
 * memory, ERROR_FORMAT if a symbol file cannot be made from files of this kind.
 */
enum error_code
dump_syms_read(struct dump_syms *dump, struct binaries *binaries, size_t module,
	       const struct arch *arch, const struct dump_syms_options *options,
	       struct error *error);

/**
 * The path in a store of symbol files, as Breakpad and symbol servers use it:
 * DIRECTORY/NAME/ID/NAME.sym. The caller frees it. NULL when out of memory, or if the name or
 * identifier cannot be part of a path.
 */
char *
dump_syms_path(const struct dump_syms *dump, const char *directory);

/** Write the symbol file; can be called more than once. False when out of memory. */
bool
dump_syms_write(struct dump_syms *dump, const struct output *output);

/** The text of the symbol file, which the caller frees; NULL when out of memory. */
char *
dump_syms_text(struct dump_syms *dump, size_t *size);

/** Harmless if all is zero. */
void
dump_syms_free(struct dump_syms *dump);

/** Bytes of a debug identifier: the digits of a GUID, and up to eight of an age. */
#define IDENTITY_ID 48u

/** A file's name and identifiers, as read by the programs that write dumps. */
struct module_identity {
	/* DT_SONAME, or the PDB that a PE file names, else the file's base name; borrowed */
	const char *name;
	char id[IDENTITY_ID];
	char code_id[2 * 64 + 1];	/* upper-case; PE: time stamp and size of the image */
};

/** Read the name and identifiers of `binary`, which was opened as `path`. */
void
module_identity_read(struct module_identity *identity, const struct binary *binary,
		     const char *path);

#endif
