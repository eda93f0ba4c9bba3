/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_DUMP_SYMS_INTERNAL_H
#define DUMP_SYMS_DUMP_SYMS_INTERNAL_H

#include <stdatomic.h>

#include "debug_info/file_symbols.h"
#include "dump_syms/dump_syms.h"
#include "dump_syms/unit_reader.h"

/** Shared by the parts of making a symbol file. */

/** Growing text. */
struct symbol_text {
	char *items;
	size_t count, capacity;
	bool failed;			/* out of memory: text is missing */
};

/** Append text, a number in lower-case hex, a decimal number. */
void
symbol_text_add(struct symbol_text *text, const char *bytes, size_t length);

void
symbol_text_string(struct symbol_text *text, const char *string);

void
symbol_text_hex(struct symbol_text *text, uint64_t value);

void
symbol_text_decimal(struct symbol_text *text, uint64_t value);

/** Append a name from a file, with characters that must not be in a line made visible. */
void
symbol_text_name(struct symbol_text *text, const char *bytes, size_t length);

/** Files of a module that have a symbol table. */
#define SYMBOL_TABLES 3u

/** A linker symbol. */
struct found_public {
	uint64_t address;		/* relative to the module */
	uint64_t order;			/* of tables, and of entries in one */
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
	atomic_size_t next, done;	/* next unit to read; units read */
	struct found_functions functions;	/* of all readers, by address, each once */
	struct file_symbols tables[SYMBOL_TABLES];
	struct found_publics {
		struct found_public *items;
		size_t count, capacity;
	} publics;
	struct arena names;		/* of publics of a PDB */
	size_t damaged;			/* modules of a PDB that were not read to their end */
	struct place damage;		/* of the first one */
	struct symbol_text frames;	/* STACK CFI and STACK WIN records */
	size_t frame_count;
	uint64_t sframe_bytes;		/* bytes of code with records from SFrame */
	struct name_map {
		uint32_t *numbers;	/* by the numbers of a reader; NAME_NONE: in no record */
	} *file_numbers, *origin_numbers;	/* one a reader */
};

/** Read the units of the DWARF by several threads. */
void
dump_syms_read_units(struct dump_syms_parts *parts, unsigned threads);

/** Write the STACK CFI records of the module's frame tables to `frames`. */
void
dump_syms_read_frames(struct dump_syms_parts *parts);

/** List the linker symbols. False when out of memory. */
bool
dump_syms_read_publics(struct dump_syms_parts *parts);

#endif
