/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_TABLE_H
#define RULES_RULE_TABLE_H

#include "rules/rule_claims.h"

/**
 * Unwind rules of a run of code as tables: a row for each address where a rule changes, a column
 * for each register.
 *
 * A table has the rules of one source (STACK CFI records, an SFrame section, the conventions of the
 * architecture); tables of one run share their columns, so that they can be compared. A record's
 * defect is a row at the record's address. Addresses count from the module's base.
 */
enum rule_cell_kind {
	RULE_CELL_KEPT,		/* no record mentions the register, and calls preserve it */
	RULE_CELL_LOST,		/* no record mentions the register, and calls may change it */
	RULE_CELL_UNKNOWN,	/* the source does not track it, although calls preserve it */
	RULE_CELL_SAME,		/* a rule: the caller's value is unchanged */
	RULE_CELL_UNDEFINED,	/* a rule: the value is unknown */
	RULE_CELL_RULE,
};

/** A row's rule for one register. */
struct rule_cell {
	enum rule_cell_kind kind;
	struct linear linear;	/* the rule as a sum, with a register as base if possible */
	struct text text;	/* the expression in postfix */
	struct place place;	/* place of the expression or, without a rule, of the row */
	struct place record;
	bool edited;		/* a what-if edit; the file has another rule */
	bool changed;		/* differs from the previous row */
	bool differs;		/* another source disagrees at some address of this row */
};

enum rule_column_kind {
	RULE_COLUMN_CFA,
	RULE_COLUMN_RETURN_ADDRESS,
	RULE_COLUMN_REGISTER,
	RULE_COLUMN_OTHER,	/* a name that is not a register */
};

struct rule_column {
	enum rule_column_kind kind;
	int reg;		/* register number, if RULE_COLUMN_REGISTER */
	struct text name;	/* usual name: "CFA", "ra", "rbx" */
};

enum rule_row_kind {
	RULE_ROW_RULES,		/* rules, usable or not, that apply from here on */
	RULE_ROW_NOTHING,	/* the source has no rules from here on */
	RULE_ROW_RECORD,	/* a record that is not used, or only in part */
};

struct rule_row {
	enum rule_row_kind kind;
	/* First and last address; RULE_ROW_RECORD: both are the address that shows the record */
	uint64_t address, last;
	struct place record;	/* place of the record that begins to apply here */
	const struct rule_cell *cells;	/* one cell for each column; NULL: no rules */
	size_t cell_count;	/* number of columns; smaller while tables are filled */
	const char *label;	/* shown instead of an address; NULL: none */
	const char *message;	/* a defect or a note; NULL: none */
	bool broken;		/* `message` is a defect */
	/* Bit set: preserved registers that have no value if no rule mentions them */
	uint64_t untracked;
	size_t order;		/* position in the order of additions */
	size_t holder;		/* number of the row in force at this row's address */
};

struct rule_table {
	const char *source;	/* "STACK CFI" */
	const char *note;	/* note for all rows; NULL: none */
	struct rule_row *rows;	/* sorted by address */
	size_t count, capacity;
	size_t record_count;	/* number of rows with rules */
	bool full;		/* the source has more rows than are kept */
};

struct rule_tables {
	struct arena *arena;
	const struct arch *arch;
	bool windows;			/* the ABI of 64-bit Windows preserves more registers */
	uint64_t first, last;
	struct rule_column *columns;	/* order: CFA, ra, kept registers, others, names */
	size_t column_count, column_capacity;
	struct rule_table *tables;
	size_t count, capacity;
	size_t cells;			/* number of cells in all rows so far */
	bool failed;			/* out of memory: rows are missing */
	bool contradicted;		/* two sources have different rules somewhere */
};

/** A module's sources of rules; missing ones are NULL. */
struct rule_module {
	const struct arch *arch;
	const struct policy *policy;	/* selects the records that are used */
	const struct symfile *symfile;
	const struct sframe *sframe;
	uint64_t sframe_bias;	/* subtracted from the section's addresses to get the module's */
	/* STACK WIN: bytes of arguments passed to a callee; -1: unknown */
	int64_t parameters;
	bool keeps_ebx;		/* STACK WIN: ebx has a value in the callee */
	struct binaries *binaries;	/* files of the crash's modules; NULL: none */
	size_t number;		/* index of the module in the crash */
};

struct unwind_source;

struct rule_run {
	uint64_t first, last;
	bool named;			/* `function` covers the address or names it */
	struct function function;
};

/**
 * The run of code around `address`: its FUNC, else the function in the module's file, else the
 * range of the first source that covers it, else the address alone. Composed names live in `arena`.
 * False if the address has no name and no source covers it.
 */
bool
rule_run_at(const struct rule_module *module, uint64_t address, struct arena *arena,
	    struct rule_run *run);

/** Empty tables for the code from `first` to `last`. */
void
rule_tables_init(struct rule_tables *tables, struct arena *arena, const struct arch *arch,
		 uint64_t first, uint64_t last);

/** Add the table of a source, unless it has no rules for the run. */
void
rule_tables_add(struct rule_tables *tables, const struct unwind_source *source);

/** Add the tables of all sources of a module, and finish them; returns the number of sources. */
size_t
rule_tables_add_all(struct rule_tables *tables, const struct rule_module *module);

/** Begin a table that is filled row by row. `name` is borrowed. */
void
rule_tables_begin(struct rule_tables *tables, const char *name);

/**
 * Add a row to the last table: the rules of `set`, which lives as long as the tables, hold from
 * `address` on. NULL if the row is not added. A later row at the same address replaces this row.
 */
struct rule_row *
rule_tables_row(struct rule_tables *tables, uint64_t address, struct place record,
		const struct rule_set *set);

/** Whether the last table has room for more rows, and memory is left. */
bool
rule_tables_more(const struct rule_tables *tables);

/** Add a row to the last table: no rules from `address` on. */
void
rule_tables_nothing(struct rule_tables *tables, uint64_t address);

/** rule_tables_nothing() for damaged bytes at `place`. */
void
rule_tables_defect(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *problem);

/** Add an unused record at `address`. `message`, the reason, lives as long as the tables. */
void
rule_tables_record(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *message);

/** Mark `row`, the last row added: the caller's return address has no value. */
void
rule_tables_outermost(struct rule_tables *tables, struct rule_row *row);

/** Sort rows and columns, and mark changes and disagreements between sources. */
void
rule_tables_finish(struct rule_tables *tables);

/** Whether a record mentions the register of a cell. */
static inline bool
rule_cell_is_said(const struct rule_cell *cell)
{
	return cell->kind != RULE_CELL_KEPT && cell->kind != RULE_CELL_LOST &&
	       cell->kind != RULE_CELL_UNKNOWN;
}

/** The first table with rules at `address` (walks use it). SIZE_MAX: none, or only one table. */
size_t
rule_tables_obeyed(const struct rule_tables *tables, uint64_t address);

/** The row of a table that covers `address`, or NULL. */
const struct rule_row *
rule_table_at(const struct rule_table *table, uint64_t address);

/**
 * Whether two rows of different sources disagree on a column. A register that a row does not
 * mention counts as unchanged if calls preserve it, unless it is untracked; other unmentioned
 * registers are not compared.
 */
bool
rule_rows_differ(const struct rule_tables *tables, const struct rule_row *one,
		 const struct rule_row *other, size_t column);

/**
 * A cell in the notation of `readelf -wF`: "rsp+16", "c-8" (at the CFA less 8), "v+0" (the CFA
 * itself), "[rbx+8]", "rbx" (in a register), "s" (same value), "u" (undefined), "exp" (another
 * expression). If no record mentions it: "." kept, "-" lost, "?" untracked. Returns `buffer`.
 */
const char *
rule_cell_format(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		 char *buffer, size_t size);

/** A cell in a few words: "at the CFA less 8", "unchanged, as a record says". */
const char *
rule_cell_explain(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		  char *buffer, size_t size);

#endif
