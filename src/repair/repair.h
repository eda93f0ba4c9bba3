/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "rules/edit.h"
#include "unwind_check/check.h"

/**
 * Repairs the STACK CFI records of a symbol file by the rules in the module's own file.
 *
 * If the sources of a function's unwind rules differ (unwind_check), its records are rewritten line
 * by line from its frame table, else from its code. Right lines stay unchanged, and so do rules
 * that no other source has. The new records are then compared with the sources. If they still
 * differ, the old records are kept.
 *
 * Files: repair_rows.c makes the wanted rows from tables, and repair_code.c from code.
 * repair_lines.c finds the lines of a function's records, and repair_write.c writes new lines.
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
	uint32_t line;
	struct text was;		/* text of the line */
	enum repair_slot slot;
	const char *now;		/* the new line; NULL: none */
	uint64_t address;		/* first address where its rules apply */
	const char *why;
	enum repair_trust trust;
	struct place source;		/* place of the evidence; none for code */
	const char *source_name;	/* ".eh_frame", "code" */
	/* Number that all changes to one function's records share */
	size_t group;
	size_t order;
};

/** A difference that remains, and why. */
struct repair_left {
	uint64_t first, last;
	const char *why;
};

struct repair {
	/* Input; must outlive the repair. */
	const struct rule_module *module;
	const struct crash *crash;	/* crash with the module's code */
	bool windows;
	/** Receives the number of functions done and the total; false stops. NULL: not called. */
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

/** Compute edits that repair the module's symbol file. The file itself is not changed. */
enum error_code
repair_make(struct repair *repair, struct error *error);

/**
 * Like repair_make, but only at one address, and without comparing the new records. If a frame
 * table has the address, the records are edited to match its row there, in the range of that row.
 * If no record covers the address, a new one covers the table's entry. Without a frame table the
 * function's records are edited to match its code. No edits: the records already match.
 */
enum error_code
repair_row(struct repair *repair, uint64_t address, struct error *error);

void
repair_free(struct repair *repair);

#endif
