/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/version.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sorted.h"
#include "symbols/records.h"
#include "symbols/symfile_internal.h"

/* Versions made from a file and edits; symfile_lines.c reads them. */

/* A walk over a file's lines ends up to this many bytes after the file's end. */
#define PAST_END 2u

size_t
version_line_of(const struct version_lines *version, uint64_t offset)
{
	size_t at;

	/* A removed line has no new lines: its range is empty. */
	BISECT(at, version->count, version->lines[at].end <= offset);
	return at < version->count ? at : version->count - 1;
}

size_t
symfile_rows_before(const struct symfile *symfile, enum table_kind kind, uint64_t end)
{
	const struct table *table = &symfile->tables[kind];
	size_t at;

	if (symfile->version == NULL)
		return table_rows_before(table, end);
	BISECT(at, table->count, symfile_origin(symfile, table_offset(table, at)) < end);
	return at;
}

/* The tables ------------------------------------------------------------------------------------*/

/* The row of a line; false if it has no row. */
static bool
row_of(const struct symfile *symfile, struct text line, struct index_row *row)
{
	struct symbol_record record;
	enum symbol_record_kind kind;

	if (symfile->strict) {
		kind = record_kind_strict(line);
		return record_read_strict(kind, line, &record) == NULL &&
		       symfile_strict_row(&record, row);
	}
	kind = record_kind(line);
	return kind != SYMBOL_LINE && kind != SYMBOL_INLINE && kind != SYMBOL_STACK &&
	       index_row_of(kind, line, row);
}

/* The row and the offset of the next new line that has a row; false after the last line. */
static bool
next_row(const struct symfile *symfile, const struct version_line *line, uint64_t *at,
	 uint64_t *offset, struct index_row *row)
{
	while (*at < line->end) {
		const uint64_t where = symfile_where_at(symfile, *offset = *at);

		*at += where_length(where) + 1;
		if (row_of(symfile, symfile_text(symfile, where), row))
			return true;
	}
	return false;
}

/* Copy the rows from `*row` up to but excluding `end`; false when out of memory. */
static bool
copy_rows(struct table *to, const struct table *from, size_t *row, size_t end)
{
	for (; *row < end; ++*row)
		if (!table_add(to, table_address(from, *row), table_size(from, *row),
			       table_offset(from, *row)))
			return false;
	return true;
}

/* A copy of a table with the rows of the new lines instead of those of the changed lines. */
static bool
splice_table(struct symfile *version, const struct symfile *from, enum table_kind kind)
{
	const struct version_lines *lines = version->version;
	const struct table *old = &from->tables[kind];
	struct table *table = &version->tables[kind];
	struct index_row row;
	size_t done = 0;

	*table = (struct table){ .ranges = old->ranges };
	for (size_t i = 0; i < lines->count; i++) {
		const struct version_line *line = &lines->lines[i];
		uint64_t at = line->at, offset;

		if (!copy_rows(table, old, &done, table_rows_before(old, line->offset)))
			return false;
		done += done < old->count && table_offset(old, done) == line->offset;
		while (next_row(version, line, &at, &offset, &row))
			if (row.table == kind &&
			    !table_add(table, row.address, row.size, offset))
				return false;
	}
	return copy_rows(table, old, &done, old->count);
}

/* Deltas of STACK CFI -------------------------------------------------------------------------- */

/*
 * Whether the deltas around a changed line still follow their INIT record in ascending order,
 * without other lines between.
 */
static bool
runs_hold(const struct symfile *version, const struct version_line *line)
{
	const size_t row = symfile_rows_before(version, TABLE_INIT, line->offset);
	uint64_t start = row > 0 ? table_offset(&version->tables[TABLE_INIT], row - 1)
				 : line->offset;
	struct line_finder finder = line_finder_at(version, start);
	uint64_t length, least = UINT64_MAX, end = 0;

	while (line_next(&finder, &start, &length)) {
		const struct text text = symfile_text(version, where_of(start, length));
		const bool passed = symfile_origin(version, start) > line->offset;
		struct stack_cfi cfi;
		const bool good = record_stack_cfi(text, false, &cfi);

		if (passed && (!good || cfi.init))
			return true;
		if (!good) {
			least = UINT64_MAX;
			/* Skip the lines between the last run and this line. */
			if (symfile_origin(version, start) < line->offset)
				finder = line_finder_at(version, line->offset);
		} else if (cfi.init) {
			least = cfi.address;
			end = cfi.address + cfi.size;
		} else if (cfi.address < least || cfi.address >= end) {
			return false;
		} else {
			least = cfi.address + 1;
		}
	}
	return true;
}

/* Decide whether deltas now need a table of their own, and fill it; false when out of memory. */
static bool
settle_deltas(struct symfile *version, uint32_t *touched)
{
	const struct version_lines *lines = version->version;
	const struct table *inits = &version->tables[TABLE_INIT];
	/* Deltas after an unused INIT record belong to other INIT records. */
	bool scattered = (*touched & 1u << TABLE_INIT) != 0 &&
			 version->whole.rows[TABLE_INIT].count < inits->count;

	for (size_t i = 0; i < lines->count && !scattered; i++)
		scattered = !runs_hold(version, &lines->lines[i]);
	if (!scattered)
		return true;
	version->found.scattered = true;
	*touched |= 1u << TABLE_DELTA;
	/* No delta of the file comes before its first INIT record. */
	uint64_t first = lines->lines[0].offset;
	if (inits->count > 0 && symfile_origin(version, table_offset(inits, 0)) < first)
		first = table_offset(inits, 0);
	/* The file has no table of deltas, so the version gets its own. */
	version->tables[TABLE_DELTA] = (struct table){ 0 };
	return symfile_scan_deltas(version, first, &version->tables[TABLE_DELTA]);
}

/* Versions --------------------------------------------------------------------------------------*/

/* Share the file's lists of untouched records with a view; false when out of memory. */
static bool
share_view(struct symfile_view *view, const struct symfile_view *from, uint32_t touched)
{
	for (size_t table = 0; table < TABLE_COUNT; table++) {
		if (touched & 1u << table)
			continue;
		view->borrowed |= 1u << table;
		view->rows[table] = from->rows[table];
		if (table >= TABLE_WIN && table <= TABLE_WIN_LAST)
			view->win[table - TABLE_WIN] = from->win[table - TABLE_WIN];
	}
	if (touched & 1u << TABLE_FUNC)
		return true;
	view->dropped = from->dropped;
	view->dropped_count = from->dropped_count;
	return symfile_view_finish(view);
}

/* Index a version with the help of the file's index; false when out of memory. */
static bool
index_version(struct symfile *version, const struct symfile *from)
{
	const uint32_t init = 1u << TABLE_INIT, delta = 1u << TABLE_DELTA;
	const struct version_lines *lines = version->version;
	uint32_t touched = 0;

	/* The tables that have a row for a changed line, or for a line that replaces it. */
	for (size_t i = 0; i < lines->count; i++) {
		const struct version_line *line = &lines->lines[i];
		uint64_t at = line->at, offset;
		struct index_row row;

		if (row_of(from, symfile_text(from, where_of(line->offset, line->length)), &row))
			touched |= 1u << row.table;
		while (next_row(version, line, &at, &offset, &row))
			touched |= 1u << row.table;
	}
	const bool runs = (touched & (init | delta)) != 0 && !from->found.scattered &&
			  !from->strict;
	/* Deltas have a table only if some of them do not follow their INIT record. */
	touched &= from->found.scattered ? UINT32_MAX : ~delta;
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		version->tables[i] = from->tables[i];
		version->tables[i].borrowed = true;
		if ((touched & 1u << i) != 0 && !splice_table(version, from, (enum table_kind)i))
			return false;
	}
	version->whole.end = from->whole.end;
	version->part.end = from->part.end;
	if (((touched & init) != 0 && !symfile_index_table(version, TABLE_INIT)) ||
	    (runs && !settle_deltas(version, &touched)) ||
	    !share_view(&version->whole, &from->whole, touched) ||
	    !share_view(&version->part, &from->part, touched))
		return false;
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if ((touched & ~init & 1u << i) != 0 &&
		    !symfile_index_table(version, (enum table_kind)i))
			return false;
	return true;
}

struct symfile *
symfile_version_of(const struct symfile *from, const struct version_lines *lines)
{
	struct error error = { 0 };
	struct symfile *version = symfile_create(&error);

	if (version == NULL)
		return NULL;
	version->base = from->base != NULL ? from->base : from;
	version->version = lines;
	version->strict = from->strict;
	version->borrowed = true;
	version->data = from->data;
	version->found = from->found;
	version->identity = from->identity;
	if (!index_version(version, from)) {
		symfile_close(version);
		return NULL;
	}
	if (version->tables[TABLE_MODULE].count != 0)
		version->identity = record_module(
			symfile_text(version, row_where(version, TABLE_MODULE, 0)));
	return version;
}

SORTED_POINTERS(compare_lines, struct record_edit, SORTED_UP(offset))

/* The line of a file that begins at an offset; false if none does. */
static bool
find_line(const struct symfile *symfile, uint64_t offset, struct version_line *line)
{
	uint64_t start;

	*line = (struct version_line){ .offset = offset };
	if (offset >= symfile->found.size || symfile_line_start(symfile, offset) != offset)
		return false;
	struct line_finder finder = line_finder_at(symfile, offset);
	const bool found = line_next(&finder, &start, &line->length) && start == offset;
	line->next = finder.next;
	return found;
}

/* The file's lines that the edits replace, with the new lines; NULL when out of memory. */
static struct version_lines *
make_lines(const struct symfile *symfile, const struct record_edits *edits, struct arena *arena)
{
	struct version_lines *made = arena_alloc(arena, sizeof(*made));
	const struct record_edit **sorted = arena_array(arena, edits->count + 1, sizeof(*sorted));
	size_t count = 0, size = 1;

	if (made == NULL || sorted == NULL)
		return NULL;
	for (size_t i = 0; i < edits->count; i++)
		if (record_edit_holds(&edits->edits[i], &symfile->file)) {
			sorted[count++] = &edits->edits[i];
			size += edits->edits[i].now.length + 1;
		}
	if (count > 0)
		qsort(sorted, count, sizeof(const struct record_edit *), compare_lines);
	*made = (struct version_lines){
		.lines = arena_array(arena, count + 1, sizeof(*made->lines)),
		.text = arena_alloc(arena, size),
		.start = symfile->file.size + PAST_END,
	};
	if (made->lines == NULL || made->text == NULL || size > WHERE_OFFSET_MAX - made->start)
		return NULL;
	uint64_t at = 0;
	for (size_t i = 0; i < count; i++) {
		struct version_line *line = &made->lines[made->count];
		struct text left = sorted[i]->now, text;

		if ((i > 0 && sorted[i]->offset == sorted[i - 1]->offset) ||
		    !find_line(symfile, sorted[i]->offset, line) ||
		    line->length != sorted[i]->was.length)
			continue;
		line->at = made->start + at;
		while (text_take_line(&left, &text)) {
			memcpy(made->text + at, text.start, text.length);
			at += text.length;
			made->text[at++] = '\n';
		}
		line->end = made->start + at;
		made->count++;
	}
	return made;
}

bool
symfile_version(struct symfile **version, const struct symfile *symfile,
		const struct record_edits *edits)
{
	const struct symfile *file = symfile_unedited(symfile);
	struct arena arena = { 0 };

	*version = NULL;
	struct version_lines *lines = make_lines(file, edits, &arena);
	bool good = lines != NULL;
	if (good && lines->count > 0) {
		*version = symfile_version_of(file, lines);
		good = *version != NULL;
	}
	if (*version != NULL)
		(*version)->arena = arena;
	else
		arena_free(&arena);
	return good;
}

const struct symfile *
symfile_unedited(const struct symfile *symfile)
{
	return symfile->version != NULL ? symfile->base : symfile;
}

bool
symfile_now(const struct symfile *symfile, uint64_t offset, struct text *now)
{
	const struct version_lines *version = symfile->version;
	size_t at = 0;

	if (version == NULL)
		return false;
	BISECT(at, version->count, version->lines[at].offset < offset);
	if (at == version->count || version->lines[at].offset != offset)
		return false;
	const struct version_line *line = &version->lines[at];
	const size_t length = (size_t)(line->end - line->at);
	*now = (struct text){ version->text + (line->at - version->start),
			      length - (length > 0) };
	return true;
}

bool
record_edit_at(const struct symfile *symfile, uint64_t offset, struct record_edit *edit)
{
	const struct file *file = symfile_file(symfile);
	struct version_line line;

	if (!find_line(symfile_unedited(symfile), offset, &line))
		return false;
	*edit = (struct record_edit){
		.file = file->input.name, .offset = offset,
		.line = symfile_place(symfile, offset, 0).line,
		.was = { (const char *)file->data + offset, (size_t)line.length },
	};
	if (!symfile_now(symfile, offset, &edit->now))
		edit->now = edit->was;
	return true;
}

void
symfile_write(const struct symfile *symfile, const struct output *output)
{
	const struct version_lines *version = symfile->version;
	const struct file *file = symfile_file(symfile);
	uint64_t at = 0;

	for (size_t i = 0; version != NULL && i < version->count; i++) {
		const struct version_line *line = &version->lines[i];
		const size_t length = (size_t)(line->end - line->at);

		output->write(output->context, (const char *)file->data + at,
			      (size_t)(line->offset - at));
		output->write(output->context, version->text + (line->at - version->start),
			      length - (length > 0));
		at = line->offset + line->length;
	}
	output->write(output->context, (const char *)file->data + at, (size_t)(file->size - at));
}
