/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_LINES_H
#define DWARF_DWARF_LINES_H

#include "binary/binary.h"
#include "dwarf/dwarf_entry.h"

/** Line number programs (DWARF 5, 6.2), run for one unit at a time. */

/** Code of one line. */
struct line_span {
	uint64_t low, high;		/* as linked; `high` is after it */
	uint64_t offset;		/* in .debug_line, of the opcode of its row */
	uint32_t file;			/* as the program counts */
	uint32_t line;			/* 0: none */
};

struct dwarf_lines {
	/* Files and directories of the unit by their numbers. */
	struct line_files {
		struct line_file {
			const char *name;	/* NULL: there is none of the number */
			uint64_t directory;
		} *items;
		size_t count, capacity;
	} files;
	struct line_directories {
		const char **items;
		size_t count, capacity;
	} directories;
	struct line_spans {
		struct line_span *items;	/* by address, without overlap */
		size_t count, capacity;
	} spans;
	uint64_t budget;		/* bytes of programs that may still be run */
	size_t most_spans;		/* 0: as many as there are */
	bool exceeded;			/* the program needs more than these allow */
};

/**
 * Run the program of a unit at an offset of .debug_line. Code outside of `code` (NULL: all is
 * inside) is left out: linkers dropped it. False where the program is damaged or exceeds the
 * budget; the lines before that count.
 */
bool
dwarf_lines_read(struct dwarf_lines *lines, const struct dwarf_context *context, uint64_t offset,
		 const struct code_ranges *code);

/** Forget the lines and files of the unit before. */
void
dwarf_lines_none(struct dwarf_lines *lines);

/** How many spans begin at or before an address. */
size_t
dwarf_lines_upto(const struct dwarf_lines *lines, uint64_t address);

/**
 * The path of a file by its number, with the directories that it counts from; `directory` (may be
 * NULL) is that of the compilation. Empty where there is no such file. In `arena`.
 */
struct text
dwarf_lines_path(const struct dwarf_lines *lines, uint64_t number, const char *directory,
		 struct arena *arena);

void
dwarf_lines_free(struct dwarf_lines *lines);

#endif
