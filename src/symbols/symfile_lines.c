/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <string.h>

#include "base/sorted.h"

/*
 * A line ends at LF, CR LF, or a lone CR, because Breakpad ends a record at LF or CR. Unlike in
 * Breakpad, blank lines count.
 */

struct line_finder
line_finder_at(const struct symfile *symfile, uint64_t offset)
{
	const struct version_lines *version = symfile->version;
	struct line_finder finder = {
		.data = symfile->data,
		.end = symfile->found.size,
		.next = offset,
		.first_return = symfile->found.first_return,
		.version = version,
	};

	if (symfile_is_new(symfile, offset))
		finder.changed = version_line_of(version, offset);
	else if (version != NULL)
		BISECT(finder.changed, version->count,
		       version->lines[finder.changed].offset < offset);
	return finder;
}

/* The next line if it is a new line of the version; else false. */
static bool
next_new(struct line_finder *finder, uint64_t *start, uint64_t *length)
{
	const struct version_lines *version = finder->version;

	for (;;) {
		while (finder->next < version->start && finder->changed < version->count &&
		       version->lines[finder->changed].offset < finder->next)
			finder->changed++;
		if (finder->changed == version->count)
			return false;
		const struct version_line *line = &version->lines[finder->changed];
		if (finder->next == line->offset)
			finder->next = line->at;
		if (finder->next < version->start)
			return false;
		if (finder->next < line->end) {
			const char *from = version->text + (finder->next - version->start);

			*start = finder->next;
			*length = (uint64_t)((const char *)memchr(
				from, '\n', (size_t)(line->end - finder->next)) - from);
			finder->next += *length + 1;
			return true;
		}
		finder->next = line->next;
	}
}

static uint64_t
find(const struct line_finder *finder, uint64_t from, uint64_t to, char c)
{
	const char *at = from < to ? memchr(finder->data + from, c, (size_t)(to - from)) : NULL;

	return at == NULL ? to : (uint64_t)(at - finder->data);
}

bool
line_next(struct line_finder *finder, uint64_t *start, uint64_t *length)
{
	if (finder->version != NULL && next_new(finder, start, length))
		return true;
	if (finder->next >= finder->end)
		return false;
	uint64_t from = finder->next;

	/* After a CR the newline already found is still ahead: do not search for it again. */
	if (finder->newline < from || from == 0)
		finder->newline = find(finder, from, finder->end, '\n');
	uint64_t stop = finder->newline, next = stop + 1;

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

uint64_t
row_where(const struct symfile *symfile, enum table_kind table, size_t row)
{
	return symfile_where_at(symfile, table_offset(&symfile->tables[table], row));
}

uint64_t
symfile_where_at(const struct symfile *symfile, uint64_t offset)
{
	struct line_finder finder = line_finder_at(symfile, offset);
	uint64_t start = offset, length = 0;

	/* A forged index file may have such offsets. */
	if (offset >= symfile->found.size && !symfile_is_new(symfile, offset))
		return where_of(symfile->found.size, 0);
	/*
	 * A NUL here means that the file was truncated while being read. Searching the NULs for a
	 * line end for each record would take too long.
	 */
	if (offset < symfile->found.size && symfile->data[offset] == '\0')
		return where_of(offset, 0);
	line_next(&finder, &start, &length);
	return where_of(offset, length);
}

/* The position of the last byte of the first line end in [from, to), or `to`. */
static uint64_t
next_end(const struct symfile *symfile, uint64_t from, uint64_t to)
{
	const char *data = symfile->data;
	const char *newline = from < to ? memchr(data + from, '\n', (size_t)(to - from)) : NULL;
	const uint64_t end = newline == NULL ? to : (uint64_t)(newline - data);

	if (end <= symfile->found.first_return)
		return end;
	for (uint64_t at = from; at < end; at++) {
		const char *back = memchr(data + at, '\r', (size_t)(end - at));

		if (back == NULL)
			return end;
		at = (uint64_t)(back - data);
		if (at + 1 == symfile->found.size || data[at + 1] != '\n')
			return at;
	}
	return end;
}

uint64_t
line_ends_between(const struct symfile *symfile, uint64_t from, uint64_t to)
{
	const uint64_t returns = symfile->found.first_return, plain = to < returns ? to : returns;
	uint64_t count = 0;

	if (from < plain) {
		count = text_newlines((struct text){ symfile->data + from,
						     (size_t)(plain - from) });
		from = plain;
	}
	while ((from = next_end(symfile, from, to)) < to) {
		count++;
		from++;
	}
	return count;
}

uint64_t
symfile_line_start(const struct symfile *symfile, uint64_t offset)
{
	const char *data = symfile->data;
	const char *newline = memrchr(data, '\n', (size_t)offset);
	const uint64_t start = newline == NULL ? 0 : (uint64_t)(newline - data) + 1;

	if (offset <= symfile->found.first_return)
		return start;
	const char *back = memrchr(data + start, '\r', (size_t)(offset - start));
	/* A CR before an LF belongs to the same line end. */
	if (back == data + offset - 1 && data[offset] == '\n')
		back = memrchr(data + start, '\r', (size_t)(offset - start - 1));
	return back == NULL ? start : (uint64_t)(back - data) + 1;
}

struct place
symfile_place(const struct symfile *reading, uint64_t offset, uint32_t length)
{
	const struct symfile *symfile = reading->base != NULL ? reading->base : reading;

	offset = symfile_origin(reading, offset);
	struct place place = {
		.input = &symfile->file.input,
		.offset = offset,
		.length = length,
		.line = 1,
		.column = 1,
	};

	if (symfile->found.size == 0)
		return place;
	uint64_t within = offset < symfile->found.size ? offset : symfile->found.size - 1;
	const uint64_t block = within / LINE_BLOCK;
	const uint64_t line = symfile->block_lines[block] +
			      line_ends_between(symfile, block * LINE_BLOCK, within) + 1;
	uint64_t column = offset - symfile_line_start(symfile, within) + 1;

	place.line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
	place.column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
	return place;
}

/* Distance in bytes up to which counting lines from a known line is faster than from a block. */
#define NEAR ((uint64_t)2048)

struct place
symfile_place_behind(const struct symfile *symfile, const struct place *before, uint64_t offset,
		     uint32_t length)
{
	if (before->line == 0 || before->line == UINT32_MAX || offset < before->offset ||
	    offset - before->offset > NEAR || offset >= symfile->found.size)
		return symfile_place(symfile, offset, length);
	struct place place = *before;
	place.offset = offset;
	place.length = length;
	place.line += (uint32_t)line_ends_between(symfile, before->offset, offset);
	place.column = (uint32_t)(offset - symfile_line_start(symfile, offset)) + 1;
	return place;
}

bool
symfile_line_offset(const struct symfile *symfile, uint32_t line, uint64_t *offset)
{
	if (symfile->base != NULL)
		return symfile_line_offset(symfile->base, line, offset);
	if (line == 0 || line > symfile->found.line_count)
		return false;
	/* The last block that is preceded by fewer line ends than the wanted line. */
	size_t block;
	BISECT_LAST(block, (size_t)((symfile->found.size - 1) / LINE_BLOCK) + 1,
		    symfile->block_lines[block] < line - 1);
	uint64_t at = block * LINE_BLOCK;
	uint32_t ended = symfile->block_lines[block];
	for (*offset = 0; ended < line - 1 && at < symfile->found.size; ended++) {
		at = next_end(symfile, at, symfile->found.size) + 1;
		*offset = at;
	}
	return true;
}

uint32_t
symfile_line_count(const struct symfile *symfile)
{
	return symfile->found.line_count;
}

void
symfile_report(struct symfile *symfile, enum message_kind kind, uint64_t where, const char *format,
	       ...)
{
	struct message_list *list = &symfile->messages;
	char text[512];

	if (list->seen[kind] >= LIMIT_MESSAGES_PER_KIND) {
		message_add(list, kind, (struct place){ 0 }, "%s", "");
		return;
	}
	TEXT_FORMAT(text, format);
	where = symfile_told(symfile, where);
	message_add(list, kind, symfile_place(symfile, where_offset(where), where_length(where)),
		    "%s", text);
}
