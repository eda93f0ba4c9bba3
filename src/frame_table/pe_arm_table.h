/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_PE_ARM_TABLE_H
#define FRAME_TABLE_PE_ARM_TABLE_H

#include "frame_table/frame_pops.h"
#include "frame_table/pe_frames.h"

/**
 * `.pdata` and `.xdata` of ARM64 and ARM (Microsoft, ARM64 and ARM exception handling). `.pdata` is
 * a sorted table of functions. An entry's second word encodes a usual prologue and epilogue, or has
 * the address of unwind codes, one for each instruction. A function without an entry is a leaf.
 * Addresses are relative to the image's base.
 */
#define PE_ARM_ENTRY_SIZE 8u
/* Maximum bytes of codes: the header has 8 bits for the number of their words. */
#define PE_ARM_MOST_CODES (255u * 4u)

struct pe_arm_function {
	uint64_t begin, end;
	uint32_t word;			/* second word of the entry */
	uint8_t codes[PE_ARM_MOST_CODES];
	size_t size;
	bool no_prologue;
	uint32_t scopes_at;		/* address of the list of epilogues, if any */
	unsigned scope_count;
	/* The function has one epilogue, at its end; the epilogue's codes begin at `index` */
	bool ends_with_epilogue;
	unsigned index;
};

struct pe_arm_undoing {
	struct frame_pops pops;
	unsigned more;			/* number of registers to add to the next save */
	bool interrupted;		/* the processor interrupted the caller */
};

/** Marks a field that the header of this processor does not have. */
#define PE_ARM_NO_BIT 32u

/** A run of codes with adjacent first bytes and equal sizes. */
struct pe_arm_code {
	uint8_t last;			/* largest first byte of the run */
	uint8_t size;			/* bytes of a code */
	uint8_t instruction;		/* bytes of its instruction; 0: it has none */
};

/** The run that contains a code. */
const struct pe_arm_code *
pe_arm_code(const struct pe_arm_code *codes, uint8_t first);

/** The differences between the two processors. */
struct pe_arm_format {
	unsigned unit;			/* lengths of code are multiples of this number of bytes */
	/* First bits of the fields in the header of .xdata and its list of epilogues. */
	unsigned fragment, epilogues, words, condition, index;
	const struct pe_arm_code *codes;	/* runs; the last run ends at 0xff */
	/* Whether a code ends a prologue or epilogue. `*instruction`: size in bytes of the code's
	 * instruction in an epilogue */
	bool (*ends)(uint8_t code, unsigned *instruction);
	uint8_t first_end, last_end;	/* range of codes that end the undoing */
	void (*undo)(struct pe_arm_undoing *undoing, const uint8_t *code);
	/* The codes that a packed word encodes; false if its sizes are impossible. */
	bool (*unpack)(struct pe_arm_function *function);
};

static inline uint32_t
pe_arm_bits(uint32_t word, unsigned from, unsigned count)
{
	return from >= PE_ARM_NO_BIT ? 0 : word >> from & ((UINT32_C(1) << count) - 1);
}

/** The type of an entry, in its lowest two bits. */
enum { PE_ARM_XDATA, PE_ARM_PACKED, PE_ARM_FRAGMENT, PE_ARM_RESERVED };

/** Add a code to those of a packed word. */
void
pe_arm_add(struct pe_arm_function *function, const uint8_t *code, size_t size);

/* Functions of struct pe_frames_kind. */

const struct unwind_row *
pe_arm_find(const struct pe_frames *frames, const struct arch *arch,
	    const struct frame_table_question *question, struct arena *arena, const char **problem);

bool
pe_arm_range(const struct pe_frames *frames, uint64_t index, uint64_t *begin, uint64_t *end);

uint64_t
pe_arm_next(const struct pe_frames *frames, const struct arch *arch, uint64_t relative);

#endif
