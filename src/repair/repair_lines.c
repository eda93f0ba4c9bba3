/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "repair/repair_internal.h"
#include "symbols/records.h"

/* Finds the lines of a symbol file that are, or were meant to be, the records of a function. */

static bool
is_end(uint8_t c)
{
	return c == '\n' || c == '\r';
}

static struct repair_line
line_around(const struct file *file, uint64_t offset)
{
	uint64_t start = offset, end = offset;
	struct repair_line line = { 0 };

	while (start > 0 && !is_end(file->data[start - 1]))
		start--;
	while (end < file->size && !is_end(file->data[end]))
		end++;
	line.offset = start;
	line.text = (struct text){ (const char *)file->data + start,
				   (size_t)(end - start) };
	line.good = record_stack_cfi(line.text, false, &line.record) &&
		    (!line.record.init || line.record.size > 0);
	line.record.offset = start;
	line.record.length = (uint32_t)(end - start);
	return line;
}

/* The next line that is not empty; false: no such line. */
static bool
line_behind(const struct file *file, const struct repair_line *line, struct repair_line *next)
{
	uint64_t at = line->offset + line->text.length;

	while (at < file->size && is_end(file->data[at]))
		at++;
	if (at == file->size)
		return false;
	*next = line_around(file, at);
	return true;
}

static bool
line_before(const struct file *file, uint64_t offset, struct repair_line *before)
{
	while (offset > 0 && is_end(file->data[offset - 1]))
		offset--;
	if (offset == 0)
		return false;
	*before = line_around(file, offset - 1);
	return true;
}

/* Whether a line begins with STACK and is malformed. */
static bool
is_debris(const struct repair_line *line)
{
	static const char word[] = "STACK ";
	struct stack_win win;

	return !line->good && line->text.length > strlen(word) &&
	       memcmp(line->text.start, word, strlen(word)) == 0 &&
	       !record_stack_win(line->text, false, &win);
}

static bool
is_delta_of(const struct repair_group *group, const struct repair_line *line)
{
	return line->good && !line->record.init && line->record.address >= group->first &&
	       line->record.address <= group->last;
}

static bool
add(struct repair_work *work, struct repair_group *group, const struct repair_line *line)
{
	return ARENA_ADD(&work->scratch, group->lines, group->line_count, group->line_capacity,
			 line);
}

/*
 * Add the group's lines before an offset: its deltas and malformed lines. The first of these lines
 * is a delta or a malformed INIT record.
 */
static bool
add_before(struct repair_work *work, struct repair_group *group, uint64_t offset)
{
	static const char init[] = "STACK CFI INIT ";
	const struct file *file = symfile_file(work->repair->module->symfile);
	struct repair_line line;
	uint64_t from = offset;

	for (unsigned i = 0; i < LIMIT_TABLE_ROWS && line_before(file, from, &line) &&
			     (is_delta_of(group, &line) || is_debris(&line)); i++)
		from = line.offset;
	if (from == offset)
		return true;
	for (line = line_around(file, from); line.offset < offset;) {
		const bool begins = is_delta_of(group, &line) ||
				    (line.text.length > strlen(init) &&
				     memcmp(line.text.start, init, strlen(init)) == 0);

		if ((begins || group->line_count > 0) && !add(work, group, &line))
			return false;
		if (!line_behind(file, &line, &line))
			break;
	}
	return true;
}

/* The INIT record with the lowest address above `address`, or NULL. */
static const struct stack_cfi *
init_above(const struct repair_work *work, uint64_t address)
{
	const size_t at = sorted_upto(SORTED(work->inits, work->init_count, record.address),
				      address);

	return at < work->init_count ? &work->inits[at].record : NULL;
}

/* Whether a line is a delta of another function that has no INIT record. */
static bool
is_orphan(struct repair_work *work, const struct repair_group *group,
	  const struct repair_line *line)
{
	uint64_t first, last;

	if (!line->good || is_delta_of(group, line) ||
	    !repair_entry(work, line->record.address, &first, &last) ||
	    (first <= group->last && last >= group->first))
		return false;
	const struct stack_cfi *init = init_above(work, first > 0 ? first - 1 : 0);
	return init == NULL || init->address > last;
}

/* Add the INIT record of a group, and the lines after it. */
static bool
add_behind(struct repair_work *work, struct repair_group *group)
{
	const struct file *file = symfile_file(work->repair->module->symfile);
	struct repair_line line = line_around(file, group->init->offset);

	group->init_line = group->line_count;
	if (!add(work, group, &line))
		return false;
	for (unsigned i = 0; i < LIMIT_TABLE_ROWS && line_behind(file, &line, &line) &&
			     ((line.good && !line.record.init) || is_debris(&line)) &&
			     !is_orphan(work, group, &line); i++)
		if (!add(work, group, &line))
			return false;
	return true;
}

/* Keep the INIT record and one delta for each address; the addresses must ascend. */
static void
choose(struct repair_group *group)
{
	uint64_t before = group->first;
	struct repair_line *last = NULL;
	const size_t from = group->init_line == SIZE_MAX ? 0 : group->init_line;

	for (size_t i = from; i < group->line_count; i++) {
		struct repair_line *line = &group->lines[i];

		if (i == group->init_line) {
			line->kept = true;
			continue;
		}
		if (!is_delta_of(group, line) || line->record.address < before ||
		    line->record.address == group->first)
			continue;
		/* If several deltas have the same address, the last one is used. */
		if (line->record.address == before && last != NULL)
			last->kept = false;
		line->kept = true;
		before = line->record.address;
		last = line;
	}
}

bool
repair_find_lines(struct repair_work *work, struct repair_group *group)
{
	const struct file *file = symfile_file(work->repair->module->symfile);

	group->init_line = SIZE_MAX;
	group->line_count = 0;
	if (group->init != NULL) {
		if (!add_before(work, group, group->init->offset) || !add_behind(work, group))
			return false;
	} else {
		const struct stack_cfi *above = init_above(work, group->last);

		if (above != NULL)
			group->anchor = line_around(file, above->offset);
		else if (!line_before(file, file->size, &group->anchor))
			return false;
		group->behind = above == NULL;
		const uint64_t end = group->behind
					     ? group->anchor.offset + group->anchor.text.length
					     : group->anchor.offset;
		if (!add_before(work, group, end))
			return false;
	}
	choose(group);
	return true;
}
