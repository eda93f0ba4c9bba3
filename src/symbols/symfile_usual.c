/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <string.h>

#include "symbols/records.h"
#include "symbols/swar.h"

/*
 * One look over a function as writers write it: single spaces, few digits, line records that
 * ascend without overlap, inlined calls around the address that cross no other. Nothing of such
 * a function is refused, so that the answer is what lies around the address. At anything else
 * it gives up, and symfile_body reads the function in the general way.
 */

/* Ranges of inlined calls in one function, and in one record. */
#define RANGES_MAX 4096u
#define RECORD_RANGES_MAX 200u
/* The four fields that a line or a call begins with, and eight bytes read behind them. */
#define AHEAD 64

struct look {
	const char *at, *stop;
	uint64_t address;
	uint64_t next;			/* the least address for one more line record */
	int64_t depth;			/* of the last inlined call */
	struct usual_body *body;
	size_t range_count;
	struct {
		uint64_t first, last;
	} ranges[RANGES_MAX];
};

/* A number with `end` behind it. */
static inline bool
take_hex(struct look *look, uint64_t *value, char end)
{
	const size_t digits = swar_hex_field(look->at, value);

	look->at += digits + 1;
	return digits != 0 && look->at[-1] == end;
}

static inline bool
take_decimal(struct look *look, uint64_t *value, char end)
{
	const size_t digits = swar_decimal_field(look->at, value);

	look->at += digits + 1;
	return digits != 0 && look->at[-1] == end;
}

static bool
see_line(struct look *look)
{
	struct usual_line line = { .record = look->at };

	if (!take_hex(look, &line.address, ' ') || !take_hex(look, &line.size, ' ') ||
	    !take_decimal(look, &line.number, ' ') || !take_decimal(look, &line.file, '\n'))
		return false;
	if (line.size == 0)
		return true;
	if (line.address < look->next)
		return false;
	/* Numbers of eight digits do not wrap. */
	look->next = line.address + line.size;
	if (look->address >= line.address && look->address < look->next) {
		look->body->has_line = true;
		look->body->line = line;
	}
	return true;
}

/* Whether a range overlaps one of those before it in part. */
static bool
crosses(const struct look *look, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < look->range_count; i++) {
		const uint64_t low = look->ranges[i].first, high = look->ranges[i].last;

		if ((low > first && low <= last && high > last) ||
		    (high < last && high >= first && low < first))
			return true;
	}
	return false;
}

/* One range of the call's record. */
static bool
see_range(struct look *look, const struct usual_call *call)
{
	struct usual_body *body = look->body;
	const uint64_t first = call->address, last = call->address + call->size - 1;

	if (call->size == 0)
		return true;
	if (look->range_count == RANGES_MAX)
		return false;
	if (first <= look->address && look->address <= last) {
		if (body->call_count == LIMIT_INLINE_DEPTH || crosses(look, first, last))
			return false;
		body->calls[body->call_count++] = *call;
	}
	look->ranges[look->range_count].first = first;
	look->ranges[look->range_count++].last = last;
	return true;
}

/* A record without the number of a file has an odd count of fields: not here. */
static bool
see_call(struct look *look)
{
	struct usual_call call = { .record = look->at };

	look->at += strlen("INLINE ");
	if (!take_decimal(look, &call.depth, ' ') || !take_decimal(look, &call.line, ' ') ||
	    !take_decimal(look, &call.file, ' ') || !take_decimal(look, &call.origin, ' '))
		return false;
	/* Without its caller it counts for nothing. */
	const bool counts = (int64_t)call.depth - 1 <= look->depth;
	if (counts)
		look->depth = (int64_t)call.depth;
	for (size_t range = 0; range < RECORD_RANGES_MAX && look->stop - look->at >= AHEAD;
	     range++) {
		if (!take_hex(look, &call.address, ' ') ||
		    !(take_hex(look, &call.size, '\n') || look->at[-1] == ' ') ||
		    (counts && !see_range(look, &call)))
			return false;
		if (look->at[-1] == '\n')
			return true;
	}
	return false;
}

/* Step over a record that may stand in a function; false for what is none. */
static bool
see_other(struct look *look)
{
	const struct text head = { look->at, AHEAD };
	const char *feed = memchr(look->at, '\n', (size_t)(look->stop - look->at));

	if (feed == NULL || (*look->at != '\n' && record_kind(head) == SYMBOL_LINE))
		return false;
	look->at = feed + 1;
	return true;
}

static bool
is_body_end(uint64_t word)
{
	return (word & SWAR_FIRST(5)) == swar_load("FUNC \0\0") ||
	       (word & SWAR_FIRST(7)) == swar_load("PUBLIC ");
}

static bool
look_at_body(struct look *look, const char *end)
{
	while (look->at < end) {
		const uint64_t word = look->stop - look->at < AHEAD ? 0 : swar_load(look->at);
		const char c = (char)(word & 0xff);

		if (word == 0)
			return false;
		if (is_body_end(word))
			return true;
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? see_line(look)
		      : (word & SWAR_FIRST(7)) == swar_load("INLINE ") ? see_call(look)
								       : see_other(look)))
			return false;
	}
	return true;
}

static bool
is_inside(const struct usual_call *inner, const struct usual_call *outer)
{
	const uint64_t last = inner->address + inner->size;
	const uint64_t outer_last = outer->address + outer->size;

	if (inner->address != outer->address)
		return inner->address > outer->address;
	return last != outer_last ? last < outer_last : true;
}

/* Innermost first; of equal ranges the later one is inside. */
static void
sort_calls(struct usual_body *body)
{
	for (size_t i = 1; i < body->call_count; i++) {
		const struct usual_call call = body->calls[i];
		size_t at = i;

		for (; at > 0 && is_inside(&call, &body->calls[at - 1]); at--)
			body->calls[at] = body->calls[at - 1];
		body->calls[at] = call;
	}
}

bool
symfile_usual_body(const struct symfile *symfile, const struct symfile_view *view,
		   uint64_t offset, uint64_t address, struct usual_body *body)
{
	struct look look;
	const char *start = symfile->data + offset;

	body->has_line = false;
	body->call_count = 0;
	/* Lines that end with a carriage return are read in the general way. */
	if (symfile->first_return != symfile->size || offset >= symfile->size)
		return false;
	look.stop = symfile->data + symfile->size;
	look.at = memchr(start, '\n', (size_t)(look.stop - start));
	if (look.at == NULL)
		return false;
	look.at++;
	look.address = address;
	look.next = 0;
	look.depth = 0;
	look.body = body;
	look.range_count = 0;
	if (!look_at_body(&look, symfile->data + view->end))
		return false;
	sort_calls(body);
	return true;
}
