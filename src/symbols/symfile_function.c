/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "symbols/symfile_body.h"

#include "base/compiler.h"
#include "base/demangle.h"
#include "symbols/records.h"

struct choice {
	uint32_t func;		/* row that covers the address, or SPAN_NONE */
	uint32_t public;	/* row that names the address, or SPAN_NONE */
	uint32_t beaten;	/* row of a PUBLIC hidden by a FUNC, or SPAN_NONE */
};

/* Read the FUNC or PUBLIC in a row. If a mapped file was truncated, only the name is missing. */
static void
fill_function(const struct symfile *symfile, enum table_kind table, uint32_t row,
	      struct function *function)
{
	uint64_t where = row_where(symfile, table, row);

	if (!record_function(symfile_text(symfile, where), symfile->strict, function))
		*function = (struct function){ .kind = table == TABLE_FUNC ? SYMBOL_FUNC
									   : SYMBOL_PUBLIC };
	where = symfile_told(symfile, where);
	function->address = row_address(symfile, table, row);
	function->size = row_size(symfile, table, row);
	function->offset = where_offset(where);
	function->length = where_length(where);
}

/* Use a FUNC around the address; else a PUBLIC, unless a FUNC starts between it and the address. */
static struct choice
choose(const struct symfile *symfile, const struct policy *policy, uint64_t address)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	struct choice choice = { SPAN_NONE, SPAN_NONE, SPAN_NONE };
	uint32_t below = rows_below(symfile, view, TABLE_FUNC, address);
	const uint64_t first = below == SPAN_NONE ? 0 : row_address(symfile, TABLE_FUNC, below);
	uint32_t public = rows_below(symfile, view, TABLE_PUBLIC, address);
	const uint64_t start = public == SPAN_NONE ? 0 : row_address(symfile, TABLE_PUBLIC, public);

	if (start == 0 && policy->value[POLICY_PUBLIC_AT_ZERO] == 0)
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
symfile_function(const struct symfile *symfile, const struct policy *policy,
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
symfile_covering_function(const struct symfile *symfile, const struct policy *policy,
			  uint64_t address, struct function *function)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_FUNC, address);

	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, function);
	return true;
}

/* The first record with a name among the valid rows of a table. */
static bool
find_named(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	   struct text name, struct function *function)
{
	const size_t rows = symfile_rows_before(symfile, table, view->end);

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
symfile_named(const struct symfile *symfile, const struct policy *policy, struct text name,
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
	const uint64_t where = symfile_told(symfile, row_where(symfile, table, row));
	*offset = where_offset(where);
	*length = where_length(where);
	return true;
}

/* The name in the FILE record of a number; empty: none. */
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
	where = symfile_told(body->symfile, where);
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
	uint64_t where = body->calls.sources[span->index].where;
	const struct inlined_record *record = body_inlined(body, span);
	struct text origin;

	where = symfile_told(symfile, where);
	*call = (struct inline_call){
		.depth = (uint32_t)record->level,
		.name = text_of(SYMBOL_NAME_OMITTED),
		.address = span->first,
		.size = span->last - span->first + 1,
		.call_line = (uint32_t)record->line,
		.offset = where_offset(where),
		.length = where_length(where),
	};
	if (record->file >= 0)
		call->call_file = file_name(symfile, body->view, (uint64_t)record->file);
	const uint32_t row = rows_numbered(symfile, body->view, TABLE_ORIGIN, record->origin);
	const uint64_t named = row != SPAN_NONE ? row_where(symfile, TABLE_ORIGIN, row) : 0;
	if (row != SPAN_NONE &&
	    record_numbered(symfile_text(symfile, named), symfile->strict, &origin))
		call->name = origin;
}

static void
fill_calls(const struct body *body, struct arena *arena, struct symbol *symbol)
{
	const struct chain *chain = body->chain;

	if (chain->count == 0)
		return;
	symbol->inlines = arena_array(arena, chain->count, sizeof(*symbol->inlines));
	if (symbol->inlines == NULL)
		return;
	for (size_t call = chain->count; call > 0; call--)
		fill_call(body, chain->calls[call - 1], &symbol->inlines[symbol->inline_count++]);
}

/* The calls of a function while they are cut into nested parts. */
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
		size_t call;	/* index in `whole` */
	} parts[LIMIT_INLINE_DEPTH];
	size_t depth;
};

/* Begin another chain of calls at `address`; calls that are in both chains continue. */
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
	span_sort(all, total);
	span_sort(edges, edge_count);
	if (!body_select_calls(cutting->body))
		return false;
	for (size_t i = 0; i < list->count; i++)
		kept[list->spans[i].index] = true;
	for (size_t edge = 0; edge < edge_count; edge++) {
		const uint64_t address = edges[edge].first;

		/* Many calls may begin or end at the same address. */
		if (edge + 1 < edge_count && edges[edge + 1].first == address)
			continue;
		for (size_t i = left = 0; i < cutting->open_count; i++)
			if (cutting->open[i].last >= address)
				cutting->open[left++] = cutting->open[i];
		for (; next < total && all[next].first <= address; next++)
			if (left < LIMIT_INLINE_DEPTH)
				cutting->open[left++] = all[next];
		cutting->open_count = left;
		if (!body_chain_by_levels(cutting->body, cutting->open, left, address,
					  &cutting->chain)) {
			size_t count = 0;

			for (size_t i = 0; i < left; i++)
				if (kept[cutting->open[i].index])
					cutting->kept[count++] = cutting->open[i];
			body_chain_by_ranges(cutting->kept, count, address, &cutting->chain);
		}
		cut_at(cutting, address);
	}
	return true;
}

bool
symfile_function_body(const struct symfile *symfile, const struct policy *policy,
		      uint64_t address, struct arena *arena, struct function_body *whole)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_FUNC, address);
	struct body body = { .symfile = symfile, .view = view,
			     .nesting = policy->value[POLICY_INLINE_LEVELS],
			     .all = true };
	struct symbol symbol = { 0 };

	*whole = (struct function_body){ 0 };
	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, &whole->function);
	if (body_make(&body, row_where(symfile, TABLE_FUNC, row))) {
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
symfile_lookup(const struct symfile *symfile, const struct policy *policy, uint64_t address,
	       struct arena *arena, struct symbol *symbol)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	const struct choice choice = choose(symfile, policy, address);
	ATTRIBUTE_UNINITIALIZED struct chain chain;
	ATTRIBUTE_UNINITIALIZED struct span around[KEPT_AROUND];
	struct body body = { .symfile = symfile,
			     .view = view,
			     .address = address,
			     .nesting = policy->value[POLICY_INLINE_LEVELS],
			     .chain = &chain };
	uint32_t rows[SHADOWED_MAX];

	*symbol = (struct symbol){ 0 };
	symbol->found = choice.func != SPAN_NONE || choice.public != SPAN_NONE;
	if (choice.func != SPAN_NONE) {
		fill_function(symfile, TABLE_FUNC, choice.func, &symbol->function);
		if (body_kept_find(&body, choice.func, around) ||
		    body_make(&body, row_where(symfile, TABLE_FUNC, choice.func))) {
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
