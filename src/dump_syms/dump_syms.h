/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_DUMP_SYMS_H
#define DUMP_SYMS_DUMP_SYMS_H

#include "base/output.h"
#include "locate/binaries.h"

/**
 * Symbol files made from programs, libraries and their debug files, and from PDBs.
 *
 * Functions, lines and inlined calls come from DWARF, linker symbols from the symbol tables, STACK
 * CFI from the frame tables, or from SFrame where these have nothing. The text is the same
 * whatever the number of threads is.
 */

/** Called now and then, by the thread that reads, with how many units of DWARF are read. */
typedef void dump_syms_progress(void *context, size_t done, size_t total);

struct dump_syms_options {
	const char *name, *id, *os;	/* of the MODULE record; NULL: what the file says */
	bool mangled;			/* names as linkers have them */
	bool no_calls, no_functions, no_publics, no_frames;	/* records to leave out */
	unsigned threads;		/* 0: one for each processor */
	dump_syms_progress *progress;	/* NULL: nothing is told */
	void *context;
};

/** What was found, and what is to be known of it. */
struct dump_syms {
	const char *os, *arch, *id, *code_id, *name;	/* of MODULE and INFO; code_id "": none */
	size_t lines, calls;		/* records */
	uint64_t sframe_bytes;		/* of code whose unwind rules come from SFrame */
	size_t damaged;			/* units or modules that could not be read to their end */
	uint64_t damage;		/* of the first one: offset in .debug_info, or in the PDB */
	size_t cut_names;		/* too long together: cut, with their sizes behind them */
	bool has_dwarf;
	/* NULL: the records are of no PDB; has what of it is missing */
	const struct pdb *pdb;
	struct dump_syms_parts *parts;
	struct arena arena;
};

/**
 * Read what the files of module `module` have; `binaries` outlives it. ERROR_MEMORY where memory
 * ended, ERROR_FORMAT where no symbol file can be made of such a file.
 */
enum error_code
dump_syms_read(struct dump_syms *dump, struct binaries *binaries, size_t module,
	       const struct arch *arch, const struct dump_syms_options *options,
	       struct error *error);

/**
 * The path under which a store of symbol files has it, as Breakpad's and servers' stores do:
 * DIRECTORY/NAME/ID/NAME.sym. To be freed; NULL where name or identifier cannot be part of a path,
 * or out of memory.
 */
char *
dump_syms_path(const struct dump_syms *dump, const char *directory);

/** Write the symbol file. False when out of memory. */
bool
dump_syms_write(struct dump_syms *dump, const struct output *output);

/** The symbol file in memory, to be freed; NULL when out of memory. */
char *
dump_syms_text(struct dump_syms *dump, size_t *size);

/** Harmless where all is zero. */
void
dump_syms_free(struct dump_syms *dump);

#endif
