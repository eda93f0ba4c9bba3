/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_PDB_MODULE_H
#define PDB_PDB_MODULE_H

#include "pdb/pdb.h"

/**
 * One module of a PDB: procedures, lines and inlined calls.
 *
 * Offsets are those in the module's stream (microsoft-pdb, cvinfo.h: SYMTYPE; LLVM,
 * docs/PDB/ModiStream.rst). Damaged records are left out, and counted.
 */

struct pdb_symbol {
	uint16_t kind;
	uint32_t offset;		/* offset of the record in its stream */
	struct reader data;		/* the bytes after the kind */
};

enum pdb_symbol_kind {
	S_END = 0x0006,
	S_FRAMEPROC = 0x1012,
	S_THUNK32 = 0x1102,
	S_BLOCK32 = 0x1103,
	S_WITH32 = 0x1104,
	S_REGISTER = 0x1106,
	S_CONSTANT = 0x1107,
	S_UDT = 0x1108,
	S_BPREL32 = 0x110b,
	S_LDATA32 = 0x110c,
	S_GDATA32 = 0x110d,
	S_PUB32 = 0x110e,
	S_LPROC32 = 0x110f,
	S_GPROC32 = 0x1110,
	S_REGREL32 = 0x1111,
	S_LTHREAD32 = 0x1112,
	S_GTHREAD32 = 0x1113,
	S_COMPILE2 = 0x1116,
	S_PROCREF = 0x1125,
	S_LPROCREF = 0x1127,
	S_SEPCODE = 0x1132,
	S_COMPILE3 = 0x113c,
	S_LOCAL = 0x113e,
	S_DEFRANGE = 0x113f,
	S_DEFRANGE_SUBFIELD = 0x1140,
	S_DEFRANGE_REGISTER = 0x1141,
	S_DEFRANGE_FRAMEPOINTER_REL = 0x1142,
	S_DEFRANGE_SUBFIELD_REGISTER = 0x1143,
	S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE = 0x1144,
	S_DEFRANGE_REGISTER_REL = 0x1145,
	S_LPROC32_ID = 0x1146,
	S_GPROC32_ID = 0x1147,
	S_INLINESITE = 0x114d,
	S_INLINESITE_END = 0x114e,
	S_PROC_ID_END = 0x114f,
	S_FILESTATIC = 0x1153,
	S_LPROC32_DPC = 0x1155,
	S_LPROC32_DPC_ID = 0x1156,
	S_INLINESITE2 = 0x115d,
};

/** A function, a thunk, or a part of a function at another address. */
struct pdb_procedure {
	uint32_t address, size;
	uint32_t type;			/* number in IPI if `id`, else in TPI; 0: none */
	uint32_t offset, end;		/* offset of its record; end of the last record inside it */
	struct text name;		/* undecorated, without parameters */
	bool local;			/* static */
	bool id;			/* `type` is a number of IPI */
	bool thunk;
	bool part;			/* code that was moved away from its function */
	uint32_t whole;			/* address of the function that a part belongs to */
};

/** A LINES subsection: the rows of lines for a range of code. */
struct pdb_line_run {
	uint64_t address;
	uint32_t size, offset, end;	/* `offset` to `end`: its file blocks in the stream */
	bool columns;
};

/** The first source line of an inlined function. */
struct pdb_inlinee {
	uint32_t id, file, line;
};

struct pdb_row {
	uint32_t address, size, line;
	uint32_t file;			/* offset in the checksums: see pdb_file */
	uint32_t offset;		/* offset of its record in the stream */
	uint32_t run;			/* number of its run in the module; 0: an inlined call */
};

/**
 * Whether a line number marks code that the compiler generated. Debuggers step over this code or
 * into its calls (CodeView). DIA returns the numbers unchanged.
 */
static inline bool
pdb_line_is_hidden(uint32_t line)
{
	return line == 0xfeefee || line == 0xf00f00;
}

/** A call that is inlined into a procedure. */
struct pdb_call {
	uint32_t id;			/* number of the function in IPI */
	uint32_t depth;			/* 0: inlined into the procedure itself */
	uint32_t line, file;		/* the call site; line 0: unknown */
	uint32_t offset;		/* offset of its record in the stream */
	struct pdb_row *rows;		/* its own rows, sorted by address */
	size_t row_count;
	/* ranges of the call's code and of the calls inside it, by address */
	struct pdb_range *ranges;
	size_t range_count;
};

/** The lines of one procedure, and its inlined calls with their call sites. */
struct pdb_body {
	struct pdb_row *rows;		/* sorted by address, without overlap; none is empty */
	size_t row_count;
	struct pdb_call *calls;		/* inlined calls, each before the calls inlined into it */
	size_t call_count;
};

struct pdb_module {
	const struct pdb *pdb;
	size_t number;
	uint16_t stream;
	struct arena arena;
	struct reader symbols;		/* from the start of the stream to the end of the symbols */
	struct reader bytes;		/* the whole stream */
	struct reader checksums;	/* names and checksums of files */
	struct reader imports;		/* numbers of functions in other modules; see pdb_scopes */
	struct pdb_procedure *procedures;	/* sorted by address */
	size_t procedure_count, procedure_capacity;
	struct pdb_line_run *runs;	/* sorted by address */
	size_t run_count, run_capacity;
	struct pdb_inlinee *inlinees;	/* sorted by id */
	size_t inlinee_count, inlinee_capacity;
	/*
	 * Rows of all runs by address, if procedures or runs overlap. `cut`: procedures share too
	 * many rows, so a procedure's rows end where the next one begins.
	 */
	struct pdb_row *shared;
	size_t shared_count;
	bool cut;
	size_t damaged;			/* number of records left out */
	uint32_t damage;		/* offset of the first record left out */
};

/** Read module `number`. False: no symbols, or out of memory. If true, the caller closes it. */
bool
pdb_module_open(struct pdb_module *module, const struct pdb *pdb, size_t number);

void
pdb_module_close(struct pdb_module *module);

/** Read the record at `*offset`, and move `*offset` past it. False: at `end`, or damaged. */
bool
pdb_symbol_next(const struct reader *symbols, uint32_t *offset, uint32_t end,
		struct pdb_symbol *symbol);

/** Whether a record of this kind contains the next records, up to one that closes it. */
bool
pdb_symbol_opens(uint16_t kind);

bool
pdb_symbol_closes(uint16_t kind);

/** The procedure whose code contains an address, or NULL. */
const struct pdb_procedure *
pdb_procedure_at(const struct pdb_module *module, uint32_t address);

/**
 * Read the rows of all runs once if procedures or runs overlap, to avoid reading them for each
 * procedure. pdb_module_open calls it. False if rows are left out: `*offset` is then the offset of
 * the first affected run or procedure.
 */
bool
pdb_rows_share(struct pdb_module *module, uint32_t *offset);

/**
 * Read the body of a procedure into `arena`. With `calls`, rows are those of the innermost
 * function, else those of the procedure. False: rows are missing (a limit, or out of memory).
 */
bool
pdb_body_read(const struct pdb_module *module, const struct pdb_procedure *procedure, bool calls,
	      struct arena *arena, struct pdb_body *body);

/** The row that contains an address, or NULL. `rows` is sorted. */
const struct pdb_row *
pdb_row_at(const struct pdb_row *rows, size_t count, uint32_t address);

/** The path of a row's file, copied to `arena`; "" if it is unknown. */
const char *
pdb_file(const struct pdb_module *module, uint32_t file, struct arena *arena);

#endif
