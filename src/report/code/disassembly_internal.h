/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_DISASSEMBLY_INTERNAL_H
#define REPORT_CODE_DISASSEMBLY_INTERNAL_H

#include "code/instruction.h"
#include "report/code/disassembly.h"
#include "locate/source_file.h"
#include "rules/rule_table.h"

/**
 * The plan of a disassembly's rows, shared by its source files. A planned row has only a kind and
 * an address; its instruction is decoded again when the row is filled.
 */
enum disassembly_kind {
	DISASSEMBLY_SOURCE,		/* a source line whose code follows */
	DISASSEMBLY_CALLS,		/* the inlined calls change here */
	DISASSEMBLY_RULES,		/* the unwind rules change here */
	DISASSEMBLY_INSTRUCTION,
	DISASSEMBLY_BYTES,		/* bytes that are not a complete instruction */
	DISASSEMBLY_PATCHED,		/* the module's file has other bytes here */
	DISASSEMBLY_GAP,		/* the bytes are not available */
	DISASSEMBLY_NOTE,		/* a note about the frame's instruction */
};

#define DISASSEMBLY_NO_ITEM UINT32_MAX
/* Lanes for the arrows of jumps. */
#define DISASSEMBLY_LANES 5u

struct disassembly_row {
	uint64_t address;
	uint64_t length;		/* in bytes; 0 for a row without bytes */
	/* Index of the line, call, rule or note; NO_ITEM: no inlined call */
	uint32_t item;
	enum disassembly_kind kind;
	/* Bit n: in this row the arrow of lane n passes, has its upper end, or has its lower end */
	uint8_t passing, above, below;
	bool entered;			/* an arrow leads to this row */
};

struct disassembly_note {
	const char *text;
	uint64_t memory;		/* address that the note describes; 0: none */
};

struct disassembly {
	struct arena arena;
	struct disassembly_options options;
	struct surroundings *around;
	struct frame frame;
	bool has_frame;
	bool thumb;
	uint64_t address;		/* address that the rows surround */
	uint64_t known;			/* address where an instruction is known to begin */
	bool called;			/* the frame made a call; the call instruction is marked */
	bool marked;			/* the row of `address` has the frame's mark */
	uint64_t start, end;		/* address range; `end` is exclusive */
	bool whole;			/* the range is a whole function */
	struct surrounding_name name;	/* function at `address` */
	const struct symfile *seen;	/* the module's symbols when the rows were made, or NULL */
	struct function_body body;	/* function's lines and calls, relative to the module */
	struct rule_tables rules;
	const struct rule_table *rule_table;	/* each change of this table has a row; or NULL */
	struct source_cache *sources;	/* or NULL */
	struct disassembly_row *rows;
	size_t count, capacity;
	struct disassembly_note *notes;
	size_t note_count, note_capacity;
	unsigned lanes;
	int digits;			/* number of digits in an address */
	size_t widest;			/* bytes of the longest instruction */
	uint64_t dump_bytes, file_bytes;	/* bytes of code from the dump and from files */
	const char *file;		/* path of the last file that was read for bytes */
	const char *why_not;		/* why there are no instructions; NULL: there are some */
};

/** The instruction at an address, from the dump, else from the module's file. */
bool
disassembly_decode(const struct disassembly *disassembly, uint64_t address,
		   struct instruction *instruction);

/** The bytes of the module's file if they differ from the dump's. False: equal, or no file. */
bool
disassembly_other(const struct disassembly *disassembly, uint64_t address, size_t length,
		  uint8_t *bytes, struct place *place);

#endif
