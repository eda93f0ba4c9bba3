/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * region [--attributes] COLUMN,ROW WIDTHxHEIGHT FILE: a rectangle of a saved screen.
 *
 * Columns and rows count from 1. Columns are those of the terminal: a wide character takes two, and
 * one that the edge cuts becomes a blank. FILE may be '-'. Trailing blanks without attributes are
 * dropped.
 *
 * With --attributes FILE has '{' LETTERS ':' TEXT '}' around text with attributes, in any nesting:
 * r reverse, b bold, u underlined, d dim, 1 to 7 colours; '\{', '\}' and '\\' escape themselves.
 * The output has one flat group for each run, its letters in the order of ATTRIBUTES, so that equal
 * screens give equal texts.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ATTRIBUTES "rbud1234567"

enum { COLUMNS_MAX = 1024, NESTING_MAX = 16, CELL_BYTES = 32 };

struct cell {
	char bytes[CELL_BYTES];	/* a character and its marks; empty: the right half of a wide one */
	unsigned attributes;	/* bit n: letter n of ATTRIBUTES */
	unsigned width;
};

struct row {
	struct cell cells[COLUMNS_MAX];
	size_t width;
};

struct region {
	size_t column, row, width, height;
};

/* The attributes of a group that opens at `text`. `*taken` gets its length, or 0 if none opens. */
static unsigned
opening(const char *text, size_t *taken)
{
	unsigned attributes = 0;
	const char *cursor = text + 1;

	*taken = 0;
	if (*text != '{')
		return 0;
	for (; *cursor != '\0' && *cursor != ':'; cursor++) {
		const char *letter = strchr(ATTRIBUTES, *cursor);

		if (letter == NULL)
			return 0;
		attributes |= 1u << (letter - ATTRIBUTES);
	}
	if (*cursor == ':' && attributes != 0)
		*taken = (size_t)(cursor + 1 - text);
	return attributes;
}

/* Put one character on the row. Returns the bytes it takes. */
static size_t
put_character(struct row *row, const char *text, unsigned attributes)
{
	uint32_t character = 0;
	size_t length = text_decode(text, strlen(text), &character);
	unsigned width = length == 0 ? 1 : text_character_width(character);
	struct cell *cell = &row->cells[row->width];

	length += length == 0;
	if (width == 0 && row->width > 0) {
		while (cell > row->cells && (--cell)->bytes[0] == '\0')
			;
		if (strlen(cell->bytes) + length < CELL_BYTES)
			strncat(cell->bytes, text, length);
		return length;
	}
	if (row->width + width > COLUMNS_MAX)
		return length;
	memcpy(cell->bytes, text, length);
	cell->width = width;
	for (unsigned i = 0; i < width; i++)
		cell[i].attributes = attributes;
	row->width += width;
	return length;
}

static void
parse_row(struct row *row, const char *text, bool marked)
{
	unsigned stack[NESTING_MAX] = { 0 };
	size_t depth = 0;

	memset(row, 0, sizeof *row);
	while (*text != '\0') {
		size_t taken = 0;
		unsigned opened = marked ? opening(text, &taken) : 0;

		if (taken > 0 && depth + 1 < NESTING_MAX) {
			stack[depth + 1] = stack[depth] | opened;
			depth++;
			text += taken;
		} else if (marked && *text == '}' && depth > 0) {
			depth--;
			text++;
		} else {
			text += marked && *text == '\\' && strchr("{}\\", text[1]) != NULL &&
				text[1] != '\0';
			text += put_character(row, text, stack[depth]);
		}
	}
}

static void
print_attributes(unsigned attributes)
{
	putchar('{');
	for (unsigned i = 0; ATTRIBUTES[i] != '\0'; i++)
		if (attributes & 1u << i)
			putchar(ATTRIBUTES[i]);
	putchar(':');
}

static void
print_cell(const struct cell *cell, bool cut, bool marked)
{
	if (cut)
		putchar(' ');
	else if (marked && strlen(cell->bytes) == 1 && strchr("{}\\", cell->bytes[0]) != NULL)
		printf("\\%s", cell->bytes);
	else
		fputs(cell->bytes, stdout);
}

static void
print_row(const struct row *row, struct region region, bool marked)
{
	size_t first = region.column - 1;
	size_t end = first + region.width;
	unsigned attributes = 0;

	if (end > row->width)
		end = row->width;
	while (end > first && row->cells[end - 1].attributes == 0 &&
			strcmp(row->cells[end - 1].bytes, " ") == 0)
		end--;
	for (size_t i = first; i < end; i++) {
		const struct cell *cell = &row->cells[i];
		bool cut = (i == first && cell->width == 0) || i + cell->width > end;

		if (marked && cell->attributes != attributes) {
			if (attributes != 0)
				putchar('}');
			attributes = cell->attributes;
			if (attributes != 0)
				print_attributes(attributes);
		}
		print_cell(cell, cut, marked);
	}
	if (attributes != 0)
		putchar('}');
	putchar('\n');
}

static void
print_region(FILE *file, struct region region, bool marked)
{
	static struct row row;
	char *line = NULL;
	size_t capacity = 0;

	for (size_t number = 1; number < region.row + region.height; number++) {
		if (getline(&line, &capacity, file) < 0)
			break;
		if (number < region.row)
			continue;
		line[strcspn(line, "\n")] = '\0';
		parse_row(&row, line, marked);
		print_row(&row, region, marked);
	}
	free(line);
}

int
main(int count, char **arguments)
{
	bool marked = count == 5 && strcmp(arguments[1], "--attributes") == 0;
	struct region region;
	FILE *file;

	if (count != 4 + marked ||
	    sscanf(arguments[1 + marked], "%zu,%zu", &region.column, &region.row) != 2 ||
	    sscanf(arguments[2 + marked], "%zux%zu", &region.width, &region.height) != 2 ||
	    region.column == 0 || region.row == 0) {
		fputs("usage: region [--attributes] COLUMN,ROW WIDTHxHEIGHT FILE\n", stderr);
		return 2;
	}
	file = strcmp(arguments[3 + marked], "-") == 0 ? stdin : fopen(arguments[3 + marked], "r");
	if (file == NULL) {
		perror(arguments[3 + marked]);
		return 2;
	}
	print_region(file, region, marked);
	return 0;
}
