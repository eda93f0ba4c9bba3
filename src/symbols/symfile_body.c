/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_body.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "symbols/records.h"

static void
add_range(struct body *body, struct range_list *list, uint64_t address, uint64_t size,
	  struct range_source source)
{
	struct span span;

	if (body->symfile->strict && list == &body->calls && address != 0 &&
	    (size == 0 || size > UINT64_MAX - address)) {
		/* A record of size 0 covers nothing, but rust-minidump's search stops at it. */
		span = (struct span){ address, address - 1, (uint32_t)list->count };
	} else if (!span_of(address, size, (uint32_t)list->count, &span)) {
		return;
	}
	if (list == &body->lines) {
		body->overlaps = body->overlaps || (list->any && span.first <= body->last);
		body->last = span.last;
		list->any = true;
	}
	if (body->near && (span.first > body->address ||
			   (span.last < body->address && body->nesting != NESTING_LEVELS_ALONE)))
		return;
	struct span *spans = arena_grow(&body->scratch, list->spans, list->count,
					&list->span_capacity, sizeof(*spans));
	struct range_source *sources = arena_grow(&body->scratch, list->sources, list->count,
						  &list->source_capacity, sizeof(*sources));
	if (spans == NULL || sources == NULL) {
		body->failed = true;
		return;
	}
	list->spans = spans;
	list->sources = sources;
	spans[list->count] = span;
	sources[list->count++] = source;
}

static void
read_inline(struct body *body, struct text record, uint64_t where)
{
	ATTRIBUTE_UNINITIALIZED struct inline_record call;
	const size_t before = body->calls.count;

	body->calls.any = true;
	if (!record_inline(record, body->symfile->strict, &call))
		return;
	for (size_t range = 0; range < call.count; range++)
		add_range(body, &body->calls, call.ranges[range].address, call.ranges[range].size,
			  (struct range_source){ where, (uint32_t)body->inlined_count });
	if (body->calls.count > before) {
		struct inlined_record *inlined =
			arena_grow(&body->scratch, body->inlined, body->inlined_count,
				   &body->inlined_capacity, sizeof(*inlined));

		body->failed = body->failed || inlined == NULL;
		if (inlined == NULL)
			return;
		body->inlined = inlined;
		inlined[body->inlined_count++] = (struct inlined_record){
			call.depth, body->last_depth, call.line, call.file, call.origin };
	}
	if (call.depth - 1 <= body->last_depth)
		body->last_depth = call.depth;
}

static void
read_body(struct body *body, uint64_t offset)
{
	struct line_finder finder = line_finder_at(body->symfile, offset);
	const bool strict = body->symfile->strict;
	uint64_t start, length;

	line_next(&finder, &start, &length);
	while (!body->failed && line_next(&finder, &start, &length) &&
	       symfile_origin(body->symfile, start) < body->view->end) {
		uint64_t where = where_of(start, length);
		struct text record = symfile_text(body->symfile, where);
		const enum symbol_record_kind kind = strict ? record_kind_strict(record)
							    : record_kind(record);
		struct line_record line;
		const bool good = kind == SYMBOL_LINE && record_line(record, strict, &line);

		if (length == 0 || symfile_left_out(body->symfile, start))
			continue;
		if (kind == SYMBOL_FUNC || kind == SYMBOL_PUBLIC ||
		    (strict && !good && kind != SYMBOL_INLINE && kind != SYMBOL_INLINE_ORIGIN))
			break;
		if (kind == SYMBOL_INLINE)
			read_inline(body, record, where);
		else if (good)
			add_range(body, &body->lines, line.address, line.size,
				  (struct range_source){ .where = where });
	}
}

const struct inlined_record *
body_inlined(const struct body *body, const struct span *span)
{
	return &body->inlined[body->calls.sources[span->index].call];
}

/* Whether `span` replaces `other`, a call of the same level that begins at the same address. */
static bool
comes_later(const struct body *body, const struct span *span, const struct span *other)
{
	const struct inlined_record *call = body_inlined(body, span);
	const struct inlined_record *before = body_inlined(body, other);

	if (!body->symfile->strict)
		return span->index > other->index;
	if (span->last != other->last)
		return span->last > other->last;
	if (call->file != before->file)
		return call->file > before->file;
	if (call->line != before->line)
		return call->line > before->line;
	return call->origin > before->origin;
}

bool
body_chain_by_levels(const struct body *body, const struct span *spans, size_t count,
		     uint64_t address, struct chain *chain)
{
	const bool alone = body->nesting == NESTING_LEVELS_ALONE;
	size_t around = 0;

	chain->count = 0;
	if (body->nesting == NESTING_BY_RANGES || count == 0)
		return body->nesting != NESTING_BY_RANGES;
	memset(chain, 0, sizeof(*chain));
	for (size_t i = 0; i < count; i++) {
		const struct span *span = &spans[i];
		const int64_t level = body_inlined(body, span)->level;

		if (span->first > address || (!alone && span->last < address))
			continue;
		around++;
		if (level < 0 || level >= LIMIT_INLINE_DEPTH)
			continue;
		/* A level uses the call that begins last, even if it ends before `address`. */
		const struct span *other = chain->calls[level];
		if (other == NULL || other->first < span->first ||
		    (other->first == span->first && comes_later(body, span, other)))
			chain->calls[level] = span;
	}
	while (chain->count < LIMIT_INLINE_DEPTH && chain->calls[chain->count] != NULL &&
	       chain->calls[chain->count]->last >= address)
		chain->count++;
	return alone || chain->count == around;
}

void
body_chain_by_ranges(const struct span *spans, size_t count, uint64_t address,
		     struct chain *chain)
{
	size_t from = count, around = 0;

	while (from > 0 && around < LIMIT_INLINE_DEPTH) {
		from--;
		around += spans[from].first <= address && address <= spans[from].last;
	}
	chain->count = 0;
	for (; from < count; from++)
		if (spans[from].first <= address && address <= spans[from].last)
			chain->calls[chain->count++] = &spans[from];
}

bool
body_select_calls(struct body *body)
{
	struct range_list *list = &body->calls;
	size_t left = 0;

	/* A call whose caller is missing is skipped. */
	for (size_t i = 0; i < list->count; i++) {
		const struct inlined_record *call = body_inlined(body, &list->spans[i]);

		if (call->level - 1 <= call->above)
			list->spans[left++] = list->spans[i];
	}
	list->count = left;
	return containment_select(list->spans, &list->count, CONTAINMENT_NESTED_EQUAL, NULL, NULL);
}

/* Read only what is around the address; true if the rest of the function cannot change it. */
static bool
make_near(struct body *body, uint64_t where)
{
	if (body->all || body->nesting == NESTING_BY_RANGES)
		return false;
	body->near = true;
	read_body(body, where_offset(where));
	body->near = false;
	return !body->failed && !body->overlaps &&
	       body_chain_by_levels(body, body->calls.spans, body->calls.count, body->address,
				    body->chain);
}

bool
body_make(struct body *body, uint64_t where)
{
	const bool strict = body->symfile->strict;

	arena_init(&body->scratch, 0);
	if (make_near(body, where))
		return true;
	body->lines = body->calls = (struct range_list){ 0 };
	body->inlined = NULL;
	body->inlined_count = body->inlined_capacity = 0;
	body->last_depth = 0;
	read_body(body, where_offset(where));
	const bool settled = !body->all && !body->failed &&
			     body_chain_by_levels(body, body->calls.spans, body->calls.count,
						  body->address, body->chain);
	body->failed = body->failed ||
		       !containment_select(body->lines.spans, &body->lines.count,
					   strict ? CONTAINMENT_BY_START : CONTAINMENT_EXCLUSIVE,
					   NULL, NULL) ||
		       (!settled && !body->all && !body_select_calls(body));
	if (!body->failed && !settled && !body->all)
		body_chain_by_ranges(body->calls.spans, body->calls.count, body->address,
				     body->chain);
	return !body->failed;
}

/* Long functions that are kept ----------------------------------------------------------------- */

/* Minimum size of the text of a kept function: reading this much takes some 10 us. */
#define LEAST_TEXT 4096u
/* Number of look-ups of a function until it is kept. */
#define LEAST_ASKED 3u
/* Number of ranges in a block; `lasts` has the greatest end of each block. */
#define BLOCK 64u

struct sorted_ranges {
	struct span *spans;
	uint64_t *lasts;
	size_t count;
};

struct kept_function {
	unsigned asked;
	bool kept;
	struct range_list lines;	/* ranges of lines, sorted and without overlap */
	struct range_source *calls;	/* origins of the ranges of both lists */
	struct inlined_record *inlined;
	bool any_call;
	struct sorted_ranges all, nested;
	struct sorted_ranges *levels;	/* if only levels nest calls */
	size_t level_count;
};

struct kept_functions {
	pthread_mutex_t mutex;
	struct arena arena;
	struct hash functions;		/* keyed by row, view and nesting */
	uint64_t least;
};

struct kept_functions *
body_kept_create(void)
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
body_kept_free(struct kept_functions *kept)
{
	if (kept == NULL)
		return;
	pthread_mutex_destroy(&kept->mutex);
	arena_free(&kept->arena);
	hash_free(&kept->functions);
	free(kept);
}

void
body_kept_least(struct kept_functions *kept, uint64_t least)
{
	kept->least = least;
}

static bool
keep_ranges(struct arena *arena, const struct span *spans, size_t count,
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
	span_sort(ranges->spans, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t *last = &ranges->lasts[i / BLOCK];

		*last = ranges->spans[i].last > *last ? ranges->spans[i].last : *last;
	}
	return true;
}

/* Copy the lines that were read, and only the sources that they use. */
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

/* Keep, of the sorted calls, one for each level and address. */
static bool
keep_levels(struct arena *arena, const struct body *body, struct kept_function *function)
{
	const struct sorted_ranges *all = &function->all;
	struct span *spans = arena_array(arena, all->count, sizeof(*spans));
	size_t counts[LIMIT_INLINE_DEPTH] = { 0 }, levels = 0;

	for (size_t i = 0; i < all->count; i++) {
		const int64_t level = body_inlined(body, &all->spans[i])->level;

		if (level >= 0 && level < LIMIT_INLINE_DEPTH)
			counts[level]++;
	}
	while (levels < LIMIT_INLINE_DEPTH && counts[levels] > 0)
		levels++;
	function->levels = arena_array(arena, levels, sizeof(*function->levels));
	if (spans == NULL || function->levels == NULL)
		return false;
	function->level_count = levels;
	for (size_t level = 0; level < levels; spans += counts[level++])
		function->levels[level].spans = spans;
	for (size_t i = 0; i < all->count; i++) {
		const struct span *span = &all->spans[i];
		const int64_t level = body_inlined(body, span)->level;

		if (level < 0 || (uint64_t)level >= levels)
			continue;
		struct sorted_ranges *kept = &function->levels[level];
		struct span *last = kept->count == 0 ? NULL : &kept->spans[kept->count - 1];
		if (last == NULL || last->first != span->first)
			kept->spans[kept->count++] = *span;
		else if (comes_later(body, span, last))
			*last = *span;
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
	bool good = body_make(&body, where) && keep_lines(arena, &body.lines, &function->lines) &&
		    keep_ranges(arena, calls->spans, calls->count, &function->all);

	function->any_call = calls->any;
	if (good && calls->count > 0) {
		function->calls = arena_array(arena, calls->count, sizeof(*function->calls));
		function->inlined =
			arena_array(arena, body.inlined_count, sizeof(*function->inlined));
		good = function->calls != NULL && function->inlined != NULL;
		if (good) {
			memcpy(function->calls, calls->sources,
			       calls->count * sizeof(*function->calls));
			memcpy(function->inlined, body.inlined,
			       body.inlined_count * sizeof(*function->inlined));
		}
		if (asked->nesting == NESTING_LEVELS_ALONE)
			good = good && keep_levels(arena, &body, function);
		else
			good = good && body_select_calls(&body) &&
			       keep_ranges(arena, calls->spans, calls->count, &function->nested);
	}
	arena_free(&body.scratch);
	return good;
}

/* Copy the last ranges around an address, at most KEPT_AROUND, and keep their order. */
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

	body->chain->count = 0;
	for (size_t level = 0; level < function->level_count; level++) {
		const struct sorted_ranges *ranges = &function->levels[level];
		const size_t upto = sorted_upto(SORTED(ranges->spans, ranges->count, first),
						body->address);

		if (upto == 0 || ranges->spans[upto - 1].last < body->address)
			break;
		body->chain->calls[body->chain->count++] = &ranges->spans[upto - 1];
	}
	if (body->nesting == NESTING_LEVELS_ALONE)
		return;
	size_t count = ranges_around(all, body->address, around);
	if (body_chain_by_levels(body, around, count, body->address, body->chain))
		return;
	count = ranges_around(&function->nested, body->address, around);
	body_chain_by_ranges(around, count, body->address, body->chain);
}

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
body_kept_find(struct body *body, uint32_t row, struct span around[KEPT_AROUND])
{
	const struct symfile *symfile = body->symfile;
	const struct table *table = &symfile->tables[TABLE_FUNC];
	struct kept_functions *kept = symfile->kept;
	/* Rows are in the order of the file: the last row's records may reach the file's end. */
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
	body->inlined = function->inlined;
	body->calls.any = function->any_call;
	find_chain(function, body, around);
	return true;
}
