/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_DUMP_SYMS_INTERNAL_H
#define DUMP_SYMS_DUMP_SYMS_INTERNAL_H

#include <stdatomic.h>

#include "base/text.h"
#include "debug_info/file_symbols.h"
#include "dump_syms/dump_syms.h"
#include "dwarf/dwarf_lines.h"
#include "dwarf/dwarf_entry.h"
#include "dwarf/grown.h"
#include "dwarf/split_files.h"

/** Declarations shared by the files that make a symbol file. */

struct symbol_text {
	char *items;
	size_t count, capacity;
	bool failed;			/* out of memory: text is missing */
};

/** Append text, a number in lower-case hex, or a decimal number. */
void
symbol_text_add(struct symbol_text *text, const char *bytes, size_t length);

void
symbol_text_string(struct symbol_text *text, const char *string);

void
symbol_text_hex(struct symbol_text *text, uint64_t value);

void
symbol_text_decimal(struct symbol_text *text, uint64_t value);

/** Append a name from a file; characters that are not allowed in a line are made visible. */
void
symbol_text_name(struct symbol_text *text, const char *bytes, size_t length);

/** The limit of the total size of names that are longer than LIMIT_NAME_CUT. */
struct long_names {
	uint64_t most, bytes;		/* limit of the bytes, and bytes so far */
	size_t cut;			/* names cut or left mangled after `most` was reached */
};

/** Count a name. If long names exceed `most` bytes, cut a long name and put it in `buffer`. */
struct text
long_names_count(struct long_names *names, struct text name, char buffer[TEXT_CUT_ROOM]);

/** Names of functions or paths of files, each stored once and numbered from 0. */
struct text_table {
	struct arena arena;
	struct known_name {
		const char *text;
		uint32_t length;
		bool written;		/* name of a function as in the source, with scopes */
	} *items;
	size_t count, capacity;
	struct number_map numbers;	/* keyed by an odd hash, or by the next free odd number */
	struct long_names long_ones;	/* if `most` is 0, all long names are cut */
};

#define NAME_NONE UINT32_MAX

/**
 * The number of a text; NAME_NONE when out of memory. A new text is copied. It is cut if it is long
 * and the limit of long names is reached.
 */
uint32_t
text_table_add(struct text_table *table, struct text text);

void
text_table_free(struct text_table *table);

/**
 * Functions of a file's units with their lines and inlined calls.
 *
 * Each thread has its own reader, which reads one unit after the other. Numbers of names and files
 * are those of the reader's tables.
 */

struct found_line {
	uint32_t offset, size;		/* bytes from the beginning of the function's range */
	uint32_t line, file;
};

struct found_call {
	uint32_t function;		/* number in the unit, used only while the unit is read */
	uint32_t name, file, line;	/* callee's name; file (or NAME_NONE), line of the call */
	uint32_t depth;			/* 0: inlined into the function itself */
	uint32_t range_count;
	uint64_t first_range;
};

/** A range of a function's code. */
struct found_function {
	uint64_t low, high;		/* as linked */
	uint64_t order;			/* order of units, then of functions in a unit */
	uint64_t first_line, first_call;
	uint32_t line_count;
	uint32_t call_count;		/* inlined calls, each before those inlined into it */
	uint32_t name;
	struct text mangled;		/* used instead of a name as in the source; "": none */
	uint32_t reader;		/* number of the reader that owns these lists and numbers */
	uint32_t parameters;		/* bytes; only from PDBs */
	bool multiple;			/* other names have the same address */
};

/** The results of a reader so far. */
struct found_symbols {
	struct found_functions {
		struct found_function *items;
		size_t count, capacity;
	} functions;
	struct found_lines {
		struct found_line *items;
		size_t count, capacity;
	} lines;
	struct found_calls {
		struct found_call *items;
		size_t count, capacity;
	} calls;
	struct dwarf_ranges ranges;	/* ranges of the code of calls */
	struct text_table names, files;
};

/** Maximum number of units that a reader remembers in addition to the current one. */
#define OTHER_UNITS 64u

/** Shared by all readers. */
struct unit_source {
	const struct dwarf_file *file;
	const struct code_ranges *code;
	struct split_files *split;
	bool mangled;			/* names are written mangled, as in linker symbols */
	bool calls;			/* read inlined calls, too */
	uint64_t most_names;		/* long_names.most for names and for paths */
};

struct unit_reader {
	struct unit_source source;
	struct found_symbols found;
	size_t damaged;			/* units that were not read to their end */
	uint64_t damage;		/* offset of the first damaged unit in .debug_info */
	bool limited;			/* units were not read to their end because of a limit */
	bool out_of_memory;

	/* The current unit. */
	struct dwarf_context context;
	struct dwarf_context skeleton;
	struct split_part part;		/* entries of the unit */
	struct dwarf_abbrevs abbrevs, skeleton_abbrevs;
	struct dwarf_scopes scopes;
	struct dwarf_lines lines;
	struct unit_functions {
		struct unit_function {
			uint64_t entry;		/* offset in .debug_info */
			size_t first_range, range_count;
			size_t first_call, call_count;
		} *items;
		size_t count, capacity;
	} functions;
	struct dwarf_ranges ranges;	/* ranges of the code of functions */
	struct unit_origins {
		struct unit_origin {
			const struct dwarf_file *file;
			uint64_t offset;	/* offset of the entry that names the function */
		} *items;
		size_t count, capacity;
	} origins;			/* origins of the unit's inlined calls */
	struct number_map names;	/* keyed by the offset of an entry */
	struct number_map paths;	/* paths, keyed by the number of a file plus 1 */
	struct arena scratch;

	/* Units with names that the current unit uses; common with link-time optimization. */
	struct other_unit {
		struct dwarf_context context;
		struct dwarf_abbrevs abbrevs;
		struct dwarf_scopes scopes;
		bool scoped;		/* the unit's scopes have been listed */
	} *others;			/* indexed by the number of a unit modulo OTHER_UNITS */
	struct number_map other_names;
	struct number_map linkage;	/* names by the address of their mangled text */
	struct number_map split_files;	/* files whose size is part of `ranges.budget` */
	char *shown;			/* room for one name */
};

/** Number of the name of the function whose entry is at `offset`; NAME_NONE when out of memory. */
uint32_t
unit_name(struct unit_reader *reader, const struct dwarf_file *file, uint64_t offset);

/** Number of a module's files that may have a symbol table. */
#define SYMBOL_TABLES 3u

/** A linker symbol. */
struct found_public {
	uint64_t address;		/* relative to the module */
	uint64_t order;			/* order of tables, then of entries in a table */
	const char *name;
	uint32_t parameters;		/* as in found_function */
	bool multiple;
};

struct dump_syms_parts {
	struct binaries *binaries;
	size_t module;
	const struct arch *arch;
	uint64_t linked_base;
	struct dump_syms_options options;
	struct dwarf_file file, supplement;
	struct split_files split;
	struct code_ranges code;
	struct long_names names_written;	/* in FUNC, PUBLIC and INLINE_ORIGIN records */
	struct unit_reader *readers;
	size_t reader_count;
	atomic_size_t done;		/* number of units read so far */
	struct found_functions functions;	/* all functions, one for each address */
	struct file_symbols tables[SYMBOL_TABLES];
	struct found_publics {
		struct found_public *items;
		size_t count, capacity;
	} publics;
	struct arena names;		/* names of publics of a PDB */
	size_t damaged;			/* modules of a PDB that were not read to their end */
	struct place damage;		/* place of the first damaged module */
	struct symbol_text frames;	/* STACK CFI and STACK WIN records */
	size_t frame_count;
	uint64_t sframe_bytes;		/* bytes of code with records from SFrame */
	uint64_t lost_bytes;		/* bytes of code whose entries cannot be followed */
	struct name_map {
		uint32_t *numbers;	/* indexed by a reader's numbers; NAME_NONE: in no record */
	} *file_numbers, *origin_numbers;	/* one array for each reader */
};

/** Read the units of the DWARF by several threads. */
void
dump_syms_read_units(struct dump_syms_parts *parts, unsigned threads);

/** Free the numbers of files and names, which dump_syms_write makes. */
void
dump_syms_free_numbers(struct dump_syms_parts *parts);

/** Write the STACK CFI records of the module's frame tables to `frames`. */
void
dump_syms_read_frames(struct dump_syms_parts *parts);

/** Read all of a PDB. False when out of memory. */
bool
dump_syms_read_pdb(struct dump_syms_parts *parts, const struct pdb *pdb);

#endif
