/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/row.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/user_names.h"

static const struct role_look looks[] = {
#define R(id, name, mono, style, colour8, colour256, background256, mark) \
	[ROLE_##id] = { name, mono, style, colour8, colour256, background256, mark },
#include "document/role.def"
#undef R
};

const struct role_look *
role_look(enum role role)
{
	return &looks[role < ROLE_COUNT ? role : ROLE_NORMAL];
}

void
row_init(struct row *row, struct arena *arena)
{
	*row = (struct row)ROW_IN(arena);
}

void
row_clear(struct row *row)
{
	row->length = row->width = row->span_count = 0;
	if (row->text != NULL)
		row->text[0] = '\0';
}

/* `buffer`, or a larger copy of it, with room for `size` bytes; NULL when out of memory. */
static char *
grow(struct arena *arena, char *buffer, size_t used, size_t *capacity, size_t size)
{
	size_t larger = *capacity == 0 ? 256 : *capacity;

	if (size <= *capacity)
		return buffer;
	if (size > SIZE_MAX / 2)
		return NULL;
	while (larger < size)
		larger *= 2;
	char *moved = arena_alloc(arena, larger);
	if (moved == NULL)
		return NULL;
	if (used != 0)
		memcpy(moved, buffer, used);
	*capacity = larger;
	return moved;
}

/* `size` bytes that are valid until the next call. */
static char *
scratch(struct row *row, size_t size)
{
	char *bytes = grow(row->arena, row->scratch, 0, &row->scratch_capacity, size);

	if (bytes != NULL)
		row->scratch = bytes;
	return bytes;
}

/* Append text that is printable already. */
static void
append(struct row *row, enum role role, struct text text)
{
	char *bytes = text.length == 0 ? NULL
				       : grow(row->arena, row->text, row->length, &row->capacity,
					      row->length + text.length + 1);

	if (bytes == NULL)
		return;
	row->text = bytes;
	struct row_span *span = row->span_count != 0 ? &row->spans[row->span_count - 1] : NULL;
	if (span == NULL || span->role != role) {
		span = ARENA_PUSH(row->arena, row->spans, row->span_count, row->span_capacity);
		if (span == NULL)
			return;
		*span = (struct row_span){ .start = row->length, .role = role };
	}
	memcpy(row->text + row->length, text.start, text.length);
	row->length += text.length;
	row->text[row->length] = '\0';
	row->width += text_width(text);
	span->length += text.length;
}

static void
add_text(struct row *row, enum role role, struct text text)
{
	while (text.length != 0) {
		const size_t length = text_printable_length(text);
		char visible[16];
		uint32_t character;

		append(row, role, (struct text){ text.start, length });
		text = (struct text){ text.start + length, text.length - length };
		if (text.length == 0)
			return;
		const size_t decoded = text_decode(text.start, text.length, &character);
		const struct text one = { text.start, decoded > 0 ? decoded : 1 };
		append(row, ROLE_UNKNOWN,
		       (struct text){ visible, text_printable(visible, sizeof(visible), one) });
		text = (struct text){ text.start + one.length, text.length - one.length };
	}
}

void
row_add_text(struct row *row, enum role role, struct text text)
{
	struct user_name_match match;
	size_t from = 0;

	for (; user_names_find(row->names, text, from, &match); from = match.start + match.length) {
		add_text(row, role, (struct text){ text.start + from, match.start - from });
		add_text(row, role, match.shown);
	}
	add_text(row, role, (struct text){ text.start + from, text.length - from });
}

void
row_add(struct row *row, enum role role, const char *format, ...)
{
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);
	char usual[128];
	int length = vsnprintf(usual, sizeof(usual), format, arguments);
	char *text = usual;
	if (length >= (int)sizeof(usual)) {
		text = scratch(row, (size_t)length + 1);
		if (text != NULL)
			vsnprintf(text, (size_t)length + 1, format, again);
	}
	if (length > 0 && text != NULL)
		row_add_text(row, role, (struct text){ text, (size_t)length });
	va_end(again);
	va_end(arguments);
}

void
row_add_source(struct row *row, enum role role, struct text text, size_t tab)
{
	size_t begin = row->width;

	while (text.length != 0) {
		const char *found = memchr(text.start, '\t', text.length);
		size_t length = found == NULL ? text.length : (size_t)(found - text.start);

		row_add_text(row, role, (struct text){ text.start, length });
		if (found == NULL)
			return;
		row_pad(row, begin + ((row->width - begin) / tab + 1) * tab);
		text.start += length + 1;
		text.length -= length + 1;
	}
}

/* Last column where right-aligned text may begin, unless the row is longer. After a wider gap,
 * readers would lose the line. */
#define RIGHT_MOST 108u

/* A word that does not fit, like a path, is cut if at least this many columns are left for it. */
#define LONG_WORD 16u

/* The place to cut a text that is too wide: end, middle, or a name's least useful part. */
enum cut { CUT_END, CUT_MIDDLE, CUT_NAME };

static void
add_cut(struct row *row, enum role role, size_t columns, enum cut how, struct text text)
{
	if (columns == 0) {
		row_add_text(row, role, text);
		return;
	}
	text = user_names_replace(row->names, text, row->arena);
	/* An escaped byte has at most four characters: \xNN. */
	size_t room = 4 * text.length + 2 * strlen(row->cut_mark) + 2;
	char *visible = text.length > SIZE_MAX / 16 ? NULL : scratch(row, 2 * room);
	if (visible == NULL)
		return;
	struct text whole = { visible, text_printable(visible, room, text) };
	if (text_width(whole) <= columns) {
		row_add_text(row, role, text);
		return;
	}
	char *cut = visible + room;
	append(row, role, (struct text){
		cut, how == CUT_NAME ? text_cut_name(cut, room, whole, columns, row->cut_mark)
				     : text_cut(cut, room, whole, columns, how == CUT_MIDDLE,
						row->cut_mark) });
}

void
row_add_cut(struct row *row, enum role role, size_t columns, bool middle, struct text text)
{
	add_cut(row, role, columns, middle ? CUT_MIDDLE : CUT_END, text);
}

void
row_add_name(struct row *row, enum role role, size_t columns, struct text name)
{
	add_cut(row, role, columns, CUT_NAME, name);
}

void
row_pad(struct row *row, size_t column)
{
	static const char blanks[] = "                                ";

	while (row->width < column) {
		size_t missing = column - row->width;
		size_t before = row->width;

		append(row, ROLE_NORMAL, (struct text){ blanks, missing < sizeof(blanks) - 1
								? missing : sizeof(blanks) - 1 });
		if (row->width == before)
			return;
	}
}

void
row_add_right(struct row *row, enum role role, size_t columns, const char *format, ...)
{
	char text[256], visible[512];

	TEXT_FORMAT(text, format);
	text_printable(visible, sizeof(visible), text_of(text));
	size_t width = text_width(text_of(visible));
	if (columns == 0) {
		row_pad(row, row->width + 2);
	} else {
		row_cut(row, columns > width ? columns - width - 1 : 0);
		const size_t near = row->width + 2 > RIGHT_MOST ? row->width + 2 : RIGHT_MOST;
		const size_t edge = columns > width ? columns - width : 0;

		row_pad(row, edge < near ? edge : near);
	}
	row_add_cut(row, role, columns, false, text_of(text));
}

void
row_cut(struct row *row, size_t columns)
{
	if (row->width <= columns)
		return;
	size_t mark = text_width(text_of(row->cut_mark));
	size_t kept = columns >= mark ? columns - mark : 0;
	size_t length = text_fit((struct text){ row->text, row->length }, kept);
	enum role role = ROLE_NORMAL;

	while (row->span_count != 0) {
		struct row_span *last = &row->spans[row->span_count - 1];

		role = last->role;
		if (last->start < length) {
			last->length = length - last->start;
			break;
		}
		row->span_count--;
	}
	row->length = length;
	row->text[length] = '\0';
	row->width = text_width((struct text){ row->text, length });
	if (columns >= mark)
		append(row, role, text_of(row->cut_mark));
}

void
row_cut_sentence(struct row *row, size_t columns)
{
	const size_t mark = text_width(text_of(row->cut_mark));

	if (row->width <= columns)
		return;
	size_t blank = text_fit((struct text){ row->text, row->length },
				columns > mark ? columns - mark : 0);
	while (blank > 0 && row->text[blank - 1] != ' ')
		blank--;
	const size_t words = text_width((struct text){ row->text, blank });
	row_cut(row, words > 0 && words + mark + LONG_WORD > columns ? words + mark : columns);
}

const char *
row_text(const struct row *row)
{
	return row->text == NULL ? "" : row->text;
}

struct text
row_span_text(const struct row *row, size_t index)
{
	return (struct text){ row->text + row->spans[index].start, row->spans[index].length };
}

static unsigned
colors_of(const struct output *output)
{
	return output->colors != NULL ? *output->colors : 0;
}

/* Whether a role looks different from normal text in an output. */
static bool
is_shown(const struct output *output, enum role role)
{
	const struct role_look *look = role_look(role);

	return colors_of(output) > 0 && (look->style != 0 || look->colour8 >= 0);
}

void
row_role(const struct output *output, enum role role)
{
	static const struct {
		unsigned style;
		const char *escape;
	} styles[] = {
		{ ROLE_STYLE_BOLD, "\033[1m" }, { ROLE_STYLE_DIM, "\033[2m" },
		{ ROLE_STYLE_UNDERLINE, "\033[4m" }, { ROLE_STYLE_REVERSE, "\033[7m" },
	};
	const struct role_look *look = role_look(role);

	if (!is_shown(output, role))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(styles); i++)
		if ((look->style & styles[i].style) != 0)
			output_plain(output, styles[i].escape);
	if (colors_of(output) >= 256 && look->colour256 >= 0)
		output_format(output, "\033[38;5;%dm", look->colour256);
	else if (look->colour8 >= 0)
		output_format(output, "\033[3%dm", look->colour8);
}

void
row_role_end(const struct output *output, enum role role)
{
	if (is_shown(output, role))
		output_plain(output, "\033[0m");
}

void
row_write(const struct output *output, struct row *row)
{
	const char *text = row_text(row);
	size_t length = strlen(text);

	while (length > 0 && text[length - 1] == ' ')
		length--;
	/* output_text() replaces user names, because the row may have been made without `names`. */
	if (colors_of(output) == 0)
		output_text(output, (struct text){ text, length });
	for (size_t i = 0; colors_of(output) > 0 && i < row->span_count; i++) {
		const struct row_span *span = &row->spans[i];

		if (span->start >= length)
			break;
		row_role(output, span->role);
		output_text(output, (struct text){
			text + span->start, span->start + span->length <= length
						    ? span->length : length - span->start });
		row_role_end(output, span->role);
	}
	output->write(output->context, "\n", 1);
	row_clear(row);
}

/* Wrapping ------------------------------------------------------------------------------------- */

static struct text
take_line(struct text *rest, size_t columns)
{
	struct text line = { rest->start, text_fit(*rest, columns > 0 ? columns : 1) };

	if (line.length < rest->length && rest->start[line.length] != ' ') {
		size_t blank = line.length;

		while (blank > 0 && rest->start[blank - 1] != ' ')
			blank--;
		if (blank > 0)
			line.length = blank;
	}
	/* A character wider than a line becomes a line of its own. */
	if (line.length == 0)
		line.length = rest->length > 0 ? 1 : 0;
	rest->start += line.length;
	rest->length -= line.length;
	while (rest->length > 0 && rest->start[0] == ' ') {
		rest->start++;
		rest->length--;
	}
	while (line.length > 0 && line.start[line.length - 1] == ' ')
		line.length--;
	return line;
}

size_t
row_wrap_count(struct text text, size_t columns)
{
	size_t count = 0;

	do {
		take_line(&text, columns);
		count++;
	} while (text.length > 0);
	return count;
}

struct text
row_wrap_line(struct text text, size_t columns, size_t index)
{
	struct text line = take_line(&text, columns);

	for (; index > 0; index--)
		line = take_line(&text, columns);
	return line;
}
