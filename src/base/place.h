/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The place of a fact in an input.
 *
 * Every rule, symbol, register, region and message has a place. A place is a small value that
 * refers to its input. The input must outlive the place.
 */

/** A file that contains facts. */
struct input {
	const char *name;	/* path as given or found; owned by the loaded object */
};

/** Bytes of an input. */
struct place {
	const struct input *input;	/* NULL: no place */
	uint64_t offset;
	uint32_t length;		/* in bytes; 0: a point */
	uint32_t line;			/* 1-based in text; 0 in a binary input */
	uint32_t column;		/* 1-based, in bytes; 0 in a binary input */
};

/** A defect of a file's tables. `what` may have a second line: the results that are missing. */
struct file_problem {
	const char *what;
	struct place place;
};

/** The `length` bytes of `place` that begin `skip` bytes after its start, on the same line. */
struct place
place_part(struct place place, uint64_t skip, uint32_t length);

/** The place of a complete record: `place` without a column. */
struct place
place_record(struct place place);

/** The text of a place, for use in one statement: `place_format(&place).text`. */
struct text_of_place {
	char text[320];
};

/**
 * A place as `file:line:column` or `file+0xOFFSET`, with the base name of the input. The text is
 * empty if the place has no input.
 */
struct text_of_place
place_format(const struct place *place);

/** The part of a path after its last '/' or '\', the separators of Unix and of Windows. */
const char *
place_base_name(const char *path);

#endif
