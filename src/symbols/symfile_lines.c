/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * A line ends at LF, at CR LF, or at a CR with anything else behind it, since
 * Breakpad ends a record at either. Unlike Breakpad, blank lines count.
 */

struct line_finder
line_finder_at(const struct symfile *symfile, uint64_t offset)
{
	return (struct line_finder){
		.data = symfile->data,
		.end = symfile->size,
		.next = offset,
		.first_return = symfile->first_return,
	};
}

static uint64_t
find(const struct line_finder *finder, uint64_t from, uint64_t to, char c)
{
	const char *at = from < to ? memchr(finder->data + from, c, to - from) : NULL;

	return at == NULL ? to : (uint64_t)(at - finder->data);
}

bool
line_next(struct line_finder *finder, uint64_t *start, uint64_t *length)
{
	if (finder->next >= finder->end)
		return false;
	uint64_t from = finder->next;

	/* Behind a CR the line feed found before still holds: one look for each. */
	if (finder->feed < from || from == 0)
		finder->feed = find(finder, from, finder->end, '\n');
	uint64_t stop = finder->feed, next = stop + 1;

	if (stop > finder->first_return) {
		uint64_t back = find(finder, from, stop, '\r');

		if (back < stop) {
			next = back + 1 == stop ? stop + 1 : back + 1;
			stop = back;
		}
	}
	*start = from;
	*length = stop - from;
	finder->next = next;
	return true;
}

/* Walk on from the mark of the block that holds `offset` to the line that holds it. */
static struct line_mark
line_at(const struct symfile *symfile, uint64_t offset)
{
	struct line_mark mark = symfile->marks[offset / LINE_BLOCK];
	uint64_t block = offset - offset % LINE_BLOCK;
	uint64_t start, length;
	/* A line that began in an earlier block need not be searched from there. */
	struct line_finder finder =
		line_finder_at(symfile, mark.start > block ? mark.start : block);

	finder.end = offset + 1;
	while (line_next(&finder, &start, &length) && finder.next <= offset) {
		mark.start = finder.next;
		mark.line++;
	}
	return mark;
}

uint64_t
symfile_line_start(const struct symfile *symfile, uint64_t offset)
{
	return line_at(symfile, offset).start;
}

struct place
symfile_place(const struct symfile *symfile, uint64_t offset, uint32_t length)
{
	struct place place = {
		.input = &symfile->file.input,
		.offset = offset,
		.length = length,
		.line = 1,
		.column = 1,
	};

	if (symfile->size == 0)
		return place;
	uint64_t within = offset < symfile->size ? offset : symfile->size - 1;
	struct line_mark mark = line_at(symfile, within);
	uint64_t column = offset - mark.start + 1;

	place.line = mark.line == UINT32_MAX ? mark.line : mark.line + 1;
	place.column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
	return place;
}

bool
symfile_line_offset(const struct symfile *symfile, uint32_t line, uint64_t *offset)
{
	if (line == 0 || line > symfile->line_count)
		return false;
	size_t low = 0, high = (size_t)((symfile->size - 1) / LINE_BLOCK) + 1;

	/* The last block that begins before the wanted line or with it. */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (symfile->marks[middle].line < line)
			low = middle;
		else
			high = middle;
	}
	struct line_mark mark = symfile->marks[low];
	struct line_finder finder = line_finder_at(symfile, mark.start);
	uint64_t start, length;

	while (line_next(&finder, &start, &length))
		if (++mark.line == line) {
			*offset = start;
			return true;
		}
	return false;
}

uint32_t
symfile_line_count(const struct symfile *symfile)
{
	return symfile->line_count;
}

void
symfile_report(const struct symfile *symfile, struct message_list *list, enum message_kind kind,
	       uint64_t where, const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (list == NULL)
		return;
	if (list->seen[kind] >= LIMIT_MESSAGES_PER_KIND) {
		message_add(list, kind, (struct place){ 0 }, "%s", "");
		return;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	message_add(list, kind, symfile_place(symfile, where_offset(where), where_length(where)),
		    "%s", text);
}
