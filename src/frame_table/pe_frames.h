/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_PE_FRAMES_H
#define FRAME_TABLE_PE_FRAMES_H

#include "frame_table/frame_tables_internal.h"
#include "frame_table/pe_functions.h"

/** `.pdata` of a file: entries of one size, sorted by the functions' first addresses. */
struct pe_frames {
	const struct pe_frames_kind *kind;
	const struct binary *binary;
	struct reader table;
	uint64_t count;
};

struct pe_arm_format;

/** The differences between processors. `find` and `next` are as in struct frame_reader. */
struct pe_frames_kind {
	uint16_t machine;		/* machine in the file's header, as arch.pe_machine */
	unsigned entry_size;
	uint32_t address_mask;		/* bits of the first word that hold the code's address */
	const struct pe_arm_format *arm;	/* set for the two ARMs; else NULL */
	const struct unwind_row *(*find)(const struct pe_frames *frames,
					      const struct arch *arch,
					      const struct frame_table_question *question,
					      struct arena *arena, const char **problem);
	/* The range of code of an entry; false if the entry cannot be read. */
	bool (*range)(const struct pe_frames *frames, uint64_t index, uint64_t *begin,
		      uint64_t *end);
	uint64_t (*next)(const struct pe_frames *frames, const struct arch *arch,
			 uint64_t relative);
	/* The start of an entry's function; NULL: entries do not refer to a function. */
	uint64_t (*whole)(const struct pe_frames *frames, uint64_t index);
};

/** The first entry whose code begins after an address. */
uint64_t
pe_frames_after(const struct pe_frames *frames, uint64_t address);

/**
 * Set the range of a row to the gap between entries around an address, as leaf functions have no
 * entry. False, perhaps with `*problem`, if the address cannot be in a leaf function.
 */
bool
pe_frames_leaf(const struct pe_frames *frames, const struct frame_table_question *question,
	       struct unwind_row *row, const char **problem);

extern const struct pe_frames_kind pe_x64_frames, pe_arm64_frames, pe_arm_frames;

#endif
