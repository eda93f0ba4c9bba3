/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_UNIT_READER_H
#define DUMP_SYMS_UNIT_READER_H

#include "dwarf/dwarf_lines.h"
#include "dwarf/dwarf_scopes.h"
#include "dwarf/grown.h"
#include "dwarf/split_files.h"
#include "dump_syms/text_table.h"

/**
 * Functions of a file's units with their lines and inlined calls.
 *
 * Each thread has its own reader, which reads one unit after the other. Numbers of names and files
 * are those of the reader's tables.
 */

/** A line of a function. */
struct found_line {
	uint32_t offset, size;		/* bytes from the beginning of the function's range */
	uint32_t line, file;
};

/** An inlined call. */
struct found_call {
	uint32_t function;		/* while a unit is read: its number in the unit */
	uint32_t name, file, line;	/* of the call: file NAME_NONE if unknown */
	uint32_t depth;			/* 0: inlined into the function itself */
	uint32_t range_count;
	uint64_t first_range;
};

/** A range of a function's code. */
struct found_function {
	uint64_t low, high;		/* as linked */
	uint64_t order;			/* of units, and of functions in one */
	uint64_t first_line, first_call;
	uint32_t line_count;
	uint32_t call_count;		/* of the function, each before those inlined into it */
	uint32_t name;
	uint32_t reader;		/* that owns these lists and numbers */
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
	struct dwarf_ranges ranges;	/* of calls */
	struct text_table names, files;
};

/** Units that a reader remembers in addition to the current one. */
#define OTHER_UNITS 64u

/** Shared by all readers. */
struct unit_source {
	const struct dwarf_file *file;
	const struct code_ranges *code;
	struct split_files *split;
	bool mangled;			/* names as linkers have them */
	bool calls;			/* inlined calls are wanted */
	uint64_t most_names;		/* long_names.most of names and of paths */
};

struct unit_reader {
	struct unit_source source;
	struct found_symbols found;
	size_t damaged;			/* units that were not read to their end */
	uint64_t damage;		/* offset in .debug_info of the first one */
	bool out_of_memory;

	/* The current unit. */
	struct dwarf_context context;
	struct dwarf_context skeleton;	/* of a unit of split DWARF */
	struct split_part part;		/* its entries */
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
	struct dwarf_ranges ranges;	/* of the functions */
	struct unit_origins {
		struct unit_origin {
			const struct dwarf_file *file;
			uint64_t offset;	/* of the entry that names the function */
		} *items;
		size_t count, capacity;
	} origins;			/* of the unit's inlined calls */
	struct number_map names;	/* by the offset of an entry */
	struct number_map paths;	/* of files, by number plus 1 */
	struct arena scratch;

	/* For names in other units: with link-time optimization nearly all are. */
	struct other_unit {
		struct dwarf_context context;
		struct dwarf_abbrevs abbrevs;
		struct dwarf_scopes scopes;
		bool scoped;		/* its scopes are noted */
	} *others;			/* OTHER_UNITS, by their offsets */
	struct number_map other_names;
	struct number_map linkage;	/* names by the address of their mangled text */
	char *shown;			/* room for one name */
};

/** Prepare a zeroed reader. False when out of memory. */
bool
unit_reader_init(struct unit_reader *reader, const struct unit_source *source);

/** Read unit number `number` of the file, and note damage. */
void
unit_reader_read(struct unit_reader *reader, size_t number);

/** Free everything but the results. */
void
unit_reader_done(struct unit_reader *reader);

void
found_symbols_free(struct found_symbols *found);

/* Internal to the reader. */

/** Number of the name of the function whose entry is at `offset`; NAME_NONE when out of memory. */
uint32_t
unit_name(struct unit_reader *reader, const struct dwarf_file *file, uint64_t offset);

/**
 * Read the entries of the unit after its own one, and note scopes, functions with code and inlined
 * calls. False if the entries are damaged.
 */
bool
unit_walk(struct unit_reader *reader, struct dwarf_cursor *cursor);

#endif
