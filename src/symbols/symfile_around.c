/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <string.h>

#include "symbols/records.h"
#include "symbols/swar.h"

/*
 * One pass over a function in usual form: single spaces, few digits, line records ascending without
 * overlaps, inlined calls around the address that cross no other unless their levels decide. Such a
 * function has nothing to refuse, so the result is what covers the address. Otherwise the pass
 * stops, and symfile_function.c reads the function in the general way.
 */

/* Most ranges of inlined calls in a function, and in a record. */
#define RANGES_MAX 4096u
#define RECORD_RANGES_MAX 200u
/* Bytes of the first four fields of a line or call, and eight more that are read. */
#define AHEAD 64

struct around {
	const struct symfile *symfile;
	const char *at, *stop;
	uint64_t address;
	uint64_t next;			/* least address of a further line record */
	int64_t depth;			/* depth of the last inlined call */
	bool levels;			/* ranges of inlined calls may cross */
	struct arena *arena;
	struct range_list *lines, *calls;
	size_t range_count;
	struct {
		uint64_t first, last;
	} ranges[RANGES_MAX];
};

/* A number followed by `end`. */
static ATTRIBUTE_INLINE bool
take(struct around *around, bool decimal, uint64_t *value, char end)
{
	const size_t digits = swar_field(around->at, decimal, value);

	around->at += digits + 1;
	return digits != 0 && around->at[-1] == end;
}

/* Store a range around the address, from the record at `record`. */
static bool
keep(struct around *around, struct range_list *list, struct span span, const char *record)
{
	const uint64_t offset = (uint64_t)(record - around->symfile->data);

	span.index = (uint32_t)list->count;
	/* A call without its caller before it is not stored, or its depth does not matter. */
	return range_list_add(list, around->arena, span,
			      (struct range_source){ symfile_where_at(around->symfile, offset),
						     around->depth, around->depth });
}

static bool
pass_line(struct around *around)
{
	const char *record = around->at;
	uint64_t address, size = 0, number, file;

	if (!take(around, false, &address, ' ') || !take(around, false, &size, ' ') ||
	    !take(around, true, &number, ' ') || !take(around, true, &file, '\n'))
		return false;
	if (size == 0)
		return true;
	if (address < around->next)
		return false;
	/* Numbers of eight digits do not wrap. */
	around->next = address + size;
	if (around->address < address || around->address >= around->next)
		return true;
	return keep(around, around->lines, (struct span){ address, address + size - 1, 0 }, record);
}

/* Whether a range partly overlaps a previous one. */
static bool
crosses(const struct around *around, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < around->range_count; i++) {
		const uint64_t low = around->ranges[i].first, high = around->ranges[i].last;

		if ((low > first && low <= last && high > last) ||
		    (high < last && high >= first && low < first))
			return true;
	}
	return false;
}

/* Check one range of the call whose record begins at `record`. */
static bool
pass_range(struct around *around, const char *record, uint64_t address, uint64_t size)
{
	const struct span span = { address, address + size - 1, 0 };

	if (size == 0)
		return true;
	if (around->range_count == RANGES_MAX)
		return false;
	if (span.first <= around->address && around->address <= span.last &&
	    (around->calls->count == LIMIT_INLINE_DEPTH ||
	     crosses(around, span.first, span.last) ||
	     !keep(around, around->calls, span, record)))
		return false;
	if (around->levels)
		return true;
	around->ranges[around->range_count].first = span.first;
	around->ranges[around->range_count++].last = span.last;
	return true;
}

/* A record without the call's file has an odd number of fields, which is refused here. */
static bool
pass_call(struct around *around)
{
	const char *record = around->at;
	uint64_t depth, line, file, origin, address, size = 0;

	around->calls->any = true;
	around->at += strlen("INLINE ");
	if (!take(around, true, &depth, ' ') || !take(around, true, &line, ' ') ||
	    !take(around, true, &file, ' ') || !take(around, true, &origin, ' '))
		return false;
	/* Breakpad drops a call without its caller before it. */
	const bool counts = around->levels || (int64_t)depth - 1 <= around->depth;
	if (counts)
		around->depth = (int64_t)depth;
	for (size_t range = 0; range < RECORD_RANGES_MAX && around->stop - around->at >= AHEAD;
	     range++) {
		if (!take(around, false, &address, ' ') ||
		    !(take(around, false, &size, '\n') || around->at[-1] == ' ') ||
		    (counts && !pass_range(around, record, address, size)))
			return false;
		if (around->at[-1] == '\n')
			return true;
	}
	return false;
}

/* Skip a record that may be inside a function. False for other records. */
static bool
pass_other(struct around *around)
{
	const struct text head = { around->at, AHEAD };
	const char *newline = memchr(around->at, '\n', (size_t)(around->stop - around->at));

	if (newline == NULL || (*around->at != '\n' && record_kind(head) == SYMBOL_LINE))
		return false;
	around->at = newline + 1;
	return true;
}

static bool
pass_body(struct around *around, const char *end)
{
	while (around->at < end) {
		const uint64_t word = around->stop - around->at < AHEAD ? 0 : swar_load(around->at);
		const char c = (char)(word & 0xff);

		if (word == 0)
			return false;
		if ((word & SWAR_FIRST(5)) == swar_load("FUNC \0\0") ||
		    (word & SWAR_FIRST(7)) == swar_load("PUBLIC "))
			return true;
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? pass_line(around)
		      : (word & SWAR_FIRST(7)) == swar_load("INLINE ") ? pass_call(around)
								       : pass_other(around)))
			return false;
	}
	return true;
}

bool
symfile_around(const struct symfile *symfile, uint64_t offset, uint64_t end, uint64_t address,
	       bool levels, struct arena *arena, struct range_list *lines,
	       struct range_list *calls)
{
	struct around around;
	const char *start = symfile->data + offset;
	/* Stop at the first line that a version changes. */
	const size_t changed = line_finder_at(symfile, offset).changed;
	const bool cut = symfile->version != NULL && changed < symfile->version->count &&
			 symfile->version->lines[changed].offset < end;

	/* Lines that end with a carriage return are read in the general way. */
	if (symfile->found.first_return != symfile->found.size || offset >= symfile->found.size)
		return false;
	end = cut ? symfile->version->lines[changed].offset : end;
	around.symfile = symfile;
	around.stop = symfile->data + symfile->found.size;
	around.at = memchr(start, '\n', (size_t)(around.stop - start));
	if (around.at == NULL)
		return false;
	around.at++;
	around.address = address;
	around.next = 0;
	around.depth = 0;
	around.levels = levels;
	around.arena = arena;
	around.lines = lines;
	around.calls = calls;
	around.range_count = 0;
	return pass_body(&around, symfile->data + end) &&
	       !(cut && around.at >= symfile->data + end);
}
