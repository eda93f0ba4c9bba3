/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_VERSION_H
#define SYMBOLS_VERSION_H

#include <string.h>

#include "base/output.h"
#include "symbols/symbols.h"

/**
 * Versions of a symbol file: the file with some lines replaced.
 *
 * A version is read like any symbol file. It shares the bytes of the file and the index of all
 * records that no edit touches; only the tables of the touched kinds of records are made anew. A
 * record of a new line has the offset and the length of the line that it replaces. So its place can
 * be found in the file on disk.
 */

/** Replaces a line by one line (a change), several lines (an addition) or no line (a removal). */
struct record_edit {
	const char *file;	/* path of the symbol file */
	uint64_t offset;	/* offset of the line */
	uint32_t line;		/* number of the line, for messages */
	struct text was;	/* line without its line end */
	struct text now;	/* lines separated by line feeds; empty: none */
};

struct record_edits {
	const struct record_edit *edits;
	size_t count;
};

/** Whether a file has the line of an edit; else the edit has no effect. */
static inline bool
record_edit_holds(const struct record_edit *edit, const struct file *file)
{
	return strcmp(edit->file, file->input.name) == 0 && edit->offset <= file->size &&
	       edit->was.length <= file->size - edit->offset &&
	       memcmp(file->data + edit->offset, edit->was.start, edit->was.length) == 0;
}

/**
 * Make a version of a symbol file; free `*version` with symfile_close before the symbol file.
 * `*version` is NULL if the file has none of the edited lines. False when out of memory.
 */
bool
symfile_version(struct symfile **version, const struct symfile *symfile,
		const struct record_edits *edits);

/** Write the bytes of a file or a version; a removed line leaves an empty line. */
void
symfile_write(const struct symfile *symfile, const struct output *output);

/** The file from which a version was made; for other files, the file itself. */
const struct symfile *
symfile_unedited(const struct symfile *symfile);

/**
 * The edit of the line at an offset of the file. `was` is the line. `now` has the lines that
 * replace it in the version, or else the line itself. Texts belong to the file and the version.
 * False if no line begins at the offset.
 */
bool
record_edit_at(const struct symfile *symfile, uint64_t offset, struct record_edit *edit);

/**
 * The lines of a version that replace the line at an offset of the file; false if it is unchanged.
 */
bool
symfile_now(const struct symfile *symfile, uint64_t offset, struct text *now);

#endif
