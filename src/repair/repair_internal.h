/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPAIR_REPAIR_INTERNAL_H
#define REPAIR_REPAIR_INTERNAL_H

#include "code_flow/flow_state.h"
#include "code_flow/flow_module.h"
#include "repair/repair.h"

/** Addresses from `first` to `last` with the claims that records should have. */
struct repair_row {
	uint64_t first, last;
	bool covered;			/* a source other than the symbol file has rules */
	bool in_file;			/* the symbol file has rules */
	bool unusable;			/* the symbol file's rules are malformed or incomplete */
	bool outermost;			/* the function has no caller */
	unsigned source;		/* source of `claims`; UNWIND_SOURCES: the code */
	uint64_t record;		/* record in `source` */
	uint64_t known;			/* bit n: use column n of `claims` */
	uint64_t failing;		/* bit n: the rule of column n of `file` always fails */
	uint64_t expressed;		/* bit n: column n needs an expression */
	struct claim claims[CLAIM_COLUMNS];
	struct claim file[CLAIM_COLUMNS];	/* claims of the symbol file */
	uint64_t records[CLAIM_COLUMNS];	/* offsets of the records of `file` */
};

/** A line of the file that may be one of a function's records. */
struct repair_line {
	uint64_t offset;
	struct text text;
	struct stack_cfi record;
	bool good;			/* the line is a record */
	bool kept;			/* the line stays in the result */
	bool placed;			/* a new line takes its place */
};

/** Code from `first` to `last`, whose records are written under one INIT record. */
struct repair_group {
	size_t number;
	uint64_t first, last;
	const struct stack_cfi *init;	/* existing INIT record; NULL: none */
	struct repair_line *lines;	/* in the order of the file */
	size_t line_count, line_capacity;
	size_t init_line;		/* index of the INIT record; SIZE_MAX: none */
	struct repair_line anchor;	/* without `lines`: a line next to the new lines */
	bool behind;			/* the new lines follow the anchor, else precede it */
	struct repair_row *rows;	/* rows of consecutive addresses */
	size_t row_count;
};

struct repair_init {
	struct stack_cfi record;
	bool given;			/* the record belongs to a group already */
};

/** Code whose records were written; `low` to `high`: offsets of the changed lines. */
struct repair_extent {
	uint64_t first, last, low, high;
	bool failed;
};

struct repair_work {
	struct repair *repair;
	const struct arch *arch;
	struct unwind_source sources[UNWIND_SOURCES];
	size_t source_count;
	struct arena scratch;		/* arena of the current function */
	struct repair_init *inits;
	size_t init_count;
	struct repair_extent *extents;	/* indexed by the group's number */
	size_t extent_count, extent_capacity;
	struct flow_module code;
	struct flow_function *function;	/* NULL: code of this processor cannot be analysed */
	bool by_code;			/* there are no frame tables */
	/* Findings of the check of all rows; NULL: no check was made. */
	const struct unwind_difference *differences;
	size_t difference_count;
	uint64_t low, high;		/* addresses where other sources give claims */
	/* First address of the function that was analysed; UINT64_MAX: none */
	uint64_t run_first;
};

/** The rows of code from `first` to `last`, in the scratch arena. NULL when out of memory. */
struct repair_row *
repair_rows(struct repair_work *work, uint64_t first, uint64_t last, size_t *count);

/** Find the frame-table entry that contains an address. False: none. */
bool
repair_entry(struct repair_work *work, uint64_t address, uint64_t *first, uint64_t *last);

/** Whether a claim for a column agrees with a row. */
bool
repair_is_right(const struct repair_work *work, const struct repair_row *row, unsigned column,
		const struct claim *claim);

/** Analyse the function from `first` to `last`. False: its code cannot be analysed. */
bool
repair_run_code(struct repair_work *work, uint64_t first, uint64_t last);

/** The code's verdict on a claim for a column at an address, after repair_run_code(). */
enum flow_verdict
repair_ask_code(const struct repair_work *work, uint64_t address, unsigned column,
		const struct claim *claim);

/**
 * The rows of the function from `first` to `last` if there is no frame table. They have the symbol
 * file's claims, or the code's claims where the code contradicts the file. NULL: `*why` is the
 * reason, or NULL when out of memory.
 */
struct repair_row *
repair_code_rows(struct repair_work *work, uint64_t first, uint64_t last, size_t *count,
		 const char **why);

/** Find the lines of the records of a group. */
bool
repair_find_lines(struct repair_work *work, struct repair_group *group);

/** Write the records of a group as changes of its lines. False: impossible; the reason is noted. */
bool
repair_write(struct repair_work *work, struct repair_group *group);

/** Note that a range is left unchanged, and why. */
void
repair_leave(struct repair_work *work, uint64_t first, uint64_t last, const char *why);

/** Set the claims to their state before any record. */
void
repair_clear(const struct repair_work *work, struct claim claims[CLAIM_COLUMNS]);

#endif
