/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/kept_functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"

/* Least bytes of text of a kept function: reading them again takes some 10 us. */
#define LEAST_TEXT 4096u
/* Look-ups of a function before it is kept. */
#define LEAST_ASKED 3u
/* Ranges whose ends are compared together. */
#define BLOCK 64u

/* Sorted ranges, and the greatest end in each block of them. */
struct sorted_ranges {
	struct span *spans;
	uint64_t *lasts;
	size_t count;
};

struct kept_function {
	unsigned asked;
	bool kept;
	struct range_list lines;	/* apart from each other, sorted */
	struct range_source *calls;	/* origins of the ranges of both lists */
	bool any_call;
	struct sorted_ranges all;	/* in the order of the file, if only levels decide */
	struct sorted_ranges nested;	/* ranges that nest */
};

struct kept_functions {
	pthread_mutex_t mutex;
	struct arena arena;
	struct hash functions;		/* by row, and by view and nesting */
	uint64_t least;
};

struct kept_functions *
kept_functions_create(void)
{
	struct kept_functions *kept = calloc(1, sizeof(*kept));

	if (kept == NULL)
		return NULL;
	pthread_mutex_init(&kept->mutex, NULL);
	arena_init(&kept->arena, LIMIT_KEPT_FUNCTIONS);
	kept->least = LEAST_TEXT;
	return kept;
}

void
kept_functions_free(struct kept_functions *kept)
{
	if (kept == NULL)
		return;
	pthread_mutex_destroy(&kept->mutex);
	arena_free(&kept->arena);
	hash_free(&kept->functions);
	free(kept);
}

void
kept_functions_least(struct kept_functions *kept, uint64_t least)
{
	kept->least = least;
}

static bool
keep_ranges(struct arena *arena, const struct span *spans, size_t count, bool sort,
	    struct sorted_ranges *ranges)
{
	if (count == 0)
		return true;
	ranges->count = count;
	ranges->spans = arena_array(arena, count, sizeof(*spans));
	ranges->lasts = arena_array(arena, count / BLOCK + 1, sizeof(*ranges->lasts));
	if (ranges->spans == NULL || ranges->lasts == NULL)
		return false;
	memcpy(ranges->spans, spans, count * sizeof(*spans));
	if (sort && !span_sort(ranges->spans, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t *last = &ranges->lasts[i / BLOCK];

		*last = ranges->spans[i].last > *last ? ranges->spans[i].last : *last;
	}
	return true;
}

/* Copy the lines that were read, with the sources of those in use only. */
static bool
keep_lines(struct arena *arena, const struct range_list *read, struct range_list *lines)
{
	lines->count = read->count;
	if (read->count == 0)
		return true;
	lines->spans = arena_array(arena, read->count, sizeof(*lines->spans));
	lines->sources = arena_array(arena, read->count, sizeof(*lines->sources));
	if (lines->spans == NULL || lines->sources == NULL)
		return false;
	for (size_t i = 0; i < read->count; i++) {
		lines->spans[i] = read->spans[i];
		lines->spans[i].index = (uint32_t)i;
		lines->sources[i] = read->sources[read->spans[i].index];
	}
	return true;
}

/* Read a function and keep it; when out of memory or over the limit it is read at every look-up. */
static bool
keep(struct kept_functions *kept, const struct body *asked, uint64_t where,
     struct kept_function *function)
{
	struct body body = { .symfile = asked->symfile, .view = asked->view,
			     .nesting = asked->nesting, .all = true };
	struct arena *arena = &kept->arena;
	const struct range_list *calls = &body.calls;
	const bool sorts = asked->nesting != NESTING_LEVELS_ALONE;
	bool good = body_make(&body, where) && keep_lines(arena, &body.lines, &function->lines) &&
		    keep_ranges(arena, calls->spans, calls->count, sorts, &function->all);

	function->any_call = calls->any;
	if (good && calls->count > 0) {
		function->calls = arena_array(arena, calls->count, sizeof(*function->calls));
		good = function->calls != NULL;
		if (good)
			memcpy(function->calls, calls->sources,
			       calls->count * sizeof(*function->calls));
		good = good && (!sorts || (body_select_calls(&body) &&
					   keep_ranges(arena, calls->spans, calls->count, true,
						       &function->nested)));
	}
	arena_free(&body.scratch);
	return good;
}

/* Copies of the last ranges around an address, at most KEPT_AROUND, in their order. */
static size_t
ranges_around(const struct sorted_ranges *ranges, uint64_t address, struct span *around)
{
	size_t at = sorted_upto(SORTED(ranges->spans, ranges->count, first), address), count = 0;

	while (at > 0 && count < KEPT_AROUND) {
		if (ranges->lasts[(at - 1) / BLOCK] < address) {
			at = (at - 1) / BLOCK * BLOCK;
			continue;
		}
		at--;
		if (ranges->spans[at].last >= address)
			around[KEPT_AROUND - ++count] = ranges->spans[at];
	}
	memmove(around, around + KEPT_AROUND - count, count * sizeof(*around));
	return count;
}

static void
find_chain(const struct kept_function *function, struct body *body, struct span *around)
{
	const struct sorted_ranges *all = &function->all;

	if (body->nesting == NESTING_LEVELS_ALONE) {
		body_chain_by_levels(body, all->spans, all->count, body->address, body->chain);
		return;
	}
	size_t count = ranges_around(all, body->address, around);
	if (body_chain_by_levels(body, around, count, body->address, body->chain))
		return;
	count = ranges_around(&function->nested, body->address, around);
	body_chain_by_ranges(around, count, body->address, body->chain);
}

/* The kept function, or NULL. */
static const struct kept_function *
find_kept(struct kept_functions *kept, const struct body *body, uint32_t row)
{
	const uint64_t second = (uint64_t)body->nesting << 1 |
				(body->view != &body->symfile->whole ? 1 : 0);
	const void *found = hash_find(&kept->functions, row, second);
	struct kept_function *function;

	memcpy(&function, &found, sizeof(function));
	if (function == NULL) {
		function = arena_alloc(&kept->arena, sizeof(*function));
		if (function == NULL || !hash_put(&kept->functions, row, second, function))
			return NULL;
	}
	if (++function->asked == LEAST_ASKED)
		function->kept = keep(kept, body, row_where(body->symfile, TABLE_FUNC, row),
				      function);
	return function->kept ? function : NULL;
}

bool
kept_functions_find(struct body *body, uint32_t row, struct span around[KEPT_AROUND])
{
	const struct symfile *symfile = body->symfile;
	const struct table *table = &symfile->tables[TABLE_FUNC];
	struct kept_functions *kept = symfile->kept;
	/* Rows are in the order of the file: the records of the last one may reach its end. */
	const uint64_t start = symfile_origin(symfile, table_offset(table, row));
	const uint64_t end = row + 1 < table->count
				     ? symfile_origin(symfile, table_offset(table, row + 1))
				     : symfile->found.size;

	if (kept == NULL || end - start < kept->least)
		return false;
	pthread_mutex_lock(&kept->mutex);
	const struct kept_function *function = find_kept(kept, body, row);
	pthread_mutex_unlock(&kept->mutex);
	if (function == NULL)
		return false;
	/* A kept function never changes. */
	const size_t line = sorted_upto(SORTED(function->lines.spans, function->lines.count, first),
					body->address);
	body->lines = function->lines;
	body->lines.spans = line > 0 ? &function->lines.spans[line - 1] : NULL;
	body->lines.count = line > 0 ? 1 : 0;
	body->calls.sources = function->calls;
	body->calls.any = function->any_call;
	find_chain(function, body, around);
	return true;
}
