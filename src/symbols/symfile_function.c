/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <inttypes.h>

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

	if (!record_function(symfile_text(symfile, where), function))
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

struct body {
	const struct symfile *symfile;
	const struct symfile_view *view;
	struct message_list *messages;
	struct arena scratch;
	struct range_list lines, calls;
	const struct range_list *selecting;	/* which of them is being selected from */
	int64_t last_depth;
	bool failed;		/* memory has run out */
	bool one;		/* what covers `address` is enough, without messages */
	uint64_t address;
};

bool
range_list_add(struct range_list *list, struct arena *arena, struct span span, uint64_t where)
{
	struct span *spans = arena_grow(arena, list->spans, list->count, &list->span_capacity,
					sizeof(*spans));

	if (spans != NULL)
		list->spans = spans;
	uint64_t *wheres = arena_grow(arena, list->wheres, list->count, &list->where_capacity,
				      sizeof(*wheres));
	if (wheres != NULL)
		list->wheres = wheres;
	if (spans == NULL || wheres == NULL)
		return false;
	spans[list->count] = span;
	wheres[list->count++] = where;
	return true;
}

static void
add_range(struct body *body, struct range_list *list, uint64_t address, uint64_t size,
	  uint64_t where)
{
	struct span span;

	if (!span_of(address, size, (uint32_t)list->count, &span)) {
		symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_EMPTY, where,
			       "range %" PRIx64 "+%" PRIx64 " %s\nleft out", address, size,
			       size == 0 ? "is empty" : "ends past the last address");
		return;
	}
	if (!range_list_add(list, &body->scratch, span, where))
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

	if (!record_inline(record, &call)) {
		report_bad(body, MESSAGE_SYMBOL_INLINE, SYMBOL_INLINE, record, where);
		return;
	}
	if (call.depth - 1 > body->last_depth) {
		symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_INLINE, where,
			       "inlined call of depth %" PRId64 " after one of depth %" PRId64
			       "\nskipped, its caller is missing", call.depth, body->last_depth);
		return;
	}
	body->last_depth = call.depth;
	for (size_t range = 0; range < call.count; range++)
		add_range(body, &body->calls, call.ranges[range].address, call.ranges[range].size,
			  where);
}

static void
read_body(struct body *body, uint64_t offset)
{
	struct line_finder finder = line_finder_at(body->symfile, offset);
	uint64_t start, length;

	line_next(&finder, &start, &length);
	while (!body->failed && line_next(&finder, &start, &length) && start < body->view->end) {
		uint64_t where = where_of(start, length);
		struct text record = symfile_text(body->symfile, where);
		const enum symbol_record_kind kind = record_kind(record);

		if (kind == SYMBOL_FUNC || kind == SYMBOL_PUBLIC)
			break;
		if (length == 0)
			continue;
		struct line_record line;
		if (kind == SYMBOL_INLINE)
			read_inline(body, record, where);
		else if (kind == SYMBOL_LINE && record_line(record, &line))
			add_range(body, &body->lines, line.address, line.size, where);
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
		other = symfile_place(body->symfile, where_offset(list->wheres[stored]), 0);
	symfile_report(body->symfile, body->messages, kind, list->wheres[refused],
		       "%s overlaps that of line %" PRIu32
		       "\nskipped, the first in the file is used",
		       list == &body->lines ? "range of a line record" : "range of an inlined call",
		       other.line);
}

static bool
select_ranges(struct body *body, struct range_list *list, enum containment_rule rule)
{
	body->selecting = list;
	return containment_select(list->spans, &list->count, rule, refuse, body);
}

/* The name that a FILE record gives a number, empty where there is none. */
static struct text
file_name(const struct symfile *symfile, const struct symfile_view *view, uint64_t number)
{
	struct numbered_record file;
	uint32_t row = rows_numbered(symfile, view, TABLE_FILE, number);

	if (row == SPAN_NONE ||
	    !record_numbered(symfile_text(symfile, row_where(symfile, TABLE_FILE, row)), &file))
		return (struct text){ 0 };
	return file.name;
}

static void
fill_line(const struct body *body, const struct span *span, struct symbol *symbol)
{
	uint64_t where = body->lines.wheres[span->index];
	struct line_record line;

	if (!record_line(symfile_text(body->symfile, where), &line))
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
	const uint64_t where = body->calls.wheres[span->index];
	struct inline_record record;
	struct numbered_record origin;

	if (!record_inline(symfile_text(symfile, where), &record))
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
	if (row == SPAN_NONE || !record_numbered(symfile_text(symfile, named), &origin))
		return;
	call->name = origin.name;
	call->origin_offset = where_offset(named);
	call->origin_length = where_length(named);
}

/* Nested ranges stand outermost first; those around the address are the chain of calls. */
static void
fill_calls(struct body *body, uint64_t address, struct arena *arena, struct symbol *symbol)
{
	const struct range_list *list = &body->calls;
	size_t chain[LIMIT_INLINE_DEPTH], count = 0;

	for (size_t rank = list->count; rank > 0 && count < LIMIT_INLINE_DEPTH; rank--)
		if (list->spans[rank - 1].first <= address && address <= list->spans[rank - 1].last)
			chain[count++] = rank - 1;
	if (count == LIMIT_INLINE_DEPTH)
		symfile_report(body->symfile, body->messages, MESSAGE_LIMIT,
			       list->wheres[list->spans[chain[count - 1]].index],
			       "%u inlined calls around %" PRIx64
			       "\nthe outer ones are skipped", LIMIT_INLINE_DEPTH, address);
	if (count == 0)
		return;
	symbol->inlines = arena_array(arena, count, sizeof(*symbol->inlines));
	if (symbol->inlines == NULL)
		return;
	for (size_t call = 0; call < count; call++)
		fill_call(body, &list->spans[chain[call]], &symbol->inlines[call]);
	symbol->inline_count = count;
}

/* Read the lines and calls of the function in `row`; false, and reported, when out of memory. */
static bool
make_body(struct body *body, uint64_t where)
{
	arena_init(&body->scratch, 0);
	if (!body->one || !symfile_around(body->symfile, where_offset(where), body->view->end,
					  body->address, &body->scratch, &body->lines,
					  &body->calls)) {
		body->lines.count = body->calls.count = 0;
		read_body(body, where_offset(where));
	}
	if (!body->failed && select_ranges(body, &body->lines, CONTAINMENT_EXCLUSIVE) &&
	    select_ranges(body, &body->calls, CONTAINMENT_NESTED_EQUAL))
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
	struct body body = { .symfile = symfile, .view = view };
	struct symbol symbol = { 0 };

	*whole = (struct function_body){ 0 };
	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, &whole->function);
	if (make_body(&body, row_where(symfile, TABLE_FUNC, row))) {
		whole->lines = arena_array(arena, body.lines.count, sizeof(*whole->lines));
		whole->calls = arena_array(arena, body.calls.count, sizeof(*whole->calls));
		for (size_t i = 0; whole->lines != NULL && i < body.lines.count; i++) {
			fill_line(&body, &body.lines.spans[i], &symbol);
			whole->lines[whole->line_count++] = symbol.line;
		}
		for (size_t i = 0; whole->calls != NULL && i < body.calls.count; i++)
			fill_call(&body, &body.calls.spans[i], &whole->calls[whole->call_count++]);
	}
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
	struct body body = { .symfile = symfile, .view = view, .messages = messages,
			     .one = messages == NULL, .address = address };
	uint32_t rows[SHADOWED_MAX];

	*symbol = (struct symbol){ 0 };
	symbol->found = choice.func != SPAN_NONE || choice.public != SPAN_NONE;
	if (choice.func != SPAN_NONE) {
		fill_function(symfile, TABLE_FUNC, choice.func, &symbol->function);
		if (make_body(&body, row_where(symfile, TABLE_FUNC, choice.func))) {
			for (size_t rank = 0; rank < body.lines.count; rank++) {
				const struct span *span = &body.lines.spans[rank];

				if (span->first <= address && address <= span->last)
					fill_line(&body, span, symbol);
			}
			fill_calls(&body, address, arena, symbol);
		}
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
