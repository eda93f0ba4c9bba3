/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/lines.h"

#include <stdarg.h>
#include <stdio.h>

#include "report/report.h"

/* Minimum columns for wrapping a text. In fewer columns, the text is cut. */
#define LEAST_TEXT 16u

/* The part of a line's text that one row shows. */
struct line_part {
	const struct line *line;
	struct text text;
	size_t indent;
	bool first;
};

struct line_rows {
	const struct lines *lines;
	struct line_part *parts;
	size_t count, capacity;
};

struct line *
lines_add(struct lines *lines, const char *label, enum role role, const char *text)
{
	if (text == NULL)
		return NULL;
	struct line *line = ARENA_PUSH(lines->arena, lines->items, lines->count, lines->capacity);

	if (line != NULL)
		*line = (struct line){ .label = label, .label_role = lines->label_role,
				       .role = role, .text = text_of(text),
				       .target = lines->target };
	return line;
}

struct line *
lines_add_format(struct lines *lines, const char *label, enum role role, const char *format, ...)
{
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);
	const int length = vsnprintf(NULL, 0, format, arguments);
	char *text = length >= 0 ? arena_array(lines->arena, (size_t)length + 1, 1) : NULL;
	if (text != NULL)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(arguments);
	return lines_add(lines, label, role, text);
}

/* Rows ----------------------------------------------------------------------------------------- */

static void
lines_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct line_rows *rows = listing->context;
	const struct lines *lines = rows->lines;
	const struct line_part *part = &rows->parts[index];
	const struct place place = part->line->place;
	const size_t begin = row->width;

	row_pad(row, begin + lines->label_column);
	if (part->first && part->line->label != NULL)
		row_add(row, part->line->label_role, "%s", part->line->label);
	row_pad(row, begin + lines->text_column + part->indent);
	const size_t room = columns > row->width ? columns - row->width : 0;
	if (part->line->is_name)
		row_add_name(row, part->line->role, room, part->text);
	else
		row_add_cut(row, part->line->role, room, true, part->text);
	/* The place follows the last part of the text. */
	const bool last = part + 1 == rows->parts + rows->count || part[1].first;
	if (!lines->shows_places || place.input == NULL || !last)
		return;
	const struct text_of_place text = place_format(&place);
	if (columns == 0 || row->width + 3 + text_width(text_of(text.text)) <= columns) {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_DIM, text_of(text.text));
	}
}

static struct target
lines_row_target(const struct listing *listing, size_t index)
{
	const struct line_rows *rows = listing->context;
	const struct line *line = rows->parts[index].line;

	return line->target.kind != TARGET_NONE ? line->target : report_place_target(line->place);
}

/* Explains a row by its full text, because the row may be cut. */
static void
lines_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct line_rows *rows = listing->context;
	const struct line *line = rows->parts[index].line;

	row_add_text(row, ROLE_NORMAL,
		     text_trimmed(line->explanation != NULL ? text_of(line->explanation)
							    : line->text));
	report_add_place(row, line->place);
	if (line->target.kind == TARGET_PLACE && line->place.input == NULL)
		row_add(row, ROLE_NOTE, "   from %s", place_format(&line->target.place).text);
}

/* Adds the rows of a line. All but the first row have `hang` more columns of indent. */
static void
add_parts(struct line_rows *rows, const struct line *line, size_t columns, struct arena *arena)
{
	const size_t column = rows->lines->text_column;
	struct line_part part = { .line = line, .first = true };
	struct text rest = line->text;

	while (part.indent < rest.length && rest.start[part.indent] == ' ')
		part.indent++;
	rest = (struct text){ rest.start + part.indent, rest.length - part.indent };
	const size_t hanging = part.indent + rows->lines->hang;
	const bool wraps = rows->lines->wraps && !line->is_name &&
			   columns >= column + hanging + LEAST_TEXT;
	const char *safe = wraps ? text_printable_copy(arena, rest) : NULL;
	if (safe != NULL)
		rest = text_of(safe);
	do {
		part.text = safe == NULL
				    ? rest : row_wrap_line(rest, columns - column - part.indent, 0);
		rest.length -= (size_t)(part.text.start + part.text.length - rest.start);
		rest.start = part.text.start + part.text.length;
		while (rest.length > 0 && rest.start[0] == ' ')
			rest = (struct text){ rest.start + 1, rest.length - 1 };
		if (!ARENA_ADD(arena, rows->parts, rows->count, rows->capacity, &part))
			return;
		part.first = false;
		part.indent = hanging;
	} while (rest.length > 0);
}

struct listing
lines_listing(const struct lines *lines, size_t columns, struct arena *arena)
{
	struct line_rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL)
		return listing_out_of_memory();
	rows->lines = lines;
	for (size_t i = 0; i < lines->count; i++)
		add_parts(rows, &lines->items[i], columns, arena);
	return (struct listing){ .count = rows->count,
				 .fill = lines_fill_row,
				 .target = lines_row_target,
				 .explain = lines_explain_row,
				 .context = rows };
}

const struct lines *
lines_of(const struct listing *listing)
{
	const struct line_rows *rows = listing->context;

	return listing->fill == lines_fill_row ? rows->lines : NULL;
}
