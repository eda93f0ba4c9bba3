/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "symbols/records.h"

/* What a look-up chose. */
struct choice {
	uint32_t func;		/* row that covers the address, or SPAN_NONE */
	uint32_t public;	/* row that names it, or SPAN_NONE */
	uint32_t beaten;	/* row of a PUBLIC that a FUNC bars, or SPAN_NONE */
};

/* The FUNC or PUBLIC in a row. A mapped file may have lost its bytes meanwhile; then only the name
 * is missing. */
static void
fill_function(const struct symfile *symfile, enum table_kind table, uint32_t row,
	      struct function *function)
{
	const uint64_t where = row_where(symfile, table, row);

	if (!record_function(symfile_text(symfile, where), symfile->strict, function))
		*function = (struct function){ .kind = table == TABLE_FUNC ? SYMBOL_FUNC
									   : SYMBOL_PUBLIC };
	function->address = row_address(symfile, table, row);
	function->size = row_size(symfile, table, row);
	function->offset = where_offset(where);
	function->length = where_length(where);
}

/* A FUNC around the address wins; a PUBLIC counts unless a FUNC starts at it or behind it. */
static struct choice
choose(const struct symfile *symfile, const struct symbols_policy *policy, uint64_t address)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	struct choice choice = { SPAN_NONE, SPAN_NONE, SPAN_NONE };
	uint32_t below = rows_below(symfile, view, TABLE_FUNC, address);
	const uint64_t first = below == SPAN_NONE ? 0 : row_address(symfile, TABLE_FUNC, below);
	uint32_t public = rows_below(symfile, view, TABLE_PUBLIC, address);
	const uint64_t start = public == SPAN_NONE ? 0 : row_address(symfile, TABLE_PUBLIC, public);

	if (start == 0 && !policy->public_zero)
		public = SPAN_NONE;
	if (below != SPAN_NONE && address - first < row_size(symfile, TABLE_FUNC, below)) {
		choice.func = below;
		if (public != SPAN_NONE && start >= first)
			choice.beaten = public;
	} else if (public != SPAN_NONE && below != SPAN_NONE && start <= first) {
		choice.beaten = public;
	} else {
		choice.public = public;
	}
	return choice;
}

bool
symfile_function(const struct symfile *symfile, const struct symbols_policy *policy,
		 uint64_t address, struct function *function)
{
	struct choice choice = choose(symfile, policy, address);

	if (choice.func != SPAN_NONE)
		fill_function(symfile, TABLE_FUNC, choice.func, function);
	else if (choice.public != SPAN_NONE)
		fill_function(symfile, TABLE_PUBLIC, choice.public, function);
	else
		return false;
	return true;
}

bool
symfile_function_at(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
		    struct function *function)
{
	const enum table_kind table = kind == SYMBOL_FUNC ? TABLE_FUNC : TABLE_PUBLIC;

	if (index >= symfile->tables[table].count)
		return false;
	fill_function(symfile, table, (uint32_t)index, function);
	return true;
}

bool
symfile_covering_function(const struct symfile *symfile, const struct symbols_policy *policy,
			  uint64_t address, struct function *function)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_FUNC, address);

	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, function);
	return true;
}

/* The first record of a table with a name, among those that count. */
static bool
find_named(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	   struct text name, struct function *function)
{
	const size_t rows = table_rows_before(&symfile->tables[table], view->end);

	for (size_t row = 0; row < rows; row++) {
		fill_function(symfile, table, (uint32_t)row, function);
		if (text_equal(function->name, name) ||
		    (demangle_looks_mangled(function->name) &&
		     demangle_is_called(function->name, name)))
			return true;
	}
	return false;
}

bool
symfile_named(const struct symfile *symfile, const struct symbols_policy *policy, struct text name,
	      struct function *function)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	return find_named(symfile, view, TABLE_FUNC, name, function) ||
	       find_named(symfile, view, TABLE_PUBLIC, name, function);
}

bool
symfile_numbered(const struct symfile *symfile, enum symbol_record_kind kind, uint64_t number,
		 uint64_t *offset, uint32_t *length)
{
	const enum table_kind table = kind == SYMBOL_FILE ? TABLE_FILE : TABLE_ORIGIN;
	const uint32_t row = rows_numbered(symfile, &symfile->whole, table, number);

	if (row == SPAN_NONE)
		return false;
	const uint64_t where = row_where(symfile, table, row);
	*offset = where_offset(where);
	*length = where_length(where);
	return true;
}

/*
 * The lines and inlined calls of one function, read on request. They
 * lie between its FUNC record and the next FUNC or PUBLIC; records of other kinds may
 * stand among them.
 */

/* The inlined calls around an address, outermost first. */
struct chain {
	const struct span *calls[LIMIT_INLINE_DEPTH];
	size_t count;
};

/* Ranges of a list that cost no allocation: most look-ups have fewer around their address. */
#define RANGES_FEW 8u

struct body {
	const struct symfile *symfile;
	const struct symfile_view *view;
	struct message_list *messages;
	struct arena scratch;
	struct range_list lines, calls;
	struct span few_spans[2][RANGES_FEW];		/* what the lists begin with */
	struct range_source few_sources[2][RANGES_FEW];
	const struct range_list *selecting;	/* which of them is being selected from */
	enum nesting nesting;
	int64_t last_depth;
	struct chain *chain;	/* around `address` */
	bool failed;		/* memory has run out */
	bool one;		/* what covers `address` is enough, without messages */
	bool all;		/* the calls of the whole function */
	uint64_t address;
};

bool
range_list_add(struct range_list *list, struct arena *arena, struct span span,
	       struct range_source source)
{
	struct span *spans = arena_grow(arena, list->spans, list->count, &list->span_capacity,
					sizeof(*spans));

	if (spans != NULL)
		list->spans = spans;
	struct range_source *sources = arena_grow(arena, list->sources, list->count,
						  &list->source_capacity, sizeof(*sources));
	if (sources != NULL)
		list->sources = sources;
	if (spans == NULL || sources == NULL)
		return false;
	spans[list->count] = span;
	sources[list->count++] = source;
	return true;
}

static void
add_range(struct body *body, struct range_list *list, uint64_t address, uint64_t size,
	  struct range_source source)
{
	struct span span;

	if (body->symfile->strict && list == &body->calls && address != 0 &&
	    (size == 0 || size > UINT64_MAX - address)) {
		/* It covers nothing, but rust-minidump looks no further than to it. */
		span = (struct span){ address, address - 1, (uint32_t)list->count };
	} else if (!span_of(address, size, (uint32_t)list->count, &span)) {
		symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_EMPTY, source.where,
			       "range %#" PRIx64 "+%#" PRIx64 " %s\nleft out", address, size,
			       size == 0 ? "is empty" : "ends past the last address");
		return;
	}
	if (!range_list_add(list, &body->scratch, span, source))
		body->failed = true;
}

static void
report_bad(struct body *body, enum message_kind kind, enum symbol_record_kind form,
	   struct text record, uint64_t where)
{
	char found[96];

	text_printable(found, sizeof(found), record);
	symfile_report(body->symfile, body->messages, kind, where,
		       "malformed record, expected '%s', found "
		       "'%s'\nskipped", record_forms[form].text,
		       found);
}

static void
read_inline(struct body *body, struct text record, uint64_t where)
{
	struct inline_record call;

	body->calls.any = true;
	if (!record_inline(record, body->symfile->strict, &call)) {
		report_bad(body, MESSAGE_SYMBOL_INLINE, SYMBOL_INLINE, record, where);
		return;
	}
	for (size_t range = 0; range < call.count; range++)
		add_range(body, &body->calls, call.ranges[range].address, call.ranges[range].size,
			  (struct range_source){ where, call.depth, body->last_depth });
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
	while (!body->failed && line_next(&finder, &start, &length) && start < body->view->end) {
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
		else if (kind == SYMBOL_LINE && record_may_be_line(record))
			/* All others have been reported when the file was opened. */
			report_bad(body, MESSAGE_SYMBOL_LINE, SYMBOL_LINE, record, where);
	}
}

static void
refuse(void *context, uint32_t refused, uint32_t stored)
{
	struct body *body = context;
	const struct range_list *list = body->selecting;
	enum message_kind kind = list == &body->lines ? MESSAGE_SYMBOL_OVERLAP
						      : MESSAGE_SYMBOL_INLINE;
	struct place other = { 0 };

	if (body->messages == NULL)
		return;
	if (body->messages->seen[kind] < LIMIT_MESSAGES_PER_KIND)
		other = symfile_place(body->symfile, where_offset(list->sources[stored].where), 0);
	symfile_report(body->symfile, body->messages, kind, list->sources[refused].where,
		       "%s overlaps that of line %" PRIu32 "\nskipped, the one that %s is used",
		       list == &body->lines ? "range of a line record" : "range of an inlined call",
		       other.line,
		       body->symfile->strict ? "begins first" : "comes first in the file");
}

static bool
select_ranges(struct body *body, struct range_list *list, enum containment_rule rule)
{
	body->selecting = list;
	return containment_select(list->spans, &list->count, rule, refuse, body);
}

/* Whether rust-minidump prefers one of two calls of a level that begin at the same address. */
static bool
comes_later(const struct body *body, const struct span *span, const struct span *other)
{
	const struct symfile *symfile = body->symfile;
	struct inline_record calls[2];

	if (!symfile->strict || span->last != other->last)
		return !symfile->strict || span->last > other->last;
	if (!record_inline(symfile_text(symfile, body->calls.sources[span->index].where), true,
			   &calls[0]) ||
	    !record_inline(symfile_text(symfile, body->calls.sources[other->index].where), true,
			   &calls[1]))
		return true;
	if (calls[0].file != calls[1].file)
		return calls[0].file > calls[1].file;
	if (calls[0].line != calls[1].line)
		return calls[0].line > calls[1].line;
	return calls[0].origin > calls[1].origin;
}

/*
 * The calls around an address by their levels; `spans` may have others, too. Returns whether that
 * is how they nest: dumpers that give equal calls one record write it before some of their callers
 * and across the ends of others, but each level is around an address once.
 */
static bool
chain_by_levels(const struct body *body, const struct span *spans, size_t count, uint64_t address,
		struct chain *chain)
{
	const bool alone = body->nesting == NESTING_LEVELS_ALONE;
	size_t around = 0;

	chain->count = 0;
	if (body->nesting == NESTING_BY_RANGES || count == 0)
		return body->nesting != NESTING_BY_RANGES;
	memset(chain, 0, sizeof(*chain));
	for (size_t i = 0; i < count; i++) {
		const struct span *span = &spans[i];
		const int64_t level = body->calls.sources[span->index].level;

		if (span->first > address || (!alone && span->last < address))
			continue;
		around++;
		if (level < 0 || level >= LIMIT_INLINE_DEPTH)
			continue;
		/* Of one level the call that begins last counts, even where it has ended. */
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

/* The calls around an address in sorted ranges that nest; of too many the inner ones. */
static void
chain_by_ranges(const struct span *spans, size_t count, uint64_t address, struct chain *chain)
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

/* Leave the calls that nest by their ranges, as Breakpad does. */
static bool
select_calls(struct body *body)
{
	struct range_list *list = &body->calls;
	uint64_t reported = UINT64_MAX;
	size_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct range_source *source = &list->sources[list->spans[i].index];

		if (source->level - 1 <= source->above) {
			list->spans[left++] = list->spans[i];
		} else if (source->where != reported) {
			symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_INLINE,
				       source->where, "inlined call of depth %" PRId64
				       " after one of depth %" PRId64
				       "\nskipped, its caller is missing", source->level,
				       source->above);
			reported = source->where;
		}
	}
	list->count = left;
	return select_ranges(body, list, CONTAINMENT_NESTED_EQUAL);
}

/* The name that a FILE record gives a number, empty where there is none. */
static struct text
file_name(const struct symfile *symfile, const struct symfile_view *view, uint64_t number)
{
	struct text name;
	uint32_t row = rows_numbered(symfile, view, TABLE_FILE, number);

	if (row == SPAN_NONE ||
	    !record_numbered(symfile_text(symfile, row_where(symfile, TABLE_FILE, row)),
			     symfile->strict, &name))
		return (struct text){ 0 };
	return name;
}

static void
fill_line(const struct body *body, const struct span *span, struct symbol *symbol)
{
	uint64_t where = body->lines.sources[span->index].where;
	struct line_record line;

	if (!record_line(symfile_text(body->symfile, where), body->symfile->strict, &line))
		return;
	symbol->has_line = true;
	symbol->line = (struct source_line){
		.address = line.address,
		.size = line.size,
		.line = line.line,
		.file = file_name(body->symfile, body->view, line.file),
		.offset = where_offset(where),
		.length = where_length(where),
	};
}

static void
fill_call(const struct body *body, const struct span *span, struct inline_call *call)
{
	const struct symfile *symfile = body->symfile;
	const uint64_t where = body->calls.sources[span->index].where;
	struct inline_record record;
	struct text origin;

	if (!record_inline(symfile_text(symfile, where), symfile->strict, &record))
		record = (struct inline_record){ .file = -1 };
	*call = (struct inline_call){
		.depth = (uint32_t)record.depth,
		.name = text_of("<name omitted>"),
		.address = span->first,
		.size = span->last - span->first + 1,
		.call_line = (uint32_t)record.line,
		.offset = where_offset(where),
		.length = where_length(where),
	};
	if (record.file >= 0)
		call->call_file = file_name(symfile, body->view, (uint64_t)record.file);
	const uint32_t row = rows_numbered(symfile, body->view, TABLE_ORIGIN, record.origin);
	const uint64_t named = row != SPAN_NONE ? row_where(symfile, TABLE_ORIGIN, row) : 0;
	if (row != SPAN_NONE &&
	    record_numbered(symfile_text(symfile, named), symfile->strict, &origin))
		call->name = origin;
}

static void
fill_calls(const struct body *body, struct arena *arena, struct symbol *symbol)
{
	const struct chain *chain = body->chain;

	if (chain->count == LIMIT_INLINE_DEPTH)
		symfile_report(body->symfile, body->messages, MESSAGE_LIMIT,
			       body->calls.sources[chain->calls[0]->index].where,
			       "%u inlined calls around %#" PRIx64
			       "\nthe outer ones are skipped", LIMIT_INLINE_DEPTH, body->address);
	if (chain->count == 0)
		return;
	symbol->inlines = arena_array(arena, chain->count, sizeof(*symbol->inlines));
	if (symbol->inlines == NULL)
		return;
	for (size_t call = chain->count; call > 0; call--)
		fill_call(body, chain->calls[call - 1], &symbol->inlines[symbol->inline_count++]);
}

/* The calls of a whole function, which are being cut into parts that nest. */
struct cutting {
	struct body *body;
	struct arena *arena;
	struct function_body *whole;
	size_t capacity;
	struct span open[LIMIT_INLINE_DEPTH], kept[LIMIT_INLINE_DEPTH];
	size_t open_count;
	struct chain chain;
	struct {
		uint32_t index;
		size_t call;	/* in `whole` */
	} parts[LIMIT_INLINE_DEPTH];
	size_t depth;
};

/* Another chain of calls begins at `address`: what both have goes on. */
static void
cut_at(struct cutting *cutting, uint64_t address)
{
	const struct chain *chain = &cutting->chain;
	struct function_body *whole = cutting->whole;
	size_t same = 0;

	while (same < cutting->depth && same < chain->count &&
	       cutting->parts[same].index == chain->calls[same]->index)
		same++;
	for (size_t i = same; i < cutting->depth; i++) {
		struct inline_call *call = &whole->calls[cutting->parts[i].call];

		call->size = address - call->address;
	}
	for (cutting->depth = same; cutting->depth < chain->count; cutting->depth++) {
		struct span span = *chain->calls[cutting->depth];
		struct inline_call *calls =
			whole->call_count == LIMIT_INLINE_PARTS
				? NULL : arena_grow(cutting->arena, whole->calls, whole->call_count,
						    &cutting->capacity, sizeof(*calls));

		if (calls == NULL)
			return;
		whole->calls = calls;
		span.first = address;
		fill_call(cutting->body, &span, &calls[whole->call_count]);
		cutting->parts[cutting->depth].index = span.index;
		cutting->parts[cutting->depth].call = whole->call_count++;
	}
}

/* What is around an address, of the ranges that are open there. */
static void
chain_at(struct cutting *cutting, const bool *kept, uint64_t address)
{
	size_t count = 0;

	if (chain_by_levels(cutting->body, cutting->open, cutting->open_count, address,
			    &cutting->chain))
		return;
	for (size_t i = 0; i < cutting->open_count; i++)
		if (kept[cutting->open[i].index])
			cutting->kept[count++] = cutting->open[i];
	chain_by_ranges(cutting->kept, count, address, &cutting->chain);
}

/* Cut wherever a range begins or ends. */
static bool
cut_calls(struct cutting *cutting)
{
	struct range_list *list = &cutting->body->calls;
	struct arena *scratch = &cutting->body->scratch;
	const size_t total = list->count;
	struct span *all = arena_array(scratch, total, sizeof(*all));
	struct span *edges = arena_array(scratch, 2 * total, sizeof(*edges));
	bool *kept = arena_array(scratch, total, sizeof(*kept));
	size_t edge_count = 0, next = 0, left;

	if (all == NULL || edges == NULL || kept == NULL)
		return false;
	for (size_t i = 0; i < total; i++) {
		all[i] = list->spans[i];
		edges[edge_count++].first = all[i].first;
		if (all[i].last != UINT64_MAX)
			edges[edge_count++].first = all[i].last + 1;
	}
	if (!span_sort(all, total) || !span_sort(edges, edge_count) || !select_calls(cutting->body))
		return false;
	for (size_t i = 0; i < list->count; i++)
		kept[list->spans[i].index] = true;
	for (size_t edge = 0; edge < edge_count; edge++) {
		const uint64_t address = edges[edge].first;

		/* Many calls may begin and end together. */
		if (edge + 1 < edge_count && edges[edge + 1].first == address)
			continue;
		for (size_t i = left = 0; i < cutting->open_count; i++)
			if (cutting->open[i].last >= address)
				cutting->open[left++] = cutting->open[i];
		for (; next < total && all[next].first <= address; next++)
			if (left < LIMIT_INLINE_DEPTH)
				cutting->open[left++] = all[next];
		cutting->open_count = left;
		chain_at(cutting, kept, address);
		cut_at(cutting, address);
	}
	return true;
}

/* Read the lines of the function in a row, and the calls around the address or all. */
static bool
read_ranges(struct body *body, uint64_t where)
{
	const bool ranges = body->nesting == NESTING_BY_RANGES;
	const bool strict = body->symfile->strict;
	bool passed = body->one && body->nesting != NESTING_LEVELS_ALONE && !strict &&
		      symfile_around(body->symfile, where_offset(where), body->view->end,
				     body->address, !ranges, &body->scratch, &body->lines,
				     &body->calls);
	bool settled = passed && chain_by_levels(body, body->calls.spans, body->calls.count,
						 body->address, body->chain);

	if (!passed || !(ranges || settled)) {
		body->lines.count = body->calls.count = 0;
		read_body(body, where_offset(where));
		settled = !body->all && !body->failed &&
			  chain_by_levels(body, body->calls.spans, body->calls.count,
					  body->address, body->chain);
	}
	if (body->failed || !select_ranges(body, &body->lines, strict ? CONTAINMENT_BY_START
								      : CONTAINMENT_EXCLUSIVE))
		return false;
	if (settled || body->all)
		return true;
	if (!select_calls(body))
		return false;
	chain_by_ranges(body->calls.spans, body->calls.count, body->address, body->chain);
	return true;
}

/* Read what is asked for of the function in `row`; false, and reported, when out of memory. */
static bool
make_body(struct body *body, uint64_t where)
{
	arena_init(&body->scratch, 0);
	body->lines = (struct range_list){ .spans = body->few_spans[0],
					   .sources = body->few_sources[0],
					   .span_capacity = RANGES_FEW,
					   .source_capacity = RANGES_FEW };
	body->calls = body->lines;
	body->calls.spans = body->few_spans[1];
	body->calls.sources = body->few_sources[1];
	if (read_ranges(body, where))
		return true;
	if (body->messages != NULL)
		symfile_report(body->symfile, body->messages, MESSAGE_OUT_OF_MEMORY, where,
			       "out of memory for the lines of a function\nleft out");
	return false;
}

bool
symfile_function_body(const struct symfile *symfile, const struct symbols_policy *policy,
		      uint64_t address, struct arena *arena, struct function_body *whole)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_FUNC, address);
	struct body body = { .symfile = symfile, .view = view, .nesting = policy->nesting,
			     .all = true };
	struct symbol symbol = { 0 };

	*whole = (struct function_body){ 0 };
	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, &whole->function);
	if (make_body(&body, row_where(symfile, TABLE_FUNC, row))) {
		struct cutting cutting = { .body = &body, .arena = arena, .whole = whole };

		whole->lines = arena_array(arena, body.lines.count, sizeof(*whole->lines));
		for (size_t i = 0; whole->lines != NULL && i < body.lines.count; i++) {
			fill_line(&body, &body.lines.spans[i], &symbol);
			whole->lines[whole->line_count++] = symbol.line;
		}
		cut_calls(&cutting);
	}
	whole->has_inline = body.calls.any;
	arena_free(&body.scratch);
	return true;
}

bool
symfile_lookup(const struct symfile *symfile, const struct symbols_policy *policy,
	       uint64_t address, struct arena *arena, struct message_list *messages,
	       struct symbol *symbol)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	const struct choice choice = choose(symfile, policy, address);
	struct chain chain;
	struct body body = { .symfile = symfile, .view = view, .messages = messages,
			     .one = messages == NULL, .address = address,
			     .nesting = policy->nesting, .chain = &chain };
	uint32_t rows[SHADOWED_MAX];

	*symbol = (struct symbol){ 0 };
	symbol->found = choice.func != SPAN_NONE || choice.public != SPAN_NONE;
	if (choice.func != SPAN_NONE) {
		fill_function(symfile, TABLE_FUNC, choice.func, &symbol->function);
		if (make_body(&body, where_of(symbol->function.offset, symbol->function.length))) {
			for (size_t rank = 0; rank < body.lines.count; rank++) {
				const struct span *span = &body.lines.spans[rank];

				if (span->first <= address && address <= span->last)
					fill_line(&body, span, symbol);
			}
			fill_calls(&body, arena, symbol);
		}
		symbol->has_inline = body.calls.any;
		arena_free(&body.scratch);
	} else if (choice.public != SPAN_NONE) {
		fill_function(symfile, TABLE_PUBLIC, choice.public, &symbol->function);
	}
	const size_t count = symfile_dropped_around(view, address, rows);
	const size_t total = count + (choice.beaten != SPAN_NONE);
	if (total > 0)
		symbol->shadowed = arena_array(arena, total, sizeof(*symbol->shadowed));
	if (symbol->shadowed == NULL)
		return symbol->found;
	if (choice.beaten != SPAN_NONE)
		fill_function(symfile, TABLE_PUBLIC, choice.beaten,
			      &symbol->shadowed[symbol->shadowed_count++]);
	for (size_t row = 0; row < count; row++)
		fill_function(symfile, TABLE_FUNC, rows[row],
			      &symbol->shadowed[symbol->shadowed_count++]);
	return symbol->found;
}
