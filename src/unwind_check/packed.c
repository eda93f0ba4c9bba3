/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/packed.h"

#include "base/sorted.h"

bool
packed_check_open(struct packed_check *check, const struct arch *arch,
		  struct unwind_source *sources, size_t count)
{
	check->count = count;
	check->columns = claim_columns(arch);
	for (size_t i = 0; i < count; i++) {
		const struct packed_reader *reader = sources[i].kind->reader->packed;
		struct packed_side *side = &check->sides[i];

		side->source = &sources[i];
		if (reader == NULL || !reader->open(side))
			return false;
	}
	return count > 0;
}

static void
extent(const struct packed_side *side, size_t entry, uint64_t *first, uint64_t *last)
{
	side->source->kind->reader->packed->extent(side, entry, first, last);
}

/* The code of the entry at work, with those left out that have none. */
static bool
settle(struct packed_side *side)
{
	for (; side->entry < side->count; side->entry++) {
		extent(side, side->entry, &side->first, &side->last);
		if (side->last >= side->first)
			return true;
	}
	return false;
}

/* How many entries begin at or below an address. */
static size_t
begun(const struct packed_side *side, uint64_t address)
{
	uint64_t first, last;
	size_t at;

	BISECT(at, side->count, (extent(side, at, &first, &last), first <= address));
	return at;
}

/* Take in all entries that reach into a span, which becomes longer by them. */
static void
lengthen(struct packed_check *check, struct packed_span *span, unsigned left)
{
	check->held = 0;
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < check->count; i++) {
			struct packed_side *side = &check->sides[i];

			while ((left >> i & 1) != 0 && side->first <= span->last) {
				span->covering |= 1u << i;
				span->last = side->last > span->last ? side->last : span->last;
				side->entry++;
				left &= ~((unsigned)!settle(side) << i);
				more = true;
			}
		}
	}
}

void
packed_check_seek(struct packed_check *check, uint64_t address)
{
	check->held = 0;
	for (size_t i = 0; i < check->count; i++) {
		struct packed_side *side = &check->sides[i];
		uint64_t first, last = 0;

		side->entry = begun(side, address);
		if (side->entry > 0)
			extent(side, side->entry - 1, &first, &last);
		side->entry -= side->entry > 0 && last >= address;
	}
}

bool
packed_check_next(struct packed_check *check, struct packed_span *span)
{
	unsigned left = 0, reaching = 0;

	*span = (struct packed_span){ 0 };
	for (unsigned i = 0; i < check->count; i++) {
		struct packed_side *side = &check->sides[i];

		side->entry += check->held >> i & 1;
		if (!settle(side))
			continue;
		if (left == 0 || side->first < span->first) {
			span->first = side->first;
			span->last = side->last;
		}
		left |= 1u << i;
	}
	check->held = 0;
	for (unsigned i = 0; i < check->count; i++) {
		const struct packed_side *side = &check->sides[i];

		if ((left >> i & 1) == 0)
			continue;
		reaching |= (unsigned)(side->first <= span->last) << i;
		check->held |= (unsigned)(side->first == span->first && side->last == span->last)
			       << i;
	}
	span->covering = reaching;
	span->alike = reaching == check->held;
	if (!span->alike)
		lengthen(check, span, left);
	return left != 0;
}

/* Whether no two sides that speak of a column say different things; `columns`: bits. */
static bool
say_the_same(struct packed_side *const *sides, size_t count, uint64_t columns)
{
	for (; columns != 0; columns &= columns - 1) {
		const int column = __builtin_ctzll(columns);
		const struct claim *said = &sides[0]->claims[column];

		for (size_t i = 1; i < count; i++) {
			const struct claim *claim = &sides[i]->claims[column];

			if (claim_equal(claim, said) || claim->kind == CLAIM_SILENT)
				continue;
			if (said->kind != CLAIM_SILENT)
				return false;
			said = claim;
		}
	}
	return true;
}

bool
packed_check_agrees(struct packed_check *check, const struct packed_span *span,
		    struct packed_totals *totals)
{
	const uint64_t columns = (UINT64_C(2) << (check->columns - 1)) - 1;
	struct packed_side *sides[UNWIND_SOURCES];
	struct packed_totals sum = { .runs = 1 };
	size_t count = 0;

	for (unsigned i = 0; i < check->count; i++) {
		struct packed_side *side = &check->sides[i];

		if ((span->covering >> i & 1) == 0)
			continue;
		if (!side->source->kind->reader->packed->begin(side))
			return false;
		sides[count++] = side;
		sum.rows[i] = 1;
	}
	if (!say_the_same(sides, count, columns))
		return false;
	for (;;) {
		uint64_t at = UINT64_MAX, changed = 0;

		for (size_t i = 0; i < count; i++)
			at = sides[i]->next < at ? sides[i]->next : at;
		if (at > span->last || at == UINT64_MAX)
			break;
		for (size_t i = 0; i < count; i++) {
			struct packed_side *side = sides[i];

			if (side->next != at)
				continue;
			if (!side->source->kind->reader->packed->next(side))
				return false;
			changed |= side->changed;
			sum.rows[side - check->sides]++;
		}
		if (!say_the_same(sides, count, changed & columns))
			return false;
		sum.runs++;
	}
	for (unsigned i = 0; i < check->count; i++)
		totals->rows[i] += sum.rows[i];
	totals->runs += sum.runs;
	return true;
}

bool
packed_check_last(const struct packed_check *check, unsigned side, uint64_t *first)
{
	const struct packed_side *at = &check->sides[side];
	uint64_t last;

	for (size_t i = at->count; i > 0; i--) {
		extent(at, i - 1, first, &last);
		if (last >= *first)
			return true;
	}
	return false;
}

/* The side with most entries. */
static const struct packed_side *
longest(const struct packed_check *check)
{
	const struct packed_side *most = &check->sides[0];

	for (size_t i = 1; i < check->count; i++)
		if (check->sides[i].count > most->count)
			most = &check->sides[i];
	return most;
}

size_t
packed_check_entries(const struct packed_check *check)
{
	return longest(check)->count;
}

uint64_t
packed_check_cut(struct packed_check *check, size_t part, size_t parts)
{
	const struct packed_side *most = longest(check);
	struct packed_span span, before;
	uint64_t first, last;

	if (most->count == 0)
		return UINT64_MAX;
	extent(most, most->count / parts * part, &first, &last);
	packed_check_seek(check, first);
	if (!packed_check_next(check, &before))
		return UINT64_MAX;
	for (; packed_check_next(check, &span); before = span)
		if (span.first - 1 > before.last)
			return before.last;
	return UINT64_MAX;
}
