/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The place of a fact in an input.
 *
 * Every rule, symbol, register, region and message has one. A place is a small value; the input
 * that it names outlives it.
 */

/** A file that contains facts. */
struct input {
	const char *name;	/* path as given or found; owned by the loaded thing */
};

/** Bytes of an input. */
struct place {
	const struct input *input;	/* NULL: no place */
	uint64_t offset;		/* offset of the first byte */
	uint32_t length;		/* in bytes; 0: a point */
	uint32_t line;			/* 1-based in text; 0 in a binary input */
	uint32_t column;		/* 1-based, in bytes; 0 in a binary input */
};

/** A defect of a file's tables; after a line feed, the results that are missing because of it. */
struct file_problem {
	const char *what;
	struct place place;
};

/** The part of `place` that begins `skip` bytes later, on the same line, `length` bytes long. */
struct place
place_part(struct place place, uint64_t skip, uint32_t length);

/** A place without a column, for a complete record. */
struct place
place_record(struct place place);

/** The text of a place, for use in one statement: `place_format(&place).text`. */
struct text_of_place {
	char text[320];
};

/**
 * A place as `file:line:column` or `file+0xOFFSET`, with the base name of the input; an empty text
 * if it has no input.
 */
struct text_of_place
place_format(const struct place *place);

/** The part of a path after its last '/' or '\', the separators of both kinds of systems. */
const char *
place_base_name(const char *path);

#endif
