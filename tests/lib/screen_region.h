/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_SCREEN_REGION_H
#define TESTS_LIB_SCREEN_REGION_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A rectangle of a saved screen.
 *
 * Columns and rows count from 1. Columns are those of the terminal: a wide character takes two, and one that the edge cuts
 * becomes a blank. Trailing blanks without attributes and empty rows at the end are dropped.
 *
 * A screen with attributes has '{' LETTERS ':' TEXT '}' around text with attributes, in any nesting: r reverse, b bold, u
 * underlined, d dim, 1 to 7 colours; '\{', '\}' and '\\' escape themselves. Its region has one flat group for each run, its
 * letters in the order of ATTRIBUTES, so that equal screens give equal texts.
 */
struct region {
	size_t column, row, width, height;
};

/** Read "COLUMN,ROW" and "WIDTHxHEIGHT"; false if they are something else. */
bool
region_parse(struct region *region, const char *place, const char *size);

/** The rows of a region of a screen, `marked` if it has attributes; the caller frees them. */
char *
region_of(const char *screen, struct region region, bool marked);

#endif
