/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "pdb/pdb_module.h"

/* Reads the bodies of procedures: their own lines, and the lines of calls inlined into them. */

#define LINE_MASK 0xffffffu
#define BLOCK_HEADER 12u

const char *
pdb_file(const struct pdb_module *module, uint32_t file, struct arena *arena)
{
	uint32_t name;

	return reader_u32(&module->checksums, file, &name) ? pdb_name(module->pdb, name, arena)
							   : "";
}

struct row_list {
	struct arena *arena;
	struct pdb_row *rows;
	size_t count, capacity;
	size_t most;			/* maximum number of rows */
	bool failed;
};

static struct pdb_row *
add_row(struct row_list *list, const struct pdb_row *row)
{
	struct pdb_row *added = list->count < list->most
					? ARENA_PUSH(list->arena, list->rows, list->count,
						     list->capacity) : NULL;

	list->failed |= added == NULL;
	if (added != NULL)
		*added = *row;
	return added;
}

SORTED_BY_ALL(compare_rows, struct pdb_row, SORTED_UP(address) SORTED_UP(offset))

const struct pdb_row *
pdb_row_at(const struct pdb_row *rows, size_t count, uint32_t address)
{
	size_t at;

	BISECT(at, count, rows[at].address <= address);
	return at > 0 && address - rows[at - 1].address < rows[at - 1].size ? &rows[at - 1] : NULL;
}

/* Add the rows of a run. The size of a row is the distance to the next row, so read all rows. */
static void
add_rows(const struct pdb_module *module, const struct pdb_line_run *run, struct row_list *list)
{
	const size_t first = list->count;
	uint32_t file, count, size, offset, bits;

	for (uint64_t at = run->offset; at < run->end; at += size) {
		if (!reader_u32(&module->bytes, at, &file) ||
		    !reader_u32(&module->bytes, at + 4, &count) ||
		    !reader_u32(&module->bytes, at + 8, &size) || size < BLOCK_HEADER ||
		    size > run->end - at ||
		    (uint64_t)count * (run->columns ? 12 : 8) > size - BLOCK_HEADER)
			break;
		for (uint32_t i = 0; i < count && !list->failed; i++) {
			const uint64_t row = at + BLOCK_HEADER + 8 * (uint64_t)i;

			if (!reader_u32(&module->bytes, row, &offset) ||
			    !reader_u32(&module->bytes, row + 4, &bits) || offset >= run->size)
				continue;
			const struct pdb_row added = { .address = (uint32_t)run->address + offset,
						       .line = bits & LINE_MASK, .file = file,
						       .run = (uint32_t)(run - module->runs),
						       .offset = (uint32_t)row };
			add_row(list, &added);
		}
	}
	if (list->count > first)
		SORT(list->rows + first, list->count - first, compare_rows);
	for (size_t i = first; i < list->count; i++)
		list->rows[i].size = (i + 1 < list->count ? list->rows[i + 1].address
							  : (uint32_t)run->address + run->size) -
				     list->rows[i].address;
}

/*
 * The run of a procedure that the linker folded with others. The records and the runs of folded
 * procedures have the same order. SIZE_MAX: not folded, or their counts differ.
 */
static size_t
run_of_folded(const struct pdb_module *module, const struct pdb_procedure *procedure)
{
	const uint32_t address = procedure->address;
	size_t first = (size_t)(procedure - module->procedures), last = first, run, end;

	while (first > 0 && module->procedures[first - 1].address == address)
		first--;
	while (last < module->procedure_count && module->procedures[last].address == address)
		last++;
	BISECT(run, module->run_count, module->runs[run].address < address);
	for (end = run; end < module->run_count && module->runs[end].address == address;)
		end++;
	return last - first > 1 && end - run == last - first
		       ? run + (size_t)(procedure - module->procedures) - first : SIZE_MAX;
}

/* The address of the first procedure that begins after an address; UINT64_MAX: none. */
static uint64_t
next_procedure(const struct pdb_module *module, uint32_t address)
{
	size_t at;

	BISECT(at, module->procedure_count, module->procedures[at].address <= address);
	return at < module->procedure_count ? module->procedures[at].address : UINT64_MAX;
}

/* Whether a procedure begins inside another procedure, or inside an earlier run. */
static bool
is_nested(const struct pdb_module *module)
{
	for (size_t i = 0; i < module->procedure_count; i++) {
		const struct pdb_procedure *one = &module->procedures[i];

		if (next_procedure(module, one->address) < (uint64_t)one->address + one->size)
			return true;
	}
	for (size_t i = 0; i < module->run_count; i++) {
		const struct pdb_line_run *run = &module->runs[i];

		if (next_procedure(module, (uint32_t)run->address) < run->address + run->size)
			return true;
	}
	return false;
}

/* The number of shared rows in [`from`, `to`). Sets `*first` to the index of the first row. */
static size_t
rows_between(const struct pdb_module *module, uint64_t from, uint64_t to, size_t *first)
{
	size_t begin, end;

	BISECT(begin, module->shared_count, module->shared[begin].address < from);
	BISECT(end, module->shared_count, module->shared[end].address < to);
	*first = begin;
	return end > begin ? end - begin : 0;
}

bool
pdb_rows_share(struct pdb_module *module, uint32_t *offset)
{
	struct row_list list = { .arena = &module->arena, .most = LIMIT_PDB_ROWS };
	size_t beyond = 0, first;

	if (!is_nested(module))
		return true;
	for (size_t i = 0; i < module->run_count && !list.failed; i++) {
		*offset = module->runs[i].offset;
		add_rows(module, &module->runs[i], &list);
	}
	SORT(list.rows, list.count, compare_rows);
	module->shared = list.rows;
	module->shared_count = list.count;
	for (size_t i = 0; i < module->procedure_count && !module->cut; i++) {
		const struct pdb_procedure *one = &module->procedures[i];
		const uint64_t next = next_procedure(module, one->address);

		beyond += rows_between(module, next, (uint64_t)one->address + one->size, &first);
		module->cut = beyond > LIMIT_PDB_ROWS;
		*offset = module->cut ? one->offset : *offset;
	}
	return !list.failed && !module->cut;
}

/* Add the shared rows that belong to a procedure. `folded` is its run, or SIZE_MAX. */
static void
pick_rows(const struct pdb_module *module, const struct pdb_procedure *procedure, size_t folded,
	  struct row_list *list)
{
	const uint64_t next = next_procedure(module, procedure->address);
	const uint64_t whole = (uint64_t)procedure->address + procedure->size;
	size_t at;
	const size_t count = rows_between(module, procedure->address,
					  module->cut && next < whole ? next : whole, &at);

	for (size_t i = at; i < at + count && !list->failed; i++) {
		const struct pdb_row *row = &module->shared[i];

		if (folded == SIZE_MAX || row->run == folded ||
		    module->runs[row->run].address != procedure->address)
			add_row(list, row);
	}
}

/*
 * Read the rows that begin in a procedure, sorted by address. Rows with the same address keep the
 * order of the file, and only the last of these rows has a size.
 */
static bool
read_rows(const struct pdb_module *module, const struct pdb_procedure *procedure,
	  struct arena *arena, struct pdb_row **rows, size_t *count)
{
	const uint32_t address = procedure->address, size = procedure->size;
	const size_t folded = run_of_folded(module, procedure);
	struct row_list list = { .arena = arena, .most = LIMIT_PDB_ROWS };
	size_t at, kept = 0;

	if (module->shared != NULL) {
		pick_rows(module, procedure, folded, &list);
		*rows = list.rows;
		*count = list.count;
		return !list.failed;
	}
	/* A run begins at a function, but an assembler's run may begin before its function. */
	BISECT(at, module->run_count, module->runs[at].address <= address);
	while (at > 0 && address - module->runs[at - 1].address <= LIMIT_PDB_NEST)
		at--;
	for (; at < module->run_count && module->runs[at].address < (uint64_t)address + size; at++)
		if (module->runs[at].address + module->runs[at].size > address &&
		    (folded == SIZE_MAX || at == folded || module->runs[at].address != address))
			add_rows(module, &module->runs[at], &list);
	SORT(list.rows, list.count, compare_rows);
	for (size_t i = 0; i < list.count; i++)
		if (list.rows[i].address >= address && list.rows[i].address - address < size)
			list.rows[kept++] = list.rows[i];
	*rows = list.rows;
	*count = kept;
	return !list.failed;
}

/* Inlined calls -------------------------------------------------------------------------------- */

/* Operations of annotations (cvinfo.h, enum BinaryAnnotationOpcode). */
enum annotation {
	CODE_OFFSET = 1,
	CODE_BASE,
	ADD_CODE,
	CODE_LENGTH,
	CHANGE_FILE,
	ADD_LINE,
	LINE_END,
	RANGE_KIND,
	COLUMN_START,
	ADD_COLUMN_END,
	ADD_CODE_AND_LINE,
	LENGTH_AND_CODE,
	COLUMN_END,
};

/* Read a compressed number of one, two or four bytes, and move `*at` past it. */
static bool
read_number(const struct reader *data, uint64_t *at, uint32_t *value)
{
	uint8_t bytes[4] = { 0 };
	unsigned count = 0;

	do {
		if (!reader_u8(data, *at + count, &bytes[count]))
			return false;
		count++;
	} while (count < (bytes[0] < 0x80 ? 1u : bytes[0] < 0xc0 ? 2u : 4u));
	*at += count;
	if (count == 1)
		*value = bytes[0];
	else if (count == 2)
		*value = (bytes[0] & 0x3fu) << 8 | bytes[1];
	else
		*value = (bytes[0] & 0x1fu) << 24 | (uint32_t)bytes[1] << 16 |
			 (uint32_t)bytes[2] << 8 | bytes[3];
	return bytes[0] < 0xe0;
}

static uint32_t
signed_of(uint32_t value)
{
	return (value & 1) != 0 ? -(value >> 1) : value >> 1;
}

/* State while the annotations of an inlined call are decoded. */
struct annotated {
	uint32_t code, line, file;	/* `code`: offset in the procedure */
	struct row_list *list;
	bool open;			/* the last row ends at the next row */
	const struct pdb_procedure *procedure;
	uint32_t offset;		/* offset of the call's record */
};

/* Begin a row at `state->code`. Add no row outside the procedure. */
static void
begin_row(struct annotated *state, uint32_t size)
{
	struct row_list *list = state->list;
	const struct pdb_procedure *procedure = state->procedure;
	const struct pdb_row row = { .address = procedure->address + state->code, .size = size,
				     .line = state->line, .file = state->file,
				     .offset = state->offset };

	if (state->open && list->count > 0) {
		struct pdb_row *last = &list->rows[list->count - 1];

		last->size = row.address > last->address ? row.address - last->address : 0;
	}
	state->open = false;
	if (state->code >= procedure->size)
		return;
	struct pdb_row *added = add_row(list, &row);
	if (added == NULL)
		return;
	state->open = size == 0;
	if (size == 0 || size > procedure->size - state->code)
		added->size = procedure->size - state->code;
}

/* Apply one operation. False: the operation is unknown. */
static bool
annotate(struct annotated *state, uint32_t operation, uint32_t first, uint32_t second)
{
	struct row_list *list = state->list;

	switch ((enum annotation)operation) {
	case CODE_OFFSET:
		state->code = first;
		return true;
	case ADD_CODE:
		state->code += first;
		begin_row(state, 0);
		return true;
	case CODE_LENGTH:
		if (state->open && list->count > 0 && list->rows[list->count - 1].size > first)
			list->rows[list->count - 1].size = first;
		state->open = false;
		state->code += first;
		return true;
	case CHANGE_FILE:
		state->file = first;
		return true;
	case ADD_LINE:
		state->line += signed_of(first);
		return true;
	case ADD_CODE_AND_LINE:
		state->code += first & 15;
		state->line += signed_of(first >> 4);
		begin_row(state, 0);
		return true;
	case LENGTH_AND_CODE:
		state->code += second;
		begin_row(state, first);
		return true;
	default:
		return operation <= COLUMN_END;
	}
}

static void
read_annotations(const struct pdb_module *module, const struct pdb_symbol *symbol, uint64_t at,
		 struct annotated *state, uint32_t id)
{
	uint32_t operation, first, second = 0;
	size_t inlinee;

	BISECT(inlinee, module->inlinee_count, module->inlinees[inlinee].id < id);
	if (inlinee < module->inlinee_count && module->inlinees[inlinee].id == id) {
		state->line = module->inlinees[inlinee].line;
		state->file = module->inlinees[inlinee].file;
	}
	while (read_number(&symbol->data, &at, &operation) && operation != 0 &&
	       read_number(&symbol->data, &at, &first) &&
	       (operation != LENGTH_AND_CODE || read_number(&symbol->data, &at, &second)) &&
	       annotate(state, operation, first, second))
		;
}

static bool
read_call(const struct pdb_module *module, const struct pdb_procedure *procedure,
	  const struct pdb_symbol *symbol, struct arena *arena, size_t most, struct pdb_call *call)
{
	struct row_list list = { .arena = arena, .most = most };
	struct annotated state = { .list = &list, .procedure = procedure,
				   .file = UINT32_MAX, .offset = symbol->offset };

	if (!reader_u32(&symbol->data, 8, &call->id))
		return true;
	read_annotations(module, symbol, symbol->kind == S_INLINESITE2 ? 16 : 12, &state, call->id);
	SORT(list.rows, list.count, compare_rows);
	call->rows = list.rows;
	call->row_count = list.count;
	return !list.failed;
}

/* List the calls that are inlined into a procedure. A call precedes the calls inlined into it. */
static bool
read_calls(const struct pdb_module *module, const struct pdb_procedure *procedure,
	   struct arena *arena, struct pdb_body *body)
{
	uint32_t depth = 0, nested = 0, at = procedure->offset;
	struct pdb_symbol symbol;
	size_t capacity = 0, most = LIMIT_PDB_ROWS;

	while (pdb_symbol_next(&module->symbols, &at, procedure->end, &symbol)) {
		if (symbol.kind == S_INLINESITE_END) {
			if (nested > 0)
				nested--;
			else if (depth > 0)
				depth--;
		}
		if (symbol.kind != S_INLINESITE && symbol.kind != S_INLINESITE2)
			continue;
		if (depth == LIMIT_INLINE_DEPTH || body->call_count >= LIMIT_INLINE_PARTS) {
			nested++;
			continue;
		}
		struct pdb_call *call = ARENA_PUSH(arena, body->calls, body->call_count, capacity);
		if (call == NULL)
			return false;
		*call = (struct pdb_call){ .depth = depth, .file = UINT32_MAX,
					   .offset = symbol.offset };
		if (!read_call(module, procedure, &symbol, arena, most, call))
			return false;
		most -= call->row_count;
		depth++;
	}
	return true;
}

/* Bodies --------------------------------------------------------------------------------------- */

static uint64_t
end_of(const struct pdb_row *row)
{
	return (uint64_t)row->address + row->size;
}

/* Cut each row at the next row, and drop rows without bytes. Returns how many rows remain. */
static size_t
settle(struct pdb_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && end_of(&rows[i]) > rows[i + 1].address)
			rows[i].size = rows[i + 1].address - rows[i].address;
		if (rows[i].size > 0)
			rows[kept++] = rows[i];
	}
	return kept;
}

/* Replace rows by those of `over` at the same addresses. Both lists are sorted, without overlap. */
static bool
overlay(struct pdb_body *body, const struct pdb_row *over, size_t over_count, struct arena *arena)
{
	struct pdb_row *rows = arena_array(arena, body->row_count + 2 * over_count + 1,
					   sizeof(*rows));
	size_t count = 0, next = 0;

	if (rows == NULL)
		return false;
	for (size_t i = 0; i < body->row_count; i++) {
		struct pdb_row row = body->rows[i];
		const uint64_t end = end_of(&row);
		uint64_t at = row.address;

		while (next < over_count && end_of(&over[next]) <= at)
			next++;
		for (size_t j = next; j < over_count && over[j].address < end; j++) {
			row.address = (uint32_t)at;
			row.size = over[j].address > at ? over[j].address - row.address : 0;
			if (row.size > 0)
				rows[count++] = row;
			at = end_of(&over[j]) > at ? end_of(&over[j]) : at;
		}
		row.address = (uint32_t)at;
		row.size = at < end ? (uint32_t)(end - at) : 0;
		if (row.size > 0)
			rows[count++] = row;
	}
	for (size_t j = 0; j < over_count; j++)
		rows[count++] = over[j];
	SORT(rows, count, compare_rows);
	body->rows = rows;
	body->row_count = count;
	return true;
}

/* Set the ranges of a call from its own rows and the rows of the calls inside it. */
static bool
add_ranges(const struct pdb_body *body, size_t number, struct arena *scratch, struct arena *arena)
{
	struct pdb_call *call = &body->calls[number];
	size_t end = number, all = 0, used = 0;

	do
		all += body->calls[end++].row_count;
	while (end < body->call_count && body->calls[end].depth > call->depth);
	struct pdb_row *rows = arena_array(scratch, all + 1, sizeof(*rows));
	if (rows == NULL)
		return false;
	for (size_t i = number; i < end; i++)
		for (size_t j = 0; j < body->calls[i].row_count; j++)
			rows[used++] = body->calls[i].rows[j];
	SORT(rows, used, compare_rows);
	call->ranges = arena_array(arena, used + 1, sizeof(*call->ranges));
	for (size_t i = 0; call->ranges != NULL && i < used; i++) {
		struct pdb_range *last =
			call->range_count > 0 ? &call->ranges[call->range_count - 1] : NULL;

		if (rows[i].size == 0)
			continue;
		if (last == NULL || rows[i].address > (uint64_t)last->address + last->size)
			call->ranges[call->range_count++] =
				(struct pdb_range){ rows[i].address, rows[i].size };
		else if (end_of(&rows[i]) > (uint64_t)last->address + last->size)
			last->size = (uint32_t)(end_of(&rows[i]) - last->address);
	}
	arena_reset(scratch);
	return call->ranges != NULL;
}

/* Add the rows of the calls of one depth. They replace rows of the functions around the calls. */
static bool
add_depth(uint32_t depth, struct arena *arena, struct pdb_body *body)
{
	size_t all = 0, used = 0;

	for (size_t i = 0; i < body->call_count; i++)
		all += body->calls[i].depth == depth ? body->calls[i].row_count : 0;
	struct pdb_row *rows = arena_array(arena, all + 1, sizeof(*rows));
	if (rows == NULL)
		return false;
	for (size_t i = 0; i < body->call_count; i++) {
		struct pdb_call *call = &body->calls[i];
		const struct pdb_row *around = NULL;

		if (call->depth != depth)
			continue;
		/* The call site is the row at the first range that has a row. */
		for (size_t j = 0; around == NULL && j < call->range_count; j++)
			around = pdb_row_at(body->rows, body->row_count, call->ranges[j].address);
		if (around != NULL) {
			call->line = around->line;
			call->file = around->file;
		}
		for (size_t j = 0; j < call->row_count; j++)
			rows[used++] = call->rows[j];
	}
	SORT(rows, used, compare_rows);
	return overlay(body, rows, settle(rows, used), arena);
}

bool
pdb_body_read(const struct pdb_module *module, const struct pdb_procedure *procedure, bool calls,
	      struct arena *arena, struct pdb_body *body)
{
	struct arena scratch = { 0 }, turns[2] = { { 0 }, { 0 } };
	uint32_t deepest = 0;

	*body = (struct pdb_body){ 0 };
	bool good = read_rows(module, procedure, arena, &body->rows, &body->row_count);
	body->row_count = settle(body->rows, body->row_count);
	if (!good || !calls || procedure->part)
		return good;
	good = read_calls(module, procedure, arena, body);
	for (size_t i = 0; good && i < body->call_count; i++) {
		good = add_ranges(body, i, &scratch, arena);
		deepest = body->calls[i].depth > deepest ? body->calls[i].depth : deepest;
	}
	if (!good)
		body->call_count = 0;
	/* The rows of each depth replace those of the last one, whose memory is used again. */
	for (uint32_t depth = 0; good && body->call_count > 0 && depth <= deepest; depth++) {
		arena_reset(&turns[depth % 2]);
		good = add_depth(depth, &turns[depth % 2], body);
	}
	struct pdb_row *rows = arena_array(arena, body->row_count + 1, sizeof(*rows));
	if (rows == NULL)
		body->row_count = 0;
	else if (body->row_count > 0)
		memcpy(rows, body->rows, body->row_count * sizeof(*rows));
	body->rows = rows;
	arena_free(&turns[0]);
	arena_free(&turns[1]);
	arena_free(&scratch);
	return good && rows != NULL;
}
