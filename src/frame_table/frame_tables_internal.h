/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_INTERNAL_H
#define FRAME_TABLE_FRAME_TABLES_INTERNAL_H

#include "binary/elf_unpacked.h"
#include "frame_table/frame_tables.h"

/** One kind of table: a row in frame_tables.c, a file for its reader. */
struct frame_reader {
	const char *table;
	enum locate_kind file;		/* that has it */
	/*
	 * The table of a file, with what find needs; NULL: it has none. `*damage` is set where a
	 * section is left out. NULL: nothing opens one.
	 */
	void *(*open)(const struct binary *binary, struct elf_damage *damage);
	/* As frame_tables_find, of one table. Calls never overlap. */
	const struct frame_table_row *(*find)(void *state, const struct arch *arch,
					      const struct frame_table_question *question,
					      struct arena *arena, const char **problem);
	/* As frame_tables_extent, of one table. Calls never overlap. */
	void (*extent)(void *state, uint64_t relative, struct frame_extent *extent);
	/* As frame_tables_next, of one table; NULL: rows hold up to their last address. */
	uint64_t (*next)(void *state, const struct arch *arch, uint64_t relative);
	/* As frame_tables_cfi; NULL: it is no call frame information. Calls never overlap. */
	const struct cfi_table *(*cfi)(void *state);
	void (*close)(void *state);
};

/** The two tables of call frame information. */
extern const struct frame_reader elf_frames_eh, elf_frames_debug;

/** `.ARM.exidx` and `.ARM.extab`. */
extern const struct frame_reader arm_frames_reader;

/** `.pdata` and `.xdata` of x64, ARM64 and ARM. */
extern const struct frame_reader pe_frames_reader;

#endif
