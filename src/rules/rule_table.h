/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_TABLE_H
#define RULES_RULE_TABLE_H

#include "rules/rule_claims.h"

/**
 * Unwind rules of a run of code as tables: a row for each address where a rule changes, a column
 * for each register.
 *
 * A table is what one source says (STACK CFI records, an SFrame section, the conventions of the
 * architecture); tables of one run share their columns, so that they can be read side by side.
 * What is wrong with a record is a row in its place. Addresses count from the module's base.
 */
enum rule_cell_kind {
	RULE_CELL_KEPT,		/* no record says anything, and calls keep the register */
	RULE_CELL_LOST,		/* no record says anything, and calls may change it */
	RULE_CELL_SAME,		/* a rule says that the caller's value is still there */
	RULE_CELL_UNDEFINED,	/* a rule says that the value is unknown */
	RULE_CELL_RULE,
};

/** What a row says of one register. */
struct rule_cell {
	enum rule_cell_kind kind;
	struct linear linear;	/* over registers where it can be; not known: more than a sum */
	struct text text;	/* the expression in postfix */
	struct place place;	/* of the expression; of a cell without a rule that of the row */
	struct place record;	/* of the whole record */
	bool edited;		/* a what-if: the file says something else */
	bool changed;		/* it is not what the row above says */
	bool differs;		/* another source says otherwise somewhere in this row */
};

enum rule_column_kind {
	RULE_COLUMN_CFA,
	RULE_COLUMN_RETURN_ADDRESS,
	RULE_COLUMN_REGISTER,
	RULE_COLUMN_OTHER,	/* a name that is no register */
};

struct rule_column {
	enum rule_column_kind kind;
	int reg;		/* of RULE_COLUMN_REGISTER */
	struct text name;	/* as people call it: "CFA", "ra", "rbx" */
};

enum rule_row_kind {
	RULE_ROW_RULES,		/* rules that hold from here on; also unusable ones */
	RULE_ROW_NOTHING,	/* the source says nothing from here on */
	RULE_ROW_RECORD,	/* a record that has no part in what holds, or only in part */
};

struct rule_row {
	enum rule_row_kind kind;
	uint64_t address, last;	/* it holds up to `last`; of RULE_ROW_RECORD where it stands */
	struct place record;	/* that begins to hold here */
	const struct rule_cell *cells;	/* one a column; NULL: no rules */
	size_t cell_count;	/* while tables are filled: columns come later, too */
	const char *label;	/* instead of an address; NULL: none */
	const char *message;	/* what is wrong or to be known; NULL: nothing */
	bool broken;		/* something is wrong */
	bool partial;		/* as its source is */
	size_t order;		/* in which it was added */
	size_t holder;		/* number of the row that holds where this one stands */
};

struct rule_table {
	const char *source;	/* "STACK CFI" */
	const char *note;	/* to be known of all rows; NULL: nothing */
	struct rule_row *rows;	/* by address */
	size_t count, capacity;
	size_t record_count;	/* rows that are records of their own */
	bool full;		/* the source has more rows than are kept */
};

/** Tables while they are filled, and when they are done. */
struct rule_tables {
	struct arena *arena;
	const struct arch *arch;
	bool windows;			/* the ABI of 64-bit Windows keeps more registers */
	uint64_t first, last;		/* the run of code */
	struct rule_column *columns;	/* CFA, ra, kept registers, others, names */
	size_t column_count, column_capacity;
	struct rule_table *tables;
	size_t count, capacity;
	size_t cells;			/* of all rows so far */
	bool failed;			/* memory ended: what is there is not all */
	bool contradicted;		/* two sources have different rules somewhere */
};

/** What is known of a module; whatever is missing is NULL. */
struct rule_module {
	const struct arch *arch;
	const struct policy *policy;	/* which records count */
	const struct symfile *symfile;
	const struct sframe *sframe;
	uint64_t sframe_bias;	/* what addresses of the section have more than the module's */
	/* STACK WIN: bytes of arguments that a callee was given; -1: unknown */
	int64_t parameters;
	bool keeps_ebx;		/* STACK WIN: ebx has a value in the callee */
	struct binaries *binaries;	/* files of its crash's modules */
	size_t number;		/* of the module among them */
};

/** A source of unwind rules of one module. */
struct rule_source {
	const char *name;		/* "STACK CFI" */
	const struct rule_source_kind *kind;
	const struct rule_module *module;	/* outlives the source */
	unsigned number;		/* the type of STACK WIN records, or which frame table */
};

/** Bit of a type of STACK WIN records: they are those of the module's PDB. */
#define RULE_SOURCE_PDB 0x10u

struct rule_source_kind {
	/**
	 * Whether it has rules for `address`, and the run of code that its record or descriptor
	 * covers.
	 */
	bool (*covers)(const struct rule_source *source, uint64_t address, uint64_t *first,
		       uint64_t *last);
	/** Add what it says of the run of code of `tables`, in any order, to its last table. */
	void (*fill)(const struct rule_source *source, struct rule_tables *tables);
	bool partial;	/* it never speaks of all registers: its silence says nothing of one */
};

extern const struct rule_source_kind rule_source_frame_table, rule_source_sframe,
	rule_source_stack_cfi, rule_source_stack_win;

/** Most sources of one module. */
#define RULE_SOURCES (6 + FRAME_TABLES)

/** The sources of a module, in the order in which walks ask them; how many there are. */
size_t
rule_sources(const struct rule_module *module, struct rule_source sources[RULE_SOURCES]);

/** The run of code that a table is about. */
struct rule_run {
	uint64_t first, last;
	bool named;			/* `function` covers the address or names it */
	struct function function;
};

/**
 * The run of code around `address`: its FUNC, else the function that the module's file names, else
 * what the first source that has it covers, else the address alone. Names that are made live in
 * `arena`. False where no source has the address, and no name either.
 */
bool
rule_run_at(const struct rule_module *module, const struct rule_source *sources, size_t count,
	    uint64_t address, struct arena *arena, struct rule_run *run);

/** Empty tables for the code from `first` to `last`. */
void
rule_tables_init(struct rule_tables *tables, struct arena *arena, const struct arch *arch,
		 uint64_t first, uint64_t last);

/** Add the table of a source, unless it says nothing of the run. */
void
rule_tables_add(struct rule_tables *tables, const struct rule_source *source);

/** Begin a table that is filled row by row. `name` is borrowed. */
void
rule_tables_begin(struct rule_tables *tables, const char *name);

/**
 * Add a row to the last table: from `address` on the rules of `set` hold, which live as long as
 * the tables. NULL where it is not kept. A later row of the same address takes its place.
 */
struct rule_row *
rule_tables_row(struct rule_tables *tables, uint64_t address, struct place record,
		const struct rule_set *set);

/** Whether the last table takes more rows: there is memory, and it is not full. */
bool
rule_tables_more(const struct rule_tables *tables);

/** Add a row to the last table: from `address` on nothing is said. */
void
rule_tables_nothing(struct rule_tables *tables, uint64_t address);

/** rule_tables_nothing where the bytes at `place` that should say something are damaged. */
void
rule_tables_defect(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *problem);

/** A record at `address` that takes no part, and why; `message` lives as long as the tables. */
void
rule_tables_record(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *message);

/** Say that in the row, the one added last, the caller has no value for the return address. */
void
rule_tables_outermost(struct rule_tables *tables, struct rule_row *row);

/** Order rows and columns, and mark what changes and what sources disagree about. */
void
rule_tables_finish(struct rule_tables *tables);

/**
 * The first table that has rules at `address`, which walks obey; SIZE_MAX: none, or there is but
 * one.
 */
size_t
rule_tables_obeyed(const struct rule_tables *tables, uint64_t address);

/** The row of a table that holds at `address`, or NULL. */
const struct rule_row *
rule_table_at(const struct rule_table *table, uint64_t address);

/**
 * Whether two rows of different sources say otherwise about a column. Of a register that calls keep
 * silence means unchanged, but in a partial source; of others it means nothing.
 */
bool
rule_rows_differ(const struct rule_tables *tables, const struct rule_row *one,
		 const struct rule_row *other, size_t column);

/**
 * What a cell claims. Of a column without a register, CFA or return address that is its text
 * alone.
 */
struct claim
rule_cell_claim(const struct rule_tables *tables, const struct rule_row *row, size_t column);

/**
 * A cell as `readelf -wF` writes it: "rsp+16", "c-8" (at the CFA less 8), "v+0" (the CFA itself),
 * "[rbx+8]", "rbx" (in a register), "s" (same value), "u" (undefined), "exp" (more than that);
 * and "." kept, "-" lost, where no record says anything. Returns `buffer`.
 */
const char *
rule_cell_format(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		 char *buffer, size_t size);

/** A cell in a few words: "at the CFA less 8", "unchanged, as a record says". */
const char *
rule_cell_explain(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		  char *buffer, size_t size);

#endif
