/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_PE_FUNCTIONS_H
#define FRAME_TABLE_PE_FUNCTIONS_H

#include "binary/binary.h"
#include "frame_table/frame_tables.h"

/**
 * The functions of a PE file according to its `.pdata`, for code that looks up names. A function
 * may have several entries, far from each other.
 */
struct pe_frames;

/** The table of a file; NULL: it has none, or out of memory. The file must outlive the table. */
struct pe_frames *
pe_functions_open(const struct binary *binary);

/** The entry that covers `relative`, an address relative to the image's base. */
void
pe_functions_entry(const struct pe_frames *frames, uint64_t relative, struct frame_extent *extent);

/** The function, or the gap between entries, at an address. */
struct pe_whole {
	bool function;			/* an entry covers the address; false: a gap */
	uint64_t begin;
};

/** The function or gap that contains `relative`. */
void
pe_functions_whole(const struct pe_frames *frames, uint64_t relative, struct pe_whole *whole);

/** Free a table, which may be NULL. */
void
pe_functions_close(struct pe_frames *frames);

#endif
