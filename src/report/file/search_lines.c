/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/search_lines.h"

#include <string.h>

#include "document/wrap.h"

/* Columns of the words at the left. */
#define LABEL_COLUMNS 12u
/* Columns of text below which nothing is wrapped. */
#define LEAST_TEXT 16u

/* What a row shows of a line. */
struct part {
	const struct search_line *line;
	struct text text;
	size_t indent;
	bool first;
};

struct rows {
	struct search_lines_options options;
	struct part *parts;
	size_t count, capacity;
};

void
search_lines_add(struct search_lines *lines, const char *label, enum role role, const char *text)
{
	struct search_line *items = arena_grow(lines->arena, lines->items, lines->count,
					       &lines->capacity, sizeof(*items));

	if (items == NULL || text == NULL)
		return;
	lines->items = items;
	items[lines->count++] = (struct search_line){ label, role, text, lines->target };
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct rows *rows = listing->context;
	const size_t begin = row->width;

	(void)columns;
	if (index == 0) {
		rows->options.title(rows->options.context, row);
	} else {
		const struct part *part = &rows->parts[index - 1];

		row_add(row, ROLE_DIM, "  %s",
			part->line->label == NULL || !part->first ? "" : part->line->label);
		row_pad(row, begin + LABEL_COLUMNS + part->indent);
		row_add_text(row, part->line->role, part->text);
	}
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct rows *rows = listing->context;

	return index == 0 ? rows->options.target : rows->parts[index - 1].line->target;
}

/* The whole line, where the row may have been cut. */
static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct rows *rows = listing->context;

	const char *text = index > 0 ? rows->parts[index - 1].line->text : rows->options.whole;

	row_add_text(row, ROLE_NORMAL, text_of(text + strspn(text, " ")));
}

static bool
add_part(struct rows *rows, struct part part, struct arena *arena)
{
	struct part *parts = arena_grow(arena, rows->parts, rows->count, &rows->capacity,
					sizeof(*parts));

	if (parts == NULL)
		return false;
	rows->parts = parts;
	parts[rows->count++] = part;
	return true;
}

/* The rows of a line; what goes on in the next row is indented as its beginning is. */
static void
add_parts(struct rows *rows, const struct search_line *line, struct arena *arena)
{
	const size_t columns = rows->options.columns;
	struct text rest = text_of(line->text);
	struct part part = { .line = line, .first = true };

	while (part.indent < rest.length && rest.start[part.indent] == ' ')
		part.indent++;
	rest = (struct text){ rest.start + part.indent, rest.length - part.indent };
	const size_t width = columns < LABEL_COLUMNS + part.indent + LEAST_TEXT
				     ? SIZE_MAX : columns - LABEL_COLUMNS - part.indent;
	do {
		part.text = columns == 0 ? rest : wrap_line(rest, width, 0);
		rest.length -= (size_t)(part.text.start + part.text.length - rest.start);
		rest.start = part.text.start + part.text.length;
		while (rest.length > 0 && rest.start[0] == ' ') {
			rest.start++;
			rest.length--;
		}
		if (!add_part(rows, part, arena))
			return;
		part.first = false;
	} while (rest.length > 0);
}

struct listing
search_lines_listing(const struct search_lines_options *options, struct arena *arena)
{
	struct rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL)
		return listing_out_of_memory();
	rows->options = *options;
	for (size_t i = 0; i < options->lines->count; i++)
		add_parts(rows, &options->lines->items[i], arena);
	return (struct listing){ .count = rows->count + 1, .fill = fill_row,
				 .target = row_target, .explain = explain_row, .context = rows };
}
