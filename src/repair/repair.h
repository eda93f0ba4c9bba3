/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "rules/edit.h"
#include "unwind_check/check.h"

/**
 * STACK CFI records of a symbol file, repaired by the rules in the module's own file.
 *
 * If the sources of a module's unwind rules differ (unwind_check), the records of the function are
 * rewritten from its frame table, else from its code, line by line: right lines, and rules that no
 * other source has, stay unchanged. The result is proven: the new records are compared with the
 * sources again, and those of a function with remaining differences are not changed.
 *
 * Files: repair_rows.c makes the wanted rows from tables, repair_code.c from code,
 * repair_lines.c finds the lines of a function's records, repair_write.c makes new lines of them,
 * repair.c visits all functions of the module.
 */

/** The evidence for a change, in descending order of certainty. */
enum repair_trust {
	REPAIR_BOTH,		/* a frame table, and the code agrees */
	REPAIR_TABLE,		/* a frame table; the code gives no answer */
	REPAIR_CODE,		/* the code; no frame table has the address */
};

/** The position of a new line. */
enum repair_slot { REPAIR_BEFORE, REPAIR_INSTEAD, REPAIR_BEHIND };

/** A line that is added, changed or removed. */
struct repair_change {
	uint64_t offset;		/* offset of the line in the file */
	uint32_t line;			/* its number */
	struct text was;		/* that line */
	enum repair_slot slot;
	const char *now;		/* the new line; NULL: none */
	uint64_t address;		/* address from which on its rules apply */
	const char *why;
	enum repair_trust trust;
	struct place source;		/* place of the evidence; for code the function's start */
	const char *source_name;	/* ".eh_frame", "code" */
	/* Number shared by the changes of the records of one function */
	size_t group;
	size_t order;
};

/** A difference that remains, and why. */
struct repair_left {
	uint64_t first, last;
	const char *why;
};

struct repair {
	/* Input; all outlive the repair. */
	const struct rule_module *module;
	const struct crash *crash;	/* crash whose module has the code */
	bool windows;
	/** Receives the number of addresses done and the total; false stops. NULL: not called. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
	/* Result. */
	struct arena arena;
	struct repair_change *changes;	/* in the order of the file */
	size_t change_count, change_capacity;
	struct record_edits edits;	/* the changes as edits of lines, by offset */
	struct repair_left *left;
	size_t left_count, left_capacity;
	size_t functions;		/* number of functions with changes */
};

/** Repair the symbol file of the module, as edits: the file itself is not changed. */
enum error_code
repair_make(struct repair *repair, struct error *error);

/**
 * Like repair_make, but without a proof, and at one address: its records are edited to match the
 * frame table's row there, for the range of that row; if no record covers the address, a new one
 * covers the table's entry. Without a frame table the records of the function follow its code. No
 * edits: the records match already.
 */
enum error_code
repair_row(struct repair *repair, uint64_t address, struct error *error);

void
repair_free(struct repair *repair);

#endif
