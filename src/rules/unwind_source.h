/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_UNWIND_SOURCE_H
#define RULES_UNWIND_SOURCE_H

#include "frame_table/unwind_row.h"
#include "rules/rule_claims.h"
#include "rules/rule_table.h"

/**
 * The sources of unwind rules of one module, row by row.
 *
 * A source is a table of call frame information in a module's file or in its symbol file. All
 * sources give rows in ascending order of address. A row has a claim for each register, and the
 * record of each claim. The table in unwind_sources.c lists the sources, with the registers in
 * their rules and their readers. A source may stop at any row and begin again anywhere (`seek`), so
 * that a single address can be looked up.
 *
 * cfi_source.c, rule_source_win.c, dwarf_source.c, frames_source.c and sframe_source.c read rows.
 * rule_table.h makes tables of rows for views, unwind_check compares rows, and repair rewrites
 * STACK CFI records. dump-syms writes symbol files, and to_sframe.c writes SFrame sections.
 */

struct unwind_reader {
	/** Whether the module has the source. */
	bool (*exists)(const struct unwind_source *source);
	/** Whether the source has rows; `open` makes its state in the source's arena. */
	bool (*open)(struct unwind_source *source);
	/**
	 * Begin with the first row that contains or follows `address`, or with an earlier row of
	 * the same entry (see unwind_source_from).
	 */
	void (*seek)(struct unwind_source *source, uint64_t address);
	/** Make `source->row` the next row; false after the last one. */
	bool (*next)(struct unwind_source *source);
	/** The place of a record by its offset. */
	struct place (*place)(const struct unwind_source *source, uint64_t record);
	void (*close)(struct unwind_source *source);
	/*
	 * Whether the source has rules for `address`. Sets the range of the record or descriptor.
	 * The source need not be open.
	 */
	bool (*covers)(const struct unwind_source *source, uint64_t address, uint64_t *first,
		       uint64_t *last);
	/* Add the rows for the run of `tables` to the last table; the source need not be open. */
	void (*fill)(const struct unwind_source *source, struct rule_tables *tables);
};

/** The registers in a source's rules. */
enum unwind_speaks {
	UNWIND_ALL,		/* every register; unmentioned registers are unchanged */
	/* CFA, return address, frame pointer, and any register that a row mentions */
	UNWIND_MENTIONED,
};

/** Bit in the type of STACK WIN records from the module's PDB. */
#define UNWIND_PDB 0x10u

struct unwind_source_kind {
	const char *name;		/* "STACK CFI" */
	const struct unwind_reader *reader;
	enum unwind_speaks speaks;
	unsigned walked;		/* position in the order in which walks use sources */
	bool at_calls;			/* the source's rules are valid only at calls */
	/* The source should cover all code that another source with `whole` covers */
	bool whole;
	/* The source leaves some code to another table; then no source need be `whole` */
	bool delegates;
	bool code;			/* the source's rows are checked against the code */
	bool symbols;			/* from the symbol file, whose records have lines */
	unsigned number;		/* number of a frame table, or type of STACK WIN records */
	unsigned group;			/* number of a group of sources with equal rules; 0: none */
};

struct unwind_source {
	const struct unwind_source_kind *kind;
	const struct rule_module *module;	/* outlives the source */
	bool windows;			/* the ABI of 64-bit Windows preserves more registers */
	bool go;			/* calls preserve no register (binary/binary.h) */
	/*
	 * Rows are for display: they include unreadable entries. Expressions of frame tables are
	 * postfix, not sums that are valid at one address only.
	 */
	bool shown;
	/* a row of STACK CFI ends where its CFA changes with the pc, as rows of DWARF do */
	bool evaluated;
	struct arena arena;
	void *state;
	size_t entries;			/* number of entries; 0: not counted */
	struct unwind_row row;		/* valid until the next call of `next` or `seek` */
};

/** Maximum number of sources of one module. */
#define UNWIND_SOURCES 11u

/**
 * Set `sources` to the module's sources in the order in which walks use them. The sources are not
 * open. Returns their number.
 */
size_t
unwind_sources(const struct rule_module *module, struct unwind_source sources[UNWIND_SOURCES]);

/** Open a source; the caller closes it. False if it has no rows; then do not close it. */
bool
unwind_source_open(struct unwind_source *source, const struct unwind_source_kind *kind,
		   const struct rule_module *module, bool windows);

/** Open all sources of a module, STACK CFI first. Returns their number. The caller closes them. */
size_t
unwind_sources_open(const struct rule_module *module, bool windows,
		    struct unwind_source sources[UNWIND_SOURCES]);

/** Open the sources in `of` for another thread; the caller closes them. False: out of memory. */
bool
unwind_sources_share(const struct unwind_source *of, size_t count,
		     struct unwind_source sources[UNWIND_SOURCES]);

void
unwind_sources_close(struct unwind_source *sources, size_t count);

/** Make `source->row` the first row that contains or follows an address; false: none. */
bool
unwind_source_from(struct unwind_source *source, uint64_t address);

/** The address after the last instruction of a module's file; 0: unknown. */
uint64_t
unwind_code_end(const struct rule_module *module);

/** The kind of source with this name ("SFrame", ".eh_frame"), or NULL. */
const struct unwind_source_kind *
unwind_source_kind_named(const char *name);

/** Reset `source->row` to the claims of a row that mentions no register. */
void
unwind_row_clear(struct unwind_source *source);

extern const struct unwind_reader unwind_reader_stack_cfi, unwind_reader_stack_win,
	unwind_reader_dwarf, unwind_reader_sframe, unwind_reader_frames;

#endif
