/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "rules/edit.h"
#include "unwind_check/check.h"

/**
 * STACK CFI records of a symbol file mended by what the module's own file says.
 *
 * Where the sources of a module's unwind rules differ (unwind_check), the records of the function
 * are written anew from its frame table, else from its code: line by line, so that a line that is
 * right stays as it is, and rules that no other source speaks of stay too. What is written is
 * proven: the new records are compared with the sources again, and those of a function that still
 * differ are not changed.
 *
 * The room: repair_rows.c says what records should say, repair_code.c what the code does,
 * repair_lines.c finds the lines of a function's records, repair_write.c makes new ones of them,
 * repair.c goes through the module.
 */

/** What a change rests on, from the most certain. */
enum repair_trust {
	REPAIR_BOTH,		/* a frame table, and the code agrees */
	REPAIR_TABLE,		/* a frame table; the code does not say */
	REPAIR_CODE,		/* the code; no frame table has the address */
};

/** Where a line goes. */
enum repair_slot { REPAIR_BEFORE, REPAIR_INSTEAD, REPAIR_BEHIND };

/** A line that is added, changed or taken out. */
struct repair_change {
	uint64_t offset;		/* of the line of the file that it stands at */
	uint32_t line;			/* its number */
	struct text was;		/* that line */
	enum repair_slot slot;
	const char *now;		/* the new line; NULL: none */
	uint64_t address;		/* from which on it speaks */
	const char *why;
	enum repair_trust trust;
	struct place source;		/* of what says so; of the code the function's start */
	const char *source_name;	/* ".eh_frame", "code" */
	size_t group;			/* changes of the records of one function */
	size_t order;
};

/** What differs and stays so. */
struct repair_left {
	uint64_t first, last;
	const char *why;
};

struct repair {
	/* Given; all outlive the repair. */
	const struct rule_module *module;
	const struct crash *crash;	/* of the module, for its code */
	bool windows;
	/** Called now and then with addresses done, of how many; false: stop. NULL: never. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
	/* Made. */
	struct arena arena;
	struct repair_change *changes;	/* in the order of the file */
	size_t change_count, change_capacity;
	struct record_edits edits;	/* the changes as edits of lines, by offset */
	struct repair_left *left;
	size_t left_count, left_capacity;
	size_t functions;		/* with changes */
};

/** Mend the file of the module, of which the file stays as it is. */
enum error_code
repair_make(struct repair *repair, struct error *error);

/**
 * Let the records say at an address what the row of a frame table says that is in force there,
 * and as far as it holds; where no record covers the address, a new one says what its entry does.
 * Without a frame table the records of the function say what its code does. Otherwise as
 * repair_make, but without a proof. No edits: the records say so already.
 */
enum error_code
repair_row(struct repair *repair, uint64_t address, struct error *error);

void
repair_free(struct repair *repair);

#endif
