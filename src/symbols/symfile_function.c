/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

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

/* The PUBLIC nearest below the address, before any FUNC is asked. */
static uint32_t
nearest_public(const struct symfile *symfile, const struct symfile_view *view,
	       const struct symbols_policy *policy, uint64_t address)
{
	const uint32_t row = rows_below(symfile, view, TABLE_PUBLIC, address);

	return row != SPAN_NONE && row_address(symfile, TABLE_PUBLIC, row) == 0 &&
			       !policy->public_zero ? SPAN_NONE : row;
}

/* A FUNC around the address wins; a PUBLIC counts unless a FUNC starts at it or behind it. */
static struct choice
choose(const struct symfile *symfile, const struct symbols_policy *policy, uint64_t address)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	struct choice choice = { SPAN_NONE, SPAN_NONE, SPAN_NONE };
	uint32_t below = rows_below(symfile, view, TABLE_FUNC, address);
	const uint64_t first = below == SPAN_NONE ? 0 : row_address(symfile, TABLE_FUNC, below);
	uint32_t public = nearest_public(symfile, view, policy, address);
	uint64_t start = public == SPAN_NONE ? 0 : row_address(symfile, TABLE_PUBLIC, public);

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

bool
symfile_function_body(const struct symfile *symfile, const struct symbols_policy *policy,
		      uint64_t address, struct arena *arena, struct function_body *body)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_FUNC, address);

	*body = (struct function_body){ 0 };
	if (row == SPAN_NONE)
		return false;
	fill_function(symfile, TABLE_FUNC, row, &body->function);
	symfile_whole_body(symfile, view, row, arena, body);
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

static void
fill_shadowed(const struct symfile *symfile, const struct symfile_view *view, uint32_t beaten,
	      uint64_t address, struct arena *arena, struct symbol *symbol)
{
	uint32_t rows[SHADOWED_MAX];
	size_t count = symfile_dropped_around(view, address, rows);
	size_t total = count + (beaten != SPAN_NONE);

	if (total == 0)
		return;
	symbol->shadowed = arena_array(arena, total, sizeof(*symbol->shadowed));
	if (symbol->shadowed == NULL)
		return;
	if (beaten != SPAN_NONE)
		fill_function(symfile, TABLE_PUBLIC, beaten, &symbol->shadowed[symbol->shadowed_count++]);
	for (size_t row = 0; row < count; row++)
		fill_function(symfile, TABLE_FUNC, rows[row], &symbol->shadowed[symbol->shadowed_count++]);
}

bool
symfile_lookup(const struct symfile *symfile, const struct symbols_policy *policy,
	       uint64_t address, struct arena *arena, struct message_list *messages,
	       struct symbol *symbol)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	struct choice choice = choose(symfile, policy, address);

	*symbol = (struct symbol){ 0 };
	symbol->found = choice.func != SPAN_NONE || choice.public != SPAN_NONE;
	if (choice.func != SPAN_NONE) {
		fill_function(symfile, TABLE_FUNC, choice.func, &symbol->function);
		symfile_body(symfile, view, choice.func, address, arena, messages, symbol);
	} else if (choice.public != SPAN_NONE) {
		fill_function(symfile, TABLE_PUBLIC, choice.public, &symbol->function);
	}
	fill_shadowed(symfile, view, choice.beaten, address, arena, symbol);
	return symbol->found;
}

struct text
symfile_file_name(const struct symfile *symfile, const struct symfile_view *view, uint64_t number)
{
	struct numbered_record file;
	uint32_t row = rows_numbered(symfile, view, TABLE_FILE, number);

	if (row == SPAN_NONE ||
	    !record_numbered(symfile_text(symfile, row_where(symfile, TABLE_FILE, row)), &file))
		return (struct text){ 0 };
	return file.name;
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
