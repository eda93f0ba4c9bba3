/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sorted.h"
#include "lint/lint_internal.h"
#include "symbols/containment.h"

/* Checks that need all records of a kind: overlaps, symbols far from code, coverage. */

/* A linker symbol this far from all others does not name code. */
#define FAR (UINT64_C(1) << 20)

enum {
	MOST_LISTS = 3,
	HEADER = 52,			/* bytes of the shortest header of a module */
	PADDING = 16,			/* maximum bytes after a function */
	MANY_SYMBOLS = 16,		/* linker symbols that are too many for one function */
};

SORTED_BY_ALL(compare_ranges, struct lint_range,
	      SORTED_UP(first) SORTED_DOWN(last) SORTED_UP(offset))

void
lint_sort_ranges(struct lint_ranges *ranges)
{
	bool sorted = true;

	for (size_t i = 1; sorted && i < ranges->count; i++)
		sorted = compare_ranges(&ranges->list[i - 1], &ranges->list[i]) <= 0;
	if (!sorted)
		SORT(ranges->list, ranges->count, compare_ranges);
}

const struct lint_range *
lint_covering(const struct lint_ranges *ranges, uint64_t address)
{
	size_t low = sorted_upto(SORTED(ranges->list, ranges->count, first), address);

	return low > 0 && ranges->list[low - 1].last >= address ? &ranges->list[low - 1] : NULL;
}

const char *
lint_if_decimal(char buffer[static LINT_HINT], uint64_t first, uint64_t size, uint64_t next)
{
	uint64_t decimal = 0;

	for (int shift = 28; shift >= 0; shift -= 4) {
		const uint64_t digit = size >> shift & 15;

		if (digit > 9)
			return "";
		decimal = 10 * decimal + digit;
	}
	if (size >> 32 != 0 || decimal == size || first > next || next - first < decimal ||
	    next - first - decimal >= PADDING)
		return "";
	snprintf(buffer, LINT_HINT, "; as a decimal number, %" PRIx64 " = 0x%" PRIx64 " would fit",
		 size, decimal);
	return buffer;
}

void
lint_report_pair(struct lint_reading *reading, enum lint_code code, const struct lint_range *a,
		 const struct lint_range *b)
{
	const struct lint_range *loser = a->offset > b->offset ? a : b;
	const struct lint_range *winner = loser == a ? b : a;
	const struct lint_range *below = a->first < b->first ? a : b;
	char hint[LINT_HINT];

	lint_about(
		lint_report_at(reading, code, loser->offset, loser->line,
			       "0x%" PRIx64 " to 0x%" PRIx64 " and 0x%" PRIx64 " to 0x%" PRIx64
			       " of line %" PRIu32 "%s",
			       loser->first, loser->last, winner->first, winner->last, winner->line,
			       lint_if_decimal(hint, below->first, below->last - below->first + 1,
					       (below == a ? b : a)->first)),
		loser->first, winner->line);
}

static bool
is_delta(struct text line)
{
	return line.length > 10 && memcmp(line.start, "STACK CFI ", 10) == 0 &&
	       !(line.length > 15 && memcmp(line.start + 10, "INIT ", 5) == 0);
}

/* Whether two INIT records and their deltas are equal, byte by byte. */
static bool
same_rules(const struct lint_reading *reading, const struct lint_range *a,
	   const struct lint_range *b)
{
	const uint64_t size = (uint64_t)(reading->part.end - reading->part.start);
	uint64_t at = a->offset, other = b->offset;
	struct text one = lint_line_at(reading, at), two = lint_line_at(reading, other);

	do {
		if (!text_equal(one, two))
			return false;
		at = lint_next_line(reading, at);
		other = lint_next_line(reading, other);
		one = at < size ? lint_line_at(reading, at) : (struct text){ 0 };
		two = other < size ? lint_line_at(reading, other) : (struct text){ 0 };
	} while (is_delta(one) && is_delta(two));
	return is_delta(one) == is_delta(two);
}

/* Ranges to add to Breakpad's map, in file order. The map refuses overlapping ranges. */
struct offered {
	struct lint_reading *reading;
	struct lint_range **list;
	enum lint_code overlap, duplicate;
};

static void
report_refused(void *context, uint32_t refused, uint32_t stored)
{
	const struct offered *offered = context;
	const bool init = offered->duplicate == LINT_CFI_INIT_DUPLICATE;
	struct lint_range *a = offered->list[refused], *b = offered->list[stored];
	enum lint_code code = offered->overlap;

	/* Equal ranges of INIT records are duplicates only if their rules are equal, too. */
	if (init && a->first < HEADER && b->first < HEADER)
		code = LINT_CFI_INIT_AT_ZERO;
	else if (a->first == b->first && a->last == b->last &&
		 (!init || same_rules(offered->reading, a, b)))
		code = offered->duplicate;
	a->lost = true;
	lint_report_pair(offered->reading, code, a, b);
}

SORTED_POINTERS(compare_offsets, struct lint_range, SORTED_UP(offset))

/* Finds the ranges in a sorted list that overlap others, and applies the rule of Breakpad's map. */
static void
check_shared(struct lint_reading *reading, const struct lint_ranges *ranges,
	     enum containment_rule rule, enum lint_code overlap, enum lint_code duplicate)
{
	struct offered offered = {
		.reading = reading, .overlap = overlap, .duplicate = duplicate,
		.list = arena_array(reading->scratch, ranges->count + 1, sizeof(*offered.list)) };
	struct span *spans = arena_array(reading->scratch, ranges->count + 1, sizeof(*spans));
	size_t count = 0;

	if (offered.list == NULL || spans == NULL || ranges->count >= SPAN_NONE) {
		reading->memory_ended = true;
		return;
	}
	for (size_t i = 0, next; i < ranges->count; i = next) {
		uint64_t last = ranges->list[i].last;

		for (next = i + 1; next < ranges->count && ranges->list[next].first <= last; next++)
			if (ranges->list[next].last > last)
				last = ranges->list[next].last;
		for (size_t at = i; at < next && next - i > 1; at++)
			offered.list[count++] = &ranges->list[at];
	}
	if (count > 0)
		qsort(offered.list, count, sizeof(struct lint_range *), compare_offsets);
	for (size_t i = 0; i < count; i++)
		spans[i] = (struct span){ offered.list[i]->first, offered.list[i]->last,
					  (uint32_t)i };
	if (!containment_select(spans, &count, rule, report_refused, &offered))
		reading->memory_ended = true;
}

/* Takes the lowest remaining range of sorted lists; NULL: none. */
static const struct lint_range *
take_first(const struct lint_ranges *const *lists, size_t *at, size_t count)
{
	const struct lint_range *first = NULL;
	size_t from = 0;

	for (size_t i = 0; i < count; i++) {
		if (at[i] == lists[i]->count)
			continue;
		if (first == NULL || compare_ranges(&lists[i]->list[at[i]], first) < 0) {
			first = &lists[i]->list[at[i]];
			from = i;
		}
	}
	at[from] += first != NULL;
	return first;
}

/* The union of sorted lists of ranges. `with_lost`: include ranges that Breakpad's map refused. */
static struct lint_ranges
unite(struct lint_reading *reading, const struct lint_ranges *const *lists, size_t count,
      bool with_lost)
{
	struct lint_ranges all = { 0 };
	const struct lint_range *next;
	size_t total = 0, at[MOST_LISTS] = { 0 };

	for (size_t i = 0; i < count; i++)
		total += lists[i]->count;
	all.list = arena_array(reading->scratch, total + 1, sizeof(*all.list));
	if (all.list == NULL) {
		reading->memory_ended = true;
		return all;
	}
	while ((next = take_first(lists, at, count)) != NULL) {
		struct lint_range *last = all.count > 0 ? &all.list[all.count - 1] : NULL;

		if (next->lost && !with_lost)
			continue;
		if (last == NULL || next->first > last->last)
			all.list[all.count++] = *next;
		else if (next->last > last->last)
			last->last = next->last;
	}
	return all;
}

/* A position in a list that is searched for ascending addresses. */
struct march {
	const struct lint_ranges *ranges;
	size_t at;
};

/* Advances to the first range that ends at or after `address` and returns it; NULL: none. */
static const struct lint_range *
reach(struct march *march, uint64_t address)
{
	while (march->at < march->ranges->count &&
	       march->ranges->list[march->at].last < address)
		march->at++;
	return march->at < march->ranges->count ? &march->ranges->list[march->at] : NULL;
}

static void
check_publics(struct lint_reading *reading, const struct lint_ranges *functions,
	      const struct lint_ranges *code)
{
	struct march inside = { functions, 0 }, near = { code, 0 };

	for (size_t i = 0; i < reading->covered.publics.count; i++) {
		const struct lint_range *symbol = &reading->covered.publics.list[i];
		const struct lint_range *function = reach(&inside, symbol->first);
		const struct lint_range *above = reach(&near, symbol->first);
		const struct lint_range *below = near.at > 0 ? &code->list[near.at - 1] : NULL;

		if (i > 0 && symbol->first == symbol[-1].first)
			lint_report_pair(reading, LINT_PUBLIC_DUPLICATE, symbol, &symbol[-1]);
		if (function != NULL && function->first < symbol->first)
			lint_about(lint_report_at(reading, LINT_PUBLIC_INSIDE_FUNC, symbol->offset,
						  symbol->line, "0x%" PRIx64 " is in 0x%" PRIx64
						  " to 0x%" PRIx64, symbol->first, function->first,
						  function->last), symbol->first, function->line);
		if (symbol->first != 0 && code->count > 0 &&
		    (above == NULL || (above->first > symbol->first &&
				       above->first - symbol->first > FAR)) &&
		    (below == NULL || symbol->first - below->last > FAR))
			lint_about(lint_report_at(reading, LINT_PUBLIC_FAR, symbol->offset,
						  symbol->line, "0x%" PRIx64, symbol->first),
				   symbol->first, 0);
	}
}

/* Counts the bytes of a range that a union covers. `*hole` is the first uncovered address. */
static uint64_t
covered(struct march march, const struct lint_range *range, uint64_t *hole)
{
	uint64_t next = range->first, sum = 0;

	*hole = range->last;
	for (bool found = false; next <= range->last;) {
		const struct lint_range *at = reach(&march, next);

		if (at == NULL || at->first > next) {
			if (!found)
				*hole = next;
			found = true;
		}
		if (at == NULL || at->first > range->last)
			break;
		uint64_t from = at->first > next ? at->first : next;
		uint64_t to = at->last < range->last ? at->last : range->last;
		sum += to - from + 1;
		if (to == UINT64_MAX)
			break;
		next = to + 1;
	}
	return sum;
}

static void
check_coverage(struct lint_reading *reading, const struct lint_ranges *functions,
	       const struct lint_ranges *unwind)
{
	struct lint_coverage *coverage = &reading->lint->coverage;
	struct march march = { unwind, 0 };

	for (size_t i = 0; i < functions->count; i++) {
		const struct lint_range *at = &functions->list[i];
		uint64_t hole, size = at->last - at->first + 1;

		reach(&march, at->first);
		uint64_t good = covered(march, at, &hole);
		coverage->code += size;
		coverage->unwound += good;
		coverage->functions++;
		coverage->whole += good == size;
		if (good == size || unwind->count == 0 || reading->covered.shifted)
			continue;
		/* Take the overlapping function that contains the hole. */
		const struct lint_range *own = lint_covering(&reading->covered.functions, hole);
		own = own != NULL ? own : at;
		lint_about(lint_report_at(reading, LINT_CODE_WITHOUT_UNWIND, own->offset, own->line,
					  "%" PRIu64 " of %" PRIu64 " byte%s, from 0x%" PRIx64
					  " on", size - good, size, plural(size), hole), hole, 0);
	}
}

static void
report_nameless(struct lint_reading *reading, const struct lint_range *at,
		const struct lint_range *symbol)
{
	const struct lint_ranges *functions = &reading->covered.functions;
	const size_t low = sorted_upto(SORTED(functions->list, functions->count, first), at->first);
	char name[80] = "";

	/* Ignore the symbol if a function begins between it and `at`. */
	if (symbol != NULL && (symbol->first == 0 ||
			       (low > 0 && symbol->first <= functions->list[low - 1].first)))
		symbol = NULL;
	if (symbol != NULL)
		snprintf(name, sizeof(name), ", named by 0x%" PRIx64 " of line %" PRIu32,
			 symbol->first, symbol->line);
	lint_about(lint_report_at(reading, LINT_UNWIND_WITHOUT_CODE, at->offset, at->line,
				  "0x%" PRIx64 " to 0x%" PRIx64 "%s", at->first, at->last, name),
		   at->first, symbol != NULL ? symbol->line : 0);
}

/* Checks for unwind records without a function or linker symbol. */
static void
check_nameless(struct lint_reading *reading, const struct lint_ranges *functions)
{
	const struct lint_ranges *const kinds[] = { &reading->covered.inits,
						    &reading->covered.wins[0],
						    &reading->covered.wins[1] };
	const struct lint_ranges publics = reading->covered.publics;

	for (size_t kind = 0; kind < ARRAY_COUNT(kinds); kind++) {
		struct march named = { functions, 0 };
		size_t symbol = 0;

		for (size_t i = 0; i < kinds[kind]->count; i++) {
			const struct lint_range *at = &kinds[kind]->list[i];
			const struct lint_range *function = reach(&named, at->first);

			while (symbol < publics.count && publics.list[symbol].first < at->first)
				symbol++;
			if ((function != NULL && function->first <= at->last) ||
			    (symbol < publics.count && publics.list[symbol].first <= at->last))
				continue;
			report_nameless(reading, at, symbol > 0 ? &publics.list[symbol - 1] : NULL);
		}
	}
}

/* Counts disjoint FUNC records in a range, up to 2, but not a record at the first address. */
static unsigned
functions_in(const struct lint_ranges *functions, const struct lint_range *range)
{
	uint64_t end = range->first;
	unsigned count = 0;
	size_t at;

	BISECT(at, functions->count, functions->list[at].first <= range->first);
	for (; at < functions->count && count < 2; at++) {
		const struct lint_range *function = &functions->list[at];

		if (function->first > range->last)
			break;
		if (function->first <= end || function->last > range->last)
			continue;
		count++;
		end = function->last;
	}
	return count;
}

/*
 * Reports STACK WIN records that cover several functions. Labels within an assembler function are
 * linker symbols, too, so a few of them prove nothing.
 */
static void
check_win_functions(struct lint_reading *reading, const struct lint_ranges *wins)
{
	for (size_t i = 0; i < wins->count; i++) {
		const struct lint_range *win = &wins->list[i];
		const struct lint_ranges *publics = &reading->covered.publics;
		const struct sorted symbols = SORTED(publics->list, publics->count, first);

		if (functions_in(&reading->covered.functions, win) >= 2 ||
		    sorted_upto(symbols, win->last) - sorted_upto(symbols, win->first) >=
			    MANY_SYMBOLS)
			lint_about(lint_report_at(reading, LINT_WIN_FUNCTIONS, win->offset,
						  win->line, "0x%" PRIx64 " to 0x%" PRIx64,
						  win->first, win->last), win->first, 0);
	}
}

void
lint_ranges(struct lint_reading *reading)
{
	struct lint_ranges *const sorted[] = { &reading->covered.functions,
					       &reading->covered.publics, &reading->covered.inits,
					       &reading->covered.wins[0],
					       &reading->covered.wins[1] };
	const struct lint_ranges *const unwinds[] = { &reading->covered.inits,
						      &reading->covered.wins[0],
						      &reading->covered.wins[1] };

	for (size_t i = 0; i < ARRAY_COUNT(sorted); i++)
		lint_sort_ranges(sorted[i]);
	check_shared(reading, &reading->covered.functions, CONTAINMENT_EXCLUSIVE, LINT_FUNC_OVERLAP,
		     LINT_FUNC_DUPLICATE);
	check_shared(reading, &reading->covered.inits, CONTAINMENT_EXCLUSIVE, LINT_CFI_INIT_OVERLAP,
		     LINT_CFI_INIT_DUPLICATE);
	for (size_t i = 0; i < ARRAY_COUNT(reading->covered.wins); i++) {
		check_shared(reading, &reading->covered.wins[i], CONTAINMENT_NESTED,
			     LINT_WIN_OVERLAP, LINT_WIN_DUPLICATE);
		check_win_functions(reading, &reading->covered.wins[i]);
	}
	lint_finish_inlines(reading);
	lint_finish_lines(reading);
	lint_parameters(reading);
	lint_shift(reading);
	lint_entries(reading);
	const struct lint_ranges *const function_list[] = { &reading->covered.functions };
	struct lint_ranges functions = unite(reading, function_list, 1, true);
	struct lint_ranges unwind = unite(reading, unwinds, ARRAY_COUNT(unwinds), false);
	const struct lint_ranges *const code_list[] = { &functions, &unwind };
	struct lint_ranges code = unite(reading, code_list, ARRAY_COUNT(code_list), true);
	if (reading->memory_ended)
		return;
	check_publics(reading, &functions, &code);
	check_coverage(reading, &functions, &unwind);
	if (!reading->covered.shifted)
		check_nameless(reading, &functions);
	if (unwind.count == 0 && functions.count > 0)
		lint_report_at(reading, LINT_NO_UNWIND, functions.list[0].offset,
			       functions.list[0].line, "%zu function%s", functions.count,
			       plural(functions.count));
}
