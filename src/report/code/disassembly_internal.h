/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_DISASSEMBLY_INTERNAL_H
#define REPORT_CODE_DISASSEMBLY_INTERNAL_H

#include "code/instruction.h"
#include "report/code/disassembly.h"
#include "locate/source_file.h"
#include "rules/rule_table.h"

/**
 * What the parts of a disassembly share: the plan of its rows. A row of the plan says what stands
 * there; its instruction is decoded again when the row is filled.
 */
enum disassembly_kind {
	DISASSEMBLY_SOURCE,		/* a line of source whose code follows */
	DISASSEMBLY_CALLS,		/* the inlined calls change here */
	DISASSEMBLY_RULES,		/* the unwind rules change here */
	DISASSEMBLY_INSTRUCTION,
	DISASSEMBLY_BYTES,		/* no whole instruction */
	DISASSEMBLY_PATCHED,		/* the module's file has other bytes there */
	DISASSEMBLY_GAP,		/* the bytes are not available */
	DISASSEMBLY_NOTE,		/* of the frame's instruction */
};

#define DISASSEMBLY_NO_ITEM UINT32_MAX
/* Lanes for the arrows of jumps. */
#define DISASSEMBLY_LANES 5u

struct disassembly_row {
	uint64_t address;
	uint64_t length;		/* bytes; 0 for rows that stand for none */
	/* Line, call, rule or note; of calls NO_ITEM: none any more */
	uint32_t item;
	enum disassembly_kind kind;
	/* Bit n: lane n of an arrow passes, begins, ends. */
	uint8_t passing, above, below;
	bool entered;			/* an arrow leads to this row */
};

struct disassembly_note {
	const char *text;
	uint64_t memory;		/* that it speaks of; 0: none */
};

struct disassembly {
	struct arena arena;
	struct disassembly_options options;
	struct surroundings *around;
	struct frame frame;		/* of the options' walk, as it was */
	bool has_frame;
	bool thumb;
	uint64_t address;		/* that the rows are around */
	uint64_t known;			/* where an instruction is known to begin */
	bool called;			/* the frame made a call, which is what is marked */
	bool marked;			/* the row of `address` gets the mark of the frame */
	uint64_t start, end;		/* behind the last byte */
	bool whole;			/* they are those of a function */
	struct surrounding_name name;	/* of `address` */
	const struct symfile *seen;	/* symbols of its module that were there; NULL: none */
	struct function_body body;	/* its lines and calls, relative to the module */
	struct rule_tables rules;	/* of the code that is shown */
	const struct rule_table *rule_table;	/* whose changes have rows; NULL: none */
	struct source_cache *sources;	/* NULL: none */
	struct disassembly_row *rows;
	size_t count, capacity;
	struct disassembly_note *notes;
	size_t note_count, note_capacity;
	unsigned lanes;			/* that arrows use */
	int digits;			/* of addresses */
	size_t widest;			/* bytes of the longest instruction */
	uint64_t dump_bytes, file_bytes;	/* instructions of either */
	const char *file;		/* path of the last file that gave bytes */
	const char *why_not;		/* there are no instructions; NULL: there are */
};

/** The instruction at an address, from the dump, else from the module's file. */
bool
disassembly_decode(const struct disassembly *disassembly, uint64_t address,
		   struct instruction *instruction);

/** What the module's file has where the dump has other bytes; false: the same or no file. */
bool
disassembly_other(const struct disassembly *disassembly, uint64_t address, size_t length,
		  uint8_t *bytes, struct place *place);

/** Add a row. Returns false when out of memory. */
bool
disassembly_add(struct disassembly *disassembly, enum disassembly_kind kind, uint64_t address,
		uint64_t length, uint32_t item);

/** Add rows that say what the frame's instruction reads, writes and accesses. */
void
disassembly_add_notes(struct disassembly *disassembly, const struct instruction *instruction);

#endif
