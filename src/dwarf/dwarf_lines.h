/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_LINES_H
#define DWARF_DWARF_LINES_H

#include "binary/binary.h"
#include "dwarf/dwarf_entry.h"

/** Line number programs (DWARF 5, 6.2), run for one unit at a time. */

/** The code of one line. */
struct line_span {
	uint64_t low, high;		/* as linked; `high` is exclusive */
	uint64_t offset;		/* offset in .debug_line of the opcode that made its row */
	uint32_t file;			/* number in the line number program */
	uint32_t line;			/* 0: none */
};

struct dwarf_lines {
	/* Files and directories of the unit by number. */
	struct line_files {
		struct line_file {
			const char *name;	/* NULL: no such number */
			uint64_t directory;
		} *items;
		size_t count, capacity;
	} files;
	struct line_directories {
		const char **items;
		size_t count, capacity;
	} directories;
	struct line_spans {
		struct line_span *items;	/* sorted by address, without overlaps */
		size_t count, capacity;
	} spans;
	uint64_t budget;		/* bytes of programs that may still be executed */
	size_t most_spans;		/* 0: no limit */
	bool exceeded;			/* the program exceeds these limits */
};

/**
 * Execute the program of a unit at an offset of .debug_line. Code outside of `code` (NULL: no
 * limit) is omitted, because linkers dropped it. False if the program is damaged or exceeds the
 * budget; lines before that are stored.
 */
bool
dwarf_lines_read(struct dwarf_lines *lines, const struct dwarf_context *context, uint64_t offset,
		 const struct code_ranges *code);

/** Clear the lines and files of the previous unit. */
void
dwarf_lines_none(struct dwarf_lines *lines);

/** Number of spans that begin at or before an address. */
size_t
dwarf_lines_upto(const struct dwarf_lines *lines, uint64_t address);

/**
 * Make the path of a file in `arena`, by the file's number. Relative paths are resolved against
 * `directory`, the directory of the compilation (or NULL). Empty: no such file.
 */
struct text
dwarf_lines_path(const struct dwarf_lines *lines, uint64_t number, const char *directory,
		 struct arena *arena);

void
dwarf_lines_free(struct dwarf_lines *lines);

#endif
