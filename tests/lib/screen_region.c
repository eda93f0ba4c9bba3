/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/lib/screen_region.h"

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
			text += marked && *text == '\\' && strchr("{}\\", text[1]) != NULL && text[1] != '\0';
			text += put_character(row, text, stack[depth]);
		}
	}
}

static void
print_attributes(FILE *out, unsigned attributes)
{
	fputc('{', out);
	for (unsigned i = 0; ATTRIBUTES[i] != '\0'; i++)
		if (attributes & 1u << i)
			fputc(ATTRIBUTES[i], out);
	fputc(':', out);
}

static void
print_cell(FILE *out, const struct cell *cell, bool cut, bool marked)
{
	if (cut)
		fputc(' ', out);
	else if (marked && strlen(cell->bytes) == 1 && strchr("{}\\", cell->bytes[0]) != NULL)
		fprintf(out, "\\%s", cell->bytes);
	else
		fputs(cell->bytes, out);
}

static void
print_row(FILE *out, const struct row *row, struct region region, bool marked)
{
	size_t first = region.column - 1;
	size_t end = first + region.width;
	unsigned attributes = 0;

	if (end > row->width)
		end = row->width;
	while (end > first && row->cells[end - 1].attributes == 0 && strcmp(row->cells[end - 1].bytes, " ") == 0)
		end--;
	for (size_t i = first; i < end; i++) {
		const struct cell *cell = &row->cells[i];
		bool cut = (i == first && cell->width == 0) || i + cell->width > end;

		if (marked && cell->attributes != attributes) {
			if (attributes != 0)
				fputc('}', out);
			attributes = cell->attributes;
			if (attributes != 0)
				print_attributes(out, attributes);
		}
		print_cell(out, cell, cut, marked);
	}
	if (attributes != 0)
		fputc('}', out);
	fputc('\n', out);
}

bool
region_parse(struct region *region, const char *place, const char *size)
{
	return sscanf(place, "%zu,%zu", &region->column, &region->row) == 2 &&
	       sscanf(size, "%zux%zu", &region->width, &region->height) == 2 && region->column > 0 && region->row > 0;
}

char *
region_of(const char *screen, struct region region, bool marked)
{
	static struct row row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t number = 1; *screen != '\0' && number < region.row + region.height; number++) {
		const size_t length = strcspn(screen, "\n");
		if (number >= region.row) {
			char *line = strndup(screen, length);
			parse_row(&row, line, marked);
			print_row(out, &row, region, marked);
			free(line);
		}
		screen += length + (screen[length] == '\n');
	}
	fclose(out);
	/* Empty rows at the end are those of a shorter screen. */
	while (size > 0 && text[size - 1] == '\n')
		text[--size] = '\0';
	return text;
}
