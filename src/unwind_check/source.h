/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_SOURCE_H
#define UNWIND_CHECK_SOURCE_H

#include "rules/rule_claims.h"
#include "rules/rule_table.h"

/**
 * The sources of unwind rules of one module, row by row.
 *
 * A source is a table of call frame information in a module's file or in its symbol file. All hand
 * over rows in ascending order of address: claims for each register, with the record that made
 * each. The table in sources.c has a row for each source: the registers in its rules, and its
 * reader. A source may stop at any row and begin again anywhere (`seek`), so that a single address
 * can be looked up.
 *
 * The room: cfi_source.c, dwarf_source.c, sframe_source.c and table_source.c read, check.c
 * compares, slices.c does so in threads; findings.c groups differences; code_check.c runs the code,
 * and code_judge.c compares one row with it. to_sframe.c writes rows as an SFrame section.
 */
struct unwind_row {
	uint64_t first, last;		/* counted from the module's base */
	/* Why the source's own record cannot be used; NULL: it can */
	const char *problem;
	uint64_t record;		/* offset of the record that begins to hold here */
	uint64_t entry;			/* record that gives the range of code */
	uint64_t begins;		/* begin of that range */
	/* 1 + a number that entries of one assembler share; 0: none */
	uint64_t common;
	uint64_t changed;		/* columns that may differ from the row before: bits */
	uint64_t expressed;		/* columns with claims from expressions: bits */
	uint64_t failing;		/* columns whose rules always fail: bits */
	bool signal;			/* the code of a signal frame */
	bool presumed;			/* no entry covers it: the meaning of a gap in the table */
	bool signed_ra, key_b;		/* AArch64: the return address is signed, with key B */
	struct claim claims[CLAIM_COLUMNS];
	uint64_t records[CLAIM_COLUMNS];	/* of the record that made each claim; 0: `entry` */
};

struct unwind_source;

_Static_assert(CLAIM_COLUMNS <= 64, "every column has a bit");

/** The reader of a source. */
struct unwind_reader {
	/** Whether the module has the source; its state is made in the source's arena. */
	bool (*open)(struct unwind_source *source);
	/** Begin with the first row that contains or follows `address`. */
	void (*seek)(struct unwind_source *source, uint64_t address);
	/** Make `source->row` the next row; false after the last one. */
	bool (*next)(struct unwind_source *source);
	/** The place of a record by its offset. */
	struct place (*place)(const struct unwind_source *source, uint64_t record);
	void (*close)(struct unwind_source *source);
	/** Open with data of `of`, another source, which outlives this one; NULL: use `open`. */
	bool (*share)(struct unwind_source *source, const struct unwind_source *of);
};

/** The registers in a source's rules. */
enum unwind_speaks {
	UNWIND_ALL,		/* every register: an unmentioned one is unchanged */
	UNWIND_MENTIONED,	/* CFA, return address, frame pointer, and mentioned ones */
};

struct unwind_source_kind {
	const char *name;		/* "STACK CFI" */
	const struct unwind_reader *reader;
	enum unwind_speaks speaks;
	bool at_calls;			/* true at calls only */
	/* It should cover all code that another such source covers */
	bool whole;
	bool code;			/* its rows are checked against the code */
	bool symbols;			/* it is in the symbol file: its records have lines */
	unsigned number;		/* of a frame table, or the type of STACK WIN records */
	unsigned group;			/* two sources of one group (not 0) have equal rules */
};

struct unwind_source {
	const struct unwind_source_kind *kind;
	const struct rule_module *module;
	bool windows;			/* the ABI of 64-bit Windows keeps more registers */
	bool go;			/* calls keep no register (binary/binary.h) */
	struct arena arena;
	void *state;
	size_t entries;			/* number of entries; 0: not counted */
	struct unwind_row row;		/* valid until the next call of `next` or `seek` */
};

/** Most sources of one module. */
#define UNWIND_SOURCES 10u

/** A source without records, for rows from elsewhere (unwind_row_take). */
void
unwind_source_init(struct unwind_source *source, const struct unwind_source_kind *kind,
		   const struct rule_module *module, bool windows);

/** Open all sources of a module; returns their number. Close each. */
size_t
unwind_sources_open(const struct rule_module *module, bool windows,
		    struct unwind_source sources[UNWIND_SOURCES]);

/** Open the sources `of` again for another thread; false when out of memory. Close each. */
bool
unwind_sources_share(const struct unwind_source *of, size_t count,
		     struct unwind_source sources[UNWIND_SOURCES]);

void
unwind_sources_close(struct unwind_source *sources, size_t count);

/** The address after the last instruction of a module's file; 0: unknown. */
uint64_t
unwind_code_end(const struct rule_module *module);

/** The kind of a name ("SFrame", ".eh_frame"), or NULL. */
const struct unwind_source_kind *
unwind_source_kind_named(const char *name);

/** Set the row of a source from a row of tables, except the begin of its entry. */
void
unwind_row_take(struct unwind_source *source, const struct rule_tables *tables,
		const struct rule_row *from);

/** Set a row without mentioned registers, by the kind of the source. */
void
unwind_row_clear(struct unwind_source *source);

extern const struct unwind_reader unwind_reader_stack_cfi, unwind_reader_dwarf,
	unwind_reader_sframe, unwind_reader_table;

#endif
