/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_INTERNAL_H
#define FRAME_TABLE_FRAME_TABLES_INTERNAL_H

#include "binary/elf_unpacked.h"
#include "frame_table/frame_tables.h"

/** One kind of table; each kind has a row in frame_tables.c and a file with its reader. */
struct frame_reader {
	const char *table;
	enum locate_kind file;		/* kind of file with the table */
	/*
	 * Open the table of a file; returns the `state` of the other functions. NULL: the file has
	 * no such table. Sets `*damage` if a section is left out.
	 */
	void *(*open)(const struct binary *binary, struct elf_damage *damage);
	/* frame_tables_find for one table. Calls never overlap. */
	const struct unwind_row *(*find)(void *state, const struct arch *arch,
					      const struct frame_table_question *question,
					      struct arena *arena, const char **problem);
	/* frame_tables_extent for one table. Calls never overlap. */
	void (*extent)(void *state, uint64_t relative, struct frame_extent *extent);
	/*
	 * The address after `relative` at which the next row may begin. NULL: `last` of each row
	 * gives that address.
	 */
	uint64_t (*next)(void *state, const struct arch *arch, uint64_t relative);
	/* frame_tables_cfi; NULL: not call frame information. Calls never overlap. */
	const struct cfi_table *(*cfi)(void *state);
	void (*close)(void *state);
	bool presumes;			/* the table has a rule for addresses without an entry */
};

/** The two tables of call frame information. */
extern const struct frame_reader elf_frames_eh, elf_frames_debug;

/** `.ARM.exidx` and `.ARM.extab`. */
extern const struct frame_reader arm_frames_reader;

/** Compact unwind information: `__unwind_info` of Mach-O files. */
extern const struct frame_reader compact_frames_reader;

/** `.pdata` and `.xdata` of x64, ARM64 and ARM. */
extern const struct frame_reader pe_frames_reader;

#endif
